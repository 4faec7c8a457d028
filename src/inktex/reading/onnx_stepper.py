"""An exported network as the `Stepper` that decoding uses, run by onnxruntime.

Expressions are encoded together and decoded one by one: the hypotheses of an expression share its
annotations, so nothing of the encoder's output is copied or padded in a step, and a graph for a single
expression is a third shorter. A state is never changed, so any number of threads can share one stepper.
"""

import threading
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

_OUTPUTS = ["log_probs", "attention", "hidden_after"]
_PER_DECODER = 3  # outputs of an encoder for one decoder


@dataclass(frozen=True, slots=True)
class _Encoded:
    """What the encoder made of one expression."""

    keys: Floats  # (n', L)
    values: Floats  # (L, 3n + K)

    @property
    def length(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class OnnxState:
    """One row per hypothesis of any of the expressions."""

    encoded: tuple[_Encoded, ...]
    owners: Ids  # (rows,) expression of each row
    hidden: Floats  # (rows, n)
    coverage: Floats  # (rows, longest L) sum of past attention


class OnnxEncoder:
    """The encoder of one network, whose decoders may be two.

    Both decoders ask for the same inks in turn, so the last result is kept, for each thread.
    """

    def __init__(self, graph: bytes, stride: int, *, threads: int = 1) -> None:
        self.stride = stride
        self._session = _session(graph, threads)
        self._outputs = [each.name for each in self._session.get_outputs()]
        self._last = threading.local()

    def run(self, features: Sequence[Any], suffix: str = "") -> tuple[Floats, Floats, Floats, Ids]:
        """Keys, values and s_0 for the decoder whose outputs end in `suffix`, and the lengths of the inks."""
        last: tuple[Sequence[Any], dict[str, Floats], Ids] | None = getattr(self._last, "given", None)
        if last is None or list(map(id, last[0])) != list(map(id, features)):
            last = (tuple(features), *self._encode(features))
            self._last.given = last if len(self._outputs) > _PER_DECODER else None
        _, made, sizes = last
        return made[f"keys{suffix}"], made[f"values{suffix}"], made[f"hidden{suffix}"], sizes

    def _encode(self, features: Sequence[Any]) -> tuple[dict[str, Floats], Ids]:
        sizes = np.array([len(rows) for rows in features], np.int32)
        if sizes.min() < 1:
            raise ModelError("an expression has no features; ink needs at least one point")
        steps = -(-int(sizes.max()) // self.stride) * self.stride
        padded = np.zeros((steps, len(features), 8), np.float32)
        for place, rows in enumerate(features):
            padded[: len(rows), place] = rows
        made = self._session.run(self._outputs, {"features": padded, "lengths": sizes})
        if made[self._outputs.index("keys")].shape[-1] != steps // self.stride:
            raise ModelError(
                f"the network does not fit its config, by which {self.stride} points are one step"
            )
        return dict(zip(self._outputs, made, strict=True)), sizes.astype(np.int64)


class OnnxStepper:
    """Runs the two graphs of one network on `threads` threads."""

    def __init__(
        self,
        encoder: OnnxEncoder,
        decoder: bytes,
        vocabulary: Vocabulary,
        *,
        suffix: str = "",
        threads: int = 1,
    ) -> None:
        """`suffix` ends the names of the encoder's outputs for this decoder."""
        self.vocabulary = vocabulary
        self._encoder = encoder
        self._suffix = suffix
        self._decoder = _session(decoder, threads)
        self._with_coverage = "coverage" in {each.name for each in self._decoder.get_inputs()}
        self._try()

    def _try(self) -> None:
        """Take one step on blank features, so that graphs that do not fit the config fail here."""
        try:
            state = self.start([np.zeros((self._encoder.stride + 1, 8), np.float32)])
            made = self.step(state, np.zeros(1, np.int64))
        except ModelError:
            raise
        except Exception as error:  # onnxruntime's errors have no common type
            raise ModelError(f"the network does not run as its config says: {_short(error)}") from None
        sizes = (made.log_probs.shape, made.attention.shape, made.state.hidden.shape)
        if sizes != ((1, self.vocabulary.size), (1, 2), state.hidden.shape):
            raise ModelError(f"the network does not fit its config of {self.vocabulary.size} tokens")
        if not np.isfinite(made.log_probs).any() or np.isnan(made.log_probs).any():
            raise ModelError("the network gives no probabilities; get or export it again")

    def start(self, features: Sequence[Any]) -> OnnxState:
        """Encode expressions, each (N_i, 8) with at least one row."""
        keys, values, hidden, sizes = self._encoder.run(features, self._suffix)
        lengths = (-(-sizes // self._encoder.stride)).tolist()
        encoded = tuple(
            _Encoded(np.ascontiguousarray(keys[place, :, :length]), values[place, :length])
            for place, length in enumerate(lengths)
        )
        coverage = np.zeros((len(features), max(lengths)), np.float32)
        return OnnxState(encoded, np.arange(len(features)), hidden, coverage)

    def step(self, state: OnnxState, tokens: Ids) -> StepOutput:
        if len(state.encoded) == 1:
            encoded = state.encoded[0]
            feed = {"tokens": tokens, "hidden": state.hidden, "keys": encoded.keys, "values": encoded.values}
            if self._with_coverage:
                feed["coverage"] = state.coverage[:, None]
            log_probs, attention, hidden = self._decoder.run(_OUTPUTS, feed)
        else:
            log_probs = np.empty((len(tokens), self.vocabulary.size), np.float32)
            attention, hidden = np.zeros_like(state.coverage), np.empty_like(state.hidden)
            for number, encoded in enumerate(state.encoded):
                its = np.flatnonzero(state.owners == number)
                made = self.step(self.select(state, its), tokens[its])
                log_probs[its], hidden[its] = made.log_probs, made.state.hidden
                attention[its, : encoded.length] = made.attention
        after = OnnxState(state.encoded, state.owners, hidden, state.coverage + attention)
        return StepOutput(log_probs, attention, after)

    def select(self, state: OnnxState, rows: Ids) -> OnnxState:
        """Gather rows; expressions without any are forgotten."""
        owners, encoded, coverage = state.owners.take(rows), state.encoded, state.coverage.take(rows, axis=0)
        if len(encoded) > 1:
            present, owners = np.unique(owners, return_inverse=True)
            encoded = tuple(encoded[each] for each in present.tolist())
            coverage = np.ascontiguousarray(coverage[:, : max(each.length for each in encoded)])
        return OnnxState(encoded, owners, state.hidden.take(rows, axis=0), coverage)

    def lengths(self, state: OnnxState) -> Ids:
        return np.array([each.length for each in state.encoded])[state.owners]


def _session(graph: bytes, threads: int) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # plans are made per shape, and every step has another one
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no common type
        raise ModelError(f"onnxruntime cannot load the network: {_short(error)}") from None


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
