"""What the search asks of a model: one decoder step for a batch of hypotheses.

Comes in: features of expressions, then the previous token of every hypothesis. Goes out: log probabilities
of the next token and the attention they were made with (the paper's equations 6 to 9, one time step). The
search knows nothing else about a network, so torch, onnxruntime, an ensemble and a table in a test all
serve it alike.
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


class TokenScorer(Protocol):
    """A second opinion on the next token that sees tokens only, such as a language model of formulas."""

    def start(self, rows: int) -> State:
        """A state for that many empty hypotheses."""

    def step(self, state: State, tokens: Ids) -> tuple[Floats, State]:
        """Log probabilities (rows, K) of the next token, in the columns of the model's vocabulary."""

    def select(self, state: State, rows: Ids) -> State:
        """Gather rows, as for a `Stepper`."""


@dataclass(frozen=True, slots=True)
class JointOutput:
    """One step of the model and of the scorer, if there is one."""

    log_probs: Floats  # (rows, K) of the model alone
    gains: Floats  # (rows, K) what each next token adds to the sum that the search maximises
    attention: Floats  # (rows, L)
    state: tuple[State, State]


class Joint:
    """A stepper and a scorer moved in step: shallow fusion, `log p(model) + weight * log p(scorer)`."""

    def __init__(self, stepper: Stepper, scorer: TokenScorer | None, weight: float) -> None:
        self._stepper = stepper
        self._scorer = scorer
        self._weight = weight

    def start(self, features: Sequence[Any]) -> tuple[State, State]:
        """Start both for a batch of expressions."""
        scorer_state = None if self._scorer is None else self._scorer.start(len(features))
        return self._stepper.start(features), scorer_state

    def step(self, state: tuple[State, State], tokens: Ids) -> JointOutput:
        """Step both and add up what they say."""
        output = self._stepper.step(state[0], tokens)
        gains: Floats = np.maximum(output.log_probs, LOWEST_LOG_PROB)
        scorer_state = None
        if self._scorer is not None:
            scores, scorer_state = self._scorer.step(state[1], tokens)
            gains = gains + self._weight * np.maximum(scores, LOWEST_LOG_PROB)
        return JointOutput(output.log_probs, gains, output.attention, (output.state, scorer_state))

    def select(self, state: tuple[State, State], rows: Ids) -> tuple[State, State]:
        """Gather rows of both."""
        scorer_state = None if self._scorer is None else self._scorer.select(state[1], rows)
        return self._stepper.select(state[0], rows), scorer_state
