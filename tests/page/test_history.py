"""What was written is kept in this browser: across tabs and reloads, named, searched, exported, deleted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up import MadeUpServer, recognition

LETTERS = "abcdefgh"


def reading(ids: list[str], pins: list[Any]) -> dict[str, Any]:
    del pins
    return recognition(list(LETTERS[: len(ids)]), len(ids))


class Tab:
    """A tab with the page, on a server that reads every stroke as one letter."""

    def __init__(self, page: Any, url: str) -> None:
        self.page = page
        MadeUpServer(page, reading)
        page.goto(url)
        page.wait_for_selector('#state[data-state="ready"]')

    def write(self, paper_of: Callable[..., Any], strokes: int) -> None:
        paper = paper_of(self.page)
        for number in range(strokes):
            paper.stroke([[300 + 40 * number, 300], [300 + 40 * number, 340]])
        paper.wait_for_latex(LETTERS[:strokes])

    def names(self) -> list[str]:
        """What the open history shows."""
        return list(
            self.page.evaluate(
                "() => [...document.querySelectorAll('#history-list .card-button')].map(e => e.ariaLabel)"
            )
        )

    def wait_for_names(self, *names: str) -> None:
        self.page.wait_for_function(
            """names => JSON.stringify([...document.querySelectorAll('#history-list .card-button')]
                .map(e => e.ariaLabel)) === JSON.stringify(names)""",
            arg=list(names),
        )

    def show_history(self) -> None:
        self.page.click("#show-history")
        self.page.wait_for_selector("#history[open]")


@pytest.fixture
def tab(new_page: Callable[..., Any], page_server: Any) -> Tab:
    return Tab(new_page("about:blank"), page_server.url)


def test_tabs_share_the_history(tab: Tab, paper_of: Callable[..., Any], page_server: Any) -> None:
    tab.write(paper_of, 2)
    other = Tab(tab.page.context.new_page(), page_server.url)
    other.show_history()
    other.wait_for_names("ab")  # of the first tab
    tab.page.click("#clear")
    tab.write(paper_of, 3)
    other.wait_for_names("abc", "ab")  # while it is open
    other.page.locator("#history-list input").nth(1).fill("the first")
    other.page.keyboard.press("Tab")
    tab.show_history()
    tab.wait_for_names("abc", "the first")
    tab.page.fill("#history-search", "FIRST")
    tab.wait_for_names("the first")
    tab.page.fill("#history-search", "abc")
    tab.wait_for_names("abc")
    tab.page.fill("#history-search", "")
    # A formula of another tab is opened here, and stays one formula.
    tab.page.click('#history-list [aria-label="the first"]')
    paper_of(tab.page).wait_for_latex("ab")
    tab.page.reload()
    paper_of(tab.page).wait_for_latex("ab")
    other.page.locator("#history-list .round").first.click()
    other.page.wait_for_function("() => document.querySelectorAll('#history-list li').length === 1")
    assert other.page.evaluate("() => document.activeElement.id") == "history-search"


def test_a_second_tab_of_the_same_ink_is_a_formula_of_its_own(tab: Tab, paper_of: Callable[..., Any]) -> None:
    tab.write(paper_of, 2)
    with tab.page.context.expect_page() as opened:
        tab.page.evaluate("() => window.open(location.href)")  # as "duplicate tab" does, with its session
    other = opened.value
    other.wait_for_load_state()
    copy = Tab(other, tab.page.url)
    paper_of(other).wait_for_latex("ab")
    paper_of(other).stroke([[420, 300], [420, 340]])
    paper_of(other).wait_for_latex("abc")
    copy.show_history()
    copy.wait_for_names("abc", "ab")


def test_two_tabs_on_one_formula_lose_nothing(
    tab: Tab, paper_of: Callable[..., Any], page_server: Any
) -> None:
    """A formula is open in one tab, and taken out of the history in another: both write on."""
    tab.write(paper_of, 2)
    other = Tab(tab.page.context.new_page(), page_server.url)
    other.show_history()
    other.wait_for_names("ab")
    other.page.click('#history-list [aria-label="ab"]')
    paper_of(other.page).wait_for_latex("ab")
    other.show_history()
    other.wait_for_names("ab")  # only looked at, it is still one
    other.page.keyboard.press("Escape")
    for number in (2, 3):
        x = 300 + 40 * number
        paper_of(other.page).stroke([[x, 300], [x, 340]])
    paper_of(other.page).wait_for_latex("abcd")
    other.page.wait_for_timeout(900)  # written down
    tab.page.bring_to_front()
    paper_of(tab.page).stroke([[380, 500], [380, 540]])
    paper_of(tab.page).wait_for_latex("abc")
    tab.show_history()
    tab.wait_for_names("abc", "abcd")
    tab.page.keyboard.press("Escape")
    tab.page.reload()
    paper_of(tab.page).wait_for_latex("abc")
    paper_of(tab.page).stroke([[420, 500], [420, 540]])
    paper_of(tab.page).wait_for_latex("abcd")
    tab.show_history()
    tab.wait_for_names("abcd", "abcd")  # its own one goes on


def test_export_and_import(tab: Tab, paper_of: Callable[..., Any], tmp_path: Path) -> None:
    page = tab.page
    tab.write(paper_of, 2)
    page.fill("#latex", "a b q")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#sure').dataset.level === 'own'")
    tab.show_history()
    tab.wait_for_names("a b q")
    with page.expect_download() as download:
        page.click("#history-export")
    file = tmp_path / "history.json"
    download.value.save_as(file)
    page.click("#history-clear")
    page.click("#history-sure-yes")
    tab.wait_for_names()
    assert page.is_visible("#history-empty")
    page.set_input_files("#history-file", file)
    tab.wait_for_names("a b q")
    page.set_input_files("#history-file", file)  # what is here already stays once
    page.wait_for_function("() => document.querySelector('#toast').textContent.includes('0')")
    assert tab.names() == ["a b q"]
    page.click('#history-list [aria-label="a b q"]')
    page.wait_for_function(
        "() => document.querySelector('#sure').dataset.level === 'own'"
    )  # decided it stays
    assert page.input_value("#latex") == "a b q"


@pytest.mark.parametrize(
    "content",
    [
        "no JSON",
        json.dumps({"format": "inktex.history/1", "formulas": 3}),
        json.dumps({"strokes": [[[1, 2], [3, 4]]]}),
    ],
)
def test_a_file_that_is_no_history_is_refused(tab: Tab, tmp_path: Path, content: str) -> None:
    file = tmp_path / "history.json"
    file.write_text(content)
    tab.show_history()
    tab.page.set_input_files("#history-file", file)
    tab.page.wait_for_selector("#toast.problem")


def test_damaged_entries_of_a_file_are_left_out(tab: Tab, tmp_path: Path) -> None:
    stroke = {"id": "s1", "points": [[1, 2, 0, 0.5], [30, 40, 10, 0.5]]}
    good = {"id": "f1", "name": "good", "latex": "x", "mathml": "", "changed": 1, "strokes": [stroke]}
    odd = {**good, "id": "f2", "name": "odd", "pins": [3], "choices": [{"ids": ["s1"], "forms": None}]}
    bad = [
        {**good, "id": "f3", "strokes": [{"id": "s1", "points": "x"}]},
        {**good, "id": "f4", "strokes": [{"id": "s1", "points": [["1", None]]}]},
        {**good, "id": 5},
        None,
    ]
    file = tmp_path / "history.json"
    file.write_text(json.dumps({"format": "inktex.history/1", "formulas": [good, odd, *bad]}))
    tab.show_history()
    tab.page.set_input_files("#history-file", file)
    tab.wait_for_names("good", "odd")
    tab.page.click('#history-list [aria-label="odd"]')
    tab.page.wait_for_function("() => document.querySelector('#latex').value === 'a'")


def test_a_reload_in_the_middle_of_writing_loses_nothing(tab: Tab, paper_of: Callable[..., Any]) -> None:
    paper = paper_of(tab.page)
    for number in range(4):
        paper.stroke([[300 + 40 * number, 300], [300 + 40 * number, 340]])
    tab.page.reload()  # at once, before anything was written down after a rest
    paper.wait_for_latex("abcd")
    assert paper.stroke_count == 4


@pytest.mark.parametrize("size", [(360, 740), (768, 1024), (1280, 800)])
def test_after_a_reload_the_ink_is_seen_in_its_size(
    tab: Tab, paper_of: Callable[..., Any], size: tuple[int, int]
) -> None:
    tab.page.set_viewport_size({"width": size[0], "height": size[1]})
    paper = paper_of(tab.page)
    x, y = paper.box["x"] + 120, paper.box["y"] + 120
    for number in range(4):
        paper.stroke([[x + 40 * number, y], [x + 40 * number, y + 40]])
    paper.wait_for_latex("abcd")
    tab.page.reload()
    paper.wait_for_latex("abcd")
    left, top, right, bottom = tab.page.evaluate(
        """() => {
            const { sheet } = document.querySelector('inktex-pad');
            const written = sheet.strokes.flatMap(({ points }) => points);
            const points = written.map(([x, y]) => sheet.toScreen(x, y));
            const [xs, ys] = [0, 1].map(axis => points.map(point => point[axis]));
            return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
        }"""
    )
    assert (right - left, bottom - top) == pytest.approx((120, 40), abs=2)
    assert min(left, top) >= 0
    assert right <= paper.box["width"]
    assert bottom <= paper.box["height"]
