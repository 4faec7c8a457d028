"""A PyTorch network as the `Stepper` that decoding uses.

The only module of this package that needs PyTorch; it is imported when weights are opened.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from inktex.decoding import StepOutput
from inktex.latex import Vocabulary
from inktex.model import Network, load_network
from inktex.model.attention import Attended, StepState
from inktex.model.fast import accelerate


@dataclass(frozen=True)
class TorchState:
    """Decoder state and what it attends to, one row per hypothesis."""

    decoder: StepState
    to: Attended


class TorchStepper:
    """Decodes with the network as it is now (weights are read again at every `start`)."""

    def __init__(self, network: Network, decoder: int = 0) -> None:
        """Decode with the network's decoder of this number (1: the backward one of two)."""
        self.network = network
        self.decoder = network.decoders[decoder]
        self.vocabulary = Vocabulary(network.config.vocabulary)

    @torch.inference_mode()
    def start(self, features: Sequence[NDArray[np.float32]]) -> TorchState:
        device = next(self.network.parameters()).device
        lengths = torch.tensor([len(rows) for rows in features], device=device)
        padded = torch.zeros(len(features), int(lengths.max()), 8, device=device)
        for row, values in enumerate(features):
            padded[row, : len(values)] = torch.from_numpy(np.ascontiguousarray(values))
        encoded = self.network.encoder(padded, lengths)
        return TorchState(self.decoder.start(*encoded), self.decoder.attended(*encoded))

    @torch.inference_mode()
    def step(self, state: TorchState, tokens: NDArray[np.int64]) -> StepOutput:
        previous = torch.from_numpy(np.ascontiguousarray(tokens)).to(state.to.mask.device)
        decoder, scores, attention = self.decoder.step(state.decoder, previous, state.to)
        log_probs = torch.log_softmax(scores, dim=-1)
        return StepOutput(log_probs.cpu().numpy(), attention.cpu().numpy(), replace(state, decoder=decoder))

    def select(self, state: TorchState, rows: NDArray[np.int64]) -> TorchState:
        index = torch.from_numpy(np.ascontiguousarray(rows)).to(state.to.mask.device)
        decoder = StepState(state.decoder.hidden[index], state.decoder.coverage[index])
        annotations, keys, mask, weights = state.to
        return TorchState(decoder, Attended(annotations[index], keys[index], mask[index], weights))

    def lengths(self, state: TorchState) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = state.to.mask.sum(1).cpu().numpy()
        return counts


def load_steppers(path: Path, threads: int = 1) -> list[tuple[TorchStepper, dict[str, Any]]]:
    """Open a `.safetensors` file: a stepper per direction, with the config as a model file would hold it."""
    torch.set_num_threads(threads)  # workers side by side use cores better than threads inside one
    network = load_network(path)
    accelerate(network)
    config = network.config
    ways = ("forward", "backward") if config.direction == "both" else (config.direction,)
    return [
        (TorchStepper(network, number), {**config.to_json(), "direction": way})
        for number, way in enumerate(ways)
    ]
