"""The examples for browsers work as they are built: written on with the mouse, in Debian's Chromium."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from running_server import Strokes, page_examples

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import web_examples  # noqa: E402 - a neighbour folder, not a package

SLOW = 120_000  # the model is loaded while the whole suite runs beside
Open = Callable[[str], Page]


@pytest.fixture
def open_example(
    package: Path, npm: str, tmp_path: Path, serve: Callable[[Path], str], browser: Browser
) -> Iterator[Open]:
    """Build an example and open it; nothing may go wrong in it, and nothing may come from another host."""
    trouble: list[str] = []
    pages: list[Page] = []

    def start(name: str) -> Page:
        try:
            folder = web_examples.build(name, tmp_path / name, package, npm)
        except web_examples.BuildError as error:
            pytest.skip(f"cannot be installed here: {error}")
        page = browser.new_page(viewport={"width": 1000, "height": 760})
        pages.append(page)
        address = serve(folder)
        page.set_default_timeout(SLOW)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("requestfailed", lambda request: trouble.append(f"failed: {request.url}"))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((address, "blob:", "data:"))
                else trouble.append(f"asked elsewhere: {request.url}")
            ),
        )
        page.goto(address)
        return page

    yield start
    for page in pages:
        page.close()
    assert trouble == []


def write(page: Page, strokes: Strokes, left: float, top: float, scale: float = 0.5) -> None:
    """With the mouse; every third point is enough."""
    for points in strokes:
        kept = [*points[:-1:3], points[-1]]
        placed = [(left + scale * x, top + scale * y) for x, y, *_ in kept]
        page.mouse.move(*placed[0])
        page.mouse.down()
        for x, y in placed[1:]:
            page.mouse.move(x, y)
        page.mouse.up()


def write_on_pad(page: Page, latex: str) -> None:
    box = page.locator("inktex-pad #settled").bounding_box()
    assert box is not None
    write(page, page_examples()[latex], box["x"] + 90, box["y"] + 30)


def wait_for(page: Page, expression: str, argument: Any = None) -> None:
    page.wait_for_function(expression, arg=argument, timeout=SLOW)


def test_plain_page(open_example: Open) -> None:
    page = open_example("plain")
    page.get_by_role("button", name="Hand in").click()
    assert page.locator("output").inner_text().startswith("Write with")  # it is required, so nothing was sent
    page.evaluate(
        "() => { window.heard = []; for (const type of ['change', 'recognition'])"
        " document.addEventListener(type, event => heard.push([type, event.target.localName])) }"
    )
    write_on_pad(page, r"x^{2} + 1")
    wait_for(page, "document.querySelector('output').value === 'Read as x^{2}+1'")
    heard = page.evaluate("heard")
    assert heard.count(["change", "inktex-pad"]) == 6
    assert ["recognition", "inktex-pad"] in heard
    found = page.evaluate(
        "(() => { const pad = document.querySelector('inktex-pad'); const { latex, value, mathml } = pad;"
        " const { strokes, form, validity } = pad; return { latex, value, mathml, strokes: strokes.length,"
        " form: form.id, valid: validity.valid } })()"
    )
    assert found.pop("mathml").startswith("<math")
    assert found == {
        "latex": "x^{2}+1",
        "value": "x^{2}+1",
        "strokes": 6,
        "form": "answer",
        "valid": True,
    }
    page.get_by_role("button", name="Hand in").click()
    wait_for(page, "document.querySelector('output').value === 'Handed in: x^{2}+1'")
    assert Axe().run(page).response["violations"] == []
    page.get_by_role("button", name="Start again").click()
    assert page.evaluate("document.querySelector('inktex-pad').strokes.length") == 0


def test_mathlive_field(open_example: Open) -> None:
    page = open_example("mathlive")
    wait_for(page, "document.querySelector('math-field').shadowRoot?.querySelector('[part=content]') != null")
    # Not by keys: whether a field has the focus depends on the windows that are open beside.
    page.evaluate(
        "(() => { const field = document.querySelector('math-field'); field.value = 'y=';"
        " field.position = field.lastOffset })()"
    )
    write_on_pad(page, r"x^{2} + 1")
    wait_for(page, "document.querySelector('math-field').value === 'y=x^2+1'")
    page.evaluate(
        "document.querySelector('math-field').dispatchEvent(new InputEvent('input', { data: 'z' }))"
    )
    assert (
        page.evaluate("document.querySelector('inktex-pad').strokes.length") == 0
    )  # who types is done with it
    assert page.evaluate("document.querySelector('math-field').value") == "y=x^2+1"


def test_excalidraw(open_example: Open) -> None:
    page = open_example("excalidraw")
    page.locator("label:has([data-testid=toolbar-freedraw])").click()
    write(page, page_examples()[r"x^{2} + 1"], 250, 250)
    page.get_by_role("button", name="Ink to LaTeX").click()
    page.get_by_text("Select what you wrote with the pencil first.").wait_for()
    page.locator("label:has([data-testid=toolbar-selection])").click()
    page.mouse.move(230, 230)  # a box around all of it
    page.mouse.down()
    page.mouse.move(500, 300)
    page.mouse.move(900, 600)
    page.mouse.up()
    page.get_by_role("button", name="Ink to LaTeX").click()
    wait_for(page, "excalidraw.getSceneElements().some(({ type }) => type === 'text')")
    elements = page.evaluate("excalidraw.getSceneElements()")
    (text,) = [element for element in elements if element["type"] == "text"]
    ink = [element for element in elements if element["type"] == "freedraw"]
    assert text["text"] == "x^{2}+1"
    assert len(ink) == 6
    assert text["y"] > max(element["y"] + element["height"] for element in ink)
    page.keyboard.press("Control+z")
    wait_for(page, "excalidraw.getSceneElements().every(({ type }) => type === 'freedraw')")
