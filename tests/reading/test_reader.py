"""One way to read: many inks or one, on threads or processes, give the same readings."""

import ast
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

import inktex
from inktex.decoding import SearchOptions
from inktex.features import extract_many
from inktex.ink import Ink, InkError
from inktex.latex import Vocabulary
from inktex.reading import Control, Model, ModelError, Reader, open_model, reader, whole

SOURCE = Path(inktex.__file__).parent
SEARCHES = ("beam_search", "search_both_ways")
EMPTY = Ink.from_strokes([])


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A random network whose answers are long and vary with the ink."""
    pytest.importorskip("torch", reason="making a model file needs inktex[train]")
    from inktex.reading import write_model
    from inktex.training.export import export_network
    from small_networks import random_network

    path = tmp_path_factory.mktemp("models") / "talkative.inktex"
    write_model(path, export_network(random_network(seed=7, sharpness=8.0), "talkative"))
    return open_model(path)


@pytest.fixture
def small_chunks(monkeypatch):
    """A collection of a dozen inks counts as a large one."""
    monkeypatch.setattr(reader, "CHUNK", 4)
    monkeypatch.setattr(reader, "FEW", 4)


def some_inks(count: int) -> list[Ink]:
    random = np.random.default_rng(7)
    return [
        Ink.from_strokes([np.cumsum(random.normal(size=(12, 2)), axis=0) for _ in range(1 + number % 4)])
        for number in range(count)
    ]


def test_many_inks_are_read_as_each_alone(model):
    inks, reads = some_inks(15), Reader(model)
    together = reads.read(inks, jobs=2)
    assert len({reading.tokens for reading in together}) > 1
    for ink, reading in zip(inks, together, strict=True):
        alone = reads.read_one(ink)
        assert reading.ink is ink
        assert reading.tokens == alone.tokens
        assert [each.tokens for each in reading.hypotheses] == [each.tokens for each in alone.hypotheses]
        np.testing.assert_allclose(reading.log_prob, alone.log_prob, rtol=1e-4)
        assert reading.alignment == alone.alignment


def test_processes_read_what_threads_do_each_ink_once(model, small_chunks):
    inks = [*some_inks(11), EMPTY]
    threads = dict(Reader(model).map(attrgetter("tokens"), inks))
    found = list(Reader(model).map(attrgetter("tokens"), inks, jobs=2, processes=True))
    assert sorted(place for place, _ in found) == list(range(12))
    assert {place: kept for place, kept in found if place < 11} == {
        place: kept for place, kept in threads.items() if place < 11
    }
    assert isinstance(dict(found)[11], InkError)


def test_a_small_collection_starts_no_process(model, monkeypatch):
    monkeypatch.setattr(reader, "Processes", lambda count: pytest.fail("processes were started"))
    assert len(list(Reader(model).map(whole, some_inks(5), jobs=2, processes=True))) == 5


def test_what_cannot_be_read_is_an_error_in_its_place_or_raised(model):
    broken = InkError("torn")
    found = dict(Reader(model).map(whole, [some_inks(1)[0], EMPTY, broken]))
    assert found[0].tokens
    assert "no strokes" in str(found[1])
    assert found[2] is broken
    with pytest.raises(InkError, match="no strokes"):
        Reader(model).read([EMPTY])


def test_inks_are_taken_only_as_they_are_needed(model, monkeypatch):
    monkeypatch.setattr(reader, "SORTED", 6)
    taken = []

    def coming():
        for number, ink in enumerate(some_inks(200)):
            taken.append(number)
            yield ink

    readings = Reader(model).map(whole, coming(), jobs=2)
    next(readings)
    assert len(taken) < 100


def test_the_longest_inks_are_read_first_and_each_once(model):
    inks = some_inks(15)
    found = [(place, len(kept.features.rows)) for place, kept in Reader(model, batch=4).map(whole, inks)]
    lengths = [length for _, length in found]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[-1]
    assert sorted(place for place, _ in found) == list(range(15))


def test_the_search_of_a_model_is_the_usual_one_unless_options_are_given(model):
    ink = some_inks(4)[3]
    assert Reader(model).options == model.search
    assert model.search.prune is not None
    plain = Reader(model, SearchOptions(beam=3, top=2)).read_one(ink)
    assert len(plain.hypotheses) == 2


def test_more_ink_may_have_a_longer_answer_and_very_much_has_a_narrower_beam(model):
    features = [given.features for given in model.inputs([some_inks(1)[0], *_long_inks()])]
    stride = model.info.stride
    fitted = [reader.fitted(model.search, each, stride) for each in features]
    assert fitted[0].beam == model.search.beam
    assert fitted[0].max_length < fitted[1].max_length <= model.search.max_length
    assert reader.NARROWEST <= fitted[1].beam < model.search.beam
    assert reader.fitted(SearchOptions(), features[1], stride).beam == SearchOptions().beam
    assert reader.fitted(SearchOptions(max_length=5), features[1], stride).max_length == 5


def _long_inks() -> list[Ink]:
    random = np.random.default_rng(1)
    return [Ink.from_strokes([random.normal(size=(40, 2)) + 9 * n for n in range(40)])]


def test_copies_of_the_ink_change_scores_and_always_alike(model):
    # Weighted against what the copies say, so that it shows: a random network says the same about all ink.
    copying = Reader(model, replace(model.search, copies=2, copy_weight=-20.0))
    inks = some_inks(12)
    plain, again = Reader(model).read(inks), copying.read(inks)
    changed = [
        [each.score for each in one.hypotheses] != [each.score for each in other.hypotheses]
        for one, other in zip(plain, again, strict=True)
    ]
    assert any(changed)
    for ink, reading in zip(inks, again, strict=True):
        alone = copying.read_one(ink)
        assert [each.tokens for each in alone.hypotheses] == [each.tokens for each in reading.hypotheses]
        only = Reader(model, replace(copying.options, top=1)).read_one(ink)
        assert len(only.hypotheses) == 1
        assert only.tokens == reading.tokens  # copies decide, however many answers are wanted
    assert any(one.tokens != other.tokens for one, other in zip(plain, again, strict=True))
    hurried = copying.read_one(inks[changed.index(True)], Control(timeout=0.0))
    assert hurried.hypotheses  # no time for copies


def test_a_cancelled_reading_stops(model):
    from inktex.decoding import SearchCancelled

    with pytest.raises(SearchCancelled):
        Reader(model).read_one(some_inks(1)[0], Control(cancelled=lambda: True))


def test_a_model_can_be_made_to_write_given_tokens(model):
    ink = some_inks(3)[2]
    best = Reader(model).read_one(ink)
    again = Reader(model).read_as(ink, best.tokens)
    assert again.tokens == best.tokens
    np.testing.assert_allclose(again.log_prob, best.log_prob, rtol=1e-4)
    np.testing.assert_allclose(again.attention, best.attention, atol=1e-4)


def test_every_hypothesis_can_be_looked_at(model):
    reading = Reader(model).read_one(some_inks(3)[2])
    readings = reading.each()
    assert [each.best for each in readings] == list(reading.hypotheses)
    assert len(readings) > 1
    for each in readings:
        assert len(each.alignment.strokes_of) == len(each.tokens)


def test_weights_and_the_model_exported_from_them_read_alike(tmp_path):
    pytest.importorskip("torch", reason="PyTorch weights need inktex[train]")
    from inktex.model import save_network
    from inktex.reading import write_model
    from inktex.training.export import export_network
    from inktex.training.onnx_graph import Precision
    from small_networks import random_network

    network = random_network(seed=3)
    (tmp_path / "run").mkdir()
    save_network(network, tmp_path / "run" / "last.safetensors")
    write_model(tmp_path / "m.inktex", export_network(network, "m", precision=Precision.full))
    opened = [open_model(tmp_path / name) for name in ("run", "run/last.safetensors", "m.inktex")]
    assert [model.info.name for model in opened] == ["run", "run", "m"]
    answers = [[reading.tokens for reading in Reader(model).read(some_inks(6))] for model in opened]
    assert answers[0] == answers[1] == answers[2]


def test_a_run_is_opened_by_its_last_weights(tmp_path):
    pytest.importorskip("torch", reason="PyTorch weights need inktex[train]")
    from inktex.model import save_network
    from inktex.reading import find_weights
    from small_networks import random_network

    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(ModelError, match="no weights yet"):
        open_model(tmp_path)
    for name in ("best", "last"):
        save_network(random_network(), tmp_path / f"{name}.safetensors")
        assert find_weights(tmp_path).stem == name


def test_models_of_any_kind_answer_together(model, tmp_path):
    pytest.importorskip("torch", reason="PyTorch weights need inktex[train]")
    from inktex.features import FeatureOptions
    from inktex.model import save_network
    from small_networks import SMALL, random_network

    dense = replace(SMALL, features=FeatureOptions.paper())
    save_network(random_network(dense, seed=2), tmp_path / "dense.safetensors")
    both = open_model(model.sources[0], tmp_path / "dense.safetensors")
    assert both.search == model.search
    readings = Reader(both).read(some_inks(4))
    assert all(len(each.attention[0]) == -(-len(each.features.rows) // 2) for each in readings)


def test_reading_needs_no_torch():
    import subprocess
    import sys

    script = (
        "import sys, inktex.reading, inktex.recognizer, inktex.report.report; print('torch' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", script], text=True).strip() == "False"


def test_nothing_but_the_reader_calls_the_search():
    callers = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) in SEARCHES:
                callers.add(path.relative_to(SOURCE).as_posix())
    assert {caller for caller in callers if not caller.startswith("decoding/")} == {"reading/reader.py"}


def test_models_with_different_vocabularies_cannot_answer_together(model):
    part = replace(model.parts[0], vocabulary=Vocabulary(("<eol>", "x")))
    with pytest.raises(ModelError, match="same vocabulary"):
        Model.joined([model, Model("other", [part])], "both")


def test_features_are_made_once_for_both_directions(monkeypatch):
    model = open_model("wide")
    assert model.backward_stepper() is not None
    made = []

    def counted(inks, options):
        made.append(options)
        return extract_many(inks, options)

    monkeypatch.setattr("inktex.reading.model.extract_many", counted)
    model.inputs([Ink.from_strokes([[(0, 0), (3, 4), (6, 0)]])])
    assert len(made) == 1
