"""The GRU recurrence of paper §II-B (equations of z, r, h̃, h), with a backward pass written out by hand.

Takes the input projections of every step, (steps, directions, batch, 3*units), ordered z | r | candidate;
returns the hidden states, (steps, directions, batch, units).

Why by hand: autograd adds the gradient of the recurrent weights at every step, a memory-bound update
of a large matrix by a few rows. Here the loop only carries the hidden state back; weight gradients are
single large matrix products after it. Both directions of a layer run in the same loop (the backward
one on reversed sequences).
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


def fast_tanh_(values: Tensor) -> Tensor:
    """tanh(x) = 2 sigmoid(2x) - 1, in place: PyTorch's CPU tanh is five times slower than its sigmoid."""
    if values.device.type != "cpu" or values.dtype == torch.float64:
        return values.tanh_()
    return values.mul_(2.0).sigmoid_().mul_(2.0).sub_(1.0)


def _product_type(values: Tensor) -> torch.dtype:
    """Matrix products run in the autocast type when autocast is on, else in the type of the values."""
    device = values.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else values.dtype


def _add_product(values: Tensor, left: Tensor, right: Tensor, out: Tensor) -> None:
    """out = values + left @ right; the product is made in the type of `right`."""
    if right.dtype == out.dtype:
        torch.baddbmm(values, left, right, out=out)
    else:
        torch.add(torch.bmm(left.to(right.dtype), right), values, out=out)


class _Recurrence(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, projections: Tensor, weight_gates: Tensor, weight_candidate: Tensor, initial: Tensor
    ) -> Tensor:
        # projections (T, d, B, 3H); weight_gates: U_hz | U_hr (d, H, 2H); weight_candidate: U_rh (d, H, H)
        kind = _product_type(projections)
        ctx.kind = kind
        steps, directions, batch, _ = projections.shape
        units = initial.shape[-1]
        exact = torch.float32 if kind != torch.float64 else kind
        gates = projections.new_empty(steps, directions, batch, 2 * units, dtype=exact)
        candidates = gates.new_empty(steps, directions, batch, units)
        reset_hidden = torch.empty_like(candidates)
        hidden = gates.new_empty(steps + 1, directions, batch, units)
        hidden[0] = initial
        u_gates, u_candidate = weight_gates.to(kind), weight_candidate.to(kind)
        x_gates, x_candidate = projections[..., : 2 * units], projections[..., 2 * units :]
        for step in range(steps):
            before, gate, candidate = hidden[step], gates[step], candidates[step]
            _add_product(x_gates[step], before, u_gates, gate)
            gate.sigmoid_()
            torch.mul(gate[..., units:], before, out=reset_hidden[step])
            _add_product(x_candidate[step], reset_hidden[step], u_candidate, candidate)
            fast_tanh_(candidate)
            torch.lerp(before, candidate, gate[..., :units], out=hidden[step + 1])
        ctx.save_for_backward(gates, candidates, reset_hidden, hidden, u_gates, u_candidate)
        return hidden[1:]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_hidden: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        gates, candidates, reset_hidden, hidden, u_gates, u_candidate = ctx.saved_tensors
        kind = ctx.kind
        steps, directions, batch, units = candidates.shape
        before = hidden[:-1]
        update, reset = gates[..., :units], gates[..., units:]
        keep = 1.0 - update
        d_projections = gates.new_empty(steps, directions, batch, 3 * units)
        # Local derivatives of every step at once; the loop multiplies them by what arrives from later steps.
        to_candidate = update * (1.0 - candidates * candidates)
        to_update = (candidates - before) * update * keep
        to_reset = before * reset * (1.0 - reset)
        u_gates_t, u_candidate_t = u_gates.transpose(1, 2), u_candidate.transpose(1, 2)
        carry = torch.zeros_like(hidden[0])
        for step in range(steps - 1, -1, -1):
            carry += d_hidden[step]
            d_step = d_projections[step]
            d_candidate = d_step[..., 2 * units :]
            torch.mul(carry, to_candidate[step], out=d_candidate)
            d_reset_hidden = torch.bmm(d_candidate.to(kind), u_candidate_t).to(gates.dtype)
            torch.mul(carry, to_update[step], out=d_step[..., :units])
            torch.mul(d_reset_hidden, to_reset[step], out=d_step[..., units : 2 * units])
            carry.mul_(keep[step]).addcmul_(d_reset_hidden, reset[step])
            _add_product(carry, d_step[..., : 2 * units], u_gates_t, carry)

        def by_direction(values: Tensor) -> Tensor:  # (d, T*B, features)
            return values.to(kind).transpose(0, 1).reshape(directions, steps * batch, -1)

        d_all = by_direction(d_projections)
        d_weight_gates = torch.bmm(by_direction(before).transpose(1, 2), d_all[..., : 2 * units])
        d_weight_candidate = torch.bmm(by_direction(reset_hidden).transpose(1, 2), d_all[..., 2 * units :])
        return d_projections, d_weight_gates.to(gates.dtype), d_weight_candidate.to(gates.dtype), carry


def gru_recurrence(
    projections: Tensor, weight_gates: Tensor, weight_candidate: Tensor, initial: Tensor
) -> Tensor:
    """Run a (bidirectional) GRU over projected inputs; see the module's first lines for the shapes."""
    hidden: Tensor = _Recurrence.apply(projections, weight_gates, weight_candidate, initial)  # type: ignore[no-untyped-call]
    return hidden
