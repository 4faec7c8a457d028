"""Writes a network's weights as two ONNX graphs, `encoder.onnx` and `decoder.onnx`.

Paper §II-B to D, rearranged so that a step of the search costs little and gives the same numbers:

- everything that depends on annotations alone is done once, by the encoder: keys U_att·a (equation 7) and
  values, which are the annotations already multiplied by C_cz, C_cr, C_cs and by W_o·W_c of equation 6, so
  that a context vector (equation 9) is only ever formed in its projections;
- everything that depends on the previous token alone is a table with one row per token;
- Q and U_f of the coverage are one convolution, W_o and W_s one matrix.

The encoder's GRU is the ONNX operator with `linear_before_reset=0`, which is the paper's form; its update
gate means the opposite, h = (1-z)·h̃ + z·h, and σ(-a) = 1 - σ(a), so the weights of z change their sign.
Weights may be stored in 16 or 8 bits; the arithmetic is always in 32, since onnxruntime widens constants
when it loads the graph.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from inktex.model import ModelConfig, Network
from inktex.reading import BACKWARD

Floats: TypeAlias = NDArray[np.float32]
Values: TypeAlias = list[tuple[str, list[int | str]]]  # names and shapes

OPSET = 18
IR_VERSION = 9


class Precision(StrEnum):
    """How weights are stored."""

    full = "full"  # 32-bit floats
    half = "half"  # 16-bit integers and one scale per row
    int8 = "int8"  # 8-bit integers, likewise


class _Graph:
    """Collects nodes and weights; every method that adds a node returns the name of its result."""

    def __init__(self, precision: Precision) -> None:
        self._precision = precision
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []

    def add(self, operator: str, inputs: Sequence[str], outputs: str, **attributes: Any) -> str:
        names = outputs.split()
        self._nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names[0]

    def constant(self, name: str, value: object) -> str:
        self._weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def matrix(self, name: str, value: Floats) -> str:
        """A weight, stored small; vectors and the like are constants instead."""
        value = np.ascontiguousarray(value, np.float32)
        if self._precision is Precision.full:
            return self.constant(name, value)
        # Integers with one scale per row (per output of the product): at 16 bits, ten times nearer to the
        # weights than half-precision floats, which spend bits on magnitudes that do not occur.
        kind, levels = (np.int16, 32767.0) if self._precision is Precision.half else (np.int8, 127.0)
        scale = np.maximum(np.abs(value).max(axis=-1, keepdims=True), 1e-12) / np.float32(levels)
        stored = self.constant(f"{name}_stored", np.round(value / scale).astype(kind))
        wide = self.add("Cast", [stored], f"{name}_wide", to=TensorProto.FLOAT)
        return self.add("Mul", [wide, self.constant(f"{name}_scale", scale)], name)

    def columns(self, name: str, value: Floats) -> str:
        """A weight that multiplies from the right; stored transposed, so that rows are outputs."""
        if self._precision is Precision.full:
            return self.matrix(name, value)
        return self.add("Transpose", [self.matrix(f"{name}_t", value.T)], name, perm=[1, 0])

    def model(self, name: str, inputs: Values, outputs: Values, integers: dict[str, int]) -> bytes:
        """The graph as a file; inputs and outputs are floats, except the integers."""

        def described(values: Values) -> list[onnx.ValueInfoProto]:
            kinds = dict.fromkeys(dict(values), TensorProto.FLOAT) | integers
            return [helper.make_tensor_value_info(each, kinds[each], shape) for each, shape in values]

        graph = helper.make_graph(self._nodes, name, described(inputs), described(outputs), self._weights)
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="inktex")
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model)
        content: bytes = model.SerializeToString()
        return content


def _weights_of(network: Network) -> dict[str, Floats]:
    return {name: value.detach().float().cpu().numpy() for name, value in network.state_dict().items()}


def encoder_graph(network: Network, precision: Precision) -> bytes:
    """Features (N, E, 8) and lengths (E,) to keys, values and s_0; N is a multiple of the stride.

    A network with two decoders gives them for both; names for the backward one end in `BACKWARD`.
    """
    config, weights, graph = network.config, _weights_of(network), _Graph(precision)
    units, depth = config.encoder_units, config.annotation_size
    constants = {
        "one": np.array([1], np.int32), "two": np.array([2], np.int32), "axis_0": [0], "axis_1": [1],
        "keep_steps": [0, 0, depth], "first_even": [0], "first_odd": [1], "far": [2**31 - 1],
        "every_second": [2], "minus_one": [-1], "minus_infinity": np.float32(-np.inf),
        "nothing": np.float32(0.0),
    }  # fmt: skip
    for name, value in constants.items():
        graph.constant(name, value)
    values, lengths = "features", "lengths"
    for number in range(1, config.encoder_layers + 1):
        prefix = f"encoder.layers.{number - 1}"
        scale = np.array(config.input_scale, np.float32) if number == 1 else np.float32(1.0)
        inputs, bias = weights[f"{prefix}.input.weight"] * scale, weights[f"{prefix}.input.bias"]
        recurrent = np.concatenate([weights[f"{prefix}.gates"], weights[f"{prefix}.candidate"]], axis=2)
        recurrent = recurrent.transpose(0, 2, 1).copy()  # (2, 3H, H)
        inputs, bias = inputs.reshape(2, 3 * units, -1).copy(), bias.reshape(2, 3 * units).copy()
        for array in (inputs, recurrent, bias):
            array[:, :units] *= -1.0
        names = [
            values,
            graph.matrix(f"input_{number}", inputs),
            graph.matrix(f"recurrent_{number}", recurrent),
            graph.constant(f"bias_{number}", np.concatenate([bias, np.zeros_like(bias)], axis=1)),
            lengths,
        ]
        graph.add("GRU", names, f"layer_{number}", hidden_size=units, direction="bidirectional")
        turned = graph.add("Transpose", [f"layer_{number}"], f"turned_{number}", perm=[0, 2, 1, 3])
        values = graph.add("Reshape", [turned, "keep_steps"], f"states_{number}")  # (N, E, D)
        if number in config.pool_after:
            values, lengths = _pooled(graph, values, lengths, number)
    annotations = graph.add("Transpose", [values], "annotations", perm=[1, 0, 2])  # (E, L, D)

    outputs = _projections(graph, config, _of("decoder", weights), "")
    total = graph.add("ReduceSum", [annotations, "axis_1"], "total", keepdims=0)  # padding is zero
    count = graph.add("Cast", [lengths], "count", to=TensorProto.FLOAT)
    graph.add("Div", [total, graph.add("Unsqueeze", [count, "axis_1"], "count_column")], "mean")
    outputs += _initial(graph, config, _of("decoder", weights), "")
    if network.backward_decoder is not None:
        backward = _of("backward_decoder", weights)
        outputs += _projections(graph, config, backward, BACKWARD)
        outputs += _initial(graph, config, backward, BACKWARD)
    given: Values = [("features", ["N", "E", 8]), ("lengths", ["E"])]
    return graph.model("encoder", given, outputs, {"lengths": TensorProto.INT32})


def _of(decoder: str, weights: dict[str, Floats]) -> dict[str, Floats]:
    return {name.removeprefix(f"{decoder}."): each for name, each in weights.items()}


def _projections(graph: _Graph, config: ModelConfig, own: dict[str, Floats], suffix: str) -> Values:
    """Keys and values for a decoder with the weights `own`: their names and shapes."""
    u_att = graph.columns(f"u_att{suffix}", own["u_att.weight"].T)
    projected = graph.add("MatMul", ["annotations", u_att], f"projected{suffix}")
    bias = graph.constant(f"b_att{suffix}", own["u_att.bias"])
    biased = graph.add("Add", [projected, bias], f"biased{suffix}")
    graph.add("Transpose", [biased], f"keys{suffix}", perm=[0, 2, 1])  # (E, n', L)
    to_output = own["w_c.weight"].T @ own["w_o.weight"].T  # (D, K)
    parts = np.concatenate([own["c_gates"], own["c_candidate"], to_output], axis=1)
    graph.add("MatMul", ["annotations", graph.columns(f"context{suffix}", parts)], f"values{suffix}")
    width = 3 * config.decoder_units + len(config.vocabulary)
    return [(f"keys{suffix}", ["E", config.attention, "L"]), (f"values{suffix}", ["E", "L", width])]


def _initial(graph: _Graph, config: ModelConfig, own: dict[str, Floats], suffix: str) -> Values:
    """The decoder's s_0, from the mean of the annotations."""
    initial = graph.columns(f"initial{suffix}", own["initial.weight"].T)
    product = graph.add("MatMul", ["mean", initial], f"initial_product{suffix}")
    bias = graph.constant(f"b_initial{suffix}", own["initial.bias"])
    graph.add("Tanh", [graph.add("Add", [product, bias], f"start{suffix}")], f"hidden{suffix}")
    return [(f"hidden{suffix}", ["E", config.decoder_units])]


def _inside(graph: _Graph, values: str, lengths: str, name: str, result: str) -> str:
    """(steps, E, 1): whether a step lies inside its sequence."""
    shape = graph.add("Shape", [values], f"{name}_shape", start=0, end=1)
    steps = graph.add("Cast", [shape], f"{name}_steps", to=TensorProto.INT32)
    steps = graph.add("Squeeze", [steps], f"{name}_n")
    zero = graph.constant(f"{name}_zero", np.int32(0))
    step = graph.constant(f"{name}_step", np.int32(1))
    places = graph.add("Range", [zero, steps, step], f"{name}_places")
    column = graph.add("Unsqueeze", [places, "axis_1"], f"{name}_column")
    inside = graph.add("Less", [column, lengths], f"{name}_inside")
    return graph.add("Unsqueeze", [inside, "minus_one"], result)


def _pooled(graph: _Graph, values: str, lengths: str, number: int) -> tuple[str, str]:
    """Maximum over pairs of steps; an odd last step stands alone, padding stays zero."""
    name = f"pool_{number}"
    inside = _inside(graph, values, lengths, f"{name}_in", f"{name}_mask")
    hidden = graph.add("Where", [inside, values, "minus_infinity"], f"{name}_hidden")
    halves = [
        graph.add("Slice", [hidden, first, "far", "axis_0", "every_second"], f"{name}_{first}")
        for first in ("first_even", "first_odd")
    ]
    pooled = graph.add("Max", halves, f"{name}_max")
    half = graph.add("Div", [graph.add("Add", [lengths, "one"], f"{name}_plus"), "two"], f"{name}_lengths")
    inside = _inside(graph, pooled, half, f"{name}_out", f"{name}_kept")
    return graph.add("Where", [inside, pooled, "nothing"], f"{name}_states"), half


def decoder_graph(network: Network, precision: Precision) -> bytes:
    """One step of the B hypotheses of one expression.

    In: tokens (B,), hidden (B, n), coverage (B, 1, L), keys (n', L) and values (L, 3n + K) of the encoder.
    Out: log_probs (B, K), attention (B, L), hidden_after. A product and the sum it goes into are one `Gemm`:
    the matrices are so small that every node counts.
    """
    config, weights, graph = network.config, _weights_of(network), _Graph(precision)
    n, width, tokens = config.decoder_units, config.attention, len(config.vocabulary)
    embedding = weights["decoder.embedding.weight"]  # (K, m)
    w_y = embedding @ weights["decoder.w_y.weight"].T + weights["decoder.w_y.bias"]  # (K, 3n)
    query = weights.get("decoder.w_query")
    to_query = np.zeros((tokens, width), np.float32) if query is None else embedding @ query
    w_o = weights["decoder.w_o.weight"].T  # (m, K)
    to_output = (embedding + weights["decoder.w_s.bias"]) @ w_o + weights["decoder.w_o.bias"]

    of_token = graph.matrix("of_token", np.concatenate([to_query, w_y, to_output], axis=1))
    row = graph.add("Gather", [of_token, "tokens"], "token_row", axis=0)
    graph.constant("cut_row", np.array([width + 2 * n, n, tokens]))
    graph.add("Split", [row, "cut_row"], "row_before row_candidate row_output", axis=1)
    of_hidden = np.concatenate([weights["decoder.w_att"], weights["decoder.u_gates"]], axis=1)
    graph.add("Gemm", ["hidden", graph.columns("of_hidden", of_hidden), "row_before"], "before")
    graph.constant("cut_before", np.array([width, 2 * n]))
    graph.add("Split", ["before", "cut_before"], "query gates_before", axis=1)

    graph.constant("axis_1", np.array([1]))
    graph.constant("axis_2", np.array([2]))
    column = graph.add("Unsqueeze", ["query", "axis_2"], "query_column")  # (B, n', 1)
    energy_in = graph.add("Add", ["keys", column], "keys_and_query")  # (B, n', L)
    inputs: Values = [("tokens", ["B"]), ("hidden", ["B", n]), ("keys", [width, "L"])]
    inputs.append(("values", ["L", 3 * n + tokens]))
    if window := config.coverage_window:
        inputs.append(("coverage", ["B", 1, "L"]))
        kernel = weights["decoder.q"] @ weights["decoder.u_f"]  # (window, n')
        filters = graph.matrix("coverage_kernel", kernel.T[:, None])  # (n', 1, window)
        pads = [window // 2, window - 1 - window // 2]
        seen = graph.add("Conv", ["coverage", filters], "coverage_part", pads=pads)
        energy_in = graph.add("Add", [energy_in, seen], "energy_in")
    layer = graph.add("Tanh", [energy_in], "layer")
    v_att = graph.constant("v_att", weights["decoder.v_att"][None, :, None])  # (1, n', 1)
    energy = graph.add("Squeeze", [graph.add("Conv", [layer, v_att], "energy_row"), "axis_1"], "energy")
    graph.add("Softmax", [energy], "attention", axis=-1)

    graph.add("MatMul", ["attention", "values"], "context")
    graph.constant("cut_context", np.array([2 * n, n, tokens]))
    graph.add("Split", ["context", "cut_context"], "context_gates context_candidate context_output", axis=1)
    graph.add("Sigmoid", [graph.add("Add", ["gates_before", "context_gates"], "gates_in")], "gates")
    graph.add("Split", ["gates"], "update reset", axis=1, num_outputs=2)
    graph.add("Mul", ["reset", "hidden"], "reset_hidden")
    graph.add("Add", ["context_candidate", "row_candidate"], "candidate_rest")
    of_reset = graph.columns("of_reset_hidden", weights["decoder.u_candidate"])
    graph.add("Gemm", ["reset_hidden", of_reset, "candidate_rest"], "candidate_in")
    graph.add("Tanh", ["candidate_in"], "candidate")
    graph.add("Mul", ["update", graph.add("Sub", ["candidate", "hidden"], "change")], "step_change")
    graph.add("Add", ["hidden", "step_change"], "hidden_after")

    graph.add("Add", ["context_output", "row_output"], "scores_rest")
    to_scores = graph.columns("to_scores", weights["decoder.w_s.weight"].T @ w_o)
    graph.add(
        "LogSoftmax", [graph.add("Gemm", ["hidden_after", to_scores, "scores_rest"], "scores")], "log_probs"
    )
    outputs: Values = [("log_probs", ["B", tokens]), ("attention", ["B", "L"]), ("hidden_after", ["B", n])]
    return graph.model("decoder", inputs, outputs, {"tokens": TensorProto.INT64})
