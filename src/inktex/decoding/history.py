"""Where every hypothesis came from: back-pointers per step, followed once a hypothesis is finished.

Records the choices of each step and builds `Hypothesis` objects from them. Nothing is copied while the
search runs; the attention of a step stays the array that the model returned.
"""

from dataclasses import dataclass

import numpy as np

from .options import Hypothesis
from .stepper import Floats


@dataclass(frozen=True, slots=True)
class _Step:
    """Lists, since they are read one by one; a look into an array costs ten times as much."""

    parents: list[int]  # of each choice: which choice of the step before it continues
    rows: list[int]  # which row of the model's output it was read from
    tokens: list[int]
    log_probs: list[float]  # of the model
    attention: Floats  # (rows, L)


class History:
    """The choices of all steps of one search."""

    def __init__(self) -> None:
        self._steps: list[_Step] = []

    def record(
        self,
        parents: list[int],
        rows: list[int],
        tokens: list[int],
        log_probs: list[float],
        attention: Floats,
    ) -> None:
        """Add the choices of one more step."""
        self._steps.append(_Step(parents, rows, tokens, log_probs, attention))

    def trace(self, step: int, choice: int, *, length: int, score: float, cut: bool) -> Hypothesis:
        """The hypothesis that ended with this choice; its expression has `length` annotations."""
        tokens: list[int] = []
        log_probs: list[float] = []
        looks: list[Floats] = []
        for past in reversed(self._steps[: step + 1]):
            tokens.append(past.tokens[choice])
            log_probs.append(past.log_probs[choice])
            looks.append(past.attention[past.rows[choice]])
            choice = past.parents[choice]
        attention = np.empty((step + 1, length), np.float32)
        for place, look in enumerate(reversed(looks)):
            attention[place] = look[:length]
        return Hypothesis(
            tokens=tuple(tokens[:0:-1]),
            log_prob=float(sum(log_probs)),
            score=score,
            token_log_probs=np.array(log_probs[::-1], np.float32),
            attention=attention,
            cut=cut,
        )
