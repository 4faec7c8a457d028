"""Which strokes does each token belong to? Turns attention into an alignment of strokes and tokens.

Only symbols have ink; braces and script marks look at strokes of other tokens. Attention shows where a
symbol is, but not its extent: of the strokes of an `E` the decoder often looks at one. Three more things are
known (`habits.py`). People write the strokes of a symbol one after the other (99.5 % of the symbols of
CROHME's training set), each symbol has a usual number of strokes, and strokes of one symbol touch or overlap
more often than others.

So the strokes, in writing order, are split into one run per symbol such that the attention inside the runs
and the likelihood of the runs are largest together. A stroke may stay unread and a symbol may stay without
strokes, at a cost. Finally, single strokes may move to another symbol: the dot added to an `i` later.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inktex.features import Features
from inktex.latex import LatexError, parse_layout

from .attention import Floats
from .habits import join_scores, length_scores
from .stroke_runs import Evidence, assign_strokes

_STRUCTURE = frozenset("{}^_")


@dataclass(frozen=True)
class Alignment:
    """Strokes and the tokens that read them."""

    strokes_of: tuple[tuple[int, ...], ...]  # per token, () for { } ^ _
    token_of_stroke: tuple[int | None, ...]  # None for an unread stroke
    unread: tuple[int, ...]  # strokes that no symbol was read from
    reread: tuple[int, ...]  # strokes that more than one symbol was read from


class LazyAlignment:
    """An alignment computed on first use, since it takes a twentieth of the time of a recognition."""

    def __init__(self, given: tuple[Sequence[str], Floats, Features] | Alignment) -> None:
        """Of tokens, attention on strokes (T+1, S) and features; or an alignment that is known already."""
        self._given = given

    @property
    def value(self) -> Alignment:
        if not isinstance(self._given, Alignment):
            tokens, attention, features = self._given
            self._given = align_strokes(tokens, attention, join_scores(features))
        return self._given


def align_strokes(tokens: Sequence[str], attention: Floats, joins: Floats) -> Alignment:
    """Align by attention that is already given per stroke, (T+1, S), and the `join_scores` of the ink."""
    stroke_count = attention.shape[1]
    symbols = symbol_places(tokens)
    strokes_of: list[list[int]] = [[] for _ in tokens]
    token_of_stroke: list[int | None] = [None] * stroke_count
    if symbols and stroke_count:
        weight = np.asarray(attention, dtype=np.float64)[symbols]  # (symbols, S)
        lengths = np.stack([length_scores(tokens[place]) for place in symbols])
        owner = assign_strokes(Evidence(weight, lengths, np.asarray(joins, dtype=np.float64)))
        for stroke, symbol in enumerate(owner.tolist()):
            if symbol >= 0:
                token_of_stroke[stroke] = symbols[symbol]
                strokes_of[symbols[symbol]].append(stroke)
        for symbol, place in enumerate(symbols):
            if not strokes_of[place]:
                strokes_of[place].append(int(weight[symbol].argmax()))
    readers = np.bincount([s for strokes in strokes_of for s in strokes], minlength=stroke_count)
    return Alignment(
        strokes_of=tuple(map(tuple, strokes_of)),
        token_of_stroke=tuple(token_of_stroke),
        unread=tuple(np.flatnonzero(readers == 0).tolist()),
        reread=tuple(np.flatnonzero(readers > 1).tolist()),
    )


def symbol_places(tokens: Sequence[str]) -> list[int]:
    """Places of the tokens that are written with ink: all but braces, script marks and index brackets."""
    try:
        return sorted(node.token for node in parse_layout(tokens).symbols() if node.token is not None)
    except LatexError:
        return [place for place, token in enumerate(tokens) if token not in _STRUCTURE]
