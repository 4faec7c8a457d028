"""SCGINK (MathBrush, Seshat): text in, an `Ink` out.

The word SCG_INK, the number of strokes, then each stroke as its number of points and one line `x y` per
point. What follows the last stroke (annotations of some collections) is not read.
"""

import numpy as np

from inktex.ink.core import Ink
from inktex.ink.errors import MAX_POINTS, MAX_STROKES, InkError, shown
from inktex.ink.strokes import Stroke, at, build_ink, check_size, checked_points

MAGIC = "SCG_INK"


def read_scgink(text: str) -> Ink:
    """Read one file."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    position = 1  # behind the magic word
    stroke_count, position = _count(lines, position, "the number of strokes", MAX_STROKES)
    strokes: list[Stroke] = []
    point_count = 0
    for stroke_number in range(1, stroke_count + 1):
        size, position = _count(
            lines, position, f"the number of points of stroke {stroke_number}", MAX_POINTS
        )
        point_count += size
        check_size(stroke_count, point_count)
        rows = lines[position : position + size]
        if len(rows) < size:
            raise InkError(
                f"the file ends after {len(rows)} of {size} points", place=f"stroke {stroke_number}"
            )
        position += size
        if size:
            points = np.array([_point(number, line) for number, line in rows], dtype=np.float64)
            try:
                strokes.append(Stroke(checked_points(points)))
            except InkError as error:
                raise at(f"stroke {stroke_number}", error) from None
    return build_ink(strokes)


def _count(lines: list[tuple[int, str]], position: int, what: str, limit: int) -> tuple[int, int]:
    if position >= len(lines):
        raise InkError(f"the file ends before {what}")
    number, line = lines[position]
    value = line.strip()
    if not (value.isascii() and value.isdigit()):
        raise InkError(f"expected {what}, found {shown(value)}", place=f"line {number}")
    if len(value) > 9 or int(value) > limit:
        raise InkError(f"{what} is more than the limit of {limit}", place=f"line {number}")
    return int(value), position + 1


def _point(number: int, line: str) -> tuple[float, float]:
    values = line.split()
    try:
        if len(values) < 2:
            raise ValueError
        return float(values[0]), float(values[1])
    except ValueError:
        raise InkError(f"expected x and y, found {shown(line.strip())}", place=f"line {number}") from None
