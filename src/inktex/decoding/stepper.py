"""What the search asks of a model: one decoder step for a batch of hypotheses.

A stepper takes the features of expressions, then the previous token of every hypothesis, and returns the log
probabilities of the next token and the attention behind them (the paper's equations 6 to 9, one time step).
The search knows nothing else about a network, so torch, onnxruntime, an ensemble and a table in a test all
work the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inktex.latex import Vocabulary

Floats: TypeAlias = NDArray[np.floating[Any]]
Ids: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

# What a model carries from step to step (annotations, hidden state, coverage) is its own business.
State: TypeAlias = Any

# A token that a model gives no probability at all may still be the only one that keeps the LaTeX well-formed.
LOWEST_LOG_PROB = -1000.0


class DecodingError(ValueError):
    """A model and a search that do not fit together, or a model that gives no usable numbers."""


class SearchCancelled(RuntimeError):
    """The caller no longer wants the answer."""


@dataclass(frozen=True, slots=True)
class StepOutput:
    """One step of all hypotheses."""

    log_probs: Floats  # (rows, K) of the next token
    attention: Floats  # (rows, L): where the model looked; zero past an expression's own annotations
    state: State


class Stepper(Protocol):
    """A model that decodes step by step; a row is one hypothesis of one expression."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens that the columns of `log_probs` stand for."""

    def start(self, features: Sequence[Any]) -> State:
        """Encode a batch of (N_i, 8) feature arrays; one row per expression."""

    def step(self, state: State, tokens: Ids) -> StepOutput:
        """Take the previous token of every row (0 at the very start) and predict the next one."""

    def select(self, state: State, rows: Ids) -> State:
        """Gather rows: the search repeats, reorders and drops hypotheses."""

    def lengths(self, state: State) -> Ids:
        """Number of valid annotations per row."""


class EncodedStepper:
    """A stepper whose expressions are encoded already, all at once; `start` takes their positions."""

    def __init__(self, stepper: Stepper, features: Sequence[Any]) -> None:
        self._state = stepper.start(features)
        self.vocabulary = stepper.vocabulary
        self.step, self.select, self.lengths = stepper.step, stepper.select, stepper.lengths

    def start(self, features: Sequence[int]) -> State:
        return self.select(self._state, np.asarray(features, np.int64))
