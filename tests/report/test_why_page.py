"""The interactive page: it carries all it needs, and says of every token where it looked."""

import json
import re

import numpy as np
import pytest

from inktex.report.why import differing_places, view_data, why_page
from known_readings import looking_at, read_rightly, written


def page_of(reading, **options) -> str:
    options = {"heading": "note.inkml", "intro": "Read by a model.", **options}
    return why_page([("answer", reading)], **options)


def embedded(page: str) -> dict:
    (text,) = re.findall(r'inktexViewer\(document.getElementById\("viewer"\), (.*)\);</script>', page)
    return json.loads(text)


def test_the_page_loads_nothing():
    page = page_of(read_rightly(written("x+1")))
    assert not re.search(r"(src|href)=", page)
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest", page)
    namespaces = {"http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"}
    assert set(re.findall(r"https?://[^\s\"'<>\\]+", page)) <= namespaces
    assert "default-src 'none'" in page


def test_each_token_lights_its_strokes():
    example = written(r"\frac{a}{b}")
    view = embedded(page_of(read_rightly(example)))
    (reading,) = view["readings"]
    assert reading["tokens"] == list(example.tokens)
    assert [set(own) for own in reading["strokesOf"]] == [set(own) for own in example.strokes_of]
    stroke_of_point = np.repeat(range(len(view["strokes"])), [len(s) // 2 for s in view["strokes"]])
    for place, own in enumerate(example.strokes_of):
        if own:
            bright = [int(digit, 36) > 17 for digit in reading["light"][place]]
            assert set(stroke_of_point[bright]) == set(own)
            assert sum(reading["shares"][place][stroke] for stroke in own) > 90


def test_names_and_tokens_cannot_break_out_of_the_page():
    example = written("x+1")
    evil = "</script><script>alert(1)</script>"
    reading = looking_at(example.ink, (evil, "+", "1"), example.strokes_of)
    page = page_of(reading, heading=evil, intro=evil)
    assert evil not in page
    assert embedded(page)["readings"][0]["tokens"][0] == evil


def test_a_name_that_looks_like_a_place_to_fill_is_shown_as_it_is():
    page = page_of(read_rightly(written("x+1")), heading="@view@.inkml")
    assert "<h1>@view@.inkml</h1>" in page


def test_warnings_name_unread_and_reread_ink():
    example = written("1+2")
    one, plus, two = example.strokes_of
    view = view_data(example.ink, [("answer", looking_at(example.ink, ("1", "1", "+"), [one, one, plus]))])
    (reading,) = view["readings"]
    assert reading["reread"] == list(one)
    assert reading["unread"] == list(two)
    assert reading["rereads"] == [1]


def test_tokens_that_differ_from_the_truth_are_marked():
    example = written("x+1")
    reading = looking_at(example.ink, ("x", "-", "1"), example.strokes_of)
    view = view_data(example.ink, [("answer", reading)], truth=example.tokens)
    assert view["readings"][0]["differs"] == [1]


@pytest.mark.parametrize(
    ("truth", "answer", "marked"),
    [
        ("abc", "abc", ([], [])),
        ("abc", "axc", ([1], [1])),
        ("abc", "ac", ([1], [])),
        ("ac", "abc", ([], [1])),
        ("", "a", ([], [0])),
    ],
)
def test_what_differs_is_marked_on_both_sides(truth, answer, marked):
    assert differing_places(truth, answer) == marked
