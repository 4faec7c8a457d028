"""Reports: the paper's table continued, in every format, and files of predictions."""

import json
import re

import pytest
from small_sets import one_stroke_each, samples

from inktex.evaluation import (
    Answers,
    PredictionError,
    Report,
    evaluate,
    read_predictions,
    render,
    write_predictions,
)
from inktex.evaluation.provenance import provenance
from inktex.evaluation.report import main_table, report_tables
from inktex.latex import normalize


def report(data: str = "test2014", *, whole: bool = True, strokes: bool = False) -> Report:
    truths = [one_stroke_each(truth) for truth in samples("x+1", r"\frac{1}{2}", "X_i")]
    answers, read_from = [truth.tokens for truth in truths], [truth.strokes_of for truth in truths]
    results = (
        evaluate(
            "ours_1", data, truths, Answers(answers, seconds=1.5, strokes=read_from if strokes else None)
        ),
        evaluate("ours|2", data, truths, Answers([("x",), ("|",), normalize("x_i")])),
    )
    return Report(data, results, provenance("inktex evaluate"), whole)


def test_the_papers_table_comes_first_and_ours_stands_below_it():
    rows = main_table(report()).rows()
    assert [row[0] for row in rows] == [
        "I",
        "II",
        "IV",
        "V",
        "VI",
        "VII",
        "P1",
        "P2",
        "P3",
        "ours_1",
        "ours|2",
    ]
    assert rows[7] == ("P2", "46.86", "61.87", "65.82", "66.63", "-")
    assert rows[9] == ("ours_1", "100.00", "100.00", "100.00", "100.00", "100.00")


@pytest.mark.parametrize(("data", "whole"), [("test2013", True), ("test2014", False)])
def test_published_figures_stand_only_beside_the_same_expressions(data, whole):
    assert [row[0] for row in main_table(report(data, whole=whole)).rows()] == ["ours_1", "ours|2"]


def test_every_rate_stands_under_the_name_of_its_metric():
    tables = {table.title.partition(" on ")[0]: table for table in report_tables(report(strokes=True))}
    graph = tables["Correct expressions (%) by label graph"]
    strokes = tables["Correct expressions (%) by label graph of strokes"]
    tokens = tables["Correct expressions (%) by token edits, with 95 % bootstrap intervals"]
    # The second answer: x for x + 1, | for a fraction, x for X; 4 labels, 5 labels and 1 label differ.
    assert graph.rows()[-1][:5] == ("ours|2", "0.00", "33.33", "33.33", "33.33")
    assert tokens.rows()[-1][2:5] == ("33.33", "66.67", "66.67")
    assert [row[0] for row in strokes.rows()] == ["I", "II", "IV", "V", "VI", "VII", "ours_1"]
    assert strokes.rows()[0] == ("I", "37.22", "44.22", "47.26", "50.20", "-", "-", "-")
    assert strokes.rows()[-1][5:] == ("100.00 / 100.00",) * 3


def test_without_strokes_there_is_no_table_of_strokes():
    assert not any("strokes" in table.title for table in report_tables(report()))


def test_short_expressions_and_kinds_of_errors_have_their_rows():
    tables = {table.title: table.rows() for table in report_tables(report())}
    [length] = [rows for title, rows in tables.items() if "by tokens of the truth" in title]
    assert [row[0] for row in length] == ["under 10"]
    assert {row[0]: row[2] for row in tables["Wrong expressions by kind of error"]} == {
        "structure": "1 (33.3 %)",
        "one substituted symbol": "0 (0.0 %)",
        "symbols missing or added": "1 (33.3 %)",
        "several substitutions": "0 (0.0 %)",
        "only upper/lower case": "1 (33.3 %)",
        "all": "3",
    }


def test_text_ends_with_comparisons_and_where_the_figures_come_from():
    text = render(report(), "text")
    assert "McNemar" in text
    assert "inktex evaluate" in text.splitlines()[-1]


def test_markdown_rows_have_as_many_cells_as_their_heading():
    text = render(report(), "md")
    assert r"ours\|2" in text
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) <= 1


def test_latex_is_escaped_and_balanced():
    text = render(report(), "latex")
    assert r"ours\_1" in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") > 5
    unescaped = re.sub(r"\\.", "", text)
    assert unescaped.count("{") == unescaped.count("}")
    assert "_" not in unescaped.replace("% ", "").split("inktex")[0]
    for row in re.findall(r"^(.*) \\\\$", text, re.MULTILINE):
        assert "≤" not in row


def test_json_holds_all_figures():
    stored = json.loads(render(report(), "json"))
    assert [line["system"] for line in stored["published"]][:2] == ["I", "II"]
    assert [system["system"] for system in stored["systems"]] == ["ours_1", "ours|2"]
    assert stored["comparisons"][0]["only_first"] == 3
    assert set(stored["made"]) == {"command", "date", "version", "commit", "machine"}


class TestPredictions:
    def test_what_is_written_reads_back(self, tmp_path):
        path = tmp_path / "answers.tsv"
        answers = [normalize(r"\frac{1}{2}"), normalize("x_1^2"), ()]
        write_predictions(path, ["a", "b", "c"], answers)
        assert list(read_predictions(path).tokens.values()) == answers

    def test_other_styles_of_latex_are_brought_into_the_caption_form(self, tmp_path):
        path = tmp_path / "answers.tsv"
        path.write_text("a\t$x^2 \\le \\frac12$\nb.inkml\t\\left( y \\right)\n\n")
        found = read_predictions(path)
        assert found.tokens["a"] == normalize(r"x^{2} \leq \frac{1}{2}")
        assert found.tokens["b"] == ("(", "y", ")")
        assert not found.malformed

    def test_latex_that_cannot_be_read_counts_as_a_wrong_answer(self, tmp_path):
        path = tmp_path / "answers.tsv"
        path.write_text("a\t\\frac { 1 }\nb\tx\n")
        found = read_predictions(path)
        assert found.malformed == {"a"}
        assert set(found.tokens) == {"a", "b"}

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"a x + 1\n", "line 1: expected stem"),
            (b"a\tx\na\ty\n", "line 2: a second prediction for a"),
            (b"\n", "no predictions"),
            (b"\xff\xfe\x00", "UTF-8"),
        ],
    )
    def test_a_file_that_cannot_be_used_says_where_and_why(self, tmp_path, content, reason):
        path = tmp_path / "answers.tsv"
        path.write_bytes(content)
        with pytest.raises(PredictionError, match=reason):
            read_predictions(path)
