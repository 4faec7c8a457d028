"""Where the network looked: an ink in, per token the strokes and how bright each of their points was, out.

Attention is carried back to the points of the ink (`inktex.explain`). Each token's row is scaled to its own
brightest point and written as numbers from 0 to 255, strokes that stay dark are left out: a picture needs no
more, and it is small.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from inktex.explain import intensity_at
from inktex.ink import Ink
from inktex.recognizer import Recognizer

_DARK = 6  # of 255
_LIFT = 0.75  # below 1, what is looked at a little comes up to where the eye sees it


def explanation(recognizer: Recognizer, ink: Ink, seconds: float) -> dict[str, Any]:
    """Tokens as the network reads them by itself, and its attention for each."""
    prepared = recognizer.prepare(ink)
    reading = recognizer.search(ink, prepared, recognizer.options(prepared, top=1), timeout=seconds)
    best = reading.hypotheses[0]
    info = recognizer.model.info
    tokens = info.vocabulary.decode(best.tokens)
    positions = np.arange(len(ink.points), dtype=np.float64)
    weights = intensity_at(best.attention[: len(tokens)], reading.features, info.stride, positions)
    brightest = np.maximum(weights.max(axis=1, keepdims=True), 1e-9)
    levels = np.round(255 * (weights / brightest) ** _LIFT).astype(int)
    cuts = list(pairwise(ink.offsets.tolist()))
    return {
        "tokens": list(tokens),
        "attention": [
            {str(place): row[a:b].tolist() for place, (a, b) in enumerate(cuts) if (row[a:b] > _DARK).any()}
            for row in levels
        ],
    }
