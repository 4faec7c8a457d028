"""Readings whose attention is known: every token looks at the strokes it is told to, and nowhere else."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from inktex.corpus import Example, Synthesizer
from inktex.corpus.hershey import hershey_bank
from inktex.decoding import Hypothesis
from inktex.features import FeatureOptions, extract
from inktex.ink import Ink
from inktex.latex import Vocabulary, normalize
from inktex.reading import Reading


@cache
def synthesizer() -> Synthesizer:
    return Synthesizer(hershey_bank(writers=3, repeats=1))


@cache
def written(latex: str, seed: int = 1) -> Example:
    """The expression in the project's own ink."""
    return synthesizer().write(normalize(latex), seed, latex)


def looking_at(
    ink: Ink,
    tokens: Sequence[str],
    looks: Sequence[Sequence[int]],
    *,
    stride: int = 2,
    features: FeatureOptions | None = None,
    shares: Mapping[int, Mapping[int, float]] | None = None,
) -> Reading:
    """A reading in which each token looks evenly at the strokes given; without any, at the whole ink.

    `shares` gives single tokens other weights: token -> stroke -> share.
    """
    made = extract(ink, features or FeatureOptions.polyline())
    annotations = -(-len(made.rows) // stride)
    # How much of each annotation shows each stroke.
    shown = np.zeros((annotations, len(ink)))
    np.add.at(shown, (np.arange(len(made.rows)) // stride, made.stroke), 1.0)
    pure = shown * (shown == shown.sum(axis=1, keepdims=True))  # annotations of one stroke only
    attention = np.zeros((len(tokens) + 1, annotations))
    for place, strokes in enumerate([*looks, ()]):
        weights = dict.fromkeys(strokes or range(len(ink)), 1.0)
        for stroke, share in (shares or {}).get(place, weights).items():
            column = pure[:, stroke] if pure[:, stroke].any() else shown[:, stroke]
            attention[place] += share * column / column.sum()
    attention /= attention.sum(axis=1, keepdims=True)
    certain = np.full(len(tokens) + 1, np.log(0.9), dtype=np.float32)
    vocabulary = Vocabulary.build([tokens])
    best = Hypothesis(
        tuple(vocabulary.encode(tokens)),
        float(certain.sum()),
        float(certain.sum()),
        certain,
        attention.astype(np.float32),
    )
    return Reading(ink, made, (best,), vocabulary, stride)


def read_rightly(example: Example, **options) -> Reading:
    """The truth, each symbol read from its strokes."""
    return looking_at(example.ink, example.tokens, example.strokes_of, **options)
