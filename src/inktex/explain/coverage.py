"""Ink read twice and ink never read, found from attention alone (the paper's §II-D and §III-C).

In: tokens and their attention on strokes. Out: the strokes that no sign looked at (under-translation), and
the signs that looked where an earlier sign had looked (over-translation). No truth is needed, so that any ink
can be checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .alignment import sign_places
from .attention import Floats

# Chosen on the validation set: of signs that were read correctly, less than 1 % cross either line.
REREAD_FROM = 0.6  # share of its attention that a sign has in common with an earlier one
UNREAD_BELOW = 0.4  # attention that all signs together paid to the ink of a sign


@dataclass(frozen=True)
class Rereading:
    """A sign that was read from ink that an earlier sign had been read from."""

    token: int  # place of the sign
    before: int  # place of the earlier sign
    overlap: float  # share of attention they have in common, 0 to 1
    stroke: int  # the stroke that both looked at most


def stroke_coverage(tokens: Sequence[str], attention: Floats) -> Floats:
    """(S,) attention that all signs together paid to every stroke (the paper's β, of signs only)."""
    coverage: Floats = attention[sign_places(tokens)].sum(axis=0)
    return coverage


def rereadings(tokens: Sequence[str], attention: Floats) -> tuple[Rereading, ...]:
    """Signs that looked where an earlier one had looked, each with the earlier one it shares most with."""
    signs = sign_places(tokens)
    weight = attention[signs]
    found: list[Rereading] = []
    for number in range(1, len(signs)):
        common = np.minimum(weight[:number], weight[number])  # (earlier signs, S)
        overlaps = common.sum(axis=1)
        most = int(overlaps.argmax())
        if overlaps[most] >= REREAD_FROM:
            stroke = int(common[most].argmax())
            found.append(Rereading(signs[number], signs[most], float(overlaps[most]), stroke))
    return tuple(found)
