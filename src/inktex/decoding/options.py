"""Options and results of a search, as plain data.

`SearchOptions` also holds the formula that ranks hypotheses of different lengths, since a sum of log
probabilities favours short answers: the plain sum, the sum divided by a power of the length, or a reward per
token. Which one is best depends on the model and is chosen on the validation set.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .stepper import DecodingError

LengthHandling: TypeAlias = Literal["none", "normalise", "reward"]


@dataclass(frozen=True)
class SearchOptions:
    """How to search. The defaults are the paper's beam of 10 with well-formed output."""

    beam: int = 10  # hypotheses kept per expression and step
    top: int = 1  # answers wanted per expression
    max_length: int = 200  # tokens of an answer, at most; braces are closed in time
    grammar: bool = True  # only well-formed LaTeX
    length_handling: LengthHandling = "none"
    length_weight: float = 1.0  # exponent of "normalise", log probability per token of "reward"
    horizon: int = 8  # with length handling: certain tokens credited before a hypothesis is given up
    backward_weight: float = 0.5  # of the score of a reader from right to left, where there is one
    backward_beam: int | None = None  # hypotheses of its own search; None: as `beam`, 0: it only scores
    copies: int = 0  # distorted copies of the ink on which a reader scores the hypotheses again
    copy_weight: float = 1.0  # of the mean score on the copies
    prune: float | None = None  # drop hypotheses this many nats behind the best; None keeps the beam full
    widest: int | None = None  # hypotheses times annotations of a step, past which a reader narrows the beam
    symbols: frozenset[int] | None = None  # ids that may be written (structure always may); None: all

    def __post_init__(self) -> None:
        if self.beam < 1 or self.top < 1 or self.max_length < 1:
            raise DecodingError("beam, top and max_length are at least 1")
        if self.length_handling not in ("none", "normalise", "reward"):
            raise DecodingError(f"length_handling is none, normalise or reward, not {self.length_handling!r}")
        if self.length_handling == "normalise" and self.length_weight < 0:
            raise DecodingError("length_weight is the exponent of the length and cannot be negative")
        if min(self.horizon, self.prune or 0, self.widest or 0, self.backward_beam or 0, self.copies) < 0:
            raise DecodingError("horizon, prune, widest, backward_beam and copies cannot be negative")

    def score(self, total: float, count: int) -> float:
        """Rank value of a sum of log probabilities over `count` tokens, the end mark included."""
        if self.length_handling == "normalise":
            return total / float(count**self.length_weight)
        if self.length_handling == "reward":
            return total + self.length_weight * count
        return total

    def bound(self, total: float, count: int, longest: int) -> float:
        """Best score that a sum over `count` tokens may still reach when it ends within `longest` tokens.

        The sum can only fall, and for a given sum the score is monotone in the length, so the best score
        is at one of the two lengths.
        """
        if self.length_handling == "none":
            return total
        return max(self.score(total, count + 1), self.score(total, max(longest, count + 1)))


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """One finished answer of a search."""

    tokens: tuple[int, ...]  # ids, without the end mark
    log_prob: float  # of the model, summed over the tokens and the end mark
    score: float  # what answers are ranked by: after length handling
    token_log_probs: NDArray[np.float32]  # (T+1,), the end mark last
    attention: NDArray[np.float32]  # (T+1, L) over the valid annotations of the expression
    cut: bool = False  # it used up the length it was allowed (or the time), so its end may have been forced
