"""The script of the notebook canvas in a real browser, with a stand-in for Jupyter's side."""

import json
import re
import shutil
from pathlib import Path

import pytest

import inktex

playwright = pytest.importorskip("playwright.sync_api", reason="the page is tested with playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SCRIPT = Path(inktex.__file__).parent / "notebook" / "canvas.js"
VALUES = {"height": 420, "message": "", "drawn": [], "answered": {"revision": 0, "lines": []}, "rendered": {}}
NAMESPACE = "http://www.w3.org/1998/Math/MathML"

STAND_IN = """
const values = __VALUES__;
const listeners = {};
window.sent = [];
window.model = {
  get: (name) => values[name],
  set: (name, value) => {
    values[name] = value;
    (listeners[`change:${name}`] || []).forEach((call) => call());
  },
  on: (name, call) => (listeners[name] ||= []).push(call),
  off: () => {},
  send: (content) => window.sent.push(content),
};
widget.render({ model: window.model, el: document.body });
window.pad = document.querySelector("inktex-pad");
"""


@pytest.fixture
def page():
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 700, "height": 600})
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.set_content("<!doctype html><body></body>")
        script = re.sub(r"export\s*\{\s*(\w+) as default\s*\};?", r"const widget = \1;", SCRIPT.read_text())
        values = json.dumps(VALUES)
        page.evaluate(f"(() => {{ {script} {STAND_IN.replace('__VALUES__', values)} }})()")
        yield page
        browser.close()
        assert not errors


def draw(page, *points):
    box = page.locator("#settled").bounding_box()
    page.mouse.move(box["x"] + points[0][0], box["y"] + points[0][1])
    page.mouse.down()
    for x, y in points[1:]:
        page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.up()


def answer(page, latex="x", others=()):
    """What Python sets when it has read the ink."""
    tokens = latex.split()
    marked = "".join(f'<mi data-token="{i}">{token}</mi>' for i, token in enumerate(tokens))
    forms = {
        "latex": latex,
        "typst": latex,
        "tokens": tokens,
        "mathml": f'<math xmlns="{NAMESPACE}"><mrow>{marked}</mrow></math>',
    }
    recognition = {
        **forms,
        "tokens": [{"text": token, "confidence": 0.9, "strokes": [0]} for token in tokens],
        "score": 0.93,
        "unread": [],
        "reread": [],
        "complete": True,
    }
    page.evaluate(
        """([recognition, alternatives]) => {
            const ids = window.pad.desk.notebook.strokes.map(({ id }) => id);
            const { revision } = window.pad.backend;
            window.model.set('answered', { revision, lines: [{ strokes: ids, recognition, alternatives }] });
        }""",
        [
            recognition,
            [{**forms, "latex": other, "tokens": other.split(), "score": 0.05} for other in others],
        ],
    )


def test_strokes_are_drawn_and_reported(page):
    draw(page, (120, 20), (160, 80), (190, 90))
    draw(page, (190, 20), (120, 90))
    sent = page.evaluate("window.sent")
    assert [(each["action"], len(each["add"]), each["revision"]) for each in sent] == [
        ("change", 1, 1),
        ("change", 1, 2),
    ]
    first = sent[0]["add"][0]["points"]
    assert first[0][:2] == pytest.approx([120, 20], abs=1.5)
    assert first[-1][:2] == pytest.approx([190, 90], abs=1.5)
    assert page.evaluate("window.pad.strokes.length") == 2


def test_the_sheet_never_moves(page):
    before = page.locator("#settled").bounding_box()
    for number in range(6):
        draw(page, (120 + 20 * number, 20), (130 + 20 * number, 60))
        answer(page, " ".join("abcdefghij"[: number + 1]), [f"{number} x"] * (number % 3))
        assert page.locator("#settled").bounding_box() == before


def test_undo_clear_and_other_readings(page):
    draw(page, (120, 20), (160, 80))
    draw(page, (190, 20), (120, 90))
    page.locator("#settled").press("Control+z")
    page.get_by_role("button", name="Undo").click()
    sent = page.evaluate("window.sent.slice(2)")
    assert len(sent[0]["remove"]) == 1
    assert sent[1]["clear"]
    assert page.evaluate("window.pad.strokes.length") == 0
    draw(page, (120, 20), (160, 80))
    answer(page, "x", ["y"])
    page.get_by_role("button", name="Reading 1: y").click()
    last = page.evaluate("window.sent.at(-1)")
    assert [pin["latex"] for pin in last["pin"]] == ["y"]
    assert page.evaluate("window.pad.value") == "y"  # it stands while Python reads on
    page.get_by_role("button", name="New formula").click()
    assert page.evaluate("window.sent.at(-1).clear")


def test_the_answer_is_shown_and_ink_of_another_view(page):
    draw(page, (120, 20), (160, 80))
    answer(page, "x")
    assert page.locator("math").text_content() == "x"
    assert page.locator(".source").inner_text() == "x"
    page.evaluate("window.model.set('drawn', [{ id: 'z', points: [[1, 2], [30, 40]] }])")
    assert page.evaluate("window.pad.strokes") == [[[1, 2], [30, 40]]]
    assert len(page.evaluate("window.sent")) == 1  # Python has it already
