"""Finds mislabelled drawings by comparing each drawing with those most like it.

Collections that anyone could draw for contain scribbles, jokes and wrong symbols. `descriptors` describes
each drawing by where its lines run and in which direction; `agreeing` keeps the drawings that have another
of their own class among their nearest neighbours.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from inktex.corpus.bank import Glyph
from inktex.features import PointBatch, resample
from inktex.ink import Ink

Descriptors = npt.NDArray[np.float32]

_CELLS = 7  # columns and rows of the grid that lines are counted in
_DIRECTIONS = 4
_SPACING = 0.05  # of the resampled points, in sizes of the drawing
_CHUNK = 1024


def descriptors(glyphs: Sequence[Glyph]) -> Descriptors:
    """(n, d) array of unit rows: the length of line by place and direction, blurred, and the proportions."""
    batch = _batch(glyphs)
    batch = resample(batch, np.full(len(batch.xy), _SPACING), keep_corners=False)
    ink = batch.ink_of_stroke[batch.stroke]
    same = batch.stroke[1:] == batch.stroke[:-1]
    step = (batch.xy[1:] - batch.xy[:-1])[same]
    middle = ((batch.xy[1:] + batch.xy[:-1]) / 2)[same]
    owner = ink[1:][same]
    length = np.hypot(step[:, 0], step[:, 1])
    turn = np.mod(np.arctan2(step[:, 1], step[:, 0]), np.pi) / np.pi * _DIRECTIONS
    histogram = np.zeros((len(glyphs), _CELLS, _CELLS, _DIRECTIONS))
    place = np.clip(middle * (_CELLS - 1), 0.0, _CELLS - 1.001)
    low = place.astype(np.int64)
    share = place - low
    first = np.floor(turn).astype(np.int64)
    for dx in (0, 1):
        for dy in (0, 1):
            near = np.abs(1 - dx - share[:, 0]) * np.abs(1 - dy - share[:, 1]) * length
            for dt in (0, 1):
                weight = near * np.abs(1 - dt - (turn - first))
                where = (owner, low[:, 1] + dy, low[:, 0] + dx, (first + dt) % _DIRECTIONS)
                np.add.at(histogram, where, weight)
    padded = np.pad(histogram, ((0, 0), (1, 1), (1, 1), (0, 0)))
    blurred = sum(
        weight * padded[:, dy : dy + _CELLS, dx : dx + _CELLS]
        for dy, row in enumerate((0.25, 0.5, 0.25))
        for dx, weight in enumerate(row * np.array((0.5, 1.0, 0.5)))
    )
    rows = np.sqrt(np.asarray(blurred).reshape(len(glyphs), -1))
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    sizes = np.array([(glyph.width, glyph.height) for glyph in glyphs]) + 1e-9
    aspect = np.arctan(np.log(sizes[:, :1] / sizes[:, 1:]))
    strokes = np.array([[min(len(glyph.offsets) - 1, 6)] for glyph in glyphs])
    return np.hstack((rows, 0.25 * aspect, 0.08 * strokes)).astype(np.float32)


def agreeing(rows: Descriptors, labels: Sequence[str], neighbours: int) -> npt.NDArray[np.bool_]:
    """Mark the drawings that have one of their own label among their nearest neighbours."""
    number = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    label_of = np.array([number[label] for label in labels])
    squares = (rows**2).sum(axis=1)
    neighbours = min(neighbours, len(rows) - 1)
    kept = np.zeros(len(rows), dtype=np.bool_)
    for start in range(0, len(rows), _CHUNK):
        chunk = rows[start : start + _CHUNK]
        distance = squares[None, :] - 2.0 * (chunk @ rows.T)
        distance[np.arange(len(chunk)), np.arange(start, start + len(chunk))] = np.inf
        nearest = np.argpartition(distance, neighbours - 1, axis=1)[:, :neighbours]
        agree = label_of[nearest] == label_of[start : start + len(chunk), None]
        kept[start : start + len(chunk)] = agree.any(axis=1)
    return kept


def _batch(glyphs: Sequence[Glyph]) -> PointBatch:
    """All drawings in one array, each scaled into the middle of a unit square."""
    batch = PointBatch.of([Ink.from_strokes(glyph.strokes) for glyph in glyphs])
    counts = np.array([len(glyph.points) for glyph in glyphs])
    size = np.array([max(glyph.width, glyph.height, 1e-9) for glyph in glyphs])[:, None]
    room = size - np.array([(glyph.width, glyph.height) for glyph in glyphs])
    xy = (batch.xy + np.repeat(room / 2, counts, axis=0)) / np.repeat(size, counts, axis=0)
    return replace(batch, xy=xy)
