"""Correct one symbol by tapping it: the choice sticks while the rest is read on."""

from collections.abc import Callable
from typing import Any

from made_up import MadeUpServer, recognition


def reading(ids: list[str], pins: list[Any]) -> dict[str, Any]:
    tokens = list("xyz"[: len(ids)])
    for names, latex in pins:
        tokens[ids.index(names[0])] = latex
    return recognition(tokens, len(ids))


def written(page: Any, paper_of: Callable[..., Any], page_server: Any, *places: int) -> Any:
    """The paper, when the page has opened and an upright stroke has been written at each place."""
    page.goto(page_server.url)
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    for x in places:
        paper.stroke([[x, 300], [x, 340]])
    return paper


def test_a_tapped_symbol_is_searched_by_name_and_stays(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any
) -> None:
    page = new_page("about:blank")
    server = MadeUpServer(page, reading)
    paper = written(page, paper_of, page_server, 300, 340)
    paper.wait_for_latex("xy")
    page.click('#formula [data-token="0"]')
    assert page.locator('inktex-symbols [data-latex="\\\\times"]').is_visible()  # looks like an x
    page.fill("inktex-symbols input", "greek alpha")
    page.keyboard.press("Enter")
    paper.wait_for_latex(r"\alpha y")
    assert [pin["latex"] for pin in server.of_type("pin")] == [r"\alpha"]
    paper.stroke([[380, 300], [380, 340]])
    paper.wait_for_latex(r"\alpha yz")  # read on around it
    page.click("#undo")
    page.click("#undo")
    paper.wait_for_latex("xy")


def test_a_symbol_is_corrected_with_keys_alone(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any
) -> None:
    page = new_page("about:blank")
    MadeUpServer(page, reading)
    paper = written(page, paper_of, page_server, 300, 340)
    paper.wait_for_latex("xy")
    page.focus("#formula")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("inktex-symbols .symbol")
    page.keyboard.type("greek beta")  # letters go to the search, wherever the focus is
    page.wait_for_selector('inktex-symbols [data-latex="\\\\beta"]')
    page.keyboard.press("Enter")
    paper.wait_for_latex(r"\beta y")
    assert page.evaluate("() => document.activeElement.id") == "formula"  # where one was
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("inktex-symbols:popover-open")
    page.keyboard.press("Escape")
    page.wait_for_selector("inktex-symbols:popover-open", state="detached")
    assert page.evaluate("() => document.activeElement.id") == "formula"


def test_a_tap_brings_up_no_keyboard(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any
) -> None:
    """On a phone the keyboard covers half of the page as soon as a text field has the focus."""
    page = new_page("about:blank")
    MadeUpServer(page, lambda ids, pins: recognition(["h"], 1))  # nothing looks like an h
    paper = written(page, paper_of, page_server, 300)
    paper.wait_for_latex("h")
    page.click('#formula [data-token="0"]')
    page.wait_for_selector("inktex-symbols:popover-open")
    in_symbols = "document.querySelector('inktex-pad').shadowRoot.querySelector('inktex-symbols').shadowRoot"
    assert page.evaluate(f"() => {in_symbols}.activeElement?.localName") != "input"


def test_a_symbol_is_drawn_again_in_its_place(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any
) -> None:
    """Ink is read in the order of writing: what is drawn again takes the place of what was there."""
    page = new_page("about:blank")
    order: list[list[str]] = []

    def remember(ids: list[str], pins: list[Any]) -> dict[str, Any]:
        order.append(list(ids))
        return reading(ids, pins)

    MadeUpServer(page, remember)
    paper = written(page, paper_of, page_server, 300, 340, 380)
    paper.wait_for_latex("xyz")
    first, _, last = order[-1]
    page.click('#formula [data-token="1"]')
    page.click("inktex-symbols .redraw")
    paper.wait_for_latex("xy")
    assert order[-1] == [first, last]
    paper.stroke([[338, 302], [342, 338]])
    paper.wait_for_latex("xyz")
    assert [order[-1][0], order[-1][2]] == [first, last]
    page.click("#undo")
    page.click("#undo")
    paper.wait_for_latex("xyz")  # as it was before
    assert paper.stroke_count == 3


def test_symbols_that_are_likely_unknown_are_named(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any
) -> None:
    def unsure(ids: list[str], pins: list[Any]) -> dict[str, Any]:
        made = reading(ids, pins)
        if not pins and len(ids) > 1:
            made["symbols"][1]["known"] = False
        return made

    page = new_page("about:blank")
    MadeUpServer(page, unsure)
    paper = written(page, paper_of, page_server, 300, 340)
    page.wait_for_selector('#remark[data-kind="problem"]')
    assert "y" in page.inner_text("#remark")
    assert page.get_attribute("#sure", "data-level") == "unknown"  # no confident "97 % sure"
    marked = page.locator("#formula .unknown")
    assert marked.text_content() == "y"
    marked.click()
    page.fill("inktex-symbols input", "beta")
    page.keyboard.press("Enter")
    paper.wait_for_latex(r"x\beta")
    page.wait_for_selector("#formula .unknown", state="detached")
    assert page.is_hidden("#remark")
