"""The soak test compares answers: a wrong one, a missing one or one too many is an error."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("websockets", reason="needs a WebSocket client")

ENTRY = {"latex": "x^{2}", "strokes": [[[0, 0], [1, 1]], [[2, 0], [3, 1]]]}


@pytest.fixture(scope="module")
def soak() -> Any:
    return runpy.run_path(str(Path(__file__).parents[2] / "scripts/soak.py"))


def test_live_answers_are_compared(soak: Any) -> None:
    def complaints(strokes: list[str], latex: str) -> list[str]:
        heard = {"strokes": strokes, "recognition": {"latex": latex}}
        return soak["live_complaint"](heard, ENTRY, len(strokes) or 1)  # type: ignore[no-any-return]

    assert complaints(["s0", "s1"], "x ^ { 2 }") == []
    assert complaints(["s0"], "anything") == []  # half a formula has no right answer
    assert "read as" in complaints(["s0", "s1"], "x_{2}")[0]
    assert "read as" in complaints(["s0", "s1"], r"\frac{")[0]
    assert "other strokes" in complaints(["s1", "s0"], "x^{2}")[0]


def test_rows_of_bulk_are_compared(soak: Any) -> None:
    def complaints(*rows: tuple[int, str | None]) -> list[str]:
        lines = [json.dumps({"source": f"inks/{number}.inkml", "latex": latex}) for number, latex in rows]
        return soak["bulk_complaints"](lines, [ENTRY], 2)  # type: ignore[no-any-return]

    assert complaints((0, "x^2"), (1, "x^{2}")) == []
    assert complaints((0, "x^2")) == ["bulk: no row for ink 1"]
    assert complaints((0, "x^2"), (0, "x^2"), (1, "x^2")) == ["bulk: two rows for ink 0"]
    assert "read as" in complaints((0, "x^2"), (1, None))[0]
