"""Several models as one: their probabilities are averaged at every step (the paper's system P3, section III).

Combines steppers over one vocabulary into one stepper. The mean is taken of probabilities, not of their
logarithms: one confident model can carry a token that the others miss.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from .stepper import DecodingError, Floats, Ids, State, StepOutput, Stepper


@dataclass(frozen=True, slots=True)
class _State:
    parts: tuple[State, ...]
    attention_shares: Floats  # (models,) sum to 1


class EnsembleStepper:
    """A stepper that asks all its members."""

    def __init__(
        self,
        steppers: Sequence[Stepper],
        *,
        weights: Sequence[float] | None = None,
        views: Sequence[int] | None = None,
    ) -> None:
        """Join steppers with equal vocabularies.

        `weights` (equal by default) are scaled to sum to 1. Where members read different features, each
        expression is given as a sequence of arrays, and `views[i]` says which of them member i reads.
        """
        self._steppers = tuple(steppers)
        self.vocabulary = self._steppers[0].vocabulary
        for number, stepper in enumerate(self._steppers[1:], 2):
            if stepper.vocabulary.tokens != self.vocabulary.tokens:
                raise DecodingError(f"model {number} of the ensemble has another vocabulary than model 1")
        shares = np.ones(len(steppers)) if weights is None else np.asarray(weights, float)
        self._log_shares = np.log(shares / shares.sum()).astype(np.float32)
        self._views = views

    def start(self, features: Sequence[Any]) -> State:
        views = self._views
        parts = [
            stepper.start(features if views is None else [arrays[views[member]] for arrays in features])
            for member, stepper in enumerate(self._steppers)
        ]
        lengths = [stepper.lengths(part) for stepper, part in zip(self._steppers, parts, strict=True)]
        # Attention can only be averaged between members whose annotations stand for the same ink.
        alike = np.array([np.array_equal(length, lengths[0]) for length in lengths])
        shares = np.where(alike, np.exp(self._log_shares), 0).astype(np.float32)
        return _State(tuple(parts), shares / shares.sum())

    def step(self, state: State, tokens: Ids) -> StepOutput:
        """Average the members' probabilities, and their attention where they have as many annotations."""
        parts = zip(self._steppers, state.parts, strict=True)
        outputs = [stepper.step(part, tokens) for stepper, part in parts]
        weighted = np.stack([output.log_probs for output in outputs])  # (models, rows, K)
        weighted = weighted + self._log_shares[:, None, None]
        # The shift by the maximum keeps improbable tokens from becoming log 0.
        highest = np.maximum(weighted.max(axis=0), np.finfo(np.float32).min)
        log_probs = highest + np.log(np.exp(weighted - highest).sum(axis=0))
        shares = zip(outputs, state.attention_shares, strict=True)
        attention: Floats = reduce(np.add, [each.attention * share for each, share in shares if share > 0])
        following = _State(tuple(output.state for output in outputs), state.attention_shares)
        return StepOutput(log_probs, attention, following)

    def select(self, state: State, rows: Ids) -> State:
        parts = zip(self._steppers, state.parts, strict=True)
        return _State(tuple(stepper.select(part, rows) for stepper, part in parts), state.attention_shares)

    def lengths(self, state: State) -> Ids:
        """Number of annotations of the first member, whose attention stands for the ensemble's."""
        return self._steppers[0].lengths(state.parts[0])
