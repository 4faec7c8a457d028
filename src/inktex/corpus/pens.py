"""The same ink from another pen: a mouse, a slow digitiser, one that sends too many points.

Pens differ in their resolution and in how often they report a position. `with_another_pen` changes some
pieces to what another pen would have recorded and leaves the others alone.
"""

from dataclasses import dataclass
from random import Random

import numpy as np

from inktex.corpus.bank import Points
from inktex.corpus.recombine import Piece


@dataclass(frozen=True)
class Pens:
    """Shares of the pieces that are written with other pens."""

    mouse: float = 0.1  # positions are whole pixels of a coarse grid, and the hand trembles
    sparse: float = 0.05  # every second point is missing
    dense: float = 0.05  # points between the points, all of them jittering


def with_another_pen(piece: Piece, pens: Pens, random: Random) -> Piece:
    """The piece, or now and then the piece as another pen would have it."""
    chance = random.random()
    if chance < pens.mouse:
        strokes = _by_mouse(piece.strokes, random)
    elif chance < pens.mouse + pens.sparse:
        strokes = tuple(_sparse(stroke) for stroke in piece.strokes)
    elif chance < pens.mouse + pens.sparse + pens.dense:
        strokes = _dense(piece.strokes, random)
    else:
        return piece
    return Piece(strokes, piece.tokens, piece.strokes_of)


def _by_mouse(strokes: tuple[Points, ...], random: Random) -> tuple[Points, ...]:
    pixel = _size(strokes) / random.uniform(18.0, 60.0)
    rng = np.random.default_rng(random.getrandbits(32))
    tremble = rng.normal(0.0, 0.5 * pixel, (sum(map(len, strokes)), 2))
    points = np.round((np.concatenate(strokes) + tremble) / pixel) * pixel
    return tuple(np.split(points, np.cumsum([len(stroke) for stroke in strokes[:-1]])))


def _sparse(stroke: Points) -> Points:
    """Every second point and both ends."""
    return stroke if len(stroke) < 8 else np.concatenate((stroke[:-1:2], stroke[-1:]))


def _dense(strokes: tuple[Points, ...], random: Random) -> tuple[Points, ...]:
    rng = np.random.default_rng(random.getrandbits(32))
    jitter = 0.008 * _size(strokes)
    made = []
    for stroke in strokes:
        doubled = np.repeat(stroke, 2, axis=0)[:-1]
        doubled[1::2] = (stroke[1:] + stroke[:-1]) / 2
        made.append(doubled + rng.normal(0.0, jitter, doubled.shape))
    return tuple(made)


def _size(strokes: tuple[Points, ...]) -> float:
    """Mean extent of the strokes."""
    return float(np.mean([np.ptp(stroke, axis=0).max() for stroke in strokes])) or 1.0
