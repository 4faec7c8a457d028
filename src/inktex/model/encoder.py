"""The encoder of paper §II-B: stacked bidirectional GRU layers with pooling over time.

Turns features (batch, N, 8) and their lengths into annotations (batch, L, D) and their mask. Padding never
leaks: the backward direction reads each sequence reversed within its own length, so that in both directions
padding comes last; pooling ignores it; annotations beyond the length are zero.
"""

import math

import torch
from torch import Tensor, nn

from inktex.model.config import ModelConfig


def length_mask(lengths: Tensor, size: int) -> Tensor:
    """(batch, size) True inside each sequence."""
    return torch.arange(size, device=lengths.device) < lengths[:, None]


def reversal(lengths: Tensor, size: int) -> Tensor:
    """(size, batch) index that reverses every sequence within its length and leaves padding where it is."""
    steps = torch.arange(size, device=lengths.device)[:, None]
    return torch.where(steps < lengths, lengths - 1 - steps, steps)


class BidirectionalGRU(nn.Module):
    """One layer. Weights multiply from the right, in the order z | r | candidate."""

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
        self.run = plain_layer  # `fast.accelerate` puts another one here

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        """(steps, batch, features) -> (steps, batch, 2*units)."""
        return self.run(self, inputs, lengths)


def plain_layer(layer: BidirectionalGRU, inputs: Tensor, lengths: Tensor) -> Tensor:
    """The equations of §II-B, step by step; autograd does the rest."""
    steps, units = len(inputs), layer.units
    projected = layer.input(inputs)  # (T, B, 6H)
    order = reversal(lengths, steps)[:, :, None]
    outputs = []
    for direction in range(2):
        x = projected[:, :, 3 * units * direction : 3 * units * (direction + 1)]
        if direction == 1:
            x = x.gather(0, order.expand(x.shape))
        hidden = x.new_zeros(x.shape[1], units)  # h_0
        states = []
        for t in range(steps):
            gates = torch.sigmoid(x[t, :, : 2 * units] + hidden @ layer.gates[direction])
            update, reset = gates[:, :units], gates[:, units:]  # z_t, r_t
            candidate = torch.tanh(x[t, :, 2 * units :] + (reset * hidden) @ layer.candidate[direction])
            hidden = (1.0 - update) * hidden + update * candidate  # h_t
            states.append(hidden)
        output = torch.stack(states)
        outputs.append(output if direction == 0 else output.gather(0, order.expand(output.shape)))
    return torch.cat(outputs, dim=-1)


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
