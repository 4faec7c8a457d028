"""The encoder of paper §II-B: stacked bidirectional GRU layers with pooling over time.

In: features (batch, N, 8) and their lengths. Out: annotations (batch, L, D) and their mask.
Padding never leaks: the backward direction reads each sequence reversed within its own length, so that in
both directions padding comes last; pooling ignores it; annotations beyond the length are zero.
"""

import math

import torch
from torch import Tensor, nn

from inktex.model import native
from inktex.model.config import ModelConfig
from inktex.model.recurrence import gru_recurrence


def length_mask(lengths: Tensor, size: int) -> Tensor:
    """(batch, size) True inside each sequence."""
    return torch.arange(size, device=lengths.device) < lengths[:, None]


def reversal(lengths: Tensor, size: int) -> Tensor:
    """(size, batch) index that reverses every sequence within its length and leaves padding where it is."""
    steps = torch.arange(size, device=lengths.device)[:, None]
    return torch.where(steps < lengths, lengths - 1 - steps, steps)


class BidirectionalGRU(nn.Module):
    """One layer, both directions in one loop. Weights multiply from the right: z | r | candidate."""

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        self.units = units
        self.input = nn.Linear(inputs, 6 * units)  # W_xz W_xr W_xh of both directions
        self.gates = nn.Parameter(torch.empty(2, units, 2 * units))  # U_hz | U_hr
        self.candidate = nn.Parameter(torch.empty(2, units, units))  # U_rh
        nn.init.xavier_uniform_(self.input.weight, gain=math.sqrt(2.0))
        nn.init.zeros_(self.input.bias)
        for direction in range(2):
            nn.init.orthogonal_(self.gates[direction])
            nn.init.orthogonal_(self.candidate[direction])

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        """(steps, batch, features) -> (steps, batch, 2*units)."""
        steps, batch, _ = inputs.shape
        if inputs.device.type == "cpu" and native.usable():
            return native.native_layer(inputs, self.input, self.gates, self.candidate, lengths)
        projected = self.input(inputs).view(steps, batch, 2, 3 * self.units)
        order = reversal(lengths, steps)[:, :, None]
        wide = order.expand(-1, -1, 3 * self.units)
        projected = torch.stack(
            (projected[:, :, 0], projected[:, :, 1].gather(0, wide)), dim=1
        )  # (T, 2, B, 3H)
        start = torch.zeros(2, batch, self.units, device=inputs.device, dtype=self.gates.dtype)
        hidden = gru_recurrence(projected, self.gates, self.candidate, start)
        back = hidden[:, 1].gather(0, order.expand(-1, -1, self.units))
        return torch.cat((hidden[:, 0], back), dim=-1)


def pool_pairs(values: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Maximum over pairs of steps, (steps, batch, features) -> half; an odd last step stands alone."""
    steps = values.shape[0]
    outside = ~length_mask(lengths, steps).t()[:, :, None]
    values = values.masked_fill(outside, float("-inf"))
    if steps % 2:
        values = torch.cat((values, values.new_full((1, *values.shape[1:]), float("-inf"))))
    pooled = torch.maximum(values[0::2], values[1::2])
    lengths = (lengths + 1) // 2
    return pooled.masked_fill(~length_mask(lengths, pooled.shape[0]).t()[:, :, None], 0.0), lengths


class Encoder(nn.Module):
    """Features to annotations."""

    scale: Tensor

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.pool_after = config.pool_after
        self.register_buffer("scale", torch.tensor(config.input_scale), persistent=False)
        units = config.encoder_units
        self.layers = nn.ModuleList(
            BidirectionalGRU(8 if layer == 0 else 2 * units, units) for layer in range(config.encoder_layers)
        )
        self.dropout = nn.Dropout(config.encoder_dropout)

    def forward(self, features: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Annotations (batch, L, D) and mask (batch, L)."""
        values = (features * self.scale).transpose(0, 1)
        for number, layer in enumerate(self.layers, start=1):
            values = layer(values if number == 1 else self.dropout(values), lengths)
            if number in self.pool_after:
                values, lengths = pool_pairs(values, lengths)
        mask = length_mask(lengths, values.shape[0])
        return values.transpose(0, 1) * mask[:, :, None], mask
