"""Reads a network back from a model file, so that training can go on from exported weights.

The inverse of `onnx_graph`. The graphs hold products of the network's matrices: one row per token instead of
the embedding and what multiplies it, W_o·W_s, W_o·W_c and Q·U_f. They are factored here into matrices that
give the same products; which ones makes no difference to what the network computes.
"""

from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper

from inktex.model import ModelConfig, Network
from inktex.reading import BACKWARD, Member, ModelFile, read_model

Floats: TypeAlias = NDArray[np.float64]

_LEAST_SHARE = 1e-3  # directions of an embedding weaker than this share of its strongest do not count


def read_network(path: Path) -> Network:
    """The network of a model file; ValueError for ensembles, which have several."""
    model = read_model(path)
    first = model.members[0]
    if any(member.encoder_of != first.name for member in model.members[1:]) or model.team:
        raise ValueError(f"{path}: an ensemble; training continues from a single network")
    config = ModelConfig.from_json(first.config)
    if len(model.members) == 2:
        config = replace(config, direction="both")
    network = Network(config)
    network.load_state_dict(_state(model, config, network), strict=True)
    return network.eval()


def _state(model: ModelFile, config: ModelConfig, network: Network) -> dict[str, torch.Tensor]:
    state = network.state_dict()  # the symbol head is not exported: it keeps its new weights
    found = _encoder(_constants(model.members[0].encoder), config)
    decoders = (("decoder", ""), ("backward_decoder", BACKWARD))
    for member, (prefix, suffix) in zip(model.members, decoders, strict=False):
        found |= {f"{prefix}.{name}": value for name, value in _decoder(member, config, suffix).items()}
    return state | {name: torch.tensor(value, dtype=torch.float32) for name, value in found.items()}


def _constants(graph: bytes) -> dict[str, Floats]:
    """The weights of a graph by name, widened; those stored transposed are turned back."""
    constants = onnx.load_model_from_string(graph).graph.initializer
    stored = {each.name: numpy_helper.to_array(each) for each in constants}
    found: dict[str, Floats] = {}
    for name, value in stored.items():
        if name.endswith("_stored"):
            name = name.removesuffix("_stored")
            value = value.astype(np.float64) * stored[f"{name}_scale"]
        elif not np.issubdtype(value.dtype, np.floating):
            continue
        turned = value.T if name.endswith("_t") else value
        found[name.removesuffix("_t")] = np.asarray(turned, np.float64)
    return found


def _encoder(constants: dict[str, Floats], config: ModelConfig) -> dict[str, Floats]:
    units = config.encoder_units
    found: dict[str, Floats] = {}
    for number in range(1, config.encoder_layers + 1):
        inputs, recurrent = constants[f"input_{number}"].copy(), constants[f"recurrent_{number}"].copy()
        bias = constants[f"bias_{number}"][:, : 3 * units].copy()
        for array in (inputs, recurrent, bias):
            array[:, :units] *= -1.0
        if number == 1:
            inputs /= np.array(config.input_scale)
        recurrent = recurrent.transpose(0, 2, 1)  # (2, H, 3H)
        prefix = f"encoder.layers.{number - 1}"
        found |= {
            f"{prefix}.input.weight": inputs.reshape(6 * units, -1),
            f"{prefix}.input.bias": bias.reshape(-1),
            f"{prefix}.gates": recurrent[:, :, : 2 * units],
            f"{prefix}.candidate": recurrent[:, :, 2 * units :],
        }
    return found


def _decoder(member: Member, config: ModelConfig, suffix: str) -> dict[str, Floats]:
    encoder, own = _constants(member.encoder), _constants(member.decoder)
    n, width, inner = config.decoder_units, config.attention, config.embedding
    # What all tokens have in common goes to the biases: keys, gates and output have one each.
    common = own["of_token"].mean(axis=0)
    of_keys, of_gates, of_output = np.split(common, [width, width + 3 * n])
    of_token, of_token_output = np.split(own["of_token"] - common, [width + 3 * n], axis=1)
    context = encoder[f"context{suffix}"]
    # All that W_o multiplies is factored at once; from a part of it, the rest would need huge weights.
    products = np.concatenate((of_token_output, own["to_scores"], context[:, 3 * n :]))
    before_output, w_o = factored(products, inner)
    used, tokens = min(inner, len(of_token)), len(of_token)
    before_output[:tokens], of_embedding = extended(before_output[:tokens], of_token, used)
    before, after = balanced(before_output, np.concatenate((of_embedding, w_o), axis=1))
    embedding, w_s, w_c = np.split(before, [tokens, tokens + n])
    w_query, w_y, w_o = np.split(after, [width, width + 3 * n], axis=1)
    found = {
        "embedding.weight": embedding,
        "initial.weight": encoder[f"initial{suffix}"].T,
        "initial.bias": encoder[f"b_initial{suffix}"],
        "u_att.weight": encoder[f"u_att{suffix}"].T,
        "u_att.bias": encoder[f"b_att{suffix}"] + of_keys,
        "w_att": own["of_hidden"][:, :width],
        "v_att": own["v_att"].reshape(-1),
        "w_y.weight": w_y.T,
        "w_y.bias": of_gates,
        "u_gates": own["of_hidden"][:, width:],
        "u_candidate": own["of_reset_hidden"],
        "c_gates": context[:, : 2 * n],
        "c_candidate": context[:, 2 * n : 3 * n],
        "w_s.weight": w_s.T,
        "w_s.bias": np.zeros(config.embedding),
        "w_c.weight": w_c.T,
        "w_o.weight": w_o.T,
        "w_o.bias": of_output,
    }
    if config.query_token:
        found["w_query"] = w_query
    if config.coverage_window:
        kernel = own["coverage_kernel"][:, 0].T  # (window, n')
        found["q"], found["u_f"] = factored(kernel, config.coverage_filters)
    return found


def extended(given: Floats, product: Floats, used: int) -> tuple[Floats, Floats]:
    """A matrix whose first `used` columns are the given ones, and another: multiplied, they give the product.

    Columns after `used` are free to hold what the given ones cannot express with moderate numbers.
    """
    first = given[:, :used]
    strongest = np.linalg.norm(first, 2)
    ridge = np.eye(used) * (_LEAST_SHARE * strongest) ** 2
    second: Floats = np.linalg.inv(first.T @ first + ridge) @ (first.T @ product)
    if (free := given.shape[1] - used) == 0:
        return given, second
    rest, of_rest = factored(product - first @ second, free)
    return np.concatenate((first, rest), axis=1), np.concatenate((second, of_rest))


def balanced(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """The factors of the same product whose squares have the smallest sum: weights as training leaves them.

    With P = first'first and Q = second·second', `first·G` and `G⁻¹·second` are smallest together where
    G·G' = P^-½ (P^½ Q P^½)^½ P^-½.
    """
    p, q = first.T @ first, second @ second.T
    p += np.eye(len(p)) * _LEAST_SHARE**2 * np.trace(p) / len(p)
    q += np.eye(len(q)) * _LEAST_SHARE**2 * np.trace(q) / len(q)
    root = _power(p, 0.5)
    inverse = np.linalg.inv(root)
    change = _power(inverse @ _power(root @ q @ root, 0.5) @ inverse, 0.5)
    back: Floats = np.linalg.inv(change) @ second
    return first @ change, back


def _power(matrix: Floats, exponent: float) -> Floats:
    """A power of a symmetric positive matrix."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    powered: Floats = (vectors * np.maximum(values, 0.0) ** exponent) @ vectors.T
    return powered


def factored(product: Floats, inner: int) -> tuple[Floats, Floats]:
    """Two matrices, `inner` wide, with this product; where fewer would do, the rest begin small and unused.

    Unused rows of the second are zero, so that the product is the same; the columns of the first that they
    belong to are small noise, so that training can begin to use them.
    """
    left, sizes, right = np.linalg.svd(product, full_matrices=False)
    used = min(inner, len(sizes))
    roots = np.sqrt(sizes[:used])
    random = np.random.default_rng(0)
    first = random.normal(0.0, 0.01, (len(product), inner))
    second = np.zeros((inner, product.shape[1]))
    first[:, :used] = left[:, :used] * roots
    second[:used] = roots[:, None] * right[:used]
    return first, second
