"""Small models for the tests of the search: exact, seeded, and quick to understand."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inktex.decoding import StepOutput
from inktex.latex import Vocabulary

TOKENS = r"x y 1 + ( ) ' [ ] { } ^ _ \sum \frac \sqrt \limits"
FORMULAS = Vocabulary(("<eol>", *TOKENS.split()))


def log_softmax(values: np.ndarray) -> np.ndarray:
    shifted = values - values.max(axis=-1, keepdims=True)
    return (shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))).astype(np.float32)


@dataclass(frozen=True)
class RnnState:
    annotations: np.ndarray  # (rows, L, 4)
    lengths: np.ndarray  # (rows,)
    hidden: np.ndarray  # (rows, 6)


class RnnStepper:
    """A recurrent network with attention and random weights; `sharpness` sets how sure of itself it is."""

    def __init__(self, seed: int, *, vocabulary: Vocabulary = FORMULAS, sharpness: float = 2.0) -> None:
        random = np.random.default_rng(seed)
        self.vocabulary = vocabulary
        self.steps = 0
        self._sharpness = sharpness
        self._embedding = random.normal(size=(vocabulary.size, 6))
        self._into_hidden = random.normal(size=(6 + 6 + 4, 6))
        self._query = random.normal(size=(6, 4))
        self._output = random.normal(size=(6 + 4, vocabulary.size))

    def start(self, features: Sequence[np.ndarray]) -> RnnState:
        lengths = np.array([len(rows) for rows in features])
        annotations = np.zeros((len(features), lengths.max(), 4))
        for row, array in enumerate(features):
            annotations[row, : len(array)] = array
        return RnnState(annotations, lengths, annotations.sum(axis=1) @ np.ones((4, 6)) * 0.1)

    def step(self, state: RnnState, tokens: np.ndarray) -> StepOutput:
        self.steps += 1
        energy = (state.annotations * (state.hidden @ self._query)[:, None]).sum(axis=2)
        valid = np.arange(energy.shape[1]) < state.lengths[:, None]
        weights = np.where(valid, np.exp(np.clip(energy, -30, 30)), 0)
        attention = weights / weights.sum(axis=1, keepdims=True)
        context = (attention[:, :, None] * state.annotations).sum(axis=1)
        joined = np.concatenate([self._embedding[tokens], state.hidden, context], axis=1)
        hidden = np.tanh(joined @ self._into_hidden)
        logits = np.concatenate([hidden, context], axis=1) @ self._output
        following = RnnState(state.annotations, state.lengths, hidden)
        return StepOutput(log_softmax(self._sharpness * logits), attention.astype(np.float32), following)

    def select(self, state: RnnState, rows: np.ndarray) -> RnnState:
        return RnnState(state.annotations[rows], state.lengths[rows], state.hidden[rows])

    def lengths(self, state: RnnState) -> np.ndarray:
        return state.lengths


class TableStepper:
    """Next-token probabilities looked up by the previous token; the state of a row is its expression.

    The feature array of expression i holds one row with the number i.
    """

    def __init__(self, tables: np.ndarray, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.tables = tables  # (expressions, K, K) log probabilities

    def start(self, features: Sequence[np.ndarray]) -> np.ndarray:
        return np.array([int(array[0, 0]) for array in features])

    def step(self, state: np.ndarray, tokens: np.ndarray) -> StepOutput:
        return StepOutput(self.tables[state, tokens], np.ones((len(state), 1), np.float32), state)

    def select(self, state: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return state[rows]

    def lengths(self, state: np.ndarray) -> np.ndarray:
        return np.ones(len(state), np.int64)


def random_features(seed: int, count: int) -> list[np.ndarray]:
    """Inputs of different lengths for `RnnStepper`."""
    random = np.random.default_rng(seed)
    return [random.normal(size=(int(random.integers(1, 9)), 4)) for _ in range(count)]
