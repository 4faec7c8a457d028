"""One drawing of one symbol: what it could be, over the whole vocabulary, without a search.

A lone symbol is one token, so one step of the decoder is enough: it gives the probabilities of the first
token. A decoder that writes backwards gives those of the last token, which is the same one. They are
multiplied and normalised over the symbols that can be drawn alone.

Most people draw a 7 from its top and an X from the left, but not all do, and the network reads strokes in the
order and direction of writing. So it sees the drawing a second time, put into the usual order, and that
counts half as much. A comma alone has the shape of a closing bracket; the network takes too many for one.
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

IN_ORDER = 1 / 3  # how much the drawing in the usual order counts; the drawing itself has the rest
FAVOUR = 1.5  # added to the log probability of a comma (docs/experiments.md)

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
    favour = FAVOUR * np.array([token == "," for token in model.info.vocabulary.tokens])
    found = np.zeros((len(inks), len(alone)))
    for start in range(0, len(inks), batch):
        drawn = inks[start : start + batch]
        total = (1 - IN_ORDER) * _log_probs(model, drawn)
        total += IN_ORDER * _log_probs(model, [in_usual_order(each) for each in drawn]) + favour
        total[:, ~alone] = -np.inf
        total = np.exp(total - total.max(axis=1, keepdims=True))
        found[start : start + len(drawn)] = total / total.sum(axis=1, keepdims=True)
    return found


def in_usual_order(drawing: Ink) -> Ink:
    """The strokes of a drawing from left to right, each drawn downwards or to the right."""
    strokes = []
    for stroke in drawing:
        right, down = stroke[-1] - stroke[0]
        strokes.append(stroke[::-1] if down + 0.5 * right < 0 else stroke)
    strokes.sort(key=lambda stroke: float(stroke[:, 0].min() + 0.3 * stroke[:, 1].min()))
    return Ink.from_strokes(strokes)


def _log_probs(model: Model, inks: Sequence[Ink]) -> Floats:
    """(n, K) log probability of each token as the first and, with a backward decoder, as the last."""
    given = readable(model, inks)
    sides = [(model.stepper(), [each.arrays for each in given])]
    backward = model.backward_stepper()
    if backward is not None:
        sides.append((backward, [each.backward for each in given]))
    first = np.zeros(len(given), np.int64)
    steps = [stepper.step(stepper.start(arrays), first).log_probs for stepper, arrays in sides]
    mean: Floats = np.mean(steps, axis=0, dtype=np.float64)
    return mean
