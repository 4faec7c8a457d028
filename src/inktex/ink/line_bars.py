"""Bars of fractions while lines are looked for: no line begins between a numerator and its denominator.

The judges of `lines.py` weigh many features; what a bar holds together is a rule.
"""

import numpy as np

from inktex.ink.line_features import WINDOW, Geometry

_OVER = 0.5  # by which what is above or below a bar may go on beyond its ends
_SHORTEST, _STRAIGHT = 0.6, 0.2  # bars are so long at least, and bend no more, unlike the stroke of a root
_APART = 0.15  # from a bar, as numerators and denominators are at least; strokes of its letter are nearer
_SOON = 4  # strokes after the first of a denominator, at most, until a bar is drawn above it
_FAR = 1.5  # from its bar, as numerators and denominators are at most
_CLOSE = 0.6  # to a bar on top that nothing is above, as the other strokes of √ or Σ are


def held_by_bar(page: Geometry, place: int) -> bool:
    """Whether no line begins with this stroke, since a bar lies between it and what was written last.

    The stroke may be the bar itself, or the bar may have been drawn soon after it.
    """
    before = place - 1
    if page.flat[before] and _is_below(page, place, before) and not _is_of_letter(page, before):
        left, top, right, bottom = page.boxes[before].tolist()
        earlier = slice(max(0, before - WINDOW), before)
        boxes, middle = page.boxes[earlier], page.middle[earlier]
        inside = (middle[:, 0] > left) & (middle[:, 0] < right)
        # A bar that has something below it already is done with.
        if (inside & (middle[:, 1] > bottom) & (boxes[:, 1] < page.boxes[place, 3])).any():
            return False
        above = inside & (middle[:, 1] < top) & (boxes[:, 3] > top - _FAR)
        return bool(above.any()) or float(page.boxes[place, 1]) - bottom < _CLOSE
    if page.flat[place]:
        return place + 1 < len(page) and _is_between(page, place, place - 1, place + 1)
    soon = range(place + 1, min(place + 1 + _SOON, len(page)))
    return any(page.flat[bar] and _is_between(page, bar, place - 1, place) for bar in soon)


def _is_of_letter(page: Geometry, bar: int) -> bool:
    """Whether a bar is the last stroke of a letter, such as I or a z or 7 with a bar across."""
    left, top, right, _ = page.boxes[bar].tolist()
    earlier = slice(max(0, bar - WINDOW), bar)
    boxes, middle = page.boxes[earlier], page.middle[earlier, 0]
    return bool(
        ((middle > left) & (middle < right) & (boxes[:, 1] < top) & (boxes[:, 3] > top - _APART)).any()
    )


def _is_between(page: Geometry, bar: int, above: int, below: int) -> bool:
    """Whether a bar lies between two strokes, as in a fraction; that of Σ touches what is below it."""
    left, top, right, level = page.boxes[bar].tolist()
    start, _, end, bottom = page.boxes[above].tolist()
    covered = left - _OVER < start and end < right + _OVER and top - _FAR < bottom < level + _APART
    return covered and float(page.boxes[below, 1]) > level + _APART and _is_below(page, below, bar)


def _is_below(page: Geometry, stroke: int, bar: int) -> bool:
    """Whether a stroke is right below a bar and not much wider."""
    left, top, right, bottom = page.boxes[bar].tolist()
    start, ceiling, end, _ = page.boxes[stroke].tolist()
    if not (left - _OVER < start and end < right + _OVER and top < ceiling < bottom + _FAR):
        return False
    points = page.points[page.offsets[bar] : page.offsets[bar + 1]]
    (x, y), (dx, dy) = points[0], points[-1] - points[0]
    away = np.abs((points[:, 0] - x) * dy - (points[:, 1] - y) * dx) / (np.hypot(dx, dy) + 1e-9)
    return right - left > _SHORTEST and float(away.max()) < _STRAIGHT
