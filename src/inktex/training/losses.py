"""The training objective: cross-entropy of the next token, and two helpers that the segmentation truth
makes possible.

`guidance`: -log of the attention that a token pays to the strokes it was written with.
`symbols`: cross-entropy of naming, at every annotation, the symbol whose ink it shows.
Each is a sum over its own count, so that a batch split over workers gives the same gradient as the whole.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from inktex.model import Network
from inktex.training.data import IGNORED, Batch


@dataclass(frozen=True)
class Losses:
    """Sums over a batch; `tokens`, `guided` and `named` are what they are sums over."""

    token: Tensor
    guidance: Tensor
    symbol: Tensor
    tokens: int
    guided: int
    named: int


def losses(network: torch.nn.Module, batch: Batch, label_smoothing: float) -> Losses:
    """Run the network on a batch with teacher forcing."""
    scores, attention, symbol_scores = network(batch.features, batch.lengths, batch.previous)
    flat = batch.target.flatten()
    token = F.cross_entropy(
        scores.float().flatten(0, 1),
        flat,
        ignore_index=IGNORED,
        label_smoothing=label_smoothing,
        reduction="sum",
    )
    guided = batch.guide.any(-1)
    mass = (attention.float() * batch.guide).sum(-1)
    guidance = -(mass[guided].clamp_min(1e-6).log()).sum()
    if symbol_scores is None:
        symbol = token.new_zeros(())
    else:
        symbol = F.cross_entropy(
            symbol_scores.float().flatten(0, 1),
            batch.symbols.flatten(),
            ignore_index=IGNORED,
            reduction="sum",
        )
    return Losses(
        token,
        guidance,
        symbol,
        int((flat != IGNORED).sum()),
        int(guided.sum()),
        int((batch.symbols != IGNORED).sum()),
    )


def averaged_copy(network: Network) -> Network:
    """A network of the same shape and weights that no optimiser touches."""
    copy = Network(network.config).to(next(network.parameters()).device)
    copy.load_state_dict(network.state_dict())
    return copy.requires_grad_(False).eval()
