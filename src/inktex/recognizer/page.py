"""A page of ink to its expressions: one ink in, several inks out, in reading order.

Strokes that belong together lie near each other, measured by the size of the writing. First strokes become
groups: those whose boxes, widened by the gap that is usual inside an expression, meet. Fraction bars reach
further up and down than other strokes, since numerators keep a distance from them. Then groups that stand
on the same line with a usual gap between them are joined. What is far apart stays apart.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inktex.ink import Ink

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PageOptions:
    """Distances in units of the height of writing (the larger strokes of the page)."""

    beside: float = 1.6  # widest gap between neighbours on a line
    above: float = 0.28  # widest gap between strokes one above the other
    bar_reach: float = 0.9  # how far above and below a fraction bar its parts may begin


def split_page(ink: Ink, options: PageOptions | None = None) -> list[Ink]:
    """The expressions of a page, from top to bottom and from left to right; strokes keep their order."""
    if len(ink) < 2:
        return [ink] if len(ink) else []
    options = options or PageOptions()
    boxes = _boxes(ink)
    unit = writing_height(boxes)
    groups = _joined(boxes, unit, options)
    found = [np.flatnonzero(groups == number) for number in np.unique(groups)]
    return [ink.select(strokes.tolist()) for strokes in _reading_order(found, boxes)]


def _boxes(ink: Ink) -> Floats:
    """(S, 4): left, top, right, bottom of every stroke."""
    starts = ink.offsets[:-1]
    return np.concatenate(
        [np.minimum.reduceat(ink.points, starts), np.maximum.reduceat(ink.points, starts)], axis=1
    )


def writing_height(boxes: Floats) -> float:
    """The height of the writing: the middle height of strokes that are no dots or bars."""
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    tall = height > 0.35 * np.maximum(width, 1e-300)
    typical = float(np.median(height[tall])) if tall.any() else 0.0
    large = height[tall & (height >= 0.4 * typical)] if tall.any() else height[:0]
    unit = float(np.median(large)) if len(large) else float(np.median(np.maximum(width, height)))
    return unit if unit > 0 else 1.0


def _joined(boxes: Floats, unit: float, options: PageOptions) -> NDArray[np.int64]:
    """(S,) the group of every stroke: connected by nearness of boxes."""
    left, top, right, bottom = boxes.T
    width, height = right - left, bottom - top
    bar = (width > 0.8 * unit) & (height < 0.25 * width)
    parents = np.arange(len(boxes))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = int(parents[number])
        return number

    order = np.argsort(left, kind="stable")
    for place, first in enumerate(order):
        # Only strokes that begin before the widest gap after this one's end can be its neighbours.
        limit = right[first] + options.beside * unit
        for second in order[place + 1 :]:
            if left[second] > limit:
                break
            if _near(boxes[first], boxes[second], unit, options, bool(bar[first]), bool(bar[second])):
                parents[root(int(second))] = root(int(first))
    return np.array([root(number) for number in range(len(boxes))])


def _near(a: Floats, b: Floats, unit: float, options: PageOptions, a_bar: bool, b_bar: bool) -> bool:
    beside = max(float(b[0] - a[2]), float(a[0] - b[2]), 0.0)
    above = max(float(b[1] - a[3]), float(a[1] - b[3]), 0.0)
    if above <= options.above * unit and beside <= 0.35 * unit:
        return True
    if (a_bar or b_bar) and beside == 0.0:
        bar, part = (a, b) if a_bar else (b, a)
        middle = 0.5 * (part[0] + part[2])
        if bar[0] - 0.2 * unit <= middle <= bar[2] + 0.2 * unit and above <= options.bar_reach * unit:
            return True
    # On one line: the boxes, a little higher and lower than they are, share a good part of their height.
    shared = min(float(a[3]), float(b[3])) - max(float(a[1]), float(b[1]))
    smaller = min(float(a[3] - a[1]), float(b[3] - b[1]))
    return beside <= options.beside * unit and shared >= min(0.3 * smaller, 0.3 * unit) - 0.15 * unit


def _reading_order(groups: list[NDArray[np.int64]], boxes: Floats) -> list[NDArray[np.int64]]:
    """Lines from top to bottom, and on a line from left to right."""
    outer = [
        (boxes[group, 0].min(), boxes[group, 1].min(), boxes[group, 2].max(), boxes[group, 3].max())
        for group in groups
    ]
    waiting = sorted(range(len(groups)), key=lambda number: outer[number][1])
    ordered: list[int] = []
    while waiting:
        top, bottom = outer[waiting[0]][1], outer[waiting[0]][3]
        line = [number for number in waiting if 0.5 * (outer[number][1] + outer[number][3]) <= bottom]
        line = [number for number in line if outer[number][3] >= top]
        ordered += sorted(line, key=lambda number: outer[number][0])
        waiting = [number for number in waiting if number not in line]
    return [groups[number] for number in ordered]
