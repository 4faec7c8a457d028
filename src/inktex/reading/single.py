"""One drawing of one symbol: what it could be, over the whole vocabulary, without a search.

A lone symbol is one token, so one step of the decoder is enough: it gives the probabilities of the first
token. A decoder that writes backwards gives those of the last token, which is the same one. They are
multiplied and normalised over the symbols that can be drawn alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inktex.ink import Ink
from inktex.latex import Vocabulary, symbols

from .model import Model
from .reader import readable

Floats = NDArray[np.float64]

_STRUCTURE = frozenset(token for group in symbols.STRUCTURAL for token in symbols.GROUPS[group])


@dataclass(frozen=True)
class SymbolGuess:
    """One command that a drawing could stand for."""

    latex: str
    probability: float  # among all symbols that can be drawn alone


def drawn_alone(vocabulary: Vocabulary) -> NDArray[np.bool_]:
    r"""(K,) the tokens that a single drawing can be: no braces, fractions, accents, ends of environments."""
    return np.array(
        [number > 0 and token not in _STRUCTURE for number, token in enumerate(vocabulary.tokens)]
    )


def guess_symbols(model: Model, inks: Sequence[Ink]) -> list[tuple[SymbolGuess, ...]]:
    """All symbols that each drawing could be, the likeliest first; InkError if one cannot be read."""
    tokens = model.info.vocabulary.tokens
    found = []
    for row in symbol_probabilities(model, inks):
        order = np.argsort(-row, kind="stable").tolist()
        found.append(tuple(SymbolGuess(tokens[each], float(row[each])) for each in order if row[each] > 0))
    return found


def symbol_probabilities(model: Model, inks: Sequence[Ink], *, batch: int = 32) -> Floats:
    """(n, K) for each drawing the probability of every symbol; 0 for what cannot be drawn alone."""
    alone = drawn_alone(model.info.vocabulary)
    found = np.zeros((len(inks), len(alone)))
    for start in range(0, len(inks), batch):
        given = readable(model, inks[start : start + batch])
        sides = [(model.stepper(), [each.arrays for each in given])]
        backward = model.backward_stepper()
        if backward is not None:
            sides.append((backward, [each.backward for each in given]))
        total = np.zeros((len(given), len(alone)))
        for stepper, arrays in sides:
            first = stepper.step(stepper.start(arrays), np.zeros(len(given), np.int64))
            total += first.log_probs / len(sides)
        total[:, ~alone] = -np.inf
        total = np.exp(total - total.max(axis=1, keepdims=True))
        found[start : start + len(given)] = total / total.sum(axis=1, keepdims=True)
    return found
