"""An exported network as the `Stepper` of decoding: features in, log probabilities and attention out.

The hypotheses of an expression share its annotations: they are rows of a grid (expressions, hypotheses), and
nothing of the encoder's output is ever copied per hypothesis. A grid with gaps, where expressions have fewer
hypotheses than others, is filled up with rows that nobody reads. A state is never changed, so one stepper
serves any number of threads.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from inktex.decoding import StepOutput
from inktex.latex import Vocabulary

from .modelfile import ModelError

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Encoded:
    """What the encoder made of expressions; the first axis is the expression."""

    keys: Floats  # (E, 1, n', L)
    values: Floats  # (E, L, 3n + K)
    mask: Floats  # (E, 1, L)
    lengths: Ids  # (E,)

    def take(self, expressions: Ids) -> "_Encoded":
        length = int(self.lengths[expressions].max())
        return _Encoded(
            np.ascontiguousarray(self.keys[expressions, :, :, :length]),
            np.ascontiguousarray(self.values[expressions, :length]),
            np.ascontiguousarray(self.mask[expressions, :, :length]),
            self.lengths[expressions],
        )


@dataclass(frozen=True, slots=True)
class OnnxState:
    """One row per hypothesis, the rows of an expression next to each other."""

    encoded: _Encoded
    owners: Ids  # (rows,) expression of each row, ascending
    hidden: Floats  # (rows, n)
    coverage: Floats | None  # (rows, L)


class OnnxStepper:
    """Runs the two graphs of one network on `threads` threads."""

    def __init__(
        self, encoder: bytes, decoder: bytes, vocabulary: Vocabulary, stride: int, *, threads: int = 1
    ) -> None:
        self.vocabulary = vocabulary
        self._stride = stride
        self._encoder = _session(encoder, threads)
        self._decoder = _session(decoder, threads)
        self._with_coverage = "coverage" in {each.name for each in self._decoder.get_inputs()}
        self._outputs = ["log_probs", "attention", "hidden_after"]
        self._outputs += ["coverage_after"] if self._with_coverage else []

    def start(self, features: Sequence[Any]) -> OnnxState:
        """Encode expressions, each (N_i, 8) with at least one row."""
        sizes = np.array([len(rows) for rows in features], np.int32)
        if sizes.min() < 1:
            raise ModelError("an expression has no features; ink needs at least one point")
        steps = -(-int(sizes.max()) // self._stride) * self._stride
        padded = np.zeros((steps, len(features), 8), np.float32)
        for place, rows in enumerate(features):
            padded[: len(rows), place] = rows
        keys, values, hidden, mask = self._encoder.run(
            ["keys", "values", "hidden", "mask"], {"features": padded, "lengths": sizes}
        )
        lengths = -(-sizes.astype(np.int64) // self._stride)
        coverage = np.zeros((len(features), mask.shape[2]), np.float32) if self._with_coverage else None
        return OnnxState(_Encoded(keys, values, mask, lengths), np.arange(len(features)), hidden, coverage)

    def step(self, state: OnnxState, tokens: Ids) -> StepOutput:
        """Predict the next token of every row."""
        encoded, rows = state.encoded, len(state.owners)
        if len(encoded.lengths) == 1:
            return self._step_alone(state, tokens)
        grid = _Grid.over(state.owners, len(encoded.lengths))
        feed = {
            "tokens": grid.spread(np.asarray(tokens, np.int64)),
            "hidden": grid.spread(state.hidden),
            "keys": encoded.keys,
            "values": encoded.values,
            "mask": encoded.mask,
        }
        if state.coverage is not None:
            feed["coverage"] = grid.spread(state.coverage)
        log_probs, attention, hidden, *coverage = (
            grid.gather(array, rows) for array in self._decoder.run(self._outputs, feed)
        )
        after = OnnxState(encoded, state.owners, hidden, coverage[0] if coverage else None)
        return StepOutput(log_probs, attention, after)

    def _step_alone(self, state: OnnxState, tokens: Ids) -> StepOutput:
        """`step` for one expression, whose rows are the grid: nothing needs to be put in order."""
        encoded = state.encoded
        feed = {
            "tokens": np.asarray(tokens, np.int64)[None],
            "hidden": state.hidden[None],
            "keys": encoded.keys,
            "values": encoded.values,
            "mask": encoded.mask,
        }
        if state.coverage is None:
            log_probs, attention, hidden = self._decoder.run(self._outputs, feed)
            return StepOutput(log_probs[0], attention[0], OnnxState(encoded, state.owners, hidden[0], None))
        feed["coverage"] = state.coverage[None]
        log_probs, attention, hidden, coverage = self._decoder.run(self._outputs, feed)
        after = OnnxState(encoded, state.owners, hidden[0], coverage[0])
        return StepOutput(log_probs[0], attention[0], after)

    def select(self, state: OnnxState, rows: Ids) -> OnnxState:
        """Gather rows; expressions without any are forgotten."""
        owners, encoded = state.owners.take(rows), state.encoded
        if len(encoded.lengths) > 1:
            present, numbers = np.unique(owners, return_inverse=True)
            if len(present) < len(encoded.lengths):
                encoded, owners = encoded.take(present), numbers.astype(np.int64)
        hidden, coverage = state.hidden.take(rows, axis=0), state.coverage
        if coverage is not None:
            coverage = coverage.take(rows, axis=0)[:, : encoded.mask.shape[2]]
        return OnnxState(encoded, owners, hidden, coverage)

    def lengths(self, state: OnnxState) -> Ids:
        """Valid annotations per row."""
        return state.encoded.lengths[state.owners]


@dataclass(frozen=True, slots=True)
class _Grid:
    """Where each row stands in the grid (expressions, hypotheses)."""

    shape: tuple[int, int]
    places: Ids | None  # (rows,) place in the flattened grid; None where rows fill it in their order

    @classmethod
    def over(cls, owners: Ids, expressions: int) -> "_Grid":
        if expressions == 1:
            return cls((1, len(owners)), None)
        counts = np.bincount(owners, minlength=expressions)
        widest = int(counts.max())
        ascending = bool((owners[1:] >= owners[:-1]).all())
        if ascending and (counts == widest).all():
            return cls((expressions, widest), None)
        order = np.argsort(owners, kind="stable")
        first = np.cumsum(counts) - counts
        places = np.empty(len(owners), np.int64)
        places[order] = owners[order] * widest + np.arange(len(owners)) - first[owners[order]]
        return cls((expressions, widest), places)

    def spread(self, rows: NDArray[Any]) -> NDArray[Any]:
        if self.places is None:
            return rows.reshape(*self.shape, *rows.shape[1:])
        grid = np.zeros((self.shape[0] * self.shape[1], *rows.shape[1:]), rows.dtype)
        grid[self.places] = rows
        return grid.reshape(*self.shape, *rows.shape[1:])

    def gather(self, grid: NDArray[Any], rows: int) -> NDArray[Any]:
        flat = grid.reshape(self.shape[0] * self.shape[1], *grid.shape[2:])
        return flat[:rows] if self.places is None else flat[self.places]


def _session(graph: bytes, threads: int) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # plans are made per shape, and every step has another one
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no common type
        raise ModelError(f"onnxruntime cannot load the network: {error}") from None
