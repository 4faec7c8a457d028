"""`inktex data`: what people type and what they see."""

from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_samples import zipped
from typer.testing import CliRunner

from inktex.cli import build_app
from inktex.ink import read

Make = Callable[..., bytes]


@pytest.fixture
def package(tmp_path: Path, inkml: Make) -> Path:
    files = {
        "TrainINKML/HAMEX/one.inkml": inkml(r"\sqrt{x}"),
        "TrainINKML/HAMEX/two.inkml": inkml("a+b"),
        "TrainINKML/MfrDB/empty.inkml": b"",
        "TestINKMLGT/three.inkml": inkml("3"),
    }
    path = tmp_path / "CROHME.zip"
    path.write_bytes(zipped(files))
    return path


def run(*arguments: object) -> str:
    result = CliRunner().invoke(build_app(), ["data", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_stats_count_everything_and_name_what_is_unusable(package: Path, tmp_path: Path) -> None:
    picture = tmp_path / "stats.png"
    output = run("stats", package, "--picture", picture)
    rows = {
        line.split("│")[1].strip(): [cell.strip() for cell in line.split("│")[2:]]
        for line in output.splitlines()
        if line.startswith("│")
    }
    assert rows["test2013"][0] == "1"
    assert "the file is empty" in output
    assert "empty.inkml" in output
    assert "train: from HAMEX 2" in output
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_stats_draw_to_the_cache_folder_by_default(package: Path, own_cache: Path) -> None:
    assert "picture: " in run("stats", package)
    assert (own_cache / "pictures" / "data-stats.png").exists()


def test_import_makes_splits_that_show_and_stats_find(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INKTEX_DATA", raising=False)
    assert ".corpus" in run("import", package)
    page = tmp_path / "page.html"
    output = run("show", "two", "--picture", page)
    assert "two\ta + b" in output
    assert page.read_text().count("<svg") == 1


def test_show_finds_expressions_by_what_they_contain(package: Path, tmp_path: Path) -> None:
    output = run("show", "--data", package, "--containing", r"\sqrt {", "--picture", tmp_path / "show.png")
    assert "one\t" in output
    assert "two\t" not in output
    assert (tmp_path / "show.png").exists()


def test_show_takes_numbers_and_splits(package: Path, tmp_path: Path) -> None:
    assert "three\t3" in run(
        "show", "0", "--data", package, "--split", "test2013", "--picture", tmp_path / "a.svg"
    )
    with pytest.raises(ValueError, match="no expression is called 'nothing' in train"):
        run("show", "nothing", "--data", package)
    with pytest.raises(ValueError, match="no expression matches"):
        run("show", "--data", package, "--containing", r"\int")


def test_a_picture_format_that_does_not_exist_is_named(package: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown picture format 'docx'; use png, svg or pdf"):
        run("stats", package, "--picture", tmp_path / "x.docx")


def test_synthesize_writes_ink_that_reads_back(tmp_path: Path) -> None:
    run(
        "synthesize",
        tmp_path / "ink",
        "--latex",
        r"\frac{a}{b}",
        "--count",
        2,
        "--picture",
        tmp_path / "sheet.png",
    )
    files = sorted((tmp_path / "ink").glob("*.inkml"))
    assert [read(file).truth for file in files] == [r"\frac { a } { b }"] * 2
    assert (tmp_path / "sheet.png").exists()


def test_synthesize_makes_expressions_up(tmp_path: Path) -> None:
    output = run("synthesize", tmp_path / "ink", "--count", 5, "--seed", 3)
    assert len(list((tmp_path / "ink").glob("*.inkml"))) == 5
    assert output == run("synthesize", tmp_path / "again", "--count", 5, "--seed", 3)
