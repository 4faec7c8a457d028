"""The same network, faster: gradients written out by hand, and compiled code where the machine allows it.

Nothing here is used unless `accelerate` is called. It swaps two functions of a network, the encoder's layer
and the decoder's loop, for ones that compute the same; tests hold them against the plain modules.
"""

from typing import cast

import torch
from torch import Tensor

from inktex.model.encoder import BidirectionalGRU, reversal
from inktex.model.fast import native
from inktex.model.fast.loop import fast_loop
from inktex.model.fast.recurrence import gru_recurrence
from inktex.model.network import Network


def accelerate(network: Network) -> Network:
    """Let the network compute by the fast path from now on; returns the same network.

    Compiled code runs on CPUs that have it (`native.kind_of`).
    """
    for layer in network.encoder.layers:
        cast(BidirectionalGRU, layer).run = _layer
    for decoder in network.decoders:
        decoder.loop = fast_loop
    return network


def _layer(layer: BidirectionalGRU, inputs: Tensor, lengths: Tensor) -> Tensor:
    if native.kind_of(layer.gates) is not None:
        return native.native_layer(inputs, layer.input, layer.gates, layer.candidate, lengths)
    return layer_by_hand(layer, inputs, lengths)


def layer_by_hand(layer: BidirectionalGRU, inputs: Tensor, lengths: Tensor) -> Tensor:
    """What `encoder.plain_layer` computes, both directions in one loop."""
    steps, batch, _ = inputs.shape
    projected = layer.input(inputs).view(steps, batch, 2, 3 * layer.units)
    order = reversal(lengths, steps)[:, :, None]
    turned = projected[:, :, 1].gather(0, order.expand(-1, -1, 3 * layer.units))
    projected = torch.stack((projected[:, :, 0], turned), dim=1)  # (T, 2, B, 3H)
    start = torch.zeros(2, batch, layer.units, device=inputs.device, dtype=layer.gates.dtype)
    hidden = gru_recurrence(projected, layer.gates, layer.candidate, start)
    back = hidden[:, 1].gather(0, order.expand(-1, -1, layer.units))
    return torch.cat((hidden[:, 0], back), dim=-1)
