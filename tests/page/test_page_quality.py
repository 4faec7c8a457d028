"""For everyone, everywhere: keyboard only, screen readers, dark, small, without a network, with a token."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Strokes = list[list[list[float]]]
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
IN_PAD = "document.querySelector('inktex-pad').shadowRoot.querySelector"


def axe_source() -> str:
    """axe-core, from the package that carries it."""
    package = pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python (inktex[dev])")
    folder = Path(next(iter(package.__path__)))
    found = sorted(folder.rglob("axe.min.js"))
    if not found:
        pytest.skip("axe.min.js is not in axe-playwright-python")
    return found[0].read_text(encoding="utf-8")


def findings(page: Any, source: str) -> list[str]:
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(source)
    result = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{found['id']} ({found['impact']}): {[node['html'][:120] for node in found['nodes'][:3]]}"
        for found in result["violations"]
    ]


@pytest.mark.parametrize(
    ("scheme", "size", "then"),
    [("light", (1280, 800), "?"), ("dark", (820, 1180), "w"), ("light", (390, 844), "Escape")],
)
def test_it_is_accessible(
    new_page: Callable[..., Any],
    paper_of: Callable[..., Any],
    page_server: Any,
    examples: dict[str, Strokes],
    scheme: str,
    size: tuple[int, int],
    then: str,
) -> None:
    source = axe_source()
    viewport = {"width": size[0], "height": size[1]}
    page = new_page(page_server.url, color_scheme=scheme, viewport=viewport, reduced_motion="reduce")
    page.wait_for_selector('#state[data-state="ready"]')
    page.wait_for_selector("#try button")
    assert findings(page, source) == []
    paper = paper_of(page)
    paper.write(examples[r"x^{2} + 1"], width=250)
    paper.wait_for_latex("x^{2}+1")
    page.keyboard.press(then)  # help, the player, or nothing
    page.wait_for_selector({"?": "#help[open]", "w": "#player", "Escape": "#formula math"}[then])
    assert findings(page, source) == []


@pytest.mark.parametrize(
    "mode", [{"forced_colors": "active"}, {"contrast": "more"}, {"contrast": "more", "color_scheme": "dark"}]
)
def test_dialogs_and_menus_are_accessible(
    new_page: Callable[..., Any],
    paper_of: Callable[..., Any],
    page_server: Any,
    examples: dict[str, Strokes],
    mode: dict[str, str],
) -> None:
    source = axe_source()
    page = new_page(page_server.url, viewport={"width": 1440, "height": 900}, reduced_motion="reduce", **mode)
    page.wait_for_selector('#state[data-state="ready"]')
    paper_of(page).write(examples[r"x^{2} + 1"], width=250)
    page.wait_for_selector("#answer:not([data-stale]) math")
    for button in ("#show-history", "#show-settings", "#show-examples", "#show-finder", "#show-help"):
        page.click(button)
        page.wait_for_selector("dialog[open]")
        assert findings(page, source) == [], button
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")
    page.click("#copy-more")
    assert findings(page, source) == []
    page.keyboard.press("Escape")
    page.click('#formula [data-token="0"]')
    page.wait_for_selector("inktex-symbols .symbol")
    assert findings(page, source) == []


def test_ink_and_formula_are_printed_dark_on_white(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any, examples: dict[str, Strokes]
) -> None:
    """Browsers print no backgrounds: light ink of the dark theme would be white on white."""
    page = new_page(page_server.url, color_scheme="dark", reduced_motion="reduce")
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    placed = paper.write(examples[r"x^{2} + 1"], width=360)
    paper.wait_for_latex("x^{2}+1")
    (ax, ay), (bx, by) = placed[-1][4:6]
    place = ((ax + bx) / 2, (ay + by) / 2)
    assert paper.colour_at(*place)[0] > 200
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert paper.colour_at(*place)[0] < 120
    page.emulate_media(media="print")
    text = "() => getComputedStyle(document.querySelector('#formula math')).color"
    assert page.evaluate(text) == "rgb(28, 34, 48)"
    for unprinted in (".bar", "[part=tools]", "#copy", "#tips"):
        assert page.is_hidden(unprinted), unprinted
    assert paper.box["height"] > 300  # the ink is on the sheet, too
    page.emulate_media(media="screen")
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert paper.colour_at(*place)[0] > 200
    assert page.is_visible(".bar")


def test_another_language_is_spoken_at_once(written: tuple[Any, Strokes]) -> None:
    page = written[0].page
    page.click("#show-settings")
    page.select_option("#language", "de")
    page.keyboard.press("Escape")
    assert "sicher" in page.inner_text("#sure")  # what is on the page already, too
    page.fill("#latex", "{x")
    page.wait_for_selector('#remark[data-kind="problem"]')
    assert page.inner_text("#remark").startswith("Noch keine Formel: '{x'")


@pytest.mark.parametrize("size", [(360, 640), (1280, 800)])
def test_the_menu_of_several_lines_is_accessible(
    new_page: Callable[..., Any], page_server: Any, size: tuple[int, int]
) -> None:
    """It is the longest, and must be scrolled in a small window."""
    page = new_page(page_server.url, viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page.wait_for_selector('#state[data-state="ready"]')
    page.set_input_files("#file", EXAMPLES / "page.xopp")
    page.wait_for_function("() => document.querySelectorAll('#formula math').length === 4")
    page.click("#copy-more")
    assert findings(page, axe_source()) == []
    page.keyboard.press("End")
    last = page.locator('[data-copy="ink-svg"]')
    assert last.evaluate("each => each === document.activeElement && each.tabIndex === 0")
    menu = page.locator("#copy-menu")
    place, room = last.bounding_box(), menu.bounding_box()
    assert place["y"] + place["height"] <= room["y"] + room["height"] <= size[1]
    if size[1] == 800:  # there it fits as a whole
        assert menu.evaluate("each => each.scrollHeight <= each.clientHeight")
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.id") == "copy-more"


def test_a_page_from_right_to_left_keeps_formulas_from_left_to_right(written: tuple[Any, Strokes]) -> None:
    page = written[0].page
    paper = page.locator("#settled").bounding_box()
    page.evaluate("() => { document.documentElement.dir = 'rtl' }")
    page.wait_for_function(  # the answer is on the other side now
        "() => document.querySelector('#answer').getBoundingClientRect().left < 10"
    )
    places = page.evaluate(
        """() => [...document.querySelectorAll('#formula :is(mi, mn, mo)')]
            .map(e => [e.textContent, e.getBoundingClientRect().left])"""
    )
    assert [text for text, _ in sorted(places, key=lambda each: each[1])] == ["x", "2", "+", "1"]
    tools = page.locator("[part=tools]").bounding_box()
    assert tools["x"] > paper["width"] / 2
    assert page.evaluate("() => document.documentElement.scrollWidth") == 1280
    page.set_viewport_size({"width": 1240, "height": 800})  # ink is shown beside the tools, on either side
    page.wait_for_function("() => document.querySelector('inktex-pad').sheet.covered.right > 0")


def test_the_page_can_be_installed(new_page: Callable[..., Any], page_server: Any) -> None:
    page = new_page(page_server.url)
    manifest = page.evaluate("async () => (await fetch('manifest.json')).json()")
    assert {icon.get("purpose", "any") for icon in manifest["icons"]} == {"any", "maskable"}
    for icon in manifest["icons"]:
        size = page.evaluate(
            """async src => { const image = new Image(); image.src = src; await image.decode();
                return `${image.naturalWidth}x${image.naturalHeight}` }""",
            icon["src"],
        )
        assert icon["sizes"] in ("any", size)
    assert {"192x192", "512x512"} <= {icon["sizes"] for icon in manifest["icons"]}


@pytest.mark.parametrize("width", [320, 360])
def test_touch_targets_are_large_enough(new_page: Callable[..., Any], page_server: Any, width: int) -> None:
    page = new_page(page_server.url, viewport={"width": width, "height": 740}, has_touch=True, is_mobile=True)
    page.wait_for_selector("#try button")
    boxes = page.evaluate(
        """() => [document, document.querySelector('inktex-pad').shadowRoot]
            .flatMap(root => [...root.querySelectorAll('button, textarea')]).filter(e => e.checkVisibility())
            .map(e => [e.id || e.dataset.tool || e.className, e.getBoundingClientRect().toJSON()])"""
    )
    assert len(boxes) > 12
    for name, box in boxes:
        assert box["width"] >= 30, name
        assert box["height"] >= 44, name
        assert box["left"] >= 0, name
        assert box["right"] <= width, name


def test_everything_can_be_done_with_keys(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any
) -> None:
    page = new_page(
        page_server.url, permissions=["clipboard-read", "clipboard-write"], reduced_motion="reduce"
    )
    keys = page.keyboard
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    keys.press("Tab")
    assert page.evaluate("() => document.activeElement.className") == "skip"
    keys.press("x")  # examples
    page.wait_for_selector("#examples[open]")
    page.wait_for_selector("#examples-list button")
    for _ in range(5):  # to ink that has other readings
        keys.press("Tab")
    assert page.evaluate("() => document.activeElement.ariaLabel") == r"\sqrt{x + y}"
    outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"  # the focus can be seen
    keys.press("Enter")
    paper.wait_for_latex(r"\sqrt{x+y}")
    keys.press("Control+c")
    page.wait_for_selector("#toast")
    assert page.evaluate("() => navigator.clipboard.readText()") == r"\sqrt{x+y}"
    page.focus("#formula")  # from symbol to symbol
    lit = []
    for _ in range(3):
        keys.press("ArrowRight")
        lit.append(page.inner_text("#mirror .lit"))
    assert lit == [r"\sqrt", "x", "+"]
    page.wait_for_function("() => document.querySelector('#announcer').textContent.startsWith('+')")
    page.focus("#settled")  # from stroke to stroke
    count = paper.stroke_count
    keys.press("ArrowRight")
    page.wait_for_function(f"() => {IN_PAD}('[aria-live]').textContent.startsWith('Stroke 1 of')")
    keys.press("Delete")
    assert paper.stroke_count == count - 1
    keys.press("Control+z")
    paper.wait_for_latex(r"\sqrt{x+y}")
    keys.press("1")  # the first of the other readings
    page.wait_for_function("() => document.querySelector('#sure').textContent === 'Your choice'")
    keys.press("l")
    assert page.evaluate("() => document.activeElement.id") == "latex"
    keys.press("Control+a")
    keys.type("nph")  # letters are letters here, not commands
    assert paper.latex == "nph"
    page.wait_for_function("() => document.querySelectorAll('#formula mi').length === 3")
    page.focus("#copy-more")
    keys.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.dataset.copy") == "latex"
    keys.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.dataset.copy") == "inline"
    keys.press("Escape")
    assert page.evaluate("() => document.activeElement.id") == "copy-more"
    page.focus("#settled")
    keys.press("n")
    paper.wait_for_latex("")


def test_the_answer_is_told_to_screen_readers(written: tuple[Any, Strokes]) -> None:
    paper, _ = written
    page = paper.page
    page.wait_for_function("() => document.querySelector('#announcer').textContent.includes('x^{2}+1')")
    assert page.get_attribute("#announcer", "aria-live") == "polite"
    assert page.get_attribute("#settled", "aria-label") == "Paper with 6 strokes"
    for element in page.query_selector_all("button"):
        assert element.inner_text().strip() or element.get_attribute("aria-label")


def test_ink_outlives_the_server(
    new_page: Callable[..., Any],
    paper_of: Callable[..., Any],
    serve_page: Callable[..., Any],
    examples: dict[str, Strokes],
) -> None:
    server = serve_page()
    page = new_page(server.url, expect=("ERR_", "WebSocket connection"), reduced_motion="reduce")
    page.wait_for_selector('#state[data-state="ready"]')
    server.stop()
    page.wait_for_selector('#state[data-state="offline"]')
    paper = paper_of(page)
    strokes = examples[r"x^{2} + 1"]
    paper.write(strokes, width=360)
    assert paper.stroke_count == len(strokes)
    again = serve_page(port=server.port)
    paper.wait_for_latex("x^{2}+1")
    assert again.port == server.port


def test_a_token_is_asked_for(
    new_page: Callable[..., Any], serve_page: Callable[..., Any], examples: dict[str, Strokes]
) -> None:
    server = serve_page(token="a-good-long-token")
    page = new_page(server.url, expect=("401", "WebSocket connection", "ERR_"))
    page.wait_for_selector("#lock[open]")
    page.fill("#lock-token", "a-good-long-token")
    page.keyboard.press("Enter")
    page.wait_for_selector('#state[data-state="ready"]')
    linked = new_page(f"{server.url}/#token=a-good-long-token", expect=("WebSocket connection", "ERR_"))
    linked.wait_for_selector('#state[data-state="ready"]')
    assert "token" not in linked.url  # not left in the address


def test_the_page_for_programs_works(new_page: Callable[..., Any], page_server: Any) -> None:
    source = axe_source()
    page = new_page(f"{page_server.url}/docs")
    page.wait_for_selector(".operation button")
    assert "/v1/recognize" in page.inner_text("main")
    page.locator(".operation button").first.click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('pre')].some(e => e.textContent.startsWith('200 OK'))"
    )
    assert findings(page, source) == []
