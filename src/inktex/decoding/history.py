"""Where every hypothesis came from: back-pointers per step, read backwards once a hypothesis is finished.

Comes in: the choices of each step. Goes out: `Hypothesis`. Nothing is copied while the search runs; the
attention of a step stays the array that the model returned.
"""

from dataclasses import dataclass

import numpy as np

from .options import Hypothesis
from .stepper import Floats, Ids


@dataclass(frozen=True, slots=True)
class _Step:
    parents: Ids  # (choices,) which choice of the step before each one continues
    rows: Ids  # (choices,) which row of the model's output it was read from
    tokens: Ids  # (choices,)
    log_probs: Floats  # (choices,) of the model
    attention: Floats  # (rows, L)


class History:
    """The choices of all steps of one search."""

    def __init__(self) -> None:
        self._steps: list[_Step] = []

    def record(self, parents: Ids, rows: Ids, tokens: Ids, log_probs: Floats, attention: Floats) -> None:
        """Add the choices of one more step."""
        self._steps.append(_Step(parents, rows, tokens, log_probs, attention))

    def trace(self, step: int, choice: int, *, length: int, score: float, cut: bool) -> Hypothesis:
        """The hypothesis that ended with this choice; its expression has `length` annotations."""
        count = step + 1
        tokens = np.empty(count, np.int64)
        log_probs = np.empty(count, np.float32)
        attention = np.empty((count, length), np.float32)
        for index in range(step, -1, -1):
            past = self._steps[index]
            tokens[index] = past.tokens[choice]
            log_probs[index] = past.log_probs[choice]
            attention[index] = past.attention[past.rows[choice], :length]
            choice = int(past.parents[choice])
        return Hypothesis(
            tokens=tuple(tokens[:-1].tolist()),
            log_prob=float(log_probs.sum(dtype=np.float64)),
            score=score,
            token_log_probs=log_probs,
            attention=attention,
            cut=cut,
        )
