"""Writing: with mouse, pen and finger; erasing, undoing, selecting, moving the paper."""

from collections.abc import Callable
from typing import Any

Strokes = list[list[list[float]]]


def on_line(stroke: list[list[float]]) -> list[float]:
    """A place that the painted line goes through: the page's curves pass the middles between points."""
    (ax, ay), (bx, by) = stroke[len(stroke) // 2 - 1 : len(stroke) // 2 + 1]
    return [(ax + bx) / 2, (ay + by) / 2]


def zigzag(left: float, right: float, top: float, bottom: float, passes: int = 9) -> list[list[float]]:
    """A scribble over a box."""
    points = []
    for i in range(passes):
        y = top + (bottom - top) * i / (passes - 1)
        ends = (left, right) if i % 2 == 0 else (right, left)
        points += [[ends[0] + (ends[1] - ends[0]) * step / 6, y] for step in range(7)]
    return points


def test_a_formula_is_read_while_it_is_written(paper: Any, examples: dict[str, Strokes]) -> None:
    assert paper.page.locator("#welcome").is_visible()
    strokes = examples[r"\frac{a + b}{c}"]
    seen = set()
    for stroke in paper.to_screen(strokes):
        paper.wait_for_answer(lambda points=stroke: paper.stroke(points))
        seen.add(paper.latex)
    paper.wait_for_latex(r"\frac{a+b}{c}")
    assert len(seen) > 3  # it was read again and again on the way
    assert paper.page.locator("#welcome").is_hidden()
    assert paper.page.locator("#formula math mfrac").count() == 1
    assert "% sure" in paper.page.inner_text("#sure")


def test_undo_redo_and_a_new_formula(written: tuple[Any, Strokes]) -> None:
    paper, placed = written
    paper.page.click("#undo")
    paper.page.wait_for_function("() => document.querySelector('#latex').value !== 'x^{2}+1'")
    assert paper.stroke_count == len(placed) - 1
    paper.page.click("#redo")
    paper.wait_for_latex("x^{2}+1")
    paper.page.click("#clear")
    paper.wait_for_latex("")
    assert paper.stroke_count == 0
    assert paper.page.locator("#welcome").is_visible()
    paper.page.keyboard.press("Control+z")
    paper.wait_for_latex("x^{2}+1")


def test_the_eraser_takes_strokes(written: tuple[Any, Strokes]) -> None:
    paper, placed = written
    paper.page.click('[data-tool="eraser"]')
    one = placed[-1]
    middle = one[len(one) // 2]
    paper.stroke([[middle[0] - 30, middle[1]], [middle[0] + 30, middle[1]]])
    paper.page.wait_for_function("() => !document.querySelector('#latex').value.includes('1')")
    assert paper.stroke_count == len(placed) - 1
    paper.page.click("#undo")
    paper.wait_for_latex("x^{2}+1")


def test_scribbling_over_ink_erases_it(written: tuple[Any, Strokes]) -> None:
    paper, placed = written
    xs = [x for x, _ in placed[-1]]
    ys = [y for _, y in placed[-1]]
    paper.stroke(zigzag(min(xs) - 14, max(xs) + 14, min(ys) - 2, max(ys) + 2))
    paper.page.wait_for_function("() => !document.querySelector('#latex').value.includes('1')")
    assert paper.stroke_count == len(placed) - 1
    assert "scratched out" in paper.page.inner_text("#toast")


def test_strokes_are_selected_moved_and_deleted(written: tuple[Any, Strokes]) -> None:
    paper, placed = written
    page = paper.page
    page.keyboard.press("s")
    xs = [x for x, _ in placed[-1]]
    ys = [y for _, y in placed[-1]]
    left, right, top, bottom = min(xs) - 16, max(xs) + 16, min(ys) - 16, max(ys) + 16
    paper.stroke([[left, top], [right, top], [right, bottom], [left, bottom], [left, top]])
    before = paper.colour_at(*on_line(placed[-1]))
    start = [(left + right) / 2, (top + bottom) / 2]
    answered = paper.wait_for_answer(
        lambda: paper.stroke([start, [start[0] + 40, start[1] + 10], [start[0] + 60, start[1] + 120]])
    )
    assert answered >= 0
    assert paper.colour_at(*on_line(placed[-1])) != before  # nothing is there any more
    assert paper.stroke_count == len(placed)
    page.keyboard.press("Delete")
    assert paper.stroke_count == len(placed) - 1
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    paper.wait_for_latex("x^{2}+1")


def test_zoom_and_pan_do_not_change_the_ink(written: tuple[Any, Strokes]) -> None:
    paper, placed = written
    page = paper.page
    point = on_line(placed[0])
    assert paper.colour_at(*point)[0] < 120
    page.mouse.move(*point)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_function("() => document.querySelector('inktex-pad').level !== '100 %'")
    assert paper.colour_at(*point)[0] < 120  # the place under the pointer stays there
    page.mouse.wheel(0, 60)
    page.wait_for_timeout(50)
    assert paper.colour_at(point[0], point[1] - 60)[0] < 120
    page.keyboard.press("0")
    page.mouse.move(600, 500)
    page.keyboard.down(" ")
    paper.stroke([[600, 500], [650, 520]])
    page.keyboard.up(" ")
    assert paper.stroke_count == len(placed)
    assert paper.latex == "x^{2}+1"


def test_a_pen_writes_and_the_hand_may_rest(paper: Any, examples: dict[str, Strokes]) -> None:
    page = paper.page
    placed = paper.to_screen(examples[r"x^{2} + 1"], width=360)
    for stroke in placed:
        paper.pen(stroke)
    paper.wait_for_latex("x^{2}+1")
    page.wait_for_timeout(750)
    paper.touch([[300, 600], [330, 600], [360, 600]])  # a finger moves the paper now
    assert paper.stroke_count == len(placed)
    with page.expect_download() as download:
        page.keyboard.press("Control+s")
    text = download.value.path().read_text()
    assert " 0.7," in text  # the pressure of the pen


def test_it_works_on_a_phone(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any, examples: dict[str, Strokes]
) -> None:
    scale = 3
    page = new_page(
        page_server.url,
        viewport={"width": 390, "height": 844},
        device_scale_factor=scale,
        has_touch=True,
        is_mobile=True,
        reduced_motion="reduce",
    )
    paper = paper_of(page)
    page.wait_for_selector('#state[data-state="ready"]')
    for stroke in paper.to_screen(examples[r"x^{2} + 1"], width=300):
        paper.touch(stroke)
    paper.wait_for_latex("x^{2}+1")
    assert page.evaluate("document.querySelector('inktex-pad').canvas.width") == 390 * scale  # sharp
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate("document.documentElement.scrollHeight") == 844
    page.tap("#undo")
    page.wait_for_function("() => document.querySelector('#latex').value !== 'x^{2}+1'")


def test_two_fingers_zoom(
    new_page: Callable[..., Any], page_server: Any, examples: dict[str, Strokes]
) -> None:
    page = new_page(page_server.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.wait_for_selector('#state[data-state="ready"]')
    client = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 40), ("touchMove", 60), ("touchMove", 80)):
        fingers = [{"x": 190 - apart, "y": 500, "id": 0}, {"x": 190 + apart, "y": 500, "id": 1}]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("() => document.querySelector('inktex-pad').level === '200 %'")
    assert page.get_attribute("#settled", "aria-label") == "Paper to write on"  # nothing was written


def slanting(pointer: int, kind: str, x: float, y: float, end: str = "up") -> list[Any]:
    """The events of one stroke."""
    moves = [("move", pointer, kind, x + 6 * i, y + 4 * i) for i in range(1, 12)]
    return [("down", pointer, kind, x, y), *moves, (end, pointer, kind, x + 66, y + 44)]


def test_a_pen_writes_although_the_hand_came_first(paper: Any) -> None:
    """A hand touches the paper before the pen does, and its contact may be as small as a finger's."""
    before = paper.view
    down, *moves, up = slanting(9, "pen", 300, 200)
    paper.gesture(("down", 1, "touch", 700, 600), ("move", 1, "touch", 703, 601), down, *moves)
    paper.gesture(("move", 1, "touch", 720, 610), up, ("up", 1, "touch", 720, 610))
    assert paper.stroke_count == 1  # no speck where the hand was
    first = paper.page.evaluate("() => document.querySelector('inktex-pad').strokes[0]")
    assert len(first) == 12
    # The pen is known now, and a finger moves the paper, but not while the pen writes.
    paper.page.wait_for_timeout(800)
    down, *moves, up = slanting(9, "pen", 500, 200)
    paper.gesture(("down", 1, "touch", 700, 600), down, *moves, ("move", 1, "touch", 760, 640), up)
    paper.gesture(("move", 1, "touch", 780, 660), ("up", 1, "touch", 780, 660))
    assert paper.stroke_count == 2
    assert paper.view == before
    # Two contacts of one hand are no pinch while the pen writes.
    paper.page.wait_for_timeout(800)
    paper.gesture(("down", 1, "touch", 700, 600), ("down", 2, "touch", 740, 640), down, *moves)
    paper.gesture(
        ("move", 2, "touch", 800, 700), up, ("up", 1, "touch", 700, 600), ("up", 2, "touch", 800, 700)
    )
    assert paper.stroke_count == 3
    assert paper.view == before


def test_a_stroke_that_the_system_breaks_off_is_kept(paper: Any) -> None:
    """Turning the device ends a stroke. A touch that the system takes back was a hand."""
    paper.gesture(*slanting(9, "pen", 300, 200, end="cancel"))
    assert paper.stroke_count == 1
    paper.gesture(*slanting(1, "mouse", 300, 300, end="cancel"))
    assert paper.stroke_count == 2
    paper.page.wait_for_timeout(800)
    paper.gesture(*slanting(2, "touch", 300, 400, end="cancel"))
    assert paper.stroke_count == 2


def test_ink_stays_in_view_when_the_device_is_turned(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any, examples: dict[str, Strokes]
) -> None:
    page = new_page(page_server.url, viewport={"width": 844, "height": 390}, reduced_motion="reduce")
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    paper.write(examples[r"a^{2} + b^{2} = c^{2}"], width=400)
    before = paper.view
    page.set_viewport_size({"width": 844, "height": 300})  # a keyboard comes up: the paper stays
    page.wait_for_timeout(100)
    assert paper.view == before
    page.wait_for_function("() => document.querySelector('#answer:not([data-stale]) math')")
    page.keyboard.press("w")  # while the player is open the tools are hidden, and cover nothing
    page.wait_for_selector("#player:not([hidden])")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(
        """() => {
            const { sheet, strokes } = document.querySelector('inktex-pad');
            const places = strokes.flat().map(([x, y]) => sheet.toScreen(x, y));
            const shown = ([x, y]) => x > 0 && x < sheet.width && y > 0 && y < sheet.height;
            return sheet.width === 390 && places.every(shown);
        }"""
    )


def test_long_strokes_are_painted_as_quickly_as_several_short_ones(paper: Any) -> None:
    """A scribble over half a page has a thousand points, and is painted again with each of them."""
    short, long = paper.page.evaluate(
        """async () => {
            const { sheet } = document.querySelector('inktex-pad');
            const wave = n => Array.from({ length: n }, (_, i) =>
                [300 + 200 * Math.cos(i / 50), 350 + 100 * Math.sin(i / 49), i * 4, 0.5]);
            const time = async points => {
                const times = [];
                for (let i = 0; i < 15; i++) {
                    const begin = performance.now();
                    sheet.paintWet(points);
                    sheet.wet.getContext('2d').getImageData(0, 0, 1, 1);
                    times.push(performance.now() - begin);
                }
                return Math.min(...times);
            };
            return [await time(wave(300)), await time(wave(1200))];
        }"""
    )
    assert long < 30 * max(short, 1), (short, long)  # 66 when a line was one path
