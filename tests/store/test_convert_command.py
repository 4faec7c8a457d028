"""`inktex convert` as a person uses it: files to a store, a store to files, results joined."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("pyarrow", reason="the ink store needs inktex[store]")

from inktex.cli import build_app
from inktex.ink import Ink, read, save
from inktex.store.files import read_store


@pytest.fixture
def inks(tmp_path: Path) -> dict[str, Ink]:
    made = {
        "two.json": Ink.from_strokes([[(1.5, 2), (2, 2)]], writer="me"),
        "a/one.inkml": Ink.from_strokes([[(0, 0), (3, 4)], [(8, 1)]], truth="$1$"),
        "b/one.inkml": Ink.from_strokes([[(5, 5), (6, 7)]]),
    }
    for name, ink in made.items():
        path = tmp_path / "inks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        save(ink, path)
    return made


def convert(*arguments: object):
    return CliRunner().invoke(build_app(), ["convert", *map(str, arguments)])


def test_a_folder_becomes_a_store_and_files_again(tmp_path, inks):
    assert convert(tmp_path / "inks", "-o", tmp_path / "inks.parquet").exit_code == 0
    rows = [row for row, _ in read_store(tmp_path / "inks.parquet")]
    assert [row.ink for row in rows] == list(inks.values())
    assert rows[1].source.endswith("inks/a/one.inkml")
    done = convert(tmp_path / "inks.parquet", "-o", tmp_path / "back", "--to", "inkml")
    assert done.exit_code == 0, done.output
    back = {path.parent.name + "/" + path.name: read(path) for path in (tmp_path / "back").rglob("*.inkml")}
    assert back == {
        "inks/two.inkml": inks["two.json"],
        "a/one.inkml": inks["a/one.inkml"],
        "b/one.inkml": inks["b/one.inkml"],
    }


def test_one_file_becomes_another_format(tmp_path, inks):
    assert convert(tmp_path / "inks" / "two.json", "-o", tmp_path / "two.inkml").exit_code == 0
    assert read(tmp_path / "two.inkml") == inks["two.json"]
    assert convert(tmp_path / "inks" / "two.json", "-o", tmp_path / "two.svg").exit_code == 0
    assert (tmp_path / "two.svg").read_text().startswith("<svg")


def test_every_format_that_the_page_saves_is_written(tmp_path, inks):
    import re

    root = Path(__file__).parents[2]
    page = (root / "src/inktex/server/static/index.html").read_text(encoding="utf-8")
    kinds = {kind for kind in re.findall(r'data-save="([^"]+)"', page) if "." not in kind}  # of ink
    assert {"inkml", "json", "xopp", "excalidraw", "svg", "png"} <= kinds
    pytest.importorskip("matplotlib", reason="PNG needs inktex[figures]")
    for kind in kinds:
        out = tmp_path / f"ink.{kind}"
        done = convert(tmp_path / "inks" / "a" / "one.inkml", "-o", out)
        assert done.exit_code == 0, done.output
        if kind == "png":
            assert out.read_bytes().startswith(b"\x89PNG")
        elif kind != "svg":
            assert len(read(out)) == 2


def test_a_large_store_is_cut_into_parts(tmp_path, inks):
    done = convert(tmp_path / "inks", "-o", tmp_path / "parts", "--to", "parquet", "--part-rows", 2)
    assert done.exit_code == 0, done.output
    assert [path.name for path in sorted((tmp_path / "parts").iterdir())] == [
        "part-00000.parquet",
        "part-00001.parquet",
    ]
    assert len(list(read_store(tmp_path / "parts"))) == 3


def test_what_was_recognized_joins_the_ink(tmp_path, inks):
    name = (tmp_path / "inks" / "two.json").as_posix()
    other = (tmp_path / "inks" / "a" / "one.inkml").as_posix()
    results = [
        {"source": name, "latex": "-", "score": 0.5, "model": "p2"},
        {"source": other, "latex": None, "score": None, "error": "took too long"},
    ]
    (tmp_path / "read.jsonl").write_text("".join(json.dumps(row) + "\n" for row in results))
    done = convert(tmp_path / "inks", "--results", tmp_path / "read.jsonl", "-o", tmp_path / "inks.parquet")
    assert done.exit_code == 0, done.output
    rows = {row.source: row for row, _ in read_store(tmp_path / "inks.parquet")}
    assert rows[name].recognition["latex"] == "-"
    assert rows[other].error == "took too long"
    assert convert(tmp_path / "inks.parquet", "-o", tmp_path / "again.jsonl").exit_code == 0
    again = {row["source"]: row for row in map(json.loads, (tmp_path / "again.jsonl").open())}
    assert again[name]["latex"] == "-"
    assert again[other]["error"] == "took too long"


def test_a_bad_file_is_named_and_the_others_are_converted(tmp_path, inks):
    (tmp_path / "inks" / "bad.inkml").write_text("<ink><trace>1 2, x</trace></ink>")
    done = convert(tmp_path / "inks", "-o", tmp_path / "inks.parquet")
    assert done.exit_code == 1
    assert "bad.inkml" in done.output
    assert len(list(read_store(tmp_path / "inks.parquet"))) == 3


def test_names_that_lead_out_of_the_folder_stay_inside(tmp_path):
    from inktex.store.files import write_store
    from inktex.store.row import StoreRow

    ink = Ink.from_strokes([[(0, 0), (1, 1)]])
    names = [
        "../../etc/passwd",
        "/absolute/x",
        "C:\\x\\..\\y",
        "a\0b",
        "",
        "..",
        ".hidden",
        "x" * 500,
        "x#1",
        "x#1",
    ]
    write_store(tmp_path / "odd.parquet", [StoreRow(name, ink) for name in names])
    done = convert(tmp_path / "odd.parquet", "-o", tmp_path / "out", "--to", "json")
    assert done.exit_code == 0, done.output
    assert len(list((tmp_path / "out").rglob("*.json"))) == len(names)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["odd.parquet", "out"]


def test_wrong_commands_say_what_to_do(tmp_path, inks):
    unknown = convert(tmp_path / "inks", "-o", tmp_path / "inks.docx")
    assert unknown.exit_code == 2
    assert "--to" in unknown.output
    several = convert(tmp_path / "inks", "-o", tmp_path / "all.inkml")
    assert several.exit_code == 2
    assert "more than one ink" in several.output


def test_ink_is_not_replaced_by_what_is_made_from_it(tmp_path, inks):
    path = tmp_path / "inks" / "two.json"
    before = path.read_bytes()
    for out in (path, tmp_path / "inks" / "a" / ".." / "two.json"):
        done = convert(path, "-o", out)
        assert done.exit_code == 2
        assert "would replace what it is made from" in " ".join(done.output.replace("│", " ").split())
    assert path.read_bytes() == before


def test_limits_are_options_here_too(tmp_path, inks):
    assert convert(tmp_path / "inks", "-o", tmp_path / "out.parquet", "--limit", "points=1").exit_code == 1
    assert convert(tmp_path / "inks", "-o", tmp_path / "out.parquet", "--limit", "nothing=1").exit_code == 2
