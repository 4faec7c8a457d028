"""Which strokes did each token read? Attention in, strokes ↔ tokens out.

Only tokens that are signs have ink; braces and script marks look at strokes that belong to others. Each
stroke goes to the sign that looked at it most. A sign that would go empty takes one stroke of its own where
that is possible (the cheapest assignment of signs to strokes), else it shares the stroke it looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inktex.features import Features
from inktex.latex import LatexError, parse_layout

from .assignment import cheapest_assignment
from .attention import Floats, point_attention, stroke_attention

__all__ = ["Alignment", "align", "align_strokes", "point_attention", "sign_places", "stroke_attention"]

UNREAD_BELOW = 0.02  # attention that all signs together paid to a stroke; less, and nobody read it
_STRUCTURE = frozenset("{}^_")


@dataclass(frozen=True)
class Alignment:
    """Strokes and the tokens that read them."""

    strokes_of: tuple[tuple[int, ...], ...]  # per token, () for { } ^ _
    token_of_stroke: tuple[int | None, ...]  # None for a stroke that nobody read
    unread: tuple[int, ...]  # strokes that nobody read
    reread: tuple[int, ...]  # strokes that more than one sign was read from


def align(
    tokens: Sequence[str], attention: Floats, features: Features, stride: int, stroke_count: int
) -> Alignment:
    """Align the tokens of an answer with the strokes; `attention` is (T+1, L) of the answer's search."""
    if len(attention) not in (len(tokens), len(tokens) + 1):
        raise ValueError(f"{len(attention)} rows of attention for {len(tokens)} tokens and the end mark")
    return align_strokes(tokens, stroke_attention(attention, features, stride, stroke_count))


def align_strokes(tokens: Sequence[str], attention: Floats) -> Alignment:
    """Align by attention that is already given per stroke, (T+1, S)."""
    stroke_count = attention.shape[1]
    signs = sign_places(tokens)
    strokes_of: list[list[int]] = [[] for _ in tokens]
    token_of_stroke: list[int | None] = [None] * stroke_count
    if signs and stroke_count:
        weight = np.asarray(attention, dtype=np.float64)[signs]  # (signs, S)
        read = weight.sum(axis=0) >= UNREAD_BELOW
        owner = np.where(read, weight.argmax(axis=0), -1)
        owner = _with_empty_signs_served(owner, weight)
        for stroke, sign in enumerate(owner.tolist()):
            if sign >= 0:
                token_of_stroke[stroke] = signs[sign]
                strokes_of[signs[sign]].append(stroke)
        for sign, place in enumerate(signs):
            if not strokes_of[place]:
                strokes_of[place].append(int(weight[sign].argmax()))
    readers = np.bincount([s for strokes in strokes_of for s in strokes], minlength=stroke_count)
    return Alignment(
        strokes_of=tuple(map(tuple, strokes_of)),
        token_of_stroke=tuple(token_of_stroke),
        unread=tuple(np.flatnonzero(readers == 0).tolist()),
        reread=tuple(np.flatnonzero(readers > 1).tolist()),
    )


def sign_places(tokens: Sequence[str]) -> list[int]:
    """Places of the tokens that are written with ink: all but braces, script marks and index brackets."""
    try:
        return sorted(node.token for node in parse_layout(tokens).symbols() if node.token is not None)
    except LatexError:
        return [place for place, token in enumerate(tokens) if token not in _STRUCTURE]


def _with_empty_signs_served(owner: NDArray[np.int64], weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """Give every sign at least one stroke, if it looked at one and there are enough of them."""
    signs, strokes = weight.shape
    if signs > strokes or len(np.unique(owner[owner >= 0])) == signs:
        return owner
    partner = cheapest_assignment(-np.log(np.maximum(weight, 1e-6)))
    served = owner.copy()
    looked = weight[np.arange(signs), partner] >= UNREAD_BELOW
    served[partner[looked]] = np.flatnonzero(looked)
    return served
