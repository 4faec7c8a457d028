"""`inktex recognize`: one line of LaTeX each, exit codes, formats, and folder runs that can be resumed."""

import json
import os
import zipfile
from pathlib import Path

import pytest

from inktex.ink import Ink, save, write_json
from inktex.recognizer import Recognizer


@pytest.fixture
def right(model_path, inks):
    """The answers of the library for the files that can be read."""
    recognizer = Recognizer(model_path)
    return {name: recognizer.recognize(inks / name).latex for name in ("a.inkml", "b.json", "d.inkml")}


def test_one_line_of_latex_for_each_file_in_their_order(inktex, inks, right):
    result = inktex("recognize", inks / "d.inkml", inks / "a.inkml", inks / "b.json")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [right["d.inkml"], right["a.inkml"], right["b.json"]]
    assert result.stderr == ""


def test_a_file_that_cannot_be_read_stops_nothing(inktex, inks, right):
    result = inktex("recognize", inks)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [right["a.inkml"], right["b.json"], "", right["d.inkml"]]
    assert "c.inkml" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    missing = inktex("recognize", inks / "a.inkml", inks / "none.inkml")
    assert missing.exit_code == 1
    assert missing.stdout.splitlines() == [right["a.inkml"], ""]


def test_wrong_use_has_exit_code_2(inktex, inks):
    assert inktex("recognize").exit_code == 2
    assert inktex("recognize", inks, "--format", "pdf").exit_code == 2
    assert inktex("recognize", inks, "--model", "nobody").exit_code == 2
    assert inktex("recognize", inks, "--symbols", "klingon").exit_code == 2
    assert inktex("recognize", inks, "--top", "0").exit_code == 2


def test_standard_input_and_json(inktex, inks, right):
    result = inktex("recognize", "--json", "--top", "3", "-", stdin=(inks / "b.json").read_text())
    assert result.exit_code == 0
    row = json.loads(result.stdout)
    assert row["source"] == "stdin"
    assert row["latex"] == right["b.json"]
    assert row["schema"] == "inktex.recognition/1"
    assert len(row["alternatives"]) == 2


def test_patterns_and_zips(inktex, inks, right, tmp_path):
    result = inktex("recognize", inks / "[ad].inkml")
    assert result.stdout.splitlines() == [right["a.inkml"], right["d.inkml"]]
    with zipfile.ZipFile(tmp_path / "inks.zip", "w") as archive:
        for path in sorted(inks.iterdir()):
            archive.write(path, path.name)
    zipped = inktex("recognize", tmp_path / "inks.zip")
    assert zipped.exit_code == 1
    assert sorted(zipped.stdout.splitlines()) == sorted(["", *right.values()])
    assert inktex("recognize", inks / "*.nothing").exit_code == 1


@pytest.mark.parametrize(
    ("form", "begin"), [("mathml", "<math"), ("json", "{"), ("latex", ""), ("typst", "")]
)
def test_formats(inktex, inks, form, begin):
    result = inktex("recognize", "--format", form, inks / "a.inkml", inks / "d.inkml")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 2
    assert all(line.startswith(begin) for line in result.stdout.splitlines())


def test_latex_is_written_as_people_write_it_or_with_spaces_or_between_marks(inktex, inks, tmp_path):
    cross = Ink.from_strokes([[(0, 0), (20, 20)], [(20, 0), (0, 20)]])
    save(cross + cross.translate(0, 100), page := tmp_path / "page.inkml")

    def written(*options):
        result = inktex("recognize", *options)
        assert result.exit_code == 0, result.output
        return result.stdout.removesuffix("\n")

    row = json.loads(written(page, "--json"))
    texts = [token["text"] for token in row["tokens"]]
    assert written(page) == row["latex"] == "".join(texts)
    assert written(page, "--spaced") == written(page, "--format", "spaced") == " ".join(texts)
    assert written(page, "--format", "inline") == f"${row['latex']}$"
    assert written(page, "--format", "display") == rf"\[{row['latex']}\]"
    assert written(page, "--format", "markdown") == f"$${row['latex']}$$"
    several = written(inks / "a.inkml", "--top", "3")
    assert written(inks / "a.inkml", "--top", "3", "--spaced").replace(" ", "") == several
    for other in (["--json"], ["--format", "typst"]):
        assert inktex("recognize", page, "--spaced", *other).exit_code == 2


def test_several_readings_come_with_their_scores(inktex, inks, right):
    lines = inktex("recognize", "--top", "3", inks / "a.inkml").stdout.splitlines()
    assert len(lines) == 3
    scores, readings = zip(*(line.split("\t") for line in lines), strict=True)
    assert readings[0] == right["a.inkml"]
    assert list(scores) == sorted(scores, reverse=True)


def test_a_page_gives_a_list(inktex, tmp_path):
    cross = Ink.from_strokes([[(0, 0), (20, 20)], [(20, 0), (0, 20)]])
    save(cross + cross.translate(0, 100) + cross.translate(5, 200), tmp_path / "page.inkml")
    assert len(inktex("recognize", tmp_path / "page.inkml").stdout.splitlines()) == 1
    result = inktex("recognize", "--page", "--json", tmp_path / "page.inkml")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["source"][-2:] for row in rows] == ["@1", "@2", "@3"]
    assert len({row["latex"] for row in rows}) == 1


def test_symbols_can_be_restricted(inktex, inks):
    result = inktex("recognize", inks / "a.inkml", inks / "d.inkml", "--spaced", "--symbols", "digits")
    assert set(result.stdout.split()) <= {*"12{}^_", r"\frac", r"\sqrt"}


def test_copying_says_when_there_is_no_clipboard(inktex, inks, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = inktex("recognize", "--copy", inks / "a.inkml")
    assert result.exit_code == 0
    assert "no clipboard" in result.stderr


def test_copying_uses_the_program_of_the_system(inktex, inks, monkeypatch, tmp_path, right):
    tool = tmp_path / "wl-copy"
    tool.write_text(f"#!/bin/sh\n/bin/cat > {tmp_path}/clipboard\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert inktex("recognize", "--copy", inks / "a.inkml").exit_code == 0
    assert (tmp_path / "clipboard").read_text() == right["a.inkml"]


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_results_file_has_a_row_for_every_ink(inktex, inks, tmp_path, right):
    out = tmp_path / "sub" / "results.jsonl"
    result = inktex("recognize", inks, "-o", out)
    assert result.exit_code == 1
    assert result.stdout == ""
    rows = {row["source"].rpartition("/")[2]: row for row in rows_of(out)}
    assert len(rows) == 4
    for name, row in rows.items():
        assert {"source", "latex", "score"} <= row.keys()
        if name == "c.inkml":
            assert "XML" in row["error"]
            assert row["latex"] is row["score"] is None
        else:
            assert row["latex"] == right[name]
            assert "error" not in row


def test_going_on_redoes_nothing_and_loses_nothing(inktex, inks, tmp_path):
    out = tmp_path / "results.jsonl"
    inktex("recognize", inks, "-o", out)
    whole = out.read_text()
    lines = whole.splitlines(keepends=True)
    # Killed in the middle of writing the third row:
    out.write_text("".join(lines[:2]) + lines[2][: len(lines[2]) // 2])
    result = inktex("recognize", inks, "-o", out)
    assert "4 inks, 2 read now, 1 failed" in result.stderr
    assert out.read_text().startswith("".join(lines[:2]))
    assert {row["source"] for row in rows_of(out)} == {json.loads(line)["source"] for line in lines}
    again = inktex("recognize", inks, "-o", out)
    assert "4 inks, 0 read now, 1 failed" in again.stderr
    assert again.exit_code == 1
    assert len(rows_of(out)) == 4


def test_failures_can_be_tried_again_and_the_file_begun_anew(inktex, inks, tmp_path):
    out = tmp_path / "results.jsonl"
    inktex("recognize", inks, "-o", out)
    (inks / "c.inkml").write_text(write_json(Ink.from_strokes([[(0, 0), (3, 9)]])))
    result = inktex("recognize", inks, "-o", out, "--retry")
    assert "4 inks, 1 read now, 0 failed" in result.stderr
    assert result.exit_code == 0
    assert "4 read now" in inktex("recognize", inks, "-o", out, "--fresh").stderr
    assert len(rows_of(out)) == 4


def test_results_of_other_models_or_other_files_are_not_mixed_in(inktex, inks, tmp_path, model_path):
    out = tmp_path / "results.jsonl"
    inktex("recognize", inks, "-o", out)
    other = tmp_path / "other.inktex"
    other.write_bytes(model_path.read_bytes())
    result = inktex("recognize", inks, "-o", out, "--model", other)
    assert result.exit_code == 2
    assert "small" in result.stderr
    out.write_text("my thesis\n")
    assert inktex("recognize", inks, "-o", out).exit_code == 2
    assert out.read_text() == "my thesis\n"


def test_ink_is_not_overwritten_by_its_results(inktex, inks):
    ink = inks / "b.json"
    before = ink.read_bytes()
    for more in ([], ["--fresh"], ["--retry"]):
        result = inktex("recognize", ink, "-o", ink, *more)
        assert result.exit_code == 2
        assert "not a results file" in " ".join(result.stderr.replace("│", " ").split())
    assert ink.read_bytes() == before


def test_other_settings_do_not_go_on_with_a_results_file(inktex, inks, tmp_path):
    out = tmp_path / "results.jsonl"
    inktex("recognize", inks, "-o", out)
    before = out.read_bytes()
    for more in (["--beam", "3"], ["--symbols", "digits"], ["--one"], ["--page"], ["--timeout", "3"]):
        assert inktex("recognize", inks, "-o", out, *more).exit_code == 2, more
    assert out.read_bytes() == before


def test_ink_that_changed_since_is_read_again(inktex, inks, tmp_path):
    out = tmp_path / "results.jsonl"
    inktex("recognize", inks, "-o", out)
    old = {row["source"]: row["input"] for row in rows_of(out)}
    save(Ink.from_strokes([[(0, 0), (9, 9), (0, 9)]]), inks / "a.inkml")
    assert "4 inks, 1 read now" in inktex("recognize", inks, "-o", out).stderr
    new = {row["source"]: row["input"] for row in rows_of(out)}
    assert [Path(name).name for name in old if old[name] != new[name]] == ["a.inkml"]
    assert len(rows_of(out)) == 4


def test_results_may_lie_in_the_folder_of_the_ink(inktex, inks):
    out = inks / "results.jsonl"
    assert "4 inks, 4 read now, 1 failed" in inktex("recognize", inks, "-o", out).stderr
    assert "4 inks, 0 read now, 1 failed" in inktex("recognize", inks, "-o", out).stderr
    assert inktex("recognize", out, "-o", out).exit_code == 1  # which is no ink


def test_a_file_name_that_is_not_utf8_has_a_row(inktex, inks, tmp_path, right):
    odd = os.fsencode(inks) + b"/caf\xe9.inkml"
    with open(odd, "wb") as file:
        file.write((inks / "a.inkml").read_bytes())
    out = tmp_path / "results.jsonl"
    result = inktex("recognize", inks, "-o", out)
    assert "5 inks, 5 read now, 1 failed" in result.stderr
    rows = {Path(row["source"]).name: row for row in rows_of(out)}
    assert rows["caf\\xe9.inkml"]["latex"] == right["a.inkml"]
    named = inktex("recognize", "--json", os.fsdecode(odd))
    assert json.loads(named.stdout)["latex"] == right["a.inkml"]


def test_ink_and_parquet_in_one_folder_are_both_read(inktex, inks, tmp_path):
    pytest.importorskip("pyarrow", reason="the ink store needs inktex[store]")
    from inktex.store.files import write_store
    from inktex.store.row import StoreRow

    write_store(inks / "more.parquet", [StoreRow("in the store", Ink.from_strokes([[(0, 0), (9, 9)]]))])
    (inks / "torn.parquet").write_bytes(b"PAR1 and no more")
    out = tmp_path / "results.jsonl"
    result = inktex("recognize", inks, "-o", out)
    assert result.exit_code == 1
    rows = {Path(row["source"]).name: row.get("error") for row in rows_of(out)}
    assert set(rows) == {"a.inkml", "b.json", "c.inkml", "d.inkml", "in the store", "torn.parquet"}
    assert [name for name, error in rows.items() if error] == ["c.inkml", "torn.parquet"]
    assert "not a Parquet file" in rows["torn.parquet"]


def test_limits_are_options(inktex, inks, right):
    assert inktex("recognize", inks / "a.inkml", "--limit", "strokes=2", "--limit", "depth=9").exit_code == 0
    refused = inktex("recognize", inks / "a.inkml", inks / "d.inkml", "--limit", "strokes=1")
    assert refused.exit_code == 1
    assert refused.stdout.splitlines() == ["", right["d.inkml"]]
    assert "2 strokes, more than the limit of 1" in refused.stderr
    for wrong in ("strokes", "strokes=many", "stroke=1", "strokes=-1", "points=1000001"):
        result = inktex("recognize", inks / "a.inkml", "--limit", wrong)
        assert result.exit_code == 2, wrong
        assert "strokes" in result.stderr


def test_models_are_listed_and_shown(inktex):
    listed = inktex("models")
    assert listed.exit_code == 0
    assert any(line.startswith("small\t") for line in listed.stdout.splitlines())
    card = json.loads(inktex("models", "small").stdout)
    assert card["members"] == ["small-5"]
