"""How people write: the number of strokes of each symbol, and how close the strokes of one symbol are.

Gives log probabilities and their ratios for a label or for the features of an ink, from counts over CROHME's
training set (`habits.json`, made by `scripts/writing_habits.py`).
"""

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inktex.features import Features, stroke_starts

Values = NDArray[np.float64]

MOST_STROKES = 8  # of one symbol
# Bounds of the classes in which pairs of strokes are counted.
DISTANCES = (0.05, 0.12, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0, 1.3, 1.8)  # in mean stroke diagonals
OVERLAPS = (-1.0, -0.3, 0.0, 0.3, 0.7)  # of their widths
_STEP = 0.1  # distance of points on a stroke, for measuring how near two strokes come to each other


def pair_classes(features: Features) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The classes of strokes that follow each other, (S-1,): how near they come, how much width they share.

    A shared width of 1 says that one lies above the other, below 0 that there is a gap between them.
    """
    starts = stroke_starts(features.stroke)
    points = features.rows[:, :2].astype(np.float64)
    low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
    size = high - low
    unit = float(np.hypot(size[:, 0], size[:, 1]).mean()) or 1.0
    (left, right), width = (low[:, 0] / unit, high[:, 0] / unit), size[:, 0] / unit
    shared = np.minimum(right[1:], right[:-1]) - np.maximum(left[1:], left[:-1])
    overlap = shared / np.maximum(np.minimum(width[1:], width[:-1]), _STEP)
    distance = np.array([_distance(*pair) for pair in pairwise(_dense(points / unit, starts))])
    return np.searchsorted(DISTANCES, distance), np.searchsorted(OVERLAPS, overlap)


def _distance(first: Values, second: Values) -> float:
    """How near two strokes come to each other, each as rows of x and of y."""
    dx, dy = first[0, :, None] - second[0], first[1, :, None] - second[1]
    return math.sqrt((dx * dx + dy * dy).min())


def _dense(points: Values, starts: NDArray[np.int64]) -> list[Values]:
    """Points along every stroke, (2, n) each, near enough to each other to see where strokes cross."""
    ends = np.append(starts[1:], len(points)) - 1
    steps = np.zeros_like(points)  # to the next point of the stroke
    steps[:-1] = points[1:] - points[:-1]
    steps[ends] = 0.0
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    apart = np.maximum(_STEP, np.add.reduceat(lengths, starts) / 200).repeat(ends - starts + 1)
    parts = np.maximum(np.ceil(lengths / apart).astype(np.int64), 1)
    first = np.cumsum(parts) - parts
    within = (np.arange(parts.sum()) - first.repeat(parts)) / parts.repeat(parts)
    dense = points.repeat(parts, axis=0) + steps.repeat(parts, axis=0) * within[:, None]
    return np.split(np.ascontiguousarray(dense.T), first[starts[1:]], axis=1)


def join_scores(features: Features) -> Values:
    """(S-1,) log odds that a stroke and the next one belong to one symbol, against a pair of two symbols."""
    return _join_table()[pair_classes(features)]


@cache
def length_scores(label: str) -> Values:
    """(MOST_STROKES,) log probability that a symbol has 1, 2, … strokes; smoothed by all symbols."""
    counts: dict[str, list[int]] = _habits()["strokes"]
    everything = np.sum([_padded(each) for each in counts.values()], axis=0) + 1.0
    usual = everything / everything.sum()
    own = _padded(counts.get(label, []))
    scores: Values = np.log((own + 2.0 * usual) / (own.sum() + 2.0))
    return scores


def _padded(counts: Sequence[int]) -> Values:
    return np.array([*counts, *[0] * MOST_STROKES][:MOST_STROKES], dtype=np.float64)


@cache
def _join_table() -> Values:
    """(distance classes, overlap classes) log odds, with add-one smoothing."""
    same, other = (np.array(_habits()["pairs"][name], dtype=np.float64) + 1.0 for name in ("same", "other"))
    table: Values = np.log(same / same.sum()) - np.log(other / other.sum())
    return table


@cache
def _habits() -> dict[str, Any]:
    text = files("inktex.reading").joinpath("habits.json").read_text(encoding="utf-8")
    habits: dict[str, Any] = json.loads(text)
    return habits
