"""SCGINK (MathBrush, Seshat).

The word SCG_INK, the number of strokes, then each stroke as its number of points and one line `x y` per
point. What follows the last stroke (annotations of some collections) is ignored.
"""

import numpy as np

from inktex.ink.checks import Floats
from inktex.ink.core import Ink
from inktex.ink.errors import InkError, shown
from inktex.ink.limits import MAX_POINTS, MAX_STROKES
from inktex.ink.strokes import Stroke, at, build_ink, check_size, checked_points

MAGIC = "SCG_INK"
MAX_LINES = 4 * MAX_POINTS


def read_scgink(text: str) -> Ink:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.count("\n") > MAX_LINES:
        raise InkError(f"more than the limit of {MAX_LINES} lines")
    lines = text.split("\n")
    position = 1  # below the magic word
    stroke_count, position = _count(lines, position, "the number of strokes", MAX_STROKES)
    strokes: list[Stroke] = []
    point_count = 0
    for stroke_number in range(1, stroke_count + 1):
        what = f"the number of points of stroke {stroke_number}"
        size, position = _count(lines, position, what, MAX_POINTS)
        point_count += size
        check_size(stroke_count, point_count)
        points, position = _points(lines, position, size, stroke_number)
        if size:
            with at(f"stroke {stroke_number}"):
                strokes.append(Stroke(checked_points(points)))
    return build_ink(strokes)


def _next_line(lines: list[str], position: int) -> int:
    """Return the position of the next line that is not empty, or that of the end."""
    while position < len(lines) and not lines[position].strip():
        position += 1
    return position


def _count(lines: list[str], position: int, what: str, limit: int) -> tuple[int, int]:
    position = _next_line(lines, position)
    if position >= len(lines):
        raise InkError(f"the file ends before {what}")
    value = lines[position].strip()
    if not (value.isascii() and value.isdigit()):
        raise InkError(f"expected {what}, found {shown(value)}", place=f"line {position + 1}")
    if len(value) > 9 or int(value) > limit:
        raise InkError(f"{what} is more than the limit of {limit}", place=f"line {position + 1}")
    return int(value), position + 1


def _points(lines: list[str], position: int, size: int, stroke_number: int) -> tuple[Floats, int]:
    rows: list[tuple[float, float]] = []
    for _ in range(size):
        position = _next_line(lines, position)
        if position >= len(lines):
            raise InkError(
                f"the file ends after {len(rows)} of {size} points", place=f"stroke {stroke_number}"
            )
        line = lines[position]
        position += 1
        try:
            x, y = map(float, line.split(maxsplit=2)[:2])
        except ValueError:
            raise InkError(
                f"expected x and y, found {shown(line.strip())}", place=f"line {position}"
            ) from None
        rows.append((x, y))
    return np.array(rows, dtype=np.float64).reshape(-1, 2), position
