"""Which strokes did each token read? Attention in, strokes ↔ tokens out.

Only tokens that are signs have ink; braces and script marks look at strokes that belong to others. Attention
alone says where a sign is, but not how far it reaches: of the strokes of an `E` the decoder often looks at
one. Three things are known besides (`habits.py`). People write the strokes of a sign one after the other
(99.5 % of the signs of CROHME's training set), each sign has a usual number of strokes, and strokes of one
sign touch or lie above each other more often than others. So the strokes, in the order of writing, are cut
into one run per sign, such that attention inside of the runs and the likelihood of the runs are largest
together. A stroke may stay unread and a sign may stay without strokes, at a price. At last single strokes may
move to another sign: the dot that was put on an `i` later.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inktex.features import Features
from inktex.latex import LatexError, parse_layout

from .attention import Floats, point_attention, stroke_attention
from .habits import join_scores, length_scores
from .runs import Evidence, assign_strokes

__all__ = ["Alignment", "align", "align_strokes", "point_attention", "sign_places", "stroke_attention"]

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
    on_strokes = stroke_attention(attention, features, stride, stroke_count)
    return align_strokes(tokens, on_strokes, join_scores(features))


def align_strokes(tokens: Sequence[str], attention: Floats, joins: Floats | None = None) -> Alignment:
    """Align by attention that is already given per stroke, (T+1, S), and the `join_scores` of the ink."""
    stroke_count = attention.shape[1]
    signs = sign_places(tokens)
    strokes_of: list[list[int]] = [[] for _ in tokens]
    token_of_stroke: list[int | None] = [None] * stroke_count
    if signs and stroke_count:
        weight = np.asarray(attention, dtype=np.float64)[signs]  # (signs, S)
        lengths = np.stack([length_scores(tokens[place]) for place in signs])
        together = np.zeros(stroke_count - 1) if joins is None else np.asarray(joins, dtype=np.float64)
        owner = assign_strokes(Evidence(weight, lengths, together))
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
