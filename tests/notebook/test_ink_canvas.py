"""The notebook canvas: what is written on the page is LaTeX in Python, and corrections go back."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("anywidget", reason="the notebook canvas needs inktex[notebook]")

sys.path.insert(0, str(Path(__file__).parent.parent / "runtime"))  # small_networks

from inktex.notebook import InkCanvas
from inktex.recognizer import Recognizer
from inktex.runtime import Model

CROSS = [[[0, 0], [20, 20]], [[20, 0], [0, 20]]]


@pytest.fixture(scope="module")
def recognizer():
    from small_networks import small_model

    return Recognizer(Model(small_model(seed=5), "small"))


@pytest.fixture
def canvas(recognizer):
    return InkCanvas(recognizer)


def send(canvas, **content):
    """What the page sends when something happens there."""
    canvas._handle_custom_msg(content, [])


def test_strokes_of_the_page_become_latex(canvas, recognizer):
    seen = []
    canvas.observe(lambda change: seen.append(change["new"]), "latex")
    for number, stroke in enumerate(CROSS):
        send(canvas, action="add", stroke=number, points=stroke)
    expected = recognizer.recognize(CROSS)
    assert canvas.latex == expected.latex == seen[-1]
    assert canvas.score == expected.score
    assert canvas.mathml.startswith("<math")
    assert canvas.alternatives == [other.latex for other in expected.alternatives]
    assert len(canvas.ink) == 2
    assert canvas.answer.symbols


def test_undo_and_clear(canvas, recognizer):
    for number, stroke in enumerate(CROSS):
        send(canvas, action="add", stroke=number, points=stroke)
    send(canvas, action="remove", stroke=1)
    assert canvas.latex == recognizer.recognize(CROSS[:1]).latex
    assert [each["stroke"] for each in canvas.drawn] == [0]
    send(canvas, action="clear")
    assert (canvas.latex, canvas.score, canvas.alternatives, canvas.drawn) == ("", 0.0, [], [])
    assert canvas.answer is None


def test_another_reading_can_be_taken(canvas):
    for number, stroke in enumerate(CROSS):
        send(canvas, action="add", stroke=number, points=stroke)
    other = canvas.alternatives[0]
    send(canvas, action="choose", latex=other)
    assert canvas.latex == other


@pytest.mark.parametrize(
    "content",
    [{}, {"action": "add"}, {"action": "add", "stroke": 0, "points": "x"}, {"action": "remove", "stroke": 9}],
)
def test_nonsense_from_the_page_is_no_traceback(canvas, content):
    send(canvas, **content)
    assert canvas.latex == ""


def test_the_page_has_its_script_and_style():
    canvas_js = Path(sys.modules["inktex.notebook"].__file__).with_name("canvas.js").read_text()
    for action in ("add", "remove", "clear", "choose"):
        assert f'action: "{action}"' in canvas_js
