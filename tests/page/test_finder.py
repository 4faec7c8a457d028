"""Find the command of a symbol by drawing it."""

import re
from typing import Any

Strokes = list[list[list[float]]]


def test_a_drawn_symbol_finds_its_command(paper: Any, examples: dict[str, Strokes]) -> None:
    page = paper.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#show-finder")
    box = page.locator("#finder-paper").bounding_box()
    letter = examples[r"x^{2} + 1"][:2]
    left = min(x for stroke in letter for x, _ in stroke)
    top = min(y for stroke in letter for _, y in stroke)
    for stroke in letter:
        paper.stroke(
            [[box["x"] + 90 + x - left, box["y"] + 60 + y - top] for x, y in stroke[::3] + stroke[-1:]]
        )
        page.wait_for_function("() => document.querySelectorAll('#finder-list li').length === 10")
        assert page.locator("#finder-paper").bounding_box() == box  # it stays under the pen
    page.wait_for_function(
        r"""() => [...document.querySelectorAll('#finder-list code')].slice(0, 3)
            .some(e => ['x', 'X', '\\times', '\\chi'].includes(e.textContent))"""
    )
    rows = page.locator("#finder-list button")
    assert rows.count() == 10
    command, share = rows.first.locator("code").inner_text(), rows.first.locator(".share").inner_text()
    assert re.fullmatch(r"\d+ %", share)
    rows.first.click()
    page.wait_for_selector("#toast")
    assert page.evaluate("() => navigator.clipboard.readText()") == command
    assert page.locator("#toast:popover-open").count() == 1  # over the dialog
    page.click("#finder-clear")
    page.wait_for_function("() => !document.querySelector('#finder-list li')")
    page.keyboard.press("Escape")
    assert paper.stroke_count == 0  # nothing of it is on the paper
