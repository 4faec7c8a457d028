"""The script of the notebook canvas in a real browser, with a stand-in for Jupyter's side."""

import json
import shutil
from pathlib import Path

import pytest

import inktex

playwright = pytest.importorskip("playwright.sync_api", reason="the page is tested with playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SCRIPT = Path(inktex.__file__).parent / "notebook" / "canvas.js"
VALUES = {
    "height": 200,
    "latex": "",
    "score": 0,
    "mathml": "",
    "alternatives": [],
    "message": "",
    "drawn": [],
}

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
"""


@pytest.fixture
def page():
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 700, "height": 500})
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.set_content("<!doctype html><body></body>")
        script = SCRIPT.read_text().replace("export default", "const widget =")
        page.evaluate(f"(() => {{ {script} {STAND_IN.replace('__VALUES__', json.dumps(VALUES))} }})()")
        yield page
        browser.close()
        assert not errors


def draw(page, *points):
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + points[0][0], box["y"] + points[0][1])
    page.mouse.down()
    for x, y in points[1:]:
        page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.up()


def painted(page):
    return page.evaluate(
        "() => { const c = document.querySelector('canvas');"
        " return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v) => v > 0); }"
    )


def test_strokes_are_drawn_and_reported(page):
    draw(page, (20, 20), (60, 80), (90, 90))
    draw(page, (90, 20), (20, 90))
    sent = page.evaluate("window.sent")
    assert [(each["action"], each["stroke"]) for each in sent] == [("add", 0), ("add", 1)]
    assert sent[0]["points"][0] == pytest.approx([20, 20], abs=1.5)
    assert sent[0]["points"][-1] == pytest.approx([90, 90], abs=1.5)
    assert painted(page)


def test_undo_clear_and_other_readings(page):
    draw(page, (20, 20), (60, 80))
    draw(page, (90, 20), (20, 90))
    page.locator("canvas").press("Control+z")
    page.get_by_role("button", name="Undo").click()
    assert [each.get("stroke") for each in page.evaluate("window.sent.slice(2)")] == [1, 0]
    assert not painted(page)
    page.get_by_role("button", name="Clear").click()
    page.evaluate("window.model.set('alternatives', ['x', 'y'])")
    page.get_by_role("button", name="y", exact=True).click()
    assert page.evaluate("window.sent.slice(-1)") == [{"action": "choose", "latex": "y"}]


def test_the_answer_is_shown(page):
    page.evaluate("window.model.set('mathml', '<math><mi>x</mi></math>')")
    page.evaluate("window.model.set('latex', 'x'); window.model.set('score', 0.93)")
    assert page.locator("output math").text_content() == "x"
    assert "93 %" in page.locator("code").inner_text()
    page.evaluate("window.model.set('message', 'too much')")
    assert page.locator("code").inner_text() == "too much"
