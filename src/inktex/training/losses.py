"""The training objective: cross-entropy of the next token, and two auxiliary losses from the segmentation.

`guidance`: -log of the attention that a token pays to the strokes it was written with.

`symbols`: cross-entropy of predicting, at every annotation, the symbol whose ink it shows.

Each is a sum over its own count, so that a batch split over workers gives the same gradient as the whole.
"""

from copy import deepcopy
from dataclasses import dataclass
from typing import Literal

import torch.nn.functional as F
from torch import Tensor, nn

from inktex.model import Network
from inktex.model.config import Direction
from inktex.training.data import IGNORED, Batch


@dataclass(frozen=True)
class Losses:
    """Sums over a batch and over the decoders of a network."""

    token: Tensor
    guidance: Tensor
    symbol: Tensor


@dataclass(frozen=True)
class Counts:
    """How many terms the sums of `Losses` have, over a whole batch (a worker sees only its share)."""

    tokens: int
    guided: int
    named: int
    expressions: int

    @classmethod
    def of(cls, batch: Batch, decoders: int) -> "Counts":
        """Count the batch, once for each decoder."""
        return cls(
            decoders * int((batch.target != IGNORED).sum()),
            decoders * max(int(batch.guide.any(-1).sum()), 1),
            max(int((batch.symbols != IGNORED).sum()), 1),
            decoders * len(batch.target),
        )

    def of_tokens(self, loss_per: Literal["token", "expression"]) -> int:
        """What the summed cross-entropy is divided by."""
        return self.tokens if loss_per == "token" else self.expressions


def views_of(batch: Batch, direction: Direction) -> tuple[Batch, ...]:
    """The batch as each decoder of a network of this direction sees it."""
    if direction == "both":
        return batch, batch.backward()
    return (batch.backward() if direction == "backward" else batch,)


def losses(network: nn.Module, direction: Direction, batch: Batch, label_smoothing: float) -> Losses:
    """Run the network on a batch with teacher forcing."""
    views = views_of(batch, direction)
    decoded, symbol_scores = network(batch.features, batch.lengths, *(view.previous for view in views))
    token, guidance = (batch.features.new_zeros(()) for _ in range(2))
    for view, (scores, attention) in zip(views, decoded, strict=True):
        token = token + _cross_entropy(scores, view.target, label_smoothing)
        guided = view.guide.any(-1)
        mass = (attention.float() * view.guide).sum(-1)
        guidance = guidance - mass[guided].clamp_min(1e-6).log().sum()
    symbol = token.new_zeros(())
    if symbol_scores is not None:
        symbol = _cross_entropy(symbol_scores, batch.symbols)
    return Losses(token, guidance, symbol)


def _cross_entropy(scores: Tensor, target: Tensor, smoothing: float = 0.0) -> Tensor:
    flat, wanted = scores.float().flatten(0, 1), target.flatten()
    return F.cross_entropy(flat, wanted, ignore_index=IGNORED, label_smoothing=smoothing, reduction="sum")


def averaged_copy(network: Network) -> Network:
    """A network of the same shape and weights that no optimiser touches."""
    return deepcopy(network).requires_grad_(False).eval()
