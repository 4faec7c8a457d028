"""Ink read twice and ink never read, found from attention alone (the paper's §II-D and §III-C).

Takes tokens and their attention on strokes. Returns the strokes that no symbol looked at
(under-translation), and the symbols that looked where an earlier symbol had looked (over-translation). No
truth is needed, so any ink can be checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inktex.reading import symbol_places
from inktex.reading.attention import Floats

# Chosen on the validation set: of symbols that were read correctly, less than 1 % cross either line.
REREAD_FROM = 0.6  # share of its attention that a symbol has in common with an earlier one
UNREAD_BELOW = 0.4  # attention that all symbols together paid to the ink of a symbol


@dataclass(frozen=True)
class Rereading:
    """A symbol that was read from ink that an earlier symbol had been read from."""

    token: int  # place of the symbol
    before: int  # place of the earlier symbol
    stroke: int  # the stroke that both looked at most


def stroke_coverage(tokens: Sequence[str], attention: Floats) -> Floats:
    """(S,) attention that all symbols together paid to every stroke (the paper's β, of symbols only)."""
    coverage: Floats = attention[symbol_places(tokens)].sum(axis=0)
    return coverage


def rereadings(tokens: Sequence[str], attention: Floats) -> tuple[Rereading, ...]:
    """Symbols that looked where an earlier one had looked, each with the earlier one it shares most with."""
    symbols = symbol_places(tokens)
    weight = attention[symbols]
    found: list[Rereading] = []
    for number in range(1, len(symbols)):
        common = np.minimum(weight[:number], weight[number])  # (earlier symbols, S)
        overlaps = common.sum(axis=1)
        most = int(overlaps.argmax())
        if overlaps[most] >= REREAD_FROM:
            stroke = int(common[most].argmax())
            found.append(Rereading(symbols[number], symbols[most], stroke))
    return tuple(found)
