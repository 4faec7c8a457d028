"""The answer: other readings, editing, what belongs together lights up, the player, marks on the ink."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import WebSocketRoute

Strokes = list[list[list[float]]]


def on_line(stroke: list[list[float]]) -> list[float]:
    """A place that the painted line goes through: the page's curves pass the middles between points."""
    (ax, ay), (bx, by) = stroke[len(stroke) // 2 - 1 : len(stroke) // 2 + 1]
    return [(ax + bx) / 2, (ay + by) / 2]


def is_lit(paper: Any, point: list[float]) -> bool:
    red, _, blue = paper.colour_at(*point)
    return bool(blue > 150 and blue - red > 100)  # the accent colour; ink is dark


def becomes(paper: Any, point: list[float], *, lit: bool) -> bool:
    """Whether a point of the ink is lit (or dark) within a second: the page draws with its next frame."""
    for _ in range(20):
        if is_lit(paper, point) == lit:
            return True
        paper.page.wait_for_timeout(50)
    return False


def test_pointing_at_a_symbol_lights_its_strokes(written: tuple[Any, Strokes]) -> None:
    paper, placed = written
    page = paper.page
    x_stroke, one_stroke = on_line(placed[0]), on_line(placed[-1])
    assert not is_lit(paper, x_stroke)
    for _ in range(5):  # a later answer to the same ink may draw the formula anew under the pointer
        page.mouse.move(700, 700)
        page.hover('#formula [data-token="0"]')
        if becomes(paper, x_stroke, lit=True):
            break
    assert is_lit(paper, x_stroke)
    assert not is_lit(paper, one_stroke)
    assert page.locator("#mirror .lit").inner_text() == "x"
    sign = page.locator("#mirror span", has_text="1").bounding_box()
    assert sign is not None
    page.mouse.move(sign["x"] + sign["width"] / 2, sign["y"] + sign["height"] / 2)  # in the LaTeX
    assert becomes(paper, one_stroke, lit=True)
    assert not is_lit(paper, x_stroke)
    page.mouse.move(700, 700)
    assert becomes(paper, one_stroke, lit=False)


def test_pointing_at_a_stroke_lights_its_symbol(written: tuple[Any, Strokes]) -> None:
    paper, placed = written
    page = paper.page
    page.mouse.move(*on_line(placed[-1]))
    page.wait_for_selector("#formula .lit")
    assert page.text_content("#formula .lit") == "1"
    assert page.locator("#mirror .lit").inner_text() == "1"
    page.mouse.move(*on_line(placed[0]))
    page.wait_for_function("() => document.querySelector('#mirror .lit')?.textContent === 'x'")
    page.mouse.move(700, 700)
    page.wait_for_selector("#formula .lit", state="detached")


def test_another_reading_is_one_tap_away_and_stays(paper: Any) -> None:
    paper.write([[[4.0, 0.0], [2.0, 40.0], [0.0, 80.0]]], width=30)  # 1, l or |
    page = paper.page
    page.wait_for_selector("#candidates button")
    read = paper.latex
    label = page.locator("#candidates button").first.get_attribute("title")
    page.locator("#candidates button").first.click()
    chosen = paper.latex
    assert chosen.replace(" ", "") == label.replace(" ", "")
    assert chosen != read
    assert page.inner_text("#sure") == "Your choice"
    page.wait_for_timeout(600)  # whatever the server says of the same ink, the choice is final
    assert paper.latex == chosen
    page.click("#undo")
    paper.page.wait_for_function("() => document.querySelector('#sure').textContent.includes('% sure')")


def test_edited_latex_is_drawn_and_stays(written: tuple[Any, Strokes]) -> None:
    paper, _ = written
    page = paper.page
    page.fill("#latex", r"\sqrt{y} + 1")
    page.wait_for_selector("#formula msqrt")  # drawn while it is typed
    assert page.inner_text("#sure") != "Your choice"
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#sure').textContent === 'Your choice'")
    page.wait_for_timeout(500)
    assert paper.latex == r"\sqrt{y} + 1"
    page.fill("#latex", r"\sqrt{y + 1")
    page.wait_for_selector('#remark[data-kind="problem"]')
    assert page.locator("#formula msqrt").count() == 1  # the last that was a formula
    page.fill("#latex", r"y")
    page.wait_for_selector('#remark[data-kind="problem"]', state="detached")


def test_the_player_shows_where_the_network_looked(written: tuple[Any, Strokes]) -> None:
    paper, placed = written
    page = paper.page
    page.click("#why-begin")
    page.wait_for_selector("#player")
    assert page.inner_text("#why-step") == "x"
    red, green, _ = paper.colour_at(*on_line(placed[0]))
    assert red > 150 > 2 * green  # red, as in the paper's figures
    assert max(paper.colour_at(700, 700)) < 40  # on dark
    page.wait_for_function("() => document.querySelector('#why-step').textContent === '2'")  # it plays
    page.click("#why-play")
    steps = [page.inner_text("#why-step")]
    page.focus("#why-slider")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        steps.append(page.inner_text("#why-step"))
    assert steps == ["2", "}", "+", "1"]
    assert page.text_content("#formula .lit") == "1"
    page.keyboard.press("Escape")
    page.wait_for_selector("#player", state="hidden")
    assert min(paper.colour_at(700, 690)) > 200


def test_writing_ends_the_player(written: tuple[Any, Strokes]) -> None:
    paper, placed = written
    paper.page.click("#why-begin")
    paper.page.wait_for_selector("#player")
    paper.stroke([[700, 300], [720, 340]])
    paper.page.wait_for_selector("#player", state="hidden")
    assert paper.stroke_count == len(placed) + 1


def test_ink_not_read_or_read_twice_is_marked(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any
) -> None:
    """Real answers rarely have both, so this one is made up."""
    page = new_page("about:blank", expect=("inline event handler",))

    def answer(socket: WebSocketRoute) -> None:
        known: list[str] = []

        def heard(text: str | bytes) -> None:
            message = json.loads(text)
            if message["type"] == "add":
                known.append(message["id"])
            if len(known) < 3 or message.get("revision") is None:
                return
            tokens = [
                {"text": "x", "confidence": 0.99, "strokes": [0]},
                {"text": "y", "confidence": 0.35, "strokes": [0]},
            ]
            recognition = {
                "latex": "xy",
                "tokens": tokens,
                "score": 0.4,
                "mathml": '<math xmlns="http://www.w3.org/1998/Math/MathML"><mrow><mi data-token="0">x</mi>'
                '<mi data-token="1">y</mi><script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script>'
                '<mtext onclick="alert(1)">z</mtext></mrow></math>',
                "typst": "x y",
                "unread": [1, 2],
                "reread": [0],
                "complete": True,
            }
            reply = {"type": "answer", "revision": message["revision"], "strokes": known[:3]}
            socket.send(json.dumps({**reply, "recognition": recognition, "alternatives": []}))

        socket.on_message(heard)
        socket.send(json.dumps({"type": "hello", "limits": {}, "model": "made up"}))

    page.route_web_socket("**/v1/session", answer)
    page.goto(page_server.url)
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    lines = [[[300 + 60 * i, 200], [300 + 60 * i, 260]] for i in range(3)]
    for line in lines:
        paper.stroke(line)
    paper.wait_for_latex("xy")
    assert page.inner_text("#remark") == "2 strokes not read (dotted) · 1 stroke read twice (dashed)"
    doubtful = page.locator("#formula .doubtful")
    assert doubtful.text_content() == "y"  # shaded, because it is uncertain
    assert page.locator("#formula script").count() == 0  # only MathML gets into the page
    assert page.locator("#formula [onclick]").count() == 0
    left = [paper.colour_at(x, y) for x, y in [(304, 200 + step) for step in range(0, 60, 2)]]
    right = [paper.colour_at(x, y) for x, y in [(364, 200 + step) for step in range(0, 60, 2)]]
    assert any(red > 150 and blue < 120 for red, _, blue in right)  # dots in the colour of doubt
    assert not any(red > 150 and blue < 120 for red, _, blue in left)


def test_an_answer_survives_a_reload_and_history_keeps_formulas(written: tuple[Any, Strokes]) -> None:
    paper, placed = written
    page = paper.page
    page.reload()
    paper.wait_for_latex("x^{2}+1")
    assert paper.stroke_count == len(placed)
    page.click("#clear")
    paper.wait_for_latex("")
    page.click("#show-history")
    card = page.locator("#history-list .card-button")
    assert card.count() == 1
    assert card.get_attribute("aria-label") == "x^{2}+1"
    card.click()
    paper.wait_for_latex("x^{2}+1")


def test_examples_write_themselves(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any
) -> None:
    page = new_page(page_server.url)
    paper = paper_of(page)
    page.wait_for_selector('#state[data-state="ready"]')
    page.locator("#try button").first.click()
    page.wait_for_function(
        "() => document.querySelector('inktex-pad').canvas.ariaLabel.startsWith('Paper with')"
    )
    first = paper.stroke_count
    paper.wait_for_latex(r"\frac{a+b}{c}")
    assert paper.stroke_count > first  # stroke by stroke


def test_on_a_phone_the_player_shows_the_ink_as_wide_as_the_screen(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any, examples: dict[str, Strokes]
) -> None:
    size = {"width": 390, "height": 844}
    page = new_page(page_server.url, viewport=size, has_touch=True, reduced_motion="reduce")
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    paper.write(examples[r"x^{2} + 1"], width=120)
    paper.wait_for_latex("x^{2}+1")
    # Left, right, top and bottom of the ink on the screen.
    ink = """() => {
        const { sheet, canvas, desk } = document.querySelector('inktex-pad');
        const box = canvas.getBoundingClientRect();
        const strokes = desk.notebook.strokes.map(({ points }) => points);
        const points = strokes.flat().map(([x, y]) => sheet.toScreen(x, y));
        const xs = points.map(([x]) => box.left + x), ys = points.map(([, y]) => box.top + y);
        return [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    }"""
    before = page.evaluate(ink)
    page.tap("#why-begin")
    page.wait_for_selector("#player")
    left, right, top, bottom = page.evaluate(ink)
    step = page.locator("#why-step").bounding_box()
    assert right - left > 0.8 * size["width"]
    assert paper.box["y"] < top
    assert bottom < step["y"]
    page.tap("#why-close")
    assert page.evaluate(ink) == before
    # Who writes on the paper as it is then, writes where the ink is seen.
    page.tap("#why-begin")
    page.wait_for_selector("#player")
    seen = page.evaluate(ink)
    paper.touch([[seen[0], seen[3] + 30], [seen[0], seen[3] + 60]])
    page.wait_for_selector("#player", state="hidden")
    assert page.evaluate(ink)[:3] == pytest.approx(seen[:3], abs=1)
