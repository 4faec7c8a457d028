"""What a person relies on: the paper stays put, paper and answer agree, nothing is decided by accident."""

from collections.abc import Callable
from typing import Any

import pytest
from made_up import MadeUpServer, other, recognition

Strokes = list[list[list[float]]]


def growing(ids: list[str], pins: list[Any]) -> dict[str, Any]:
    """An answer that grows with the ink, with other readings and remarks that come and go."""
    del pins
    count = len(ids)
    tokens = list("abcdefghijklmnopqrstuvwxyz0123456789"[:count])
    others = [other([*tokens[:i], "Z", *tokens[i + 1 :]]) for i in range(min(count, 4))]
    unread = [count - 1] if count % 3 == 0 else []
    return recognition(tokens, count, others=others if count % 5 else [], unread=unread, score=count / 40)


@pytest.mark.parametrize("width", [360, 390, 768, 1024, 1280])
def test_the_paper_never_moves(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any, width: int
) -> None:
    page = new_page("about:blank", viewport={"width": width, "height": 800})
    MadeUpServer(page, growing)
    page.goto(page_server.url)
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    boxes = {tuple(paper.box.items())}
    for number in range(30):
        place = paper.box
        x, y = place["x"] + 90 + 5 * number, place["y"] + 40 + 7 * (number % 6)
        paper.wait_for_answer(lambda x=x, y=y: paper.stroke([[x, y], [x + 4, y + 9]]))
        boxes.add(tuple(paper.box.items()))
    assert paper.stroke_count == 30
    assert len(boxes) == 1, boxes
    assert page.evaluate("() => document.documentElement.scrollWidth") == width


def test_after_coming_online_all_ink_is_read(paper: Any, examples: dict[str, Strokes]) -> None:
    placed = paper.to_screen(examples[r"x^{2} + 1"], width=360)
    for stroke in placed[:3]:
        paper.wait_for_answer(lambda stroke=stroke: paper.stroke(stroke))
    paper.page.evaluate("() => dispatchEvent(new Event('online'))")
    paper.page.wait_for_timeout(300)
    paper.page.wait_for_selector('#state[data-state="ready"]')
    for stroke in placed[3:]:
        paper.stroke(stroke)
    paper.wait_for_latex("x^{2}+1")


def test_an_answer_that_is_behind_looks_stale(
    new_page: Callable[..., Any],
    paper_of: Callable[..., Any],
    serve_page: Callable[..., Any],
    examples: dict[str, Strokes],
) -> None:
    server = serve_page()
    page = new_page(server.url, expect=("ERR_", "WebSocket connection"), reduced_motion="reduce")
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    placed = paper.to_screen(examples[r"x^{2} + 1"], width=360)
    for stroke in placed[:3]:
        paper.stroke(stroke)
    page.wait_for_selector("#answer:not([data-stale]) math")
    server.stop()
    page.wait_for_selector('#state[data-state="offline"]')
    for stroke in placed[3:]:
        paper.stroke(stroke)
    page.wait_for_selector("#answer[data-stale]")
    serve_page(port=server.port)
    paper.wait_for_latex("x^{2}+1")
    page.wait_for_selector("#answer:not([data-stale])")


def test_a_session_that_lost_strokes_gets_them_again(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any
) -> None:
    """After sleep, or a restart behind a proxy, a server may know less than the page believes."""
    page = new_page("about:blank")

    def forgetful(ids: list[str], pins: list[Any]) -> dict[str, Any]:
        if len(ids) == 3 and not forgotten:
            forgotten.append(True)
            del ids[:2]
        return growing(ids, pins)

    forgotten: list[bool] = []
    MadeUpServer(page, forgetful)
    page.goto(page_server.url)
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    for x in (300, 340, 380):
        paper.stroke([[x, 300], [x, 340]])
    paper.wait_for_latex("abc")


# Decisions ---------------------------------------------------------------------------------------------


def decided(page: Any) -> bool:
    return bool(page.get_attribute("#sure", "data-level") == "own")


def test_typing_is_one_decision_when_the_field_is_left(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any
) -> None:
    page = new_page("about:blank")

    def reading(ids: list[str], pins: list[Any]) -> dict[str, Any]:
        tokens = list("abcdefgh"[: len(ids)])
        for names, latex in pins:
            tokens[ids.index(names[0])] = latex
        return recognition(tokens, len(ids), others=[other(["Z", *tokens[1:]])])

    server = MadeUpServer(page, reading)
    page.goto(page_server.url)
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    for x in (300, 340, 380):
        paper.stroke([[x, 300], [x, 340]])
    paper.wait_for_latex("abc")
    page.focus("#latex")
    page.keyboard.press("End")
    for letters in ("x", "y", "z"):
        page.keyboard.type(letters)
        page.wait_for_timeout(300)  # long enough to be taken for a pause
    assert not server.of_type("choose")
    assert not server.of_type("pin")
    assert not decided(page)
    page.keyboard.press("Escape")
    paper.wait_for_latex("abc")  # taken back
    assert page.evaluate("() => document.activeElement.id") != "latex"
    page.fill("#latex", "a b q")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#sure').dataset.level === 'own'")
    assert len(server.of_type("choose")) + len(server.of_type("pin")) == 1
    # Undo takes the decision back, redo brings it again.
    page.click("#undo")
    paper.wait_for_latex("abc")
    assert paper.stroke_count == 3
    assert not decided(page)
    page.click("#redo")
    page.wait_for_function("() => document.querySelector('#latex').value.replaceAll(' ', '') === 'abq'")
    assert decided(page)
    # More ink is read around it; undo of that ink and a reload keep it.
    paper.stroke([[420, 300], [420, 340]])
    page.wait_for_function("() => document.querySelector('#latex').value.replaceAll(' ', '') === 'abqd'")
    page.keyboard.press("Control+z")
    page.wait_for_function("() => document.querySelector('#latex').value.replaceAll(' ', '') === 'abq'")
    page.reload()
    page.wait_for_function("() => document.querySelector('#latex').value.replaceAll(' ', '') === 'abq'")
    assert paper.stroke_count == 3


def test_undo_heals_a_decision_on_a_real_server(written: tuple[Any, Strokes]) -> None:
    paper, placed = written
    page = paper.page
    page.fill("#latex", "y^{3} + 7")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#sure').dataset.level === 'own'")
    page.click("#undo")
    paper.wait_for_latex("x^{2}+1")
    paper.stroke([[700, 600], [740, 600]])
    page.click("#undo")
    paper.wait_for_latex("x^{2}+1")
    assert paper.stroke_count == len(placed)


@pytest.mark.parametrize("latex", [r"\foo + 1", r"x + \begin{nosuch} a \end{nosuch}"])
def test_latex_that_cannot_be_drawn_is_named(written: tuple[Any, Strokes], latex: str) -> None:
    paper, _ = written
    page = paper.page
    page.fill("#latex", latex)
    page.wait_for_selector('#remark[data-kind="problem"]')
    named = "foo" if "foo" in latex else "nosuch"
    assert named in page.inner_text("#remark")
    # It stays named once it is decided and the ink was read around it.
    page.keyboard.press("Enter")
    page.wait_for_timeout(1000)
    assert named in page.inner_text("#remark")


@pytest.mark.parametrize(
    ("latex", "refused"),
    [
        ("x^2^3", "^2^3"),
        ("a_1_{n+1}+1", "_1_{n+1}"),
        ("x^2'", "^2'"),
        ("x}+1", "}"),
        ("x & y", "&"),
        (r"\left(\frac{1}{2}", r"\left"),
        ("x # y", "#"),
        ("100 % x", "%"),
    ],
)
def test_latex_that_tex_refuses_is_named(written: tuple[Any, Strokes], latex: str, refused: str) -> None:
    """The page can draw it, but whoever pastes it into a document gets an error."""
    page = written[0].page
    page.fill("#latex", latex)
    page.wait_for_selector('#remark[data-kind="problem"]')
    assert page.inner_text("#remark").endswith(refused)
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#sure').dataset.level === 'own'")
    page.wait_for_selector('#remark[data-kind="problem"]')
    assert page.inner_text("#remark").endswith(refused)
    page.click("#undo")
    written[0].wait_for_latex("x^{2}+1")
    page.wait_for_selector("#remark", state="hidden")


def test_latex_without_ink_is_not_said_to_be_kept(paper: Any) -> None:
    page = paper.page
    page.fill("#latex", "y^2")
    page.wait_for_selector("#formula math")
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert "Enter keeps it" not in page.inner_text("#remark")
    assert "not kept" in page.inner_text("#remark")
    assert paper.latex == "y^2"  # to be copied
    page.focus("#latex")
    page.keyboard.press("Escape")
    paper.wait_for_latex("")
    assert page.is_visible("#blank")


def test_escape_takes_back_what_is_no_formula(written: tuple[Any, Strokes]) -> None:
    paper, _ = written
    page = paper.page
    page.fill("#latex", r"\frac{1}")
    page.keyboard.press("Enter")
    page.wait_for_selector('#remark[data-kind="problem"]')
    assert paper.latex == r"\frac{1}"  # to be mended
    page.focus("#latex")
    page.keyboard.press("Escape")
    paper.wait_for_latex("x^{2}+1")
    page.wait_for_selector("#remark", state="hidden")
