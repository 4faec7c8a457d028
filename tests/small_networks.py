"""Small networks with random weights, as exported files: what the runtime promises does not need training."""

from dataclasses import replace

import numpy as np
import torch

from inktex.model import ModelConfig, Network
from inktex.reading import ModelFile
from inktex.training.export import export_network
from inktex.training.onnx_graph import Precision

TOKENS = ("<eol>", "+", "-", "1", "2", "=", "\\frac", "\\sqrt", "^", "_", "a", "x", "y", "z", "{", "}")
SMALL = ModelConfig(
    vocabulary=TOKENS,
    encoder_units=24,
    encoder_layers=3,
    pool_after=(2,),
    embedding=16,
    decoder_units=32,
    attention=40,
    coverage_window=7,
    coverage_filters=5,
)
VARIANTS = {
    "with coverage": SMALL,
    "without coverage": replace(SMALL, coverage_window=0, coverage_filters=0),
    "paper": replace(SMALL, query_token=False, pool_after=(2, 3), symbol_head=False, coverage_window=6),
}


def random_network(config: ModelConfig = SMALL, seed: int = 0, sharpness: float = 3.0) -> Network:
    """A network whose answers vary with the ink; `sharpness` widens its output so that tokens differ."""
    torch.manual_seed(seed)
    network = Network(config).eval()
    with torch.no_grad():
        network.decoder.w_o.weight *= sharpness
        network.decoder.w_o.bias[0] = 1.0  # answers end after some tokens
    return network


def small_model(seed: int = 0, precision: Precision = Precision.full) -> ModelFile:
    """An exported random network."""
    return export_network(
        random_network(seed=seed), f"small-{seed}", precision=precision, card={"seed": seed}
    )


def random_features(rng: np.random.Generator, *lengths: int) -> list[np.ndarray]:
    """Feature arrays of expressions of these lengths."""
    return [rng.normal(size=(length, 8)).astype(np.float32) for length in lengths]
