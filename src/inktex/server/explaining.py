"""Where the network looked: for each token the strokes, and the brightness of each of their points.

Attention is mapped back to the points of the ink. Each token's row is scaled to its own brightest
point and written as numbers from 0 to 255; dark strokes are left out. A picture needs no more, and the
message stays small.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from inktex.ink import Ink
from inktex.recognizer import Recognizer

_DARK = 6  # of 255
_LIFT = 0.75  # below 1, what is looked at a little comes up to where the eye sees it


def explanation(recognizer: Recognizer, ink: Ink, seconds: float) -> dict[str, Any]:
    """Tokens as the network reads them by itself, and its attention for each."""
    reading = recognizer.explain(ink, timeout=seconds)[0]
    tokens = reading.tokens
    weights = reading.intensity(np.arange(len(ink.points), dtype=np.float64))[: len(tokens)]
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
