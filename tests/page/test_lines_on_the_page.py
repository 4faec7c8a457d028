"""A page of several expressions in a real browser: one answer per line, and nothing is read twice."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inktex.ink import read
from inktex.ink.lines import split_page

PAGE = Path(__file__).parents[2] / "examples" / "page.xopp"
LINES = ["x+y=7", "x-y=3", "2x=10", "x=5"]
READINGS = "document.querySelector('inktex-pad').desk.readings"


def wait_for_lines(page: Any, lines: list[str]) -> None:
    page.wait_for_function(
        f"""lines => !document.querySelector('inktex-pad').desk.stale && JSON.stringify(
            {READINGS}.map(({{ latex }}) => latex.replace(/[\\s{{}}]/g, ''))) === JSON.stringify(lines)""",
        arg=lines,
    )


@pytest.fixture
def opened(new_page: Callable[..., Any], page_server: Any) -> Callable[..., Any]:
    def open_page(width: int = 1280, height: int = 800) -> Any:
        page = new_page(
            page_server.url,
            viewport={"width": width, "height": height},
            permissions=["clipboard-read", "clipboard-write"],
            reduced_motion="reduce",
        )
        page.wait_for_selector('#state[data-state="ready"]')
        page.set_input_files("#file", PAGE)
        wait_for_lines(page, LINES)
        return page

    return open_page


def copied(page: Any, kind: str) -> str:
    page.click("#copy-more")
    page.click(f'[data-copy="{kind}"]')
    page.wait_for_selector("#toast:not([hidden])")
    text = str(page.evaluate("() => navigator.clipboard.readText()"))
    return "".join(text.split())


def test_ink_that_comes_back_is_in_view(written: tuple[Any, Any]) -> None:
    """A file that was opened is shown at another zoom; undo brings back ink that was written elsewhere."""
    page = written[0].page
    page.evaluate("() => document.querySelector('inktex-pad').sheet.pan(-250, 0)")
    shown = """() => {
        const { sheet, strokes } = document.querySelector('inktex-pad');
        const places = strokes.flat().map(([x, y]) => sheet.toScreen(x, y));
        return places.every(([x, y]) => x > 0 && y > 0 && x < sheet.width && y < sheet.height);
    }"""
    page.set_input_files("#file", PAGE)
    wait_for_lines(page, LINES)
    page.evaluate("() => document.querySelector('inktex-pad').sheet.zoomAt(1.8, 0, 0)")
    page.click("#undo")
    written[0].wait_for_latex("x^{2}+1")
    assert page.evaluate(shown)
    page.click("#redo")
    wait_for_lines(page, LINES)
    assert page.evaluate(shown)


def test_several_lines_are_one_mathml_file(opened: Callable[..., Any], tmp_path: Path) -> None:
    """A file has one root, or no program reads it."""
    page = opened()
    page.click("#save")
    with page.expect_download() as download:
        page.click('[data-save="formula.mml"]')
    download.value.save_as(tmp_path / "formula.mml")
    root = ET.fromstring((tmp_path / "formula.mml").read_text(encoding="utf-8"))
    mathml = "{http://www.w3.org/1998/Math/MathML}"
    assert root.tag == f"{mathml}math"
    rows = ["".join(row.itertext()) for row in root.iter(f"{mathml}mtr")]
    assert rows == ["x+y=7", "x−y=3", "2x=10", "x=5"]


def test_a_page_of_several_lines_is_read_line_by_line(opened: Callable[..., Any]) -> None:
    page = opened()
    assert copied(page, "latex") == "x=5"  # the line written last
    assert copied(page, "all-lines") == "".join(LINES)
    rows = "\\\\".join(line.replace("=", "&=") for line in LINES)
    assert copied(page, "all-aligned") == rf"\begin{{aligned}}{rows}\end{{aligned}}"
    assert copied(page, "all-cases") == "".join((r"\begin{cases}", r"\\".join(LINES), r"\end{cases}"))
    assert copied(page, "all-markdown") == "".join(f"$${line}$$" for line in LINES)
    page.locator("#formula .line").nth(1).click(position={"x": 4, "y": 4})  # look at another line
    page.wait_for_function("() => document.querySelector('#latex').value.replaceAll(' ', '') === 'x-y=3'")
    assert page.locator("#formula .line[data-current]").count() == 1
    assert copied(page, "latex") == "x-y=3"
    page.locator("#formula .line[data-current] mo").first.click()  # and correct a symbol of it
    page.fill("inktex-symbols input", "plus-minus")
    page.keyboard.press("Enter")
    wait_for_lines(page, ["x+y=7", r"x\pmy=3", "2x=10", "x=5"])
    page.keyboard.press("Control+z")
    wait_for_lines(page, LINES)


@pytest.mark.parametrize("width", [360, 1280])
def test_a_symbol_of_any_line_is_corrected_by_one_tap(opened: Callable[..., Any], width: int) -> None:
    page = opened(width)
    page.evaluate("() => { document.querySelector('#formula').scrollTop = 0 }")
    page.locator("#formula .line").first.locator("mo").first.click()
    page.wait_for_function("() => document.querySelector('#latex').value.replaceAll(' ', '') === 'x+y=7'")
    assert page.locator("#formula .line").first.get_attribute("data-current") is not None
    page.fill("inktex-symbols input", "plus-minus")
    page.keyboard.press("Enter")
    wait_for_lines(page, [r"x\pmy=7", *LINES[1:]])


@pytest.mark.parametrize("size", [(360, 640), (390, 844), (768, 1024), (1440, 900)])
def test_the_present_line_can_be_seen(opened: Callable[..., Any], size: tuple[int, int]) -> None:
    page = opened(*size)
    box = page.locator("#formula").bounding_box()
    for number in (3, 0):
        if number == 0:
            page.evaluate("() => { document.querySelector('#formula').scrollTop = 0 }")
            page.locator("#formula .line").first.locator("mi").first.click()
        line = page.locator("#formula .line[data-current]").bounding_box()
        assert line["y"] >= box["y"] - 1, number
        assert line["y"] + line["height"] <= box["y"] + box["height"] + 1, number
    assert page.locator("#sure").bounding_box()["y"] >= box["y"] + box["height"] - 1  # not over the lines
    assert page.evaluate("() => document.documentElement.scrollWidth") == size[0]


def test_four_lines_are_seen_whole_on_a_tablet(opened: Callable[..., Any]) -> None:
    page = opened(768, 1024)
    box = page.locator("#formula").bounding_box()
    for number in range(4):
        line = page.locator("#formula .line").nth(number).bounding_box()
        assert box["y"] <= line["y"]
        assert line["y"] + line["height"] <= box["y"] + box["height"]


def test_lines_that_are_done_are_not_read_again(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any
) -> None:
    page = new_page("about:blank", viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    heard: list[dict[str, Any]] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda text: heard.append(json.loads(text))),
    )
    page.goto(page_server.url)
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    parts = [[stroke.tolist() for stroke in part.strokes] for part in split_page(read(PAGE))[:3]]
    placed = iter(paper.to_screen([stroke for part in parts for stroke in part]))
    lines = [[next(placed) for _ in part] for part in parts]
    for number, line in enumerate(lines):
        del heard[:]
        for stroke in line:
            paper.wait_for_answer(lambda stroke=stroke: paper.stroke(stroke))
            if number == 2:
                before = page.evaluate(f"() => {READINGS}.slice(0, 2).map(({{ latex }}) => latex)")
                assert ["".join(latex.split()) for latex in before] == LINES[:2]
    wait_for_lines(page, LINES[:3])
    answers = [message["lines"] for message in heard if message["type"] == "answer"]
    assert len(answers) == len(lines[2])
    for message in answers:
        assert ["recognition" in line for line in message] == [False, False, True]


BRACE = [
    (0, 0),
    (-8, 3),
    (-11, 10),
    (-11, 40),
    (-13, 46),
    (-22, 50),
    (-13, 54),
    (-11, 60),
    (-11, 90),
    (-8, 97),
    (0, 100),
]
SYSTEM = r"\begin{cases}x+y=7\\x-y=3\end{cases}"


@pytest.mark.parametrize("width", [360, 1280])
def test_a_brace_drawn_before_two_lines_makes_a_system_of_them(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any, width: int
) -> None:
    page = new_page(
        page_server.url,
        viewport={"width": width, "height": 800},
        permissions=["clipboard-read", "clipboard-write"],
        reduced_motion="reduce",
    )
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    rows = [stroke.tolist() for part in split_page(read(PAGE))[:2] for stroke in part.strokes]
    top, bottom = (edge(y for stroke in rows for _, y in stroke) for edge in (min, max))
    left = min(x for stroke in rows for x, _ in stroke)
    brace = [[left - 8 + 2 * x, top - 6 + y * (bottom - top + 12) / 100] for x, y in BRACE]
    *placed, drawn_last = paper.to_screen([*rows, brace])
    for stroke in placed:
        paper.stroke(stroke)
    wait_for_lines(page, LINES[:2])
    paper.stroke(drawn_last)
    page.wait_for_function(
        "latex => document.querySelector('#latex').value.replace(/\\s/g, '') === latex", arg=SYSTEM
    )
    assert copied(page, "latex") == SYSTEM
    page.keyboard.press("Control+z")
    wait_for_lines(page, LINES[:2])
