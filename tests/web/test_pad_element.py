"""`<inktex-pad>` by itself: what it tells when something is wrong, whom it asks, and that it cleans up."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the server needs inktex[serve]")

from playwright.sync_api import Browser, Page

from inktex.ink import read
from inktex.ink.lines import split_page
from inktex.reading import find_model
from inktex.recognizer import Recognizer
from inktex.server import ServerOptions
from running_server import RunningServer, page_examples

PAGE = "<!doctype html><meta charset=utf-8><title>test</title><script type=module src=/pad/pad.js></script>"
SLOW = 120_000
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def page(package: Path, tmp_path: Path, serve: Callable[[Path], str], browser: Browser) -> Iterator[Page]:
    shutil.copytree(package / "dist", tmp_path / "pad")
    shutil.copy(find_model(), tmp_path / "model.inktex")
    (tmp_path / "index.html").write_text(PAGE + "<main></main><aside></aside>")
    page = browser.new_page()
    page.set_default_timeout(SLOW)
    page.goto(serve(tmp_path))
    yield page
    page.close()


def put(page: Page, attributes: str) -> None:
    page.evaluate(
        "html => { document.querySelector('main').innerHTML = html }",
        f"<inktex-pad {attributes}></inktex-pad>",
    )


def wait_for_latex(page: Page, latex: str) -> None:
    page.wait_for_function(
        "latex => document.querySelector('inktex-pad').latex === latex", arg=latex, timeout=SLOW
    )


def test_a_model_that_is_not_there_is_told(page: Page) -> None:
    page.evaluate("() => document.addEventListener('problem', event => (window.problem = event.detail))")
    put(page, 'model="none.inktex"')
    page.wait_for_function("window.problem")
    assert "404" in page.evaluate("problem")
    assert page.locator("inktex-pad .source").inner_text() == page.evaluate("problem")


def test_a_pad_that_is_gone_keeps_no_model(page: Page) -> None:
    put(page, 'model="model.inktex"')
    page.wait_for_function("document.querySelector('inktex-pad').backend.state === 'ready'", timeout=SLOW)
    assert len(page.workers) == 1
    page.evaluate("document.querySelector('aside').append(document.querySelector('inktex-pad'))")
    assert page.evaluate("document.querySelector('inktex-pad').backend.state") == "ready"  # it only moved
    page.evaluate("document.querySelector('inktex-pad').strokes = [[[0, 0], [60, 0]], [[0, 20], [60, 20]]]")
    wait_for_latex(page, "=")
    with page.expect_event("worker", timeout=SLOW) as again:
        page.evaluate(
            "async () => { window.pad = document.querySelector('inktex-pad'); pad.remove(); await 0; await 0;"
            " window.let_go = pad.backend === null; document.querySelector('main').append(pad) }"
        )
    assert page.evaluate("let_go")
    assert page.workers == [again.value]
    wait_for_latex(page, "=")  # the ink is read anew


def test_each_line_has_its_own_reading(page: Page) -> None:
    page.evaluate(
        "() => document.addEventListener('recognition', event =>"
        " (window.lines = event.detail.map(({ latex, strokes }) => [latex, strokes.length])))"
    )
    put(page, 'model="model.inktex"')
    written = split_page(read(ROOT / "examples" / "page.xopp"))[:2]
    strokes = [stroke.tolist() for line in written for stroke in line.strokes]
    page.evaluate("strokes => { document.querySelector('inktex-pad').strokes = strokes }", strokes)
    page.wait_for_function("window.lines")
    lengths = [len(line.strokes) for line in written]
    assert page.evaluate("lines") == [["x+y=7", lengths[0]], ["x-y=3", lengths[1]]]
    value = page.evaluate("document.querySelector('inktex-pad').value")
    assert "".join(value.split()) == r"\begin{aligned}x+y&=7\\x-y&=3\end{aligned}"


def test_a_server_reads_through_the_same_element(
    package: Path, browser: Browser, recognizer: Recognizer
) -> None:
    server = RunningServer(ServerOptions(grace_seconds=1), recognizer)
    page = browser.new_page()
    try:
        page.route("**/pad/pad.js", lambda route: route.fulfill(path=package / "dist" / "pad.js"))
        page.goto(f"{server.url}/openapi.json")  # a page of the server that is not its own one
        page.add_script_tag(url="/pad/pad.js", type="module")
        page.wait_for_function("customElements.get('inktex-pad') !== undefined")
        page.evaluate("document.body.innerHTML = '<inktex-pad server></inktex-pad>'")
        page.evaluate(
            "strokes => { document.querySelector('inktex-pad').strokes = strokes }",
            page_examples()["x^{2} + 1"],
        )
        wait_for_latex(page, "x^{2}+1")
        assert page.evaluate("document.querySelector('inktex-pad').backend.place") == "server"
        assert page.workers == []
    finally:
        page.close()
        server.stop()


def test_theme_properties_and_parts_style_it(page: Page) -> None:
    page.add_style_tag(
        content="inktex-pad { --inktex-paper: rgb(1, 2, 3) } inktex-pad::part(latex) { color: rgb(4, 5, 6) }"
    )
    put(page, 'theme="dark"')
    style = "name => getComputedStyle(document.querySelector('inktex-pad').shadowRoot.querySelector(name))"
    assert page.evaluate(f"({style})('.paper').backgroundColor") == "rgb(1, 2, 3)"
    assert page.evaluate(f"({style})('.source').color") == "rgb(4, 5, 6)"
    dark = page.evaluate(f"({style})('.answer').backgroundColor")
    page.evaluate("document.querySelector('inktex-pad').setAttribute('theme', 'light')")
    assert page.evaluate(f"({style})('.answer').backgroundColor") != dark


def test_keys_reach_and_work_it(page: Page) -> None:
    put(page, "")
    page.evaluate("document.querySelector('inktex-pad').strokes = [[[0, 0], [60, 0]], [[0, 20], [60, 20]]]")
    strokes = "document.querySelector('inktex-pad').strokes.length"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.shadowRoot.activeElement.id") == "settled"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    assert page.evaluate(strokes) == 1
    page.keyboard.press("Control+z")
    assert page.evaluate(strokes) == 2
    page.keyboard.press("Tab")
    named = page.evaluate("document.activeElement.shadowRoot.activeElement.getAttribute('aria-label')")
    assert named == "Pen"
