"""Attention mapped back to the ink: from annotations to feature rows, to points and to strokes.

Takes the attention of one answer, (T+1, L), one row per token with the end mark last (the paper's α,
equation 8), and the features that the annotations were made of. Returns the same rows over the S strokes of
the ink, or at any places on it. Every annotation stands for the `stride` feature rows pooled into it, every
row for a place on a stroke. Between those places attention changes smoothly, but never across the gap
between two strokes.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inktex.features import Features, is_first

Floats: TypeAlias = NDArray[np.floating[Any]]


def stroke_attention(attention: Floats, features: Features, stride: int, stroke_count: int) -> Floats:
    """(T+1, S): how much of each token's attention lies on each stroke; rows sum to 1."""
    checked = _checked(attention, features, stride)
    annotations = checked.shape[1]
    place = np.arange(len(features.rows)) // stride * stroke_count + features.stroke
    shared = np.bincount(place, minlength=annotations * stroke_count).reshape(annotations, stroke_count)
    strokes: Floats = checked @ (shared / shared.sum(axis=1, keepdims=True))
    return strokes


def intensity_at(attention: Floats, features: Features, stride: int, positions: Floats) -> Floats:
    """(T+1, M): how brightly the ink is lit at M positions among its points (fractions lie between two).

    Between 0 and the row's largest attention. Unlike a share of attention it does not depend on how densely
    the pen was sampled.
    """
    checked = _checked(attention, features, stride)
    # Knots are where annotations stand on the ink; one that spans two strokes stands on both.
    annotation = np.arange(len(features.rows)) // stride
    new_stroke = is_first(features.stroke)
    starts = np.flatnonzero(new_stroke | is_first(annotation))
    knots = np.add.reduceat(features.point, starts) / np.diff(np.append(starts, len(annotation)))
    first = np.flatnonzero(new_stroke[starts])  # (strokes,) first and last knot of every stroke
    last = np.append(first[1:], len(starts)) - 1
    stroke = np.searchsorted(features.point[new_stroke], positions, side="right") - 1
    left = np.searchsorted(knots, positions, side="right") - 1
    left = np.clip(left, first[stroke], last[stroke])
    right = np.minimum(left + 1, last[stroke])
    gap = knots[right] - knots[left]
    share = np.divide(positions - knots[left], gap, out=np.zeros(len(positions)), where=gap > 0)
    share = np.clip(share, 0.0, 1.0)
    at = annotation[starts]
    lit: Floats = checked[:, at[left]] * (1 - share) + checked[:, at[right]] * share
    return lit


def _checked(attention: Floats, features: Features, stride: int) -> NDArray[np.float64]:
    """The attention as rows that sum to 1; an error if it cannot belong to these features."""
    annotations = -(-len(features.rows) // stride)
    if attention.ndim != 2 or attention.shape[1] != annotations:
        raise ValueError(
            f"attention of shape {attention.shape} does not fit {len(features.rows)} feature rows pooled by "
            f"{stride}: expected {annotations} annotations"
        )
    weights = np.asarray(attention, dtype=np.float64)
    total = weights.sum(axis=1, keepdims=True)
    even = np.full_like(weights, 1.0 / annotations)
    shares: NDArray[np.float64] = np.divide(weights, total, out=even, where=total > 0)
    return shares
