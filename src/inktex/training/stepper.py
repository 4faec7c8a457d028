"""A PyTorch network as the `Stepper` of decoding: features in, log probabilities and attention out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from inktex.decoding import StepOutput
from inktex.latex import Vocabulary
from inktex.model import Network
from inktex.model.attention import LoopWeights, StepState


@dataclass(frozen=True)
class TorchState:
    """Decoder state and what it attends to, one row per hypothesis."""

    decoder: StepState
    annotations: Tensor
    keys: Tensor
    mask: Tensor


class TorchStepper:
    """Decodes with the network as it is now (weights are read again at every `start`)."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.vocabulary = Vocabulary(network.config.vocabulary)
        self._weights: LoopWeights | None = None

    @torch.inference_mode()
    def start(self, features: Sequence[NDArray[np.float32]]) -> TorchState:
        """Encode expressions."""
        device = next(self.network.parameters()).device
        lengths = torch.tensor([len(rows) for rows in features], device=device)
        padded = torch.zeros(len(features), int(lengths.max()), 8, device=device)
        for row, values in enumerate(features):
            padded[row, : len(values)] = torch.from_numpy(np.ascontiguousarray(values))
        annotations, mask = self.network.encoder(padded, lengths)
        decoder = self.network.decoder
        self._weights = decoder.loop_weights()
        return TorchState(decoder.start(annotations, mask), annotations, decoder.u_att(annotations), mask)

    @torch.inference_mode()
    def step(self, state: TorchState, tokens: NDArray[np.int64]) -> StepOutput:
        """Predict the next token of every row."""
        if self._weights is None:
            raise RuntimeError("step before start")
        previous = torch.from_numpy(np.ascontiguousarray(tokens)).to(state.mask.device)
        decoder, scores, attention = self.network.decoder.step(
            state.decoder, previous, state.annotations, state.keys, state.mask, self._weights
        )
        log_probs = torch.log_softmax(scores, dim=-1)
        after = TorchState(decoder, state.annotations, state.keys, state.mask)
        return StepOutput(log_probs.cpu().numpy(), attention.cpu().numpy(), after)

    def select(self, state: TorchState, rows: NDArray[np.int64]) -> TorchState:
        """Gather rows."""
        index = torch.from_numpy(np.ascontiguousarray(rows)).to(state.mask.device)
        decoder = StepState(state.decoder.hidden[index], state.decoder.coverage[index])
        return TorchState(decoder, state.annotations[index], state.keys[index], state.mask[index])

    def lengths(self, state: TorchState) -> NDArray[np.int64]:
        """Valid annotations per row."""
        counts: NDArray[np.int64] = state.mask.sum(1).cpu().numpy()
        return counts
