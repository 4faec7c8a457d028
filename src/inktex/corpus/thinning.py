"""Removes points that change nothing, so that there is less to move when ink is changed or joined later."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from inktex.corpus.bank import Glyph, Points
from inktex.corpus.example import Example
from inktex.features import PointBatch, simplify, stroke_units
from inktex.ink import Ink

TOLERANCE = 0.007  # how far a removed point may lie from the line, in mean stroke diagonals
_CHUNK = 512  # inks that are handled together


def thinned_strokes(inks: Sequence[Ink], tolerance: float) -> list[tuple[Points, ...]]:
    """The strokes of every ink without the points that lie on a line between others."""
    thin: list[tuple[Points, ...]] = []
    for start in range(0, len(inks), _CHUNK):
        batch = PointBatch.of(inks[start : start + _CHUNK])
        ink = batch.ink_of_stroke
        batch = simplify(batch, tolerance * stroke_units(batch)[ink[batch.stroke]])
        strokes = np.split(batch.xy, np.flatnonzero(np.diff(batch.stroke)) + 1)
        thin += [tuple(strokes[a:b]) for a, b in pairwise(batch.first_stroke.tolist())]
    return thin


def thinned_examples(examples: Sequence[Example], tolerance: float = TOLERANCE) -> list[Example]:
    thin = map(Ink.from_strokes, thinned_strokes([example.ink for example in examples], tolerance))
    return [replace(example, ink=ink) for example, ink in zip(examples, thin, strict=True)]


def thinned_glyphs(glyphs: Sequence[Glyph]) -> list[Glyph]:
    thin = thinned_strokes([Ink.from_strokes(glyph.strokes) for glyph in glyphs], TOLERANCE)
    pairs = zip(glyphs, thin, strict=True)
    return [Glyph.from_strokes(glyph.label, strokes, glyph.writer) for glyph, strokes in pairs]
