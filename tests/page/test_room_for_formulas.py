"""Long formulas, high contrast, and pictures that other programs can read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up import NAMESPACE, MadeUpServer, other, recognition

Strokes = list[list[list[float]]]
LONG = [*"abcdefghijklmnop", "=", *"qrstuvwxyz", "+", *"abcdefghijklmnop", "+", *"qrstuvwxyz"]


def long_reading(ids: list[str], pins: list[Any]) -> dict[str, Any]:
    del pins
    others = [
        other([*LONG[:-3], "0", *LONG[-2:]]),
        other([*LONG[:-2], "1", LONG[-1]]),
        other([*LONG[:-1], "2"]),
    ]
    return recognition(LONG, len(ids), others=others)


@pytest.mark.parametrize("size", [(360, 740), (768, 1024), (1280, 800), (1440, 900)])
def test_long_formulas_have_room(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any, size: tuple[int, int]
) -> None:
    page = new_page("about:blank", viewport={"width": size[0], "height": size[1]})
    MadeUpServer(page, long_reading)
    page.goto(page_server.url)
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    x, y = paper.box["x"] + 150, paper.box["y"] + 60
    paper.wait_for_answer(lambda: paper.stroke([[x, y], [x, y + 30]]))
    field = page.locator("#latex").bounding_box()
    assert field["width"] >= (250 if size[0] < 600 else 330)
    shown = page.evaluate(
        """() => [...document.querySelectorAll('#formula math')]
            .map(math => parseFloat(getComputedStyle(math).fontSize))"""
    )
    assert min(shown) >= 19  # legible
    # What tells the other readings apart can be seen, in each of them.
    places = page.evaluate(
        """() => [...document.querySelectorAll('#candidates button')].map(button => {
            const whole = button.getBoundingClientRect();
            const part = button.querySelector('.differs').getBoundingClientRect();
            return [part.left - whole.left, whole.right - part.right, whole.left, whole.right];
        })"""
    )
    assert len(places) == 3
    for left, right, *_ in places:
        assert left >= 0
        assert right >= 0
    if size[0] > 640:
        assert all(begin >= 0 and end <= size[0] for *_, begin, end in places)


def a_system(count: int) -> Callable[..., dict[str, Any]]:
    """A stand-in for a server that offers so many rows."""
    rows = "".join(f"<mtr><mtd><mi>x</mi><mo>+</mo><mn>{n}</mn></mtd></mtr>" for n in range(count))
    reading = other([r"\begin{cases}", *["x", "+", "1", r"\\"] * count, r"\end{cases}"])
    reading["mathml"] = f'<math xmlns="{NAMESPACE}" display="block"><mtable>{rows}</mtable></math>'
    return lambda ids, pins: recognition(["x"], len(ids), others=[reading])


@pytest.mark.parametrize("rows", [2, 3, 5])
@pytest.mark.parametrize("size", [(360, 640), (360, 740), (768, 1024), (1024, 768), (1280, 800)])
def test_other_readings_of_several_rows_fit_in_their_place(
    new_page: Callable[..., Any],
    paper_of: Callable[..., Any],
    page_server: Any,
    size: tuple[int, int],
    rows: int,
) -> None:
    page = new_page("about:blank", viewport={"width": size[0], "height": size[1]})
    MadeUpServer(page, a_system(rows))
    page.goto(page_server.url)
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    x, y = paper.box["x"] + 150, paper.box["y"] + 60
    paper.wait_for_answer(lambda: paper.stroke([[x, y], [x, y + 30]]))
    field, button, table, others = (
        page.locator(name).bounding_box()
        for name in (".field", "#candidates button", "#candidates mtable", "#others")
    )
    assert button["y"] >= field["y"] + field["height"]
    assert button["y"] + button["height"] <= others["y"] + others["height"]
    assert table["y"] >= button["y"]
    assert table["y"] + table["height"] <= button["y"] + button["height"]
    assert others["y"] + others["height"] <= paper.box["y"] or size[0] >= 1080
    shown = page.locator("#formula").bounding_box()
    assert shown["height"] >= 40  # the answer itself still has room


@pytest.mark.parametrize("size", [(360, 640), (390, 844), (768, 1024), (1280, 800)])
def test_a_high_formula_is_seen_whole(
    new_page: Callable[..., Any],
    paper_of: Callable[..., Any],
    page_server: Any,
    examples: dict[str, Strokes],
    size: tuple[int, int],
) -> None:
    page = new_page(page_server.url, viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page.wait_for_selector('#state[data-state="ready"]')
    latex = r"\sum_{n=1}^{\infty}\frac{1}{n^{2}} = \frac{\pi^{2}}{6}"
    paper_of(page).write(examples[latex])
    paper_of(page).wait_for_latex(latex.replace(" ", ""))
    box = page.locator("#formula").bounding_box()
    for symbol in page.locator("#formula [data-token]").all():
        place = symbol.bounding_box()
        assert place["y"] >= box["y"], symbol.text_content()
        assert place["y"] + place["height"] <= box["y"] + box["height"], symbol.text_content()


def test_the_line_in_the_field_is_seen_in_forced_colours(
    new_page: Callable[..., Any], page_server: Any
) -> None:
    page = new_page(page_server.url, forced_colors="active")
    page.wait_for_selector('#state[data-state="ready"]')
    page.set_input_files("#file", Path(__file__).parents[2] / "examples" / "page.xopp")
    page.wait_for_selector("#formula .line[data-current]")
    colour = "e => getComputedStyle(e).borderInlineStartColor"
    here = page.locator("#formula .line[data-current]").evaluate(colour)
    elsewhere = page.locator("#formula .line:not([data-current])").first.evaluate(colour)
    background = page.locator("body").evaluate("e => getComputedStyle(e).backgroundColor")
    assert elsewhere == background != here


def test_the_active_tool_is_seen_in_forced_colours(new_page: Callable[..., Any], page_server: Any) -> None:
    page = new_page(page_server.url, forced_colors="active")
    page.wait_for_selector('#state[data-state="ready"]')
    look = "e => { const s = getComputedStyle(e); return [s.backgroundColor, s.color, s.outlineStyle] }"
    pressed = page.locator('[data-tool="pen"]').evaluate(look)
    other_tool = page.locator('[data-tool="eraser"]').evaluate(look)
    assert pressed != other_tool


def test_a_lit_symbol_is_seen_in_forced_colours(
    new_page: Callable[..., Any],
    paper_of: Callable[..., Any],
    page_server: Any,
    examples: dict[str, Strokes],
) -> None:
    page = new_page(page_server.url, forced_colors="active", reduced_motion="reduce")
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    paper.write(examples[r"x^{2} + 1"], width=360)
    paper.wait_for_latex("x^{2}+1")
    page.hover("#formula mi")
    page.wait_for_selector("#formula .lit")
    outline = "e => getComputedStyle(e).outlineStyle"
    assert page.locator("#formula .lit").first.evaluate(outline) == "solid"
    assert page.locator("#formula mn").last.evaluate(outline) != "solid"
    # So is what differs in another reading.
    made = "<span class='candidate'><span class='differs'>y</span></span>"
    page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", made)
    assert page.locator(".candidate .differs").last.evaluate(outline) == "solid"


def test_brackets_of_a_function_are_close(written: tuple[Any, Strokes]) -> None:
    page = written[0].page
    page.fill("#latex", "f(x)")
    page.wait_for_function("() => document.querySelector('#formula math')?.textContent === 'f(x)'")
    gap = page.evaluate(
        """() => {
            const [f, open, x] = [0, 1, 2].map(
                i => document.querySelector(`#formula [data-token="${i}"]`).getBoundingClientRect());
            const size = parseFloat(getComputedStyle(document.querySelector('#formula math')).fontSize);
            return [(open.left - f.right) / size, (x.left - open.right) / size, open.width / size];
        }"""
    )
    assert max(gap[:2]) < 0.06, gap
    assert gap[2] < 0.42, gap


def test_a_formula_is_saved_in_forms_that_programs_read(written: tuple[Any, Strokes], tmp_path: Path) -> None:
    page = written[0].page
    for kind in ("formula.svg", "formula.png", "formula.mml", "formula.tex"):
        page.click("#save")
        with page.expect_download() as download:
            page.click(f'[data-save="{kind}"]')
        target = tmp_path / download.value.suggested_filename
        download.value.save_as(target)
        assert target.name == kind
        content = target.read_bytes()
        if kind.endswith("svg"):
            text = content.decode()
            assert "foreignObject" not in text
            assert "<text" not in text
            assert "<path" in text
        elif kind.endswith("png"):
            assert content.startswith(b"\x89PNG")
        elif kind.endswith("mml"):
            assert content.startswith(b"<math")
        else:
            assert b"x^{2}" in content


def test_a_formula_is_no_wider_than_its_card(paper: Any, examples: dict[str, Strokes]) -> None:
    paper.write(examples[r"x = \frac{-b \pm \sqrt{b^{2} - 4ac}}{2a}"])
    paper.wait_for_latex(r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}")
    for width in (1280, 1080, 360):
        paper.page.set_viewport_size({"width": width, "height": 800})
        paper.page.wait_for_function(
            """() => {
                const box = document.querySelector('#formula'), room = box.getBoundingClientRect().right;
                const parts = [...box.querySelectorAll('math > *')].map(each => each.getBoundingClientRect());
                return parts.length && parts.every(part => part.right <= room);
            }"""
        )


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_commands_have_one_row(new_page: Callable[..., Any], page_server: Any, language: str) -> None:
    page = new_page(page_server.url, locale=language)
    page.wait_for_selector('#state[data-state="ready"]')
    for width in (360, 641, 830, 1024, 1080, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        buttons = page.evaluate(
            """() => [...document.querySelectorAll('.commands .quiet')]
                .map(each => [each.scrollHeight, each.getBoundingClientRect().right])"""
        )
        assert max(height for height, _ in buttons) <= 48, width
        assert max(right for _, right in buttons) <= width, width
        said = page.locator(".state-text").evaluate("each => [each.scrollWidth, each.clientWidth]")
        assert said[1] <= 1 or said[0] <= said[1], width  # whole, or left to the dot


@pytest.mark.parametrize(("width", "height"), [(640, 400), (568, 320), (667, 375), (720, 450)])
def test_low_windows_have_paper_to_write_on(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any, width: int, height: int
) -> None:
    """A phone on its side, or a small notebook at 200 %: the answer is beside the paper."""
    page = new_page(page_server.url, viewport={"width": width, "height": height}, reduced_motion="reduce")
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    assert paper.box["height"] > 0.7 * height
    assert paper.box["width"] > 0.45 * width
    assert page.evaluate("() => document.documentElement.scrollWidth") == width
    answer = page.locator("#answer").bounding_box()
    assert answer["x"] + answer["width"] <= width
    tools = page.locator("[part=tools]").bounding_box()
    assert tools["x"] >= 0
    assert tools["x"] + tools["width"] <= paper.box["width"]


def test_in_the_smallest_windows_one_scrolls_to_the_paper(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any
) -> None:
    """A window of 1280 by 1024 pixels at 400 %."""
    page = new_page(page_server.url, viewport={"width": 320, "height": 256}, reduced_motion="reduce")
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    page.locator("#settled").scroll_into_view_if_needed()
    assert paper.box["height"] >= 240
    assert paper.box["y"] >= -10
    paper.stroke([[100, paper.box["y"] + 40], [140, paper.box["y"] + 80]])
    assert paper.stroke_count == 1
    assert page.evaluate("() => document.documentElement.scrollWidth") == 320
