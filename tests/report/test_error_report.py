"""The error report: a site on disk with every wrong expression, for one model or two."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from inktex.report.report import SystemReadings, write_report
from known_readings import looking_at, read_rightly, written

VOCABULARY = frozenset([*"xy+123^{}_g", r"\frac", r"\sqrt"])


@pytest.fixture(scope="module")
def examples():
    return [written(latex) for latex in ("x+1", "g+1", r"x^2", r"\frac{x}{y}")]


@pytest.fixture(scope="module")
def systems(examples):
    plus, with_g, power, _ = examples
    right = [read_rightly(example) for example in examples]
    swapped = looking_at(plus.ink, ("x", "+", "2"), plus.strokes_of)
    again = looking_at(with_g.ink, ("g", "g", "+", "1"), [with_g.strokes_of[0], *with_g.strokes_of])
    first = SystemReadings("p1", [swapped, again, right[2], right[3]], {0: right[0], 1: right[1]}, VOCABULARY)
    flat = looking_at(power.ink, ("x", "2"), [power.strokes_of[0], power.strokes_of[3]])
    second = SystemReadings("p2", [swapped, right[1], flat, right[3]], {0: right[0]}, VOCABULARY)
    return first, second


@pytest.fixture(scope="module")
def site(tmp_path_factory, examples, systems):
    folder = tmp_path_factory.mktemp("report")
    write_report(folder, "test2013", examples, systems, "made by a test <&>")
    return folder


def gallery(folder: Path) -> dict:
    text = (folder / "gallery.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("const REPORT = ").strip().removesuffix(";"))


def view(folder: Path, number: int) -> dict:
    text = (folder / "attention" / f"{number}.js").read_text(encoding="utf-8")
    (body,) = re.findall(rf"inktexView\({number},(.*)\);", text)
    return json.loads(body)


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.targets += [value for name, value in attrs if name in ("src", "href") and value]


def test_the_site_opens_from_disk(site):
    links = Links()
    links.feed((site / "index.html").read_text(encoding="utf-8"))
    assert links.targets
    for target in links.targets:
        assert (site / target).is_file(), target
    # From disk browsers load scripts, styles and pictures, but nothing by fetch.
    scripts = "".join(path.read_text(encoding="utf-8") for path in site.glob("*.js"))
    assert not re.search(r"fetch\(|XMLHttpRequest|import\(", scripts)


def test_every_wrong_expression_is_in_the_gallery_and_no_other(site, examples):
    shown = gallery(site)
    assert shown["systems"] == ["p1", "p2"]
    assert [item["truth"] for item in shown["items"]] == [list(e.tokens) for e in examples[:3]]
    right = [[answer["right"] for answer in item["answers"]] for item in shown["items"]]
    assert right == [[False, False], [False, True], [True, False]]


def test_cards_say_what_differs_and_why(site):
    first, second, third = gallery(site)["items"]
    answer = first["answers"][0]
    assert (answer["inTruth"], answer["inAnswer"], answer["edits"]) == ([2], [2], 1)
    assert answer["kind"] == "symbol confusion"
    assert answer["pairs"] == [["1", "2"]]
    assert second["answers"][0]["kind"] == "over-translation"
    assert third["answers"][1]["kind"] == "structure error"
    assert "superscript" in third["relations"]


def test_attention_is_there_on_demand_for_answers_and_truth(site):
    titles = [reading["title"] for reading in view(site, 1)["readings"]]
    assert titles == ["answer of p1", "answer of p2", "truth, written by p1"]
    assert len(list((site / "attention").glob("*.js"))) == 3


def test_the_summary_has_rates_kinds_matrix_and_comparison(site):
    index = (site / "index.html").read_text(encoding="utf-8")
    for heading in ("Summary", "What went wrong", "p1 against p2", "Rate by length", "Rate by relation"):
        assert heading in index
    assert 'data-true="1" data-answer="2">1</button>' in index  # the confusion matrix
    assert 'data-wrong="second">1</button>' in index  # right in p1, wrong in p2
    assert "made by a test &lt;&amp;&gt;" in index


def test_figures_show_the_relations_and_the_clearest_mistakes(site):
    assert {path.name for path in (site / "figures").iterdir()} == {
        "relations.svg",
        "over.svg",
        "confusion.svg",
        "structure.svg",
    }


def test_one_model_alone_has_a_report_too(tmp_path, examples, systems):
    report = write_report(tmp_path, "mine", examples, systems[:1], "origin")
    assert report.cases == 2
    assert report.tally.p_value is None
    assert "against" not in (tmp_path / "index.html").read_text(encoding="utf-8").split("Every wrong")[0]


def test_a_model_without_errors_has_an_empty_gallery(tmp_path, examples):
    right = SystemReadings("perfect", [read_rightly(example) for example in examples], {}, VOCABULARY)
    assert write_report(tmp_path, "mine", examples, [right], "origin").cases == 0
    assert gallery(tmp_path)["items"] == []


def test_a_new_report_leaves_nothing_of_an_older_one(tmp_path, examples, systems):
    write_report(tmp_path, "mine", examples, systems, "origin")
    write_report(tmp_path, "mine", examples, systems[:1], "origin")
    assert {path.name for path in (tmp_path / "attention").iterdir()} == {"0.js", "1.js"}
