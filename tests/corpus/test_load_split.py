"""From packages as users have them to splits in the cache."""

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from corpus_samples import write_alignment, zipped

import inktex.latex
from inktex.corpus import (
    Corpus,
    SymbolBank,
    Synthesizer,
    import_paths,
    load_all,
    load_split,
    locate,
)
from inktex.corpus.cache import ContainerError
from inktex.corpus.importing import split_digest
from inktex.files import cache_folder
from inktex.ink import read, save
from inktex.latex import normalize

Make = Callable[..., bytes]


@pytest.fixture
def data(tmp_path: Path, inkml: Make, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder like the one of CROHME."""
    folder = tmp_path / "data"
    (folder / "captions").mkdir(parents=True)
    train = {
        "TrainINKML/HAMEX/a.inkml": inkml("x^2_1"),
        "TrainINKML/HAMEX/b.inkml": inkml(r"\frac{1}{2}"),
        "TrainINKML/MfrDB/empty.inkml": b"",
        "TrainINKML/MfrDB/a.lg": b"label graph",
        "__MACOSX/TrainINKML/HAMEX/._a.inkml": b"finder",
    }
    (folder / "train.zip").write_bytes(zipped(train))
    (folder / "test2013.zip").write_bytes(zipped({"TestINKMLGT/c.inkml": inkml(r"\sqrt{y}")}))
    (folder / "captions" / "train.txt").write_text("a\tx ^ { 2 } _ { 1 }\nb\t\\frac { 1 } { 3 }\n")
    monkeypatch.setenv("INKTEX_DATA", str(folder))
    return folder


def test_a_split_is_found_read_and_cached(data: Path) -> None:
    train = load_split("train")
    assert train.stems == ("a", "b")
    assert train[0].tokens == ("x", "_", "{", "1", "}", "^", "{", "2", "}")
    assert train[0].folder == "HAMEX"
    assert [(problem.path.split("/")[-1], problem.reason) for problem in train.problems] == [
        ("empty.inkml", "the file is empty; save or export the ink again")
    ]
    assert train.path.is_relative_to(cache_folder())
    assert load_split("test2013")[0].tokens == (r"\sqrt", "{", "y", "}")


def test_the_caption_is_the_truth_where_there_is_one(data: Path) -> None:
    assert " ".join(load_split("train")[1].tokens) == r"\frac { 1 } { 3 }"


def test_cached_ink_equals_the_ink_of_the_file(data: Path, inkml: Make) -> None:
    cached, original = load_split("train")[0].ink, read(inkml("x^2_1"))
    assert np.array_equal(cached.points, original.points)
    assert np.array_equal(cached.offsets, original.offsets)
    assert cached.truth == original.truth
    assert cached.writer == original.writer
    assert [(s.label, s.strokes) for s in cached.symbols] == [(s.label, s.strokes) for s in original.symbols]


def test_a_second_load_reads_nothing(data: Path) -> None:
    load_split("train")

    def never(path: str) -> None:
        raise AssertionError(f"{path} was read again")

    assert len(load_split("train", progress=never)) == 2


def test_a_changed_source_is_read_again_and_the_old_cache_goes(data: Path, inkml: Make) -> None:
    before = load_split("train").path
    (data / "train.zip").write_bytes(zipped({"TrainINKML/HAMEX/d.inkml": inkml("z")}))
    after = load_split("train")
    assert after.stems == ("d",)
    assert not before.exists()


def test_changed_captions_are_noticed(data: Path) -> None:
    load_split("train")
    (data / "captions" / "train.txt").write_text("a\tx\n")
    assert load_split("train")[0].tokens == ("x",)


def test_a_changed_reader_is_noticed(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = load_split("train").path
    (tmp_path / "latex").mkdir()
    (tmp_path / "latex" / "normalize.py").write_text("# another normaliser")
    monkeypatch.setattr("inktex.latex.__path__", [str(tmp_path / "latex")])
    assert load_split("train").path != before


@pytest.mark.parametrize("damage", ["cut", "garbled", "other version"])
def test_a_damaged_cache_is_made_again(data: Path, damage: str) -> None:
    path = load_split("train").path
    content = path.read_bytes()
    if damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "garbled":
        path.write_bytes(b"something else")
    else:
        path.write_bytes(content.replace(b'"format": ', b'"format": 9', 1))
    with pytest.raises((ContainerError, ValueError)):
        Corpus.open(path)
    assert load_split("train").stems == ("a", "b")


def test_a_corpus_is_a_sequence_that_can_be_sent_to_workers(data: Path) -> None:
    train = load_split("train")
    assert len(train) == len(list(train)) == 2
    assert train[-1].stem == "b"
    with pytest.raises(IndexError):
        train[2]
    sent = pickle.loads(pickle.dumps(train))
    assert sent[0].ink == train[0].ink
    assert len(pickle.dumps(train)) < 1000


def test_ink_from_the_cache_cannot_be_changed(data: Path) -> None:
    with pytest.raises(ValueError, match="read-only"):
        load_split("train")[0].ink.points[0, 0] = 1.0


def test_strokes_of_tokens_come_from_the_alignment_where_the_file_does_not_tell(data: Path) -> None:
    assert not any(load_split("train")[0].strokes_of)
    count = len(load_split("train")[0].ink)
    lines = f"x 0\n^ -1\n{{ -1\n2 {count - 2}\n}} -1\n_ -1\n{{ -1\n1 {count - 1}\n}} -1\n"
    write_alignment(data / "captions" / "train_alignment.tar.gz", {"a": lines})
    expected = ((0,), (), (), (count - 1,), (), (), (), (count - 2,), ())
    assert load_split("train")[0].strokes_of == expected


def test_an_alignment_to_strokes_that_are_not_there_is_not_used(data: Path) -> None:
    lines = "x 0\n^ -1\n{ -1\n2 99\n} -1\n_ -1\n{ -1\n1 1\n} -1\n"
    write_alignment(data / "captions" / "train_alignment.tar.gz", {"a": lines})
    assert not any(load_split("train")[0].strokes_of)


FILE_WITH_EVERYTHING = """<ink xmlns="http://www.w3.org/2003/InkML">
<annotation type="truth">$x^2$</annotation>
<annotationXML type="truth" encoding="Content-MathML"><math xmlns="http://www.w3.org/1998/Math/MathML">
<msup><mi xml:id="x_1">x</mi><mn xml:id="2_1">2</mn></msup></math></annotationXML>
<trace id="0">30 0, 40 5, 30 10, 40 10</trace><trace id="1">0 10, 10 30</trace>
<trace id="2">10 10, 0 30</trace>
<traceGroup xml:id="3"><annotation type="truth">Segmentation</annotation>
<traceGroup xml:id="4"><annotation type="truth">2</annotation><traceView traceDataRef="0"/>
<annotationXML href="2_1"/></traceGroup>
<traceGroup xml:id="5"><annotation type="truth">x</annotation><traceView traceDataRef="1"/>
<traceView traceDataRef="2"/><annotationXML href="x_1"/></traceGroup></traceGroup></ink>"""


def test_strokes_of_tokens_come_from_the_annotation_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "x.inkml").write_text(FILE_WITH_EVERYTHING)
    [corpus] = load_all([tmp_path / "x.inkml"])
    assert corpus[0].tokens == ("x", "^", "{", "2", "}")
    assert corpus[0].strokes_of == ((1, 2), (), (), (0,), ())


def test_synthetic_ink_keeps_its_segmentation_in_a_file(tmp_path: Path, bank: SymbolBank) -> None:
    tokens = normalize(r"\frac{x}{2}+[\sqrt[3]{y}]")
    written = Synthesizer(bank).write(tokens, "kept")
    save(written.ink, tmp_path / "kept.inkml")
    [corpus] = load_all([tmp_path / "kept.inkml"])
    assert corpus[0].tokens == written.tokens
    assert corpus[0].strokes_of == written.strokes_of
    assert {stroke for strokes in corpus[0].strokes_of for stroke in strokes} == set(range(len(written.ink)))


def test_packages_inside_packages(tmp_path: Path, inkml: Make) -> None:
    inner = zipped({"TestEM2014GT/a.inkml": inkml("a"), "TestEM2014GT/broken.inkml": b"<ink><trace>1 2"})
    without_truth = zipped({"TestEM2014/a.inkml": inkml("a", truth=None)})
    package = {
        "CROHME2014_data/TestEM2014GT.zip": inner,
        "CROHME2014_data/TestEM2014.zip": without_truth,
        "CROHME2014_data/not really.zip": b"no zip",
        "CROHME2011_data/CROHME_training/b.inkml": inkml("b"),
        "readme.txt": b"hello",
    }
    (tmp_path / "TC11_package.zip").write_bytes(zipped(package))
    splits = {corpus.split: corpus for corpus in load_all([tmp_path / "TC11_package.zip"])}
    assert splits["test2014"].stems == ("a",)
    assert splits["train2011"].stems == ("b",)
    reasons = " | ".join(problem.reason for problem in splits["test2014"].problems)
    assert "not a readable zip" in reasons
    assert any("broken.inkml" in problem.path for problem in splits["test2014"].problems)
    assert "no truth" not in reasons  # the copy without truth is no news


def test_folders_and_single_files_can_be_imported(
    tmp_path: Path, inkml: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INKTEX_DATA", raising=False)
    folder = tmp_path / "CROHME2016_data" / "TEST2016_INKML_GT"
    folder.mkdir(parents=True)
    (folder / "UN_1.inkml").write_bytes(inkml("p"))
    import_paths([tmp_path / "CROHME2016_data"])
    assert load_split("test2016").stems == ("UN_1",)
    lonely = tmp_path / "lonely.inkml"
    lonely.write_bytes(inkml("q"))
    import_paths([lonely], split="mine")
    assert load_split("mine")[0].tokens == ("q",)


def test_what_was_imported_stays_when_its_source_is_gone(
    tmp_path: Path, inkml: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INKTEX_DATA", raising=False)
    source = tmp_path / "x.inkml"
    source.write_bytes(inkml("p"))
    import_paths([source], split="mine")
    source.unlink()
    assert len(load_split("mine")) == 1


def test_the_same_file_twice_counts_once(tmp_path: Path, inkml: Make) -> None:
    for part in ("one", "two"):
        (tmp_path / "in" / part).mkdir(parents=True)
        (tmp_path / "in" / part / "x.inkml").write_bytes(inkml("p"))
    [corpus] = load_all([tmp_path / "in"])
    assert corpus.split == "other"
    assert len(corpus) == 1
    assert "was read before" in corpus.problems[0].reason


def test_missing_data_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INKTEX_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match=r"INKTEX_DATA is set to .*nowhere, which does not exist"):
        locate()
    monkeypatch.setenv("INKTEX_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="no ink of the split 'train'"):
        load_split("train")
    monkeypatch.delenv("INKTEX_DATA")
    monkeypatch.setattr("inktex.corpus.load.locate", lambda: None)
    with pytest.raises(FileNotFoundError, match=r"set INKTEX_DATA .* or run `inktex data import PATH`"):
        load_split("train")
    with pytest.raises(FileNotFoundError, match="no InkML file and no zip"):
        load_all([tmp_path])


def test_data_is_found_by_the_variable_or_in_the_users_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INKTEX_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert locate() is None
    (tmp_path / "inktex").mkdir()
    assert locate() == tmp_path / "inktex"
    monkeypatch.setenv("INKTEX_DATA", str(tmp_path))
    assert locate() == tmp_path


def test_a_damaged_list_of_imports_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INKTEX_DATA", raising=False)
    path = cache_folder() / "corpus" / "imported.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"train": 1}))
    with pytest.raises(ValueError, match=r"imported\.json: damaged"):
        load_split("train")


def test_other_tables_of_the_normaliser_make_the_cache_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = split_digest("train", [], [], whole=False)
    copy = Path(shutil.copytree(inktex.latex.__path__[0], tmp_path / "latex"))
    monkeypatch.setattr(inktex.latex, "__path__", [str(copy)])
    assert split_digest("train", [], [], whole=False) == before
    with (copy / "words.toml").open("a", encoding="utf-8") as table:
        table.write("# another synonym\n")
    assert split_digest("train", [], [], whole=False) != before
