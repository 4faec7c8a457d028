"""Features for and against a line break, for the two classifiers of `lines.py`.

Lengths are relative to the height of the writing, so that nothing depends on the unit of the
ink. y points down.
"""

from dataclasses import dataclass
from functools import cached_property
from math import log, log1p

import numpy as np
from numpy.typing import NDArray

from inktex.ink.core import Ink

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ids = NDArray[np.int64]

WINDOW = 40  # strokes before and after a place that are looked at
_RECENT = 8  # strokes that the pen is still near to
_NEXT = 1.5  # how far the symbol after a minus is from it, at most
_JOINED = 3  # strokes before and after a bar that may be parts of the same letter


@dataclass(frozen=True)
class Bar:
    """A flat stroke with the strokes right above and below it."""

    stroke: int
    first: int  # of the bar and these strokes, in the order of writing
    last: int
    evidence: Floats  # of being the bar of a fraction
    passed: bool  # the writing went on beside it, as after a minus, before anything was below it


class Geometry:
    """Boxes of the strokes of an ink, in heights of the writing."""

    def __init__(self, ink: Ink, unit: float | None = None) -> None:
        starts = ink.offsets[:-1]
        boxes = np.concatenate(
            [np.minimum.reduceat(ink.points, starts), np.maximum.reduceat(ink.points, starts)], axis=1
        )
        self.unit = unit or writing_height(boxes)
        self.points: Floats = ink.points / self.unit
        self.offsets = ink.offsets
        self.boxes: Floats = boxes / self.unit  # (S, 4): left, top, right, bottom
        self.width: Floats = self.boxes[:, 2] - self.boxes[:, 0]
        self.height: Floats = self.boxes[:, 3] - self.boxes[:, 1]
        self.middle: Floats = (self.boxes[:, :2] + self.boxes[:, 2:]) / 2

    def __len__(self) -> int:
        return len(self.boxes)

    @cached_property
    def jump(self) -> Floats:
        """How far each stroke is from the nearest of those just before it; the first one is at itself."""
        recent = np.maximum(np.arange(len(self))[:, None] - np.arange(1, _RECENT + 1), 0)
        return np.asarray(box_distance(self.boxes[:, None], self.boxes[recent]).min(axis=1))

    @cached_property
    def upright(self) -> Floats:
        """Heights of strokes that are no bars, NaN for bars."""
        return np.where(self.height > 0.35 * self.width, self.height, np.nan)

    @cached_property
    def flat(self) -> Bools:
        """Strokes that may be bars of fractions: long, flat, and not half of an equals sign."""
        flat = (self.width > 0.4) & (self.height < 0.35 * self.width)
        if len(self) < 2:
            return flat
        boxes, width, middle = self.boxes, self.width, self.middle[:, 1]
        shared = np.minimum(boxes[1:, 2], boxes[:-1, 2]) - np.maximum(boxes[1:, 0], boxes[:-1, 0])
        long = np.maximum(width[1:], width[:-1])
        equals = flat[1:] & flat[:-1] & (shared > 0.55 * long) & (long < 2.2)
        equals &= np.abs(middle[1:] - middle[:-1]) < 0.7
        flat[1:] &= ~equals
        flat[:-1] &= ~equals
        return flat

    def reach(self, stroke: int) -> tuple[int, int]:
        """The first and the last stroke that a fraction with this bar can have."""
        low, high, inside = self._inside(stroke)
        inside[stroke - low] = True
        return low + int(inside.argmax()), high - 1 - int(inside[::-1].argmax())

    def _inside(self, stroke: int) -> tuple[int, int, Bools]:
        """Of the strokes written about then, low to high, those between the ends of a flat stroke."""
        low, high = max(0, stroke - WINDOW), min(len(self), stroke + WINDOW + 1)
        left, _, right, _ = self.boxes[stroke].tolist()
        middle = self.middle[low:high, 0]
        inside = (middle > left - 0.1) & (middle < right + 0.1)
        inside &= np.maximum(self.width[low:high], self.height[low:high]) > 0.2  # a dot is no numerator
        inside[stroke - low] = False
        return low, high, inside

    def bar(self, stroke: int) -> Bar:
        """Look at what is above and below a flat stroke, among those written about then."""
        low, high, inside = self._inside(stroke)
        boxes, middle, height = self.boxes[low:high], self.middle[low:high], self.height[low:high]
        left, top, right, bottom = self.boxes[stroke].tolist()
        level = (top + bottom) / 2
        sides: list[list[float]] = []
        first = last = stroke
        begun = len(boxes)  # the first stroke below
        count = 1
        for above in (True, False):
            found = np.flatnonzero(inside & ((middle[:, 1] < level) == above))
            if not len(found):
                sides.append([0.0] * 11)
                continue
            begun = begun if above else int(found[0])
            away = level - boxes[found, 3] if above else boxes[found, 1] - level
            distance = float(away.min())
            heart = float(middle[found[int(away.argmin())], 1])
            group = found[boxes[found, 3] >= heart - 0.15 if above else boxes[found, 1] <= heart + 0.15]
            start, ceiling = boxes[group, :2].min(axis=0).tolist()
            end, floor = boxes[group, 2:].max(axis=0).tolist()
            first, last = min(first, int(group[0]) + low), max(last, int(group[-1]) + low)
            count += len(group)
            # Strokes beside the group that go on beyond the bar: then it is a line of its own.
            shared = np.minimum(boxes[:, 3], floor) - np.maximum(boxes[:, 1], ceiling)
            beside = (shared > 0.4 * np.minimum(height, floor - ceiling) + 1e-9) & ~inside
            beside &= ~self.flat[low:high]
            beside[stroke - low] = False
            after = (boxes[:, 0] >= end - 0.1) & (boxes[:, 0] < end + 0.9) & (boxes[:, 2] > right + 0.1)
            before = (boxes[:, 2] <= start + 0.1) & (boxes[:, 2] > start - 0.9) & (boxes[:, 0] < left - 0.1)
            width = right - left
            sides.append(
                [
                    1.0,
                    min(max(distance, 0.0), 2.0),
                    float(distance < 0.05),
                    max(0.0, 0.1 - distance),
                    max(0.0, 0.25 - distance),
                    min(max(0.0, left - start, end - right), 1.5),
                    min((end - start) / width, 1.0),
                    log1p(min(abs(int(group[0]) + low - stroke), abs(int(group[-1]) + low - stroke))),
                    float((beside & (after | before)).any()),
                    float(len(group) == 1 and end - start < 0.35 * width),
                    min(abs(start + end - left - right) / (2 * width), 1.0),
                ]
            )
        straddling = (np.abs(middle[:, 1] - level) < 0.6 * np.maximum(height, 0.3)) & (height > 0.4)
        to_left = straddling & (np.abs(left - boxes[:, 2]) < 0.6) & (boxes[:, 2] < left + 0.3)
        to_right = straddling & (np.abs(boxes[:, 0] - right) < 0.6) & (boxes[:, 0] > right - 0.3)
        upright = (height > 0.4) & (boxes[:, 1] < level) & (boxes[:, 3] > level)
        beyond = upright & (boxes[:, 0] > right - 0.3) & (boxes[:, 0] < right + _NEXT)
        evidence = [
            *sides[0],
            *sides[1],
            log(self.width[stroke]),
            float(self.height[stroke] / self.width[stroke]),
            log((last - first + 1) / count),
            float(to_left.any()),
            float(to_right.any()),
            *self._joins(stroke),
        ]
        passed = bool(beyond[stroke - low + 1 : begun].any()) and begun < len(boxes)
        return Bar(stroke, first, last, np.array(evidence), passed)

    def _joins(self, stroke: int) -> tuple[float, ...]:
        """How closely a bar touches the strokes written right before and after it, as parts of letters do.

        Last come stems that hang from it or stand on it, as in T, and strokes that go on at its ends.
        """
        first, end = max(0, stroke - _JOINED), min(len(self), stroke + _JOINED + 1)
        close = box_distance(self.boxes[stroke], self.boxes[first:end]) < 0.15
        close[stroke - first] = False
        if not close.any():
            return (0.0,) * 5
        points = self.points[self.offsets[stroke] : self.offsets[stroke + 1]]
        finely = int(min(max(16.0, 12.0 * self.width[stroke]), 100.0))  # a twelfth of the height apart
        steps = np.linspace(0.0, len(points) - 1.0, finely)
        places = np.arange(float(len(points)))
        line = np.stack(
            [np.interp(steps, places, points[:, 0]), np.interp(steps, places, points[:, 1])], axis=1
        )
        nearest, ends = 9.0, 9.0
        hangs = stands = False
        level = float(self.middle[stroke, 1])
        for other in (first + np.flatnonzero(close)).tolist():
            its = self.points[self.offsets[other] : self.offsets[other + 1]]
            apart = np.hypot(line[:, None, 0] - its[None, :, 0], line[:, None, 1] - its[None, :, 1])
            distance = float(apart.min())
            nearest = min(nearest, distance)
            if abs(other - stroke) == 1:
                corners = np.array([its[0], its[-1]])[:, None] - np.array([line[0], line[-1]])[None]
                ends = min(ends, float(np.hypot(corners[..., 0], corners[..., 1]).min()))
                stem = distance < 0.12 and self.height[other] > max(0.6, 1.5 * self.width[other])
                hangs |= bool(stem and self.middle[other, 1] > level + 0.3)
                stands |= bool(stem and self.middle[other, 1] < level - 0.3)
        touching = (max(0.0, 1.0 - 10.0 * nearest), max(0.0, 1.0 - 4.0 * nearest))
        return (*touching, float(hangs), float(stands), max(0.0, 1.0 - 6.0 * ends))

    def places(self) -> Ids:
        """Places where a line may begin: the strokes that lie below those just before them."""
        level = self.middle[:, 1]
        number = len(level)
        if number < 2:
            return np.empty(0, np.int64)
        padded = np.concatenate([level[:1], level[:1], level, level[-1:], level[-1:]])
        first, second, third = padded[:-2], padded[1:-1], padded[2:]
        # medians[k] is that of strokes k-2, k-1 and k
        medians = np.maximum(np.minimum(first, second), np.minimum(np.maximum(first, second), third))
        lower = medians[3 : number + 2] > medians[: number - 1] + 0.3
        return np.flatnonzero(lower | (level[1:] > level[:-1] + 0.5)) + 1

    def cut(self, low: int, place: int, high: int, in_fraction: float) -> Floats:
        """What speaks for a line break before stroke `place`, between the breaks at `low` and `high`."""
        low, high = max(low, place - WINDOW), min(high, place + WINDOW)
        above, below = self.boxes[low:place], self.boxes[place:high]
        aside = np.maximum(
            0.0, np.maximum(below[:, None, 0] - above[None, :, 2], above[None, :, 0] - below[:, None, 2])
        )
        gaps = below[:, None, 1] - above[None, :, 3]
        clear = float(np.where(aside < 0.5, gaps, 9.0).min())
        # What is aside may be lower by a slope, as lines rise or fall; a steep one lets lines interlock.
        gentle: list[float] = (gaps + 0.15 * aside).min(axis=1).tolist()
        steep = float((gaps + 0.5 * aside).min())
        up_again = next((number for number, low_by in enumerate(gentle) if low_by < -0.3), None)
        left, _, _, _ = above.min(axis=0).tolist()
        _, _, right, bottom = above.max(axis=0).tolist()
        next_left, next_top, _, _ = below.min(axis=0).tolist()
        next_right = float(below[:, 2].max())
        begin, begin_top = below[0, :2].tolist()
        gap = next_top - bottom
        returned = float(above[-3:, 2].max()) - begin
        sizes = [
            _median(known) if (known := [height for height in part.tolist() if height == height]) else 1.0
            for part in (
                self.upright[max(low, place - 12) : place],
                self.upright[place : min(high, place + 8)],
            )
        ]
        ratio = log(max(sizes[1], 0.1) / max(sizes[0], 0.1))
        level = float(self.middle[place, 1]) - _median(self.middle[max(low, place - 5) : place, 1].tolist())
        before, after = place - low, high - place

        def part(value: float, limit: float) -> float:
            return min(max(value, 0.0), limit)

        return np.array(
            [
                part(clear, 1.5),
                part(-clear, 1.5),
                part(min(gentle), 1.5),
                part(-min(gentle), 2.0),
                part(-min(gentle[:4]), 2.0),
                part(steep, 1.5),
                part(-steep, 2.0),
                part(gap, 1.5),
                part(-gap, 2.0),
                float(up_again is not None),
                float(up_again is not None and self.jump[place + up_again] < 1.2),
                part(returned, 6.0),
                part(-returned, 3.0),
                min(abs(left - next_left), 4.0),
                min(abs(left - begin), 4.0),
                in_fraction,
                in_fraction**2,
                float(before == 1),
                float(after == 1),
                float(before <= 3),
                float(after <= 3),
                part(ratio, 1.5),
                part(-ratio, 1.5),
                min(float(self.jump[place]), 4.0),
                part(begin_top - bottom, 1.5),
                part(level, 3.0),
                float(next_left >= left + 0.5 and next_right <= right - 0.5),
                min(next_right - next_left, 3.0),
                part(next_left - right, 2.0),  # right of everything above, as a script is
            ]
        )


def writing_height(boxes: Floats) -> float:
    """The height of the writing: the middle height of strokes that are no dots or bars."""
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    tall = height > 0.35 * width
    typical = _median(height[tall].tolist()) if tall.any() else 0.0
    large = height[tall & (height >= 0.4 * typical)]
    unit = _median((large if len(large) else np.maximum(width, height)).tolist())
    return unit if unit > 0 else 1.0


def _median(values: list[float]) -> float:
    """What `np.median` gives, which takes several times as long for the few numbers of an ink."""
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def box_distance(boxes: Floats, others: Floats) -> Floats:
    """How far boxes are apart, 0 where they touch."""
    dx = np.maximum(boxes[..., 0] - others[..., 2], others[..., 0] - boxes[..., 2])
    dy = np.maximum(boxes[..., 1] - others[..., 3], others[..., 1] - boxes[..., 3])
    return np.asarray(np.hypot(np.maximum(dx, 0.0), np.maximum(dy, 0.0)))
