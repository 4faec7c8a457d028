"""Finds the lines of a page: returns the strokes of each line, in reading order.

People write line after line, so a page is split in writing order, before a stroke from which on everything
lies below what was written before. Inside an expression this happens at fractions, so flat strokes are
classified first by what is above and below them, and a break inside a fraction is made less likely. Strokes
that were added later, such as the dot of an i, join the nearest line. Ink that was not written line by line
is split along wide blank stripes instead.

Both classifiers are networks with one small hidden layer. `scripts/fit_lines.py` fits them on training ink
and writes `lines.json`; `scripts/score_lines.py` measures how often they are right.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

import numpy as np

from inktex.ink.core import Ink
from inktex.ink.line_bars import held_by_bar
from inktex.ink.line_features import WINDOW, Bools, Floats, Geometry, Ids, box_distance

_LATE = 0.8  # a stroke so far from those before it may have been drawn late
_LATE_RUN = 3  # strokes that are drawn late together, at most
# Of single expressions of CROHME 2013, stripes as wide as these cut none apart.
_STRIPE, _STRIPE_AT_BAR = 1.2, 3.0
_COLUMN = 7.0
_SPECK = 0.1  # heights of the writing: what is not larger is a dot, and no line by itself
_TALL = 1.7  # the least height of a bracket around several rows
_NEAR = 1.5  # how far rows are from their bracket, at most
_PARTS = 3  # strokes of a bracket, at most
_SLACK = 0.2  # by which the end of a bracket lies above or below its other strokes, at most
_BRACKETS = 8  # strokes of a page that are tried as brackets drawn last, at most


@dataclass(frozen=True)
class Judge:
    """A network with one hidden layer."""

    hidden: Floats  # (H, F)
    hidden_bias: Floats  # (H,)
    output: Floats  # (H,)
    bias: float

    def __call__(self, evidence: Floats) -> float:
        """Log odds."""
        return float(np.tanh(self.hidden @ evidence + self.hidden_bias) @ self.output + self.bias)


@dataclass(frozen=True)
class LineModel:
    """The two judges, and the log odds from which on a line break is believed."""

    bar: Judge
    cut: Judge
    threshold: float


@cache
def line_model() -> LineModel:
    data = json.loads(files("inktex.ink").joinpath("lines.json").read_text(encoding="utf-8"))
    bar, cut = (
        Judge(np.array(part["hidden"]), np.array(part["hidden_bias"]), np.array(part["output"]), part["bias"])
        for part in (data["bar"], data["cut"])
    )
    return LineModel(bar, cut, data["threshold"])


_NONE: Mapping[int, float] = MappingProxyType({})
_LARGEST = 1e9  # coordinate; from beyond it the ink is scaled down, so that no square overflows
_MOST_OF_A_SYMBOL = 4  # strokes of a symbol that is written alone, such as ≅ or ∵
_FLATNESS = 0.35  # height over width up to which a stroke is a bar
_DOT = 0.25  # of the diagonal of the ink up to which a stroke is a dot
_DOT_OF_MANY = 0.2  # the same, of the diagonal of the largest of four strokes


def find_lines(
    ink: Ink, *, unit: float | None = None, favoured: Mapping[int, float] = _NONE
) -> list[tuple[int, ...]]:
    """The strokes of each line; lines from top to bottom, on one level from left to right.

    Strokes are in the order of writing, but a bracket drawn last stands before the rows that it opens.
    `unit` is the height of the writing, where it is known from more ink than this. `favoured` has log odds to
    add for lines that begin with some strokes, such as those that did so when there was less ink.
    """
    largest = float(np.abs(ink.points).max()) if len(ink) else 0.0
    if largest > _LARGEST:
        ink, unit = ink.replace(points=ink.points / largest), None if unit is None else unit / largest
    if len(ink) < 2 or (unit is None and _one_symbol(ink)):
        return [tuple(range(len(ink)))] if len(ink) else []
    page = Geometry(ink, unit)
    order = _brackets_first(ink, page)
    if order == list(range(len(ink))):
        return [tuple(line.tolist()) for line in _lines_in_order(ink, page, favoured)]
    places = {stroke: place for place, stroke in enumerate(order)}
    favour = {places[stroke]: odds for stroke, odds in favoured.items() if stroke in places}
    ordered = ink.select(order)
    found = _lines_in_order(ordered, Geometry(ordered, unit), favour)
    return [tuple(order[place] for place in line.tolist()) for line in found]


def _brackets_first(ink: Ink, page: Geometry) -> list[int]:
    """The strokes in the order in which brackets stand before the rows that they open.

    Rows that have a brace drawn before them when they are done are no lines of a page in any other order, and
    networks that read them have not learnt it either.
    """
    order = list(range(len(page)))
    went_back = np.flatnonzero(page.middle[1:, 0] < page.boxes[:-1, 0]) + 1
    taken, left_to_try = 0, _BRACKETS
    for start in went_back.tolist():
        end, behind = _bracket(page, start) if start >= taken and left_to_try else (start, [])
        if len(behind) < 2:
            continue
        left_to_try -= 1
        rows = ink.select(behind)
        if len(_lines_in_order(rows, Geometry(rows, page.unit))) > 1:
            place, taken = order.index(behind[0]), end
            order = [*order[:place], *order[start:end], *order[place:start], *order[end:]]
    return order


def _bracket(page: Geometry, start: int) -> tuple[int, list[int]]:
    """The end of a bracket that begins with a stroke, and what lies behind it: nothing if it is none."""
    end, behind = start, list[int]()
    for last in range(start, min(start + _PARTS, len(page))):
        more = _behind(page, start, last + 1)
        _, top, _, bottom = _box(page, np.arange(start, max(end, start + 1)))
        is_part = end == last and top - _SLACK < page.middle[last, 1] < bottom + _SLACK
        if len(more) > len(behind) or (more and is_part):
            end, behind = last + 1, more
    return end, behind


def _behind(page: Geometry, start: int, end: int) -> list[int]:
    """Strokes written before these that lie behind them, if these are a bracket around several rows."""
    left, top, right, bottom = _box(page, np.arange(start, end))
    if bottom - top < _TALL or right - left > 0.5 * (bottom - top):
        return []
    boxes, middle = page.boxes[:start], page.middle[:start, 1]
    beside = (middle > top) & (middle < bottom) & (boxes[:, 2] > left)
    behind = np.flatnonzero(beside & (boxes[:, 0] > (left + right) / 2))
    if len(behind) < beside.sum() or not len(behind) or boxes[behind, 0].min() > right + _NEAR:
        return []
    return behind.tolist()


def _lines_in_order(ink: Ink, page: Geometry, favoured: Mapping[int, float] = _NONE) -> list[Ids]:
    """The lines of ink that was written from the left to the right and from the top to the bottom."""
    late = _late(page)
    kept = np.flatnonzero(~late)
    ordered = Geometry(ink.select(kept.tolist()), page.unit) if late.any() else page
    places = {stroke: place for place, stroke in enumerate(kept.tolist())}
    favour = {places[stroke]: odds for stroke, odds in favoured.items() if stroke in places}
    cuts = _find_cuts(ordered, favour)
    lines = [kept[part] for part in np.split(np.arange(len(kept)), cuts)]
    lines = _with_late(page, lines, np.flatnonzero(late))
    parts = _with_specks(page, [part for line in lines for part in _stripes(page, line)])
    return _in_reading_order(page, _in_brackets(page, parts))


def _one_symbol(ink: Ink) -> bool:
    """Whether the ink is one symbol of bars and dots, such as = or !, whose strokes lie above each other."""
    if len(ink) > _MOST_OF_A_SYMBOL:
        return False
    whole = np.ptp(ink.points, axis=0)
    sizes = [np.ptp(stroke, axis=0) for stroke in ink.strokes]
    diagonals = [float(np.hypot(*size)) for size in sizes]
    dot = _DOT * float(np.hypot(*whole))
    if len(ink) == _MOST_OF_A_SYMBOL:  # such as := and not a fraction with the first digit below it
        dot = min(dot, _DOT_OF_MANY * max(diagonals))
    large = [
        height > _FLATNESS * width and diagonal > dot
        for (width, height), diagonal in zip(sizes, diagonals, strict=True)
    ]
    return bool(sum(large) <= 1)


def split_page(ink: Ink) -> list[Ink]:
    """The lines of a page as inks, in reading order."""
    return [ink.select(line) for line in find_lines(ink)]


def _find_cuts(page: Geometry, favoured: Mapping[int, float]) -> list[int]:
    """Strokes that begin a line, by the order of writing: the likeliest first, the others around them."""
    places = [place for place in page.places().tolist() if not held_by_bar(page, place)]
    around = dict.fromkeys(places, (0, len(page)))
    if not around:
        return []
    model = line_model()
    reaches = [(stroke, *page.reach(stroke)) for stroke in np.flatnonzero(page.flat).tolist()]
    bars = [  # that can have one of these places within their fraction
        page.bar(stroke) for stroke, first, last in reaches if any(first < place <= last for place in places)
    ]
    spans = [
        (bar.first, bar.last, 1.0 / (1.0 + np.exp(-model.bar(bar.evidence))))
        for bar in bars
        if not bar.passed
    ]

    def odds(low: int, place: int, high: int) -> float:
        in_fraction = max((sure for first, last, sure in spans if first < place <= last), default=0.0)
        return model.cut(page.cut(low, place, high, in_fraction)) + favoured.get(place, 0.0)

    found = {place: odds(0, place, len(page)) for place in around}
    cuts: list[int] = []
    while found:
        best = max(found, key=lambda place: found[place])
        if found.pop(best) < model.threshold:
            break
        cuts.append(best)
        low, high = around[best]
        for place in found:
            if around[place] == (low, high):
                around[place] = (low, best) if place < best else (best, high)
                if abs(place - best) <= WINDOW:
                    found[place] = odds(around[place][0], place, around[place][1])
    return sorted(cuts)


def _late(page: Geometry) -> Bools:
    """Strokes that fill something in on what was written long before: a dot, an accent, a bar."""
    late = np.zeros(len(page), bool)
    away = np.flatnonzero(page.jump > _LATE)
    ends = np.append(away, len(page))[1:]
    for start, end in zip(away.tolist(), ends.tolist(), strict=True):
        if end - start > _LATE_RUN:
            continue
        recent = page.boxes[max(0, start - 8) : start]
        older = page.boxes[: max(0, start - 8)]
        raised = float((recent[:, 1] - page.boxes[start, 3]).min())  # over all that was just written
        if len(older) and raised > 0.4:
            apart = box_distance(page.boxes[start], older)
            nearest = older[int(apart.argmin())]
            # The numerator of a fraction that comes next lies below the line above, not in it.
            goes_on = page.boxes[start, 0] > recent[:, 2].max() and page.boxes[start, 1] > nearest[3]
            late[start:end] = not goes_on and float(apart.min()) < min(0.6, 0.5 * page.jump[start])
    return late


def _with_late(page: Geometry, lines: list[Ids], late: Ids) -> list[Ids]:
    """Give late strokes to the lines that they are nearest to."""
    if not len(late):
        return lines
    line_of = np.full(len(page), -1)
    for number, line in enumerate(lines):
        line_of[line] = number
    known = np.flatnonzero(line_of >= 0)
    for stroke in late.tolist():
        earlier = known[known < stroke]
        nearest = box_distance(page.boxes[stroke], page.boxes[earlier])
        line_of[stroke] = line_of[earlier[int(nearest.argmin())]]
    return [np.flatnonzero(line_of == number) for number in range(len(lines))]


def _with_specks(page: Geometry, lines: list[Ids]) -> list[Ids]:
    """Give lines of dots alone, such as the pen leaves by accident, to the lines that they are nearest to.

    A dot that is the newest stroke may begin a line.
    """
    large = np.maximum(page.width, page.height) > _SPECK
    large[-1] = True
    kept = [line for line in lines if large[line].any()]
    specks = [line for line in lines if not large[line].any()]
    if not kept or not specks:
        return lines
    for stroke in np.concatenate(specks).tolist():
        apart = [float(box_distance(page.boxes[stroke], page.boxes[line]).min()) for line in kept]
        nearest = int(np.argmin(apart))
        kept[nearest] = np.sort(np.append(kept[nearest], stroke))
    return kept


def _stripes(page: Geometry, line: Ids) -> list[Ids]:
    """Cut where a blank stripe is wider than any inside an expression, whatever the order of writing."""
    waiting, done = [line], []
    while waiting:
        part = waiting.pop()
        cut = _stripe(page, part, 1) or _stripe(page, part, 0)
        if cut is None:
            done.append(part)
        else:
            waiting += [np.sort(cut[1]), np.sort(cut[0])]
    return done


def _stripe(page: Geometry, part: Ids, axis: int) -> tuple[Ids, Ids] | None:
    """Both sides of the widest stripe across `axis` (1: between lines), if it is wide enough."""
    if len(part) < 2:
        return None
    order = part[np.argsort(page.boxes[part, axis], kind="stable")]
    begin, end = page.boxes[order, axis], np.maximum.accumulate(page.boxes[order, axis + 2])
    gaps = begin[1:] - end[:-1]
    widest = int(gaps.argmax())
    needed = _COLUMN
    if axis:
        touching = order[
            (np.abs(page.boxes[order, 3] - end[widest]) < 0.3) | (np.abs(begin - begin[widest + 1]) < 0.3)
        ]
        needed = _STRIPE_AT_BAR if page.flat[touching].any() else _STRIPE
    return (order[: widest + 1], order[widest + 1 :]) if gaps[widest] > needed else None


def _in_brackets(page: Geometry, lines: list[Ids]) -> list[Ids]:
    """Join the rows of a matrix or of cases: lines beside a bracket that is as high as all of them."""
    if len(lines) < 2:
        return lines
    boxes = np.array([_box(page, line) for line in lines])
    middle, height = (boxes[:, 1] + boxes[:, 3]) / 2, boxes[:, 3] - boxes[:, 1]
    joined = list(range(len(lines)))  # of every line, the first one that it belongs to
    for number, line in enumerate(lines):
        for stroke in line[_tall(page, line)].tolist():
            left, top, right, bottom = page.boxes[stroke].tolist()
            shared = np.minimum(boxes[:, 3], bottom) - np.maximum(boxes[:, 1], top)
            held = (middle > top) & (middle < bottom) & (shared > 0.6 * height)
            held &= (boxes[:, 0] < right + _NEAR) & (boxes[:, 2] > left - _NEAR)
            held[number] = True
            firsts = {joined[each] for each in np.flatnonzero(held).tolist()}
            joined = [min(firsts) if first in firsts else first for first in joined]
    return [
        np.sort(np.concatenate([line for line, other in zip(lines, joined, strict=True) if other == first]))
        for first in sorted(set(joined))
    ]


def _tall(page: Geometry, line: Ids) -> Bools:
    """Strokes that may be brackets around several rows: upright, slender, and higher than letters."""
    return (page.height[line] > _TALL) & (page.width[line] < 0.5 * page.height[line])


def _box(page: Geometry, strokes: Ids) -> tuple[float, ...]:
    return (*page.boxes[strokes, :2].min(axis=0).tolist(), *page.boxes[strokes, 2:].max(axis=0).tolist())


def _in_reading_order(page: Geometry, lines: Sequence[Ids]) -> list[Ids]:
    """From top to bottom; lines beside each other, as those of two columns, from left to right."""
    boxes = [_box(page, line) for line in lines]
    waiting = sorted(range(len(lines)), key=lambda number: boxes[number][1] + boxes[number][3])
    found: list[Ids] = []
    while waiting:
        first = boxes[waiting[0]]
        level = [waiting[0], *(number for number in waiting[1:] if _beside(first, boxes[number]))]
        found += [lines[number] for number in sorted(level, key=lambda number: boxes[number][0])]
        waiting = [number for number in waiting if number not in level]
    return found


def _beside(box: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two boxes share most of the height of one, and nothing of their widths."""
    shared = min(box[3], other[3]) - max(box[1], other[1])
    apart = other[0] > box[2] or other[2] < box[0]
    return apart and shared > 0.5 * min(box[3] - box[1], other[3] - other[1])
