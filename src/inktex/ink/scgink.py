"""SCGINK (MathBrush, Seshat).

The word SCG_INK, the number of strokes, then each stroke as its number of points and one line `x y` per
point. What follows the last stroke (annotations of some collections) is ignored.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from inktex.ink.core import Ink
from inktex.ink.errors import InkError, shown
from inktex.ink.limits import MAX_POINTS, MAX_STROKES
from inktex.ink.strokes import Stroke, at, build_ink, check_size, checked_points

MAGIC = "SCG_INK"
MAX_LINES = 4 * MAX_POINTS

Lines = Iterator[tuple[int, str]]  # with their numbers, blank ones left out


def read_scgink(text: str) -> Ink:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.count("\n") > MAX_LINES:
        raise InkError(f"more than the limit of {MAX_LINES} lines")
    lines = ((number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    next(lines)  # the magic word
    stroke_count = _count(lines, "the number of strokes", MAX_STROKES)
    strokes: list[Stroke] = []
    point_count = 0
    for stroke_number in range(1, stroke_count + 1):
        size = _count(lines, f"the number of points of stroke {stroke_number}", MAX_POINTS)
        point_count += size
        check_size(stroke_count, point_count)
        points = [_point(number, line) for number, line in islice(lines, size)]
        with at(f"stroke {stroke_number}"):
            if len(points) < size:
                raise InkError(f"the file ends after {len(points)} of {size} points")
            if points:
                strokes.append(Stroke(checked_points(np.array(points, dtype=np.float64))))
    return build_ink(strokes)


def _count(lines: Lines, what: str, limit: int) -> int:
    number, value = next(lines, (0, ""))
    if not value:
        raise InkError(f"the file ends before {what}")
    if not (value.isascii() and value.isdigit()):
        raise InkError(f"expected {what}, found {shown(value)}", place=f"line {number}")
    if len(value) > 9 or int(value) > limit:
        raise InkError(f"{what} is more than the limit of {limit}", place=f"line {number}")
    return int(value)


def _point(number: int, line: str) -> tuple[float, float]:
    try:
        x, y = map(float, line.split(maxsplit=2)[:2])
    except ValueError:
        raise InkError(f"expected x and y, found {shown(line)}", place=f"line {number}") from None
    return x, y
