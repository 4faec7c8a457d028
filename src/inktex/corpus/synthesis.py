"""Writes new expressions from tokens: ink with truth, segmentation and the strokes of each token.

The hand of `placing` decides which glyph of a symbol bank goes where. Here the glyphs become one ink with
the irregularities that run through a whole expression: slant, a line that rises or falls, a slow wobble, the
jitter of the pen. The same seed gives the same ink.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from math import exp
from random import Random

import numpy as np

from inktex.corpus.bank import Points, SymbolBank
from inktex.corpus.draft import Draft, gather
from inktex.corpus.example import STRUCTURE, Example
from inktex.corpus.language import ExpressionModel
from inktex.corpus.placing import Hand
from inktex.corpus.roles import WORDS
from inktex.ink import Ink, Symbol
from inktex.latex import parse_layout


@dataclass(frozen=True)
class SynthesisOptions:
    """How irregular the writing is; 1 is what people do on average."""

    scatter: float = 1.0  # sizes, distances, heights on the line
    slant: float = 0.06  # spread of the slant of whole expressions, beside that of the glyphs
    slope: float = 0.02  # spread of the slope of the line
    wobble: float = 0.04  # slow deviations, in x-heights
    jitter: float = 0.006  # of single points, in x-heights
    size: float = 40.0  # middle x-height, in units of the ink


class Synthesizer:
    """Writes expressions with the glyphs of a bank."""

    def __init__(self, bank: SymbolBank, options: SynthesisOptions | None = None) -> None:
        self.bank = bank
        self.options = options or SynthesisOptions()

    def missing(self, tokens: tuple[str, ...]) -> tuple[str, ...]:
        """List the tokens that the bank has no symbol for; function names can be written letter by letter."""
        return tuple(
            token
            for token in tokens
            if token not in self.bank
            and token not in STRUCTURE
            and not (token in WORDS and all(letter in self.bank for letter in token[1:]))
        )

    def write(self, tokens: tuple[str, ...], seed: int | str, stem: str = "") -> Example:
        """Write canonical tokens; the same seed gives the same ink."""
        missing = self.missing(tokens)
        if missing:
            raise ValueError(f"the symbol bank {self.bank.name!r} has no {', '.join(sorted(set(missing)))}")
        random = Random(seed)
        hand = Hand(self.bank, random, self.options.scatter)
        placed = hand.write_row(parse_layout(tokens).row, 0.0, 0.0, 1.0)
        if not placed:
            raise ValueError("no tokens to write")
        points = self._roughened(gather(placed), random)
        piece = Draft(list(tokens), placed).finished(points)
        ink = Ink(
            points=points,
            offsets=np.cumsum([0, *map(len, piece.strokes)]),
            truth=" ".join(tokens),
            symbols=tuple(
                Symbol(token, strokes)
                for token, strokes in zip(tokens, piece.strokes_of, strict=True)
                if strokes
            ),
            writer=hand.writer,
            source=f"synthetic/{stem}" if stem else "synthetic",
        )
        return Example(ink, tokens, piece.strokes_of, stem, f"synthetic-{self.bank.name}")

    def _roughened(self, points: Points, random: Random) -> Points:
        options = self.options
        rng = np.random.default_rng(random.getrandbits(64))
        waves = rng.normal(0.0, 1.1, (3, 2))  # radians per x-height
        phases = rng.uniform(0.0, 2 * np.pi, 3)
        amount = options.wobble * exp(random.gauss(0.0, 0.4))
        points = points + np.sin(points @ waves.T + phases) @ rng.normal(0.0, amount, (3, 2))
        points += rng.normal(0.0, options.jitter, points.shape)
        slant = random.gauss(0.0, options.slant)
        slope = random.gauss(0.0, options.slope)
        size = options.size * exp(random.gauss(0.0, 0.3))
        transformed: Points = points @ np.array([[size, slope * size], [-slant * size, size]])
        return transformed


def synthesize(
    synthesizer: Synthesizer, model: ExpressionModel, seed: int, start: int = 0
) -> Iterator[Example]:
    """Write expressions endlessly; number n depends on the seed and n alone, so that work can be shared."""
    return (synthetic_example(synthesizer, model, seed, number) for number in count(start))


def synthetic_example(synthesizer: Synthesizer, model: ExpressionModel, seed: int, number: int) -> Example:
    random = Random(f"{seed}/{number}")
    for _ in range(1000):
        tokens = model.sample(random)
        if not synthesizer.missing(tokens):
            return synthesizer.write(tokens, f"{seed}/{number}/ink", f"synthetic-{seed}-{number}")
    raise ValueError(f"the symbol bank {synthesizer.bank.name!r} has too few symbols for these expressions")
