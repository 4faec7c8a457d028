"""The notebook canvas: what is written on the page is LaTeX in Python, and corrections go back."""

import pytest

pytest.importorskip("anywidget", reason="the notebook canvas needs inktex[notebook]")

from inktex.notebook import InkCanvas
from inktex.reading import Model
from inktex.recognizer import Recognizer

CROSS = [[[0, 0], [20, 20]], [[20, 0], [0, 20]]]


@pytest.fixture(scope="module")
def recognizer():
    from small_networks import small_model

    return Recognizer(Model.of_file(small_model(seed=5), "small"))


@pytest.fixture
def canvas(recognizer):
    return InkCanvas(recognizer)


def send(canvas, **content):
    """What the page sends when something happens there."""
    canvas._handle_custom_msg(content, [])


def write(canvas, *strokes, revision=1):
    """Strokes that are new on the page, named s0, s1, …"""
    add = [{"id": f"s{number}", "points": stroke} for number, stroke in enumerate(strokes)]
    send(canvas, action="change", revision=revision, add=add)


def test_strokes_of_the_page_become_latex(canvas, recognizer):
    seen = []
    canvas.observe(lambda change: seen.append(change["new"]), "latex")
    write(canvas, *CROSS, revision=7)
    expected = recognizer.recognize(CROSS)
    assert canvas.latex == expected.latex == seen[-1]
    assert canvas.score == expected.score
    assert canvas.mathml.startswith("<math")
    assert canvas.alternatives == [other.latex for other in expected.alternatives]
    assert len(canvas.ink) == 2
    assert canvas.answer.symbols
    assert canvas.answered["revision"] == 7  # of which ink the answer is
    (line,) = canvas.answered["lines"]
    assert line["strokes"] == ["s0", "s1"]
    assert line["recognition"]["latex"] == expected.latex
    assert [other["latex"] for other in line["alternatives"]] == canvas.alternatives


def test_undo_and_clear(canvas, recognizer):
    write(canvas, *CROSS)
    send(canvas, action="change", revision=2, remove=["s1"])
    assert canvas.latex == recognizer.recognize(CROSS[:1]).latex
    assert [each["id"] for each in canvas.drawn] == ["s0"]
    send(canvas, action="change", revision=3, clear=True)
    assert (canvas.latex, canvas.score, canvas.alternatives, canvas.drawn) == ("", 0.0, [], [])
    assert canvas.answer is None
    assert canvas.answered == {"revision": 3, "lines": []}


def test_a_stroke_can_be_moved(canvas):
    write(canvas, *CROSS)
    send(canvas, action="change", revision=2, replace=[{"id": "s0", "points": [[5, 5], [9, 9]]}])
    assert canvas.drawn[0] == {"id": "s0", "points": [[5, 5], [9, 9]]}
    assert canvas.ink.strokes[0].tolist() == [[5, 5], [9, 9]]


def test_what_a_person_decided_is_kept(canvas):
    write(canvas, *CROSS)
    other = canvas.alternatives[0]
    send(canvas, action="change", revision=2, pin=[{"ids": ["s0", "s1"], "latex": other}])
    assert canvas.latex == other
    assert not canvas.message


def test_latex_is_drawn_for_the_page(canvas):
    send(canvas, action="render", latex=r"\frac{1}{x}")
    assert canvas.rendered["source"] == r"\frac{1}{x}"
    assert canvas.rendered["mathml"].startswith("<math")
    send(canvas, action="render", latex=r"\frac{1")
    assert "error" in canvas.rendered


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"action": "add"},
        {"action": "change", "add": [{"id": "a", "points": "x"}]},
        {"action": "change", "remove": ["nothing"]},
        {"action": "change", "add": 3},
        {"action": "change", "pin": [{"ids": ["a"], "latex": "x"}]},
    ],
)
def test_nonsense_from_the_page_is_no_traceback(canvas, content):
    send(canvas, **content)
    assert canvas.latex == ""
    assert canvas.message
