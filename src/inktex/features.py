"""Turns ink into the network's input, the 8 features of equation 2 (paper §II-A).

Ink is cleaned, resampled and normalised first.

`Features` holds N rows of [x, y, Δx, Δy, Δ²x, Δ²y, pen down, pen up], and for every row the stroke and the
(fractional) point of the ink that it came from, so that attention can be drawn on the ink.

There are two presets. `paper`: even resampling and removal of collinear points, scaled by the deviation of
x, as in the paper's reference for this step. `polyline`: Ramer–Douglas–Peucker per stroke, long segments
split, scaled by the mean stroke diagonal; a third of the points for the same shape. Inks given together
share the same array operations. The result does not change when the ink is moved or scaled uniformly.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from inktex.ink import Ink

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_ROUNDS = 500  # of simplifying
_CLOSEST = 0.001  # spacing of points: below this a short ink would become millions of rows


@dataclass(frozen=True)
class FeatureOptions:
    """How ink becomes features; stored with a model. Lengths are fractions of the mean stroke diagonal."""

    method: Literal["resample", "polyline"] = "polyline"
    spacing: float = 0.75  # resample: distance of points; polyline: longest segment left unsplit
    tolerance: float = 0.035  # polyline: how far a removed point may lie from the line
    straight_cosine: float = 1.0  # resample: a point whose turn has a larger cosine is removed
    size: Literal["stroke", "deviation"] = "stroke"  # unit: mean stroke diagonal, or deviation of x (paper)

    def __post_init__(self) -> None:
        if not (self.spacing >= _CLOSEST and self.tolerance >= 0 and -1 <= self.straight_cosine <= 1):
            raise ValueError(
                f"spacing is at least {_CLOSEST}, tolerance at least 0, straight_cosine from -1 to 1"
            )

    @classmethod
    def paper(cls) -> "FeatureOptions":
        """Dense points, about 245 per CROHME expression."""
        return cls(method="resample", spacing=0.073, straight_cosine=0.998, size="deviation")

    @classmethod
    def polyline(cls) -> "FeatureOptions":
        """Corner points, about 84 per CROHME expression."""
        return cls()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Features:
    """The network's input for one ink, and the way back from its rows to the ink."""

    rows: NDArray[np.float32]  # (N, 8)
    stroke: NDArray[np.int32]  # (N,) stroke of the ink
    point: Floats  # (N,) position among the ink's points; fractional where a point was put between two


@dataclass(frozen=True)
class PointBatch:
    """Points of many inks in one array; `stroke` counts on through all inks, `point` within its ink."""

    xy: Floats  # (N, 2)
    stroke: Ints  # (N,)
    point: Floats  # (N,)
    first_stroke: Ints  # (inks + 1,) first stroke of every ink

    @classmethod
    def of(cls, inks: Sequence[Ink]) -> "PointBatch":
        counts = np.concatenate([np.diff(ink.offsets) for ink in inks])
        first_stroke = np.concatenate(([0], np.cumsum([len(ink) for ink in inks])))
        sizes = np.array([len(ink.points) for ink in inks])
        starts = np.cumsum(sizes) - sizes
        return cls(
            xy=np.concatenate([ink.points for ink in inks]),
            stroke=np.repeat(np.arange(len(counts)), counts),
            point=np.arange(sizes.sum()) - np.repeat(starts, sizes).astype(np.float64),
            first_stroke=first_stroke,
        )

    @property
    def ink_of_stroke(self) -> Ints:
        """(strokes,) which ink a stroke belongs to."""
        return np.repeat(np.arange(len(self.first_stroke) - 1), np.diff(self.first_stroke))

    def keep(self, wanted: NDArray[np.bool_]) -> "PointBatch":
        return PointBatch(self.xy[wanted], self.stroke[wanted], self.point[wanted], self.first_stroke)


def is_first(labels: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Which places begin a run of equal labels; there is at least one label."""
    first = np.empty(len(labels), np.bool_)
    first[0] = True
    np.not_equal(labels[1:], labels[:-1], out=first[1:])
    return first


def is_last(labels: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Which places end a run of equal labels; there is at least one label."""
    last = np.empty(len(labels), np.bool_)
    last[-1] = True
    np.not_equal(labels[1:], labels[:-1], out=last[:-1])
    return last


def stroke_starts(stroke: NDArray[np.integer[Any]]) -> Ints:
    """Index of the first point of every stroke (every stroke has a point)."""
    return is_first(stroke).nonzero()[0]


def stroke_units(batch: PointBatch) -> Floats:
    """(inks,) mean stroke diagonal; for dots alone the extent of the ink, for a single dot 1."""
    starts = stroke_starts(batch.stroke)
    extent = np.maximum.reduceat(batch.xy, starts) - np.minimum.reduceat(batch.xy, starts)
    diagonals = np.hypot(extent[:, 0], extent[:, 1])
    inks = batch.first_stroke[:-1]
    units = np.add.reduceat(diagonals, inks) / np.diff(batch.first_stroke)
    flat = units <= 0
    if flat.any():
        whole = np.maximum.reduceat(batch.xy, starts[inks]) - np.minimum.reduceat(batch.xy, starts[inks])
        units = np.where(flat, np.hypot(whole[:, 0], whole[:, 1]), units)
        units[units <= 0] = 1.0
    return units


def remove_repeats(batch: PointBatch, nearest: Floats) -> PointBatch:
    """Drop points nearer than `nearest` (per point) to the one before in the stroke."""
    kept = is_first(batch.stroke)
    step = batch.xy[1:] - batch.xy[:-1]
    kept[1:] |= np.hypot(step[:, 0], step[:, 1]) > nearest[1:]
    return batch.keep(kept)


def simplify(batch: PointBatch, tolerance: Floats) -> PointBatch:
    """Ramer–Douglas–Peucker for all strokes at once: a round adds the farthest point of each open segment.

    Handwriting takes some dozen rounds. A stroke made for it would take one per point; it keeps its points.
    """
    x, y = np.ascontiguousarray(batch.xy.T)
    kept = is_first(batch.stroke) | is_last(batch.stroke)
    active = np.flatnonzero(~kept)  # points that may still be added, and the kept ones around each
    anchors = np.flatnonzero(kept)
    after = np.searchsorted(anchors, active)
    left, right = anchors[after - 1], anchors[after]
    for _ in range(_MOST_ROUNDS):
        if not len(active):
            break
        from_x, from_y = x[left], y[left]
        chord_x, chord_y = x[right] - from_x, y[right] - from_y
        away_x, away_y = x[active] - from_x, y[active] - from_y
        length2 = np.maximum(chord_x * chord_x + chord_y * chord_y, 1e-300)
        along = (chord_x * away_x + chord_y * away_y) / length2
        along = np.minimum(np.maximum(along, 0.0), 1.0)
        distance = np.hypot(away_x - along * chord_x, away_y - along * chord_y)
        first = is_first(left)
        starts, segment = first.nonzero()[0], first.cumsum() - 1
        farthest = np.maximum.reduceat(distance, starts)
        reach = np.where(farthest > tolerance[active[starts]], farthest, np.inf)[segment]
        winners = (distance == reach).nonzero()[0]
        winners = winners[is_first(left[winners])] if len(winners) else winners  # the first of equal ones
        kept[active[winners]] = True
        # In an open segment the farthest point is the new neighbour of all others; closed segments are done.
        parted = np.full(len(starts), -1)
        parted[segment[winners]] = active[winners]
        middle = parted[segment]
        going = ((middle >= 0) & (active != middle)).nonzero()[0]
        active, left, right, middle = active[going], left[going], right[going], middle[going]
        before = active < middle
        left, right = np.where(before, left, middle), np.where(before, middle, right)
    kept[active] = True
    return batch.keep(kept)


def resample(batch: PointBatch, spacing: Floats, *, keep_corners: bool) -> PointBatch:
    """Points along every stroke no farther apart than `spacing` (per point).

    With `keep_corners` only long segments are split; otherwise points are spaced evenly.
    """
    step = np.diff(batch.xy, axis=0)
    length = np.hypot(step[:, 0], step[:, 1])
    length[np.diff(batch.stroke) != 0] = 0.0
    if keep_corners:
        parts = np.maximum(np.ceil(length / spacing[:-1]).astype(np.int64), 1)
        source = np.repeat(np.arange(len(parts)), parts)
        within = np.arange(len(source)) - np.repeat(np.cumsum(parts) - parts, parts)
        fraction = within / parts[source]
        position = np.append(source + fraction, len(batch.xy) - 1.0)
    else:
        walked = np.concatenate(([0.0], np.cumsum(length)))
        starts = stroke_starts(batch.stroke)
        ends = np.append(starts[1:], len(batch.xy)) - 1
        total = walked[ends] - walked[starts]
        parts = np.ceil(total / spacing[starts]).astype(np.int64)
        which = np.repeat(np.arange(len(starts)), parts + 1)
        within = np.arange(len(which)) - np.repeat(np.cumsum(parts + 1) - (parts + 1), parts + 1)
        target = walked[starts][which] + total[which] * (within / np.maximum(parts[which], 1))
        # A stroke ends where the next begins on the walked axis: search inside the stroke's own points only.
        left = np.clip(
            np.searchsorted(walked, target, side="right") - 1,
            starts[which],
            np.maximum(ends[which] - 1, starts[which]),
        )
        gap = np.where(
            left < ends[which], length[np.minimum(left, len(length) - 1)] if len(length) else 0.0, 0.0
        )
        position = left + np.clip(
            np.divide(target - walked[left], gap, out=np.zeros_like(target), where=gap > 0), 0.0, 1.0
        )
    low = np.floor(position).astype(np.int64)
    high = np.minimum(low + 1, len(batch.xy) - 1)
    share = position - low
    xy = batch.xy[low] + share[:, None] * (batch.xy[high] - batch.xy[low])
    point = batch.point[low] + share * (batch.point[high] - batch.point[low])
    return PointBatch(xy, batch.stroke[low], point, batch.first_stroke)


def remove_straight(batch: PointBatch, cosine: float) -> PointBatch:
    """Drop every second point that lies on a line; long lines keep some of their points."""
    into = np.diff(batch.xy, axis=0, prepend=batch.xy[:1])
    out = np.diff(batch.xy, axis=0, append=batch.xy[-1:])
    norm = np.hypot(into[:, 0], into[:, 1]) * np.hypot(out[:, 0], out[:, 1])
    turn = np.divide((into * out).sum(1), norm, out=np.full(len(norm), -1.0), where=norm > 0)
    first = is_first(batch.stroke)
    place = np.arange(len(batch.stroke)) - np.flatnonzero(first)[np.cumsum(first) - 1]
    return batch.keep(first | is_last(batch.stroke) | (turn <= cosine) | (place % 2 == 0))


def centre_and_deviation(batch: PointBatch) -> tuple[Floats, Floats]:
    """Mean and deviation of position along the lines of every ink, (inks, 2) each."""
    first = stroke_starts(batch.stroke)[batch.first_stroke[:-1]]
    step = np.zeros_like(batch.xy)  # to the next point of the stroke
    step[:-1] = batch.xy[1:] - batch.xy[:-1]
    step[is_last(batch.stroke)] = 0.0
    weight = np.hypot(step[:, 0], step[:, 1])
    sizes = np.diff(np.append(first, len(batch.xy)))
    largest = np.maximum(np.maximum.reduceat(weight, first), 1e-9)
    weight += 1e-9 * np.repeat(largest, sizes)  # dots still have a mean
    total = np.add.reduceat(weight, first)[:, None]
    begin, end = batch.xy, batch.xy + step
    mean = np.add.reduceat(weight[:, None] * (begin + end) / 2, first) / total
    centred = np.repeat(mean, sizes, axis=0)
    begin, end = begin - centred, end - centred
    spread = np.add.reduceat(weight[:, None] * (begin**2 + end**2 + begin * end) / 3, first) / total
    return mean, np.sqrt(np.maximum(spread, 0.0))


def feature_rows(xy: Floats, stroke: Ints, last: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Equation 2 for normalised points; `last` marks the last point of every ink (differences are zero)."""
    count = len(xy)
    rows = np.zeros((count, 8), dtype=np.float32)
    rows[:, 0:2] = xy
    rows[:-1, 2:4] = xy[1:] - xy[:-1]
    rows[:-2, 4:6] = xy[2:] - xy[:-2]
    rows[last, 2:6] = 0.0
    before_last = np.flatnonzero(last) - 1
    before_last = before_last[(before_last >= 0) & ~last[before_last]]
    rows[before_last, 4:6] = rows[before_last, 2:4]  # no point after the next: the path ends there
    lifted = is_last(stroke)
    rows[:, 6] = ~lifted
    rows[:, 7] = lifted
    return rows


def extract_batch(batch: PointBatch, options: FeatureOptions) -> list[Features]:
    """Features of inks that are already put together (see `PointBatch.of`)."""
    units = stroke_units(batch)
    ink_of = batch.ink_of_stroke
    batch = remove_repeats(batch, 1e-3 * units[ink_of[batch.stroke]])
    if options.method == "polyline":
        batch = simplify(batch, options.tolerance * units[ink_of[batch.stroke]])
        batch = resample(batch, options.spacing * units[ink_of[batch.stroke]], keep_corners=True)
    else:
        batch = resample(batch, options.spacing * units[ink_of[batch.stroke]], keep_corners=False)
        if options.straight_cosine < 1.0:
            batch = remove_straight(batch, options.straight_cosine)
    mean, deviation = centre_and_deviation(batch)
    if options.size == "deviation":
        # A single upright line has no width: its height stands in, so that nothing explodes.
        units = np.maximum(deviation[:, 0], 0.25 * deviation[:, 1])
        units[units <= 0] = 1.0
    ink = ink_of[batch.stroke]
    xy = (batch.xy - mean[ink]) / units[ink][:, None]
    rows = feature_rows(xy, batch.stroke, is_last(ink))
    stroke = (batch.stroke - batch.first_stroke[ink]).astype(np.int32)
    cuts = np.flatnonzero(np.diff(ink)) + 1
    return list(map(Features, *(np.split(column, cuts) for column in (rows, stroke, batch.point))))


def extract_many(inks: Sequence[Ink], options: FeatureOptions) -> list[Features]:
    """Features of many inks, handled together (much faster than one by one)."""
    return extract_batch(PointBatch.of(inks), options) if inks else []


def extract(ink: Ink, options: FeatureOptions) -> Features:
    return extract_many([ink], options)[0]
