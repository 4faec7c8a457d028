"""The decoder's loop with a backward pass written out by hand: `attention.plain_loop`, faster.

The loop carries only s, β and what they need; gradients of all weights are large matrix products after it,
for the reason given in `recurrence.py`. Inside it, the attention layer runs as PyTorch calls or as compiled
code (`native.py`), which compute the same.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from inktex.model.attention import Attended, LoopWeights, coverage_windows
from inktex.model.fast import native
from inktex.model.fast.recurrence import fast_tanh_

Kind = torch.dtype | None  # of numbers in compiled code; None: in PyTorch


def attend(
    query: Tensor, keys: Tensor, coverage: Tensor, weights: LoopWeights, layer: Tensor, compiled: Kind
) -> Tensor:
    """Fill `layer` (rows, L, n') with the tanh of equation 7; returns the energies (rows, L)."""
    window = weights.kernel.shape[0]
    if compiled:
        energy = layer.new_empty(layer.shape[:2])
        tensors = (coverage, weights.kernel, keys, query, weights.v_att, layer, energy)
        native.call(compiled, "attention_forward", (*layer.shape, window), tensors)
        return energy
    if window:
        torch.matmul(coverage_windows(coverage, window), weights.kernel, out=layer)
        layer += keys
        layer += query[:, None]
    else:
        torch.add(keys, query[:, None], out=layer)
    return torch.matmul(fast_tanh_(layer), weights.v_att)


def attend_backward(
    layer: Tensor,
    d_energy: Tensor,
    weights: LoopWeights,
    d_query: Tensor,
    d_coverage: Tensor,
    d_layer: Tensor,
    compiled: Kind,
) -> None:
    """Fill `d_layer`, the gradient of the sum under the tanh, and `d_query`; add to `d_coverage`.

    Compiled code keeps `d_layer` in the type of its matrix products.
    """
    window = weights.kernel.shape[0]
    if compiled:
        tensors = (layer, d_energy, weights.v_att, weights.kernel, d_layer, d_query, d_coverage)
        native.call(compiled, "attention_backward", (*layer.shape, window), tensors)
        return
    torch.mul(layer, layer, out=d_layer)
    d_layer.neg_().add_(1.0).mul_(d_energy[..., None]).mul_(weights.v_att)
    torch.sum(d_layer, 1, out=d_query)
    if window:
        d_coverage += sum_of_windows(torch.matmul(d_layer, weights.kernel.t()), window)


def sum_of_windows(windows: Tensor, window: int) -> Tensor:
    """The reverse of `coverage_windows`: (rows, L, window) -> (rows, L).

    Rows of L + window entries, read again as rows of one entry less, are shifted against each other by one:
    then the sum over a column is the sum over all windows that hold one annotation.
    """
    rows, length, _ = windows.shape
    wide = F.pad(windows, (0, length)).view(rows, -1)[:, : length * (length + window - 1)]
    return wide.reshape(rows, length, -1).sum(1)[:, window // 2 : window // 2 + length]


class _DecoderLoop(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        annotations: Tensor,  # (B, L, D)
        keys: Tensor,  # U_att a_i: (B, L, n')
        mask: Tensor,  # (B, L) bool
        queries: Tensor,  # contribution of y_{t-1} to the query: (T, B, n')
        gates_y: Tensor,  # contribution of y_{t-1} to the GRU: (T, B, 3n)
        initial: Tensor,  # s_0 (B, n)
        compiled: Kind,
        *tensors: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        weights = LoopWeights(*tensors)
        steps, batch, _ = queries.shape
        n, length, depth = initial.shape[-1], annotations.shape[1], annotations.shape[2]
        hidden = initial.new_empty(steps + 1, batch, n)
        hidden[0] = initial
        gates, candidates = initial.new_empty(steps, batch, 2 * n), initial.new_empty(steps, batch, n)
        reset_hidden, contexts = torch.empty_like(candidates), initial.new_empty(steps, batch, depth)
        attention = initial.new_empty(steps, batch, length)
        coverage = initial.new_zeros(steps + 1, batch, length)
        layers = initial.new_empty(steps, batch, length, keys.shape[-1])
        for t in range(steps):
            before = hidden[t]
            query = torch.addmm(queries[t], before, weights.w_att)
            energy = attend(query, keys, coverage[t], weights, layers[t], compiled)
            attention[t] = torch.softmax(energy.masked_fill(~mask, float("-inf")), dim=1)
            torch.add(coverage[t], attention[t], out=coverage[t + 1])
            torch.bmm(attention[t][:, None], annotations, out=contexts[t][:, None])
            gate = torch.addmm(gates_y[t, :, : 2 * n], before, weights.u_gates, out=gates[t])
            gate.addmm_(contexts[t], weights.c_gates).sigmoid_()
            torch.mul(gate[:, n:], before, out=reset_hidden[t])
            candidate = torch.addmm(
                gates_y[t, :, 2 * n :], reset_hidden[t], weights.u_candidate, out=candidates[t]
            )
            fast_tanh_(candidate.addmm_(contexts[t], weights.c_candidate))
            torch.lerp(before, candidate, gate[:, :n], out=hidden[t + 1])
        ctx.compiled = compiled
        made = (hidden, gates, candidates, reset_hidden, contexts, attention, coverage, layers)
        ctx.save_for_backward(annotations, *made, *tensors)
        return hidden[1:], contexts, attention

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, d_hidden: Tensor, d_contexts: Tensor, d_attention: Tensor
    ) -> tuple[Tensor | None, ...]:
        annotations, hidden, gates, candidates, reset_hidden, contexts, attention, coverage, layers, *rest = (
            ctx.saved_tensors
        )
        weights = LoopWeights(*rest)
        steps, batch, length = attention.shape
        n, window = candidates.shape[-1], weights.kernel.shape[0]
        before = hidden[:-1]
        update, reset = gates[..., :n], gates[..., n:]
        keep = 1.0 - update
        to_candidate = update * (1.0 - candidates * candidates)
        to_update = (candidates - before) * update * keep
        to_reset = before * reset * (1.0 - reset)
        d_gates = torch.empty_like(gates)
        d_candidates, d_context_all = torch.empty_like(candidates), torch.empty_like(contexts)
        d_energies = torch.empty_like(attention)
        d_queries = layers.new_empty(steps, batch, layers.shape[-1])
        d_layers = torch.empty_like(layers, dtype=ctx.compiled)
        transposed = LoopWeights(*(w.t() for w in weights))
        d_state = torch.zeros_like(hidden[0])
        d_coverage = torch.zeros_like(coverage[0])
        for t in range(steps - 1, -1, -1):
            d_state += d_hidden[t]
            torch.mul(d_state, to_candidate[t], out=d_candidates[t])
            d_reset_hidden = d_candidates[t] @ transposed.u_candidate
            torch.mul(d_state, to_update[t], out=d_gates[t][:, :n])
            torch.mul(d_reset_hidden, to_reset[t], out=d_gates[t][:, n:])
            d_state.mul_(keep[t]).addcmul_(d_reset_hidden, reset[t]).addmm_(d_gates[t], transposed.u_gates)
            d_context = torch.addmm(d_contexts[t], d_gates[t], transposed.c_gates, out=d_context_all[t])
            d_context.addmm_(d_candidates[t], transposed.c_candidate)
            d_alpha = torch.bmm(annotations, d_context[:, :, None])[:, :, 0]
            d_alpha += d_attention[t]
            d_alpha += d_coverage
            d_alpha -= (d_alpha * attention[t]).sum(1, keepdim=True)
            torch.mul(d_alpha, attention[t], out=d_energies[t])
            made = d_queries[t], d_coverage, d_layers[t]
            attend_backward(layers[t], d_energies[t], weights, *made, ctx.compiled)
            d_state.addmm_(d_queries[t], transposed.w_att)
        flat = steps * batch

        def sum_of(left: Tensor, right: Tensor) -> Tensor:
            return left.reshape(flat, -1).t() @ right.reshape(flat, -1)

        d_kernel = torch.zeros_like(weights.kernel)
        if window:
            windows = coverage_windows(coverage[:-1].reshape(flat, length), window).flatten(0, 1)
            d_kernel = (windows.to(d_layers.dtype).t() @ d_layers.view(flat * length, -1)).to(layers.dtype)
        return (
            torch.bmm(attention.permute(1, 2, 0), d_context_all.transpose(0, 1)),
            d_layers.sum(0, dtype=layers.dtype),
            None,
            d_queries,
            torch.cat((d_gates, d_candidates), dim=-1),
            d_state,
            None,
            sum_of(before, d_queries),
            d_energies.view(-1) @ layers.view(-1, layers.shape[-1]),
            d_kernel,
            sum_of(before, d_gates),
            sum_of(reset_hidden, d_candidates),
            sum_of(contexts, d_gates),
            sum_of(contexts, d_candidates),
        )


def fast_loop(queries: Tensor, gates: Tensor, initial: Tensor, to: Attended) -> tuple[Tensor, Tensor, Tensor]:
    """What `plain_loop` computes; the attention layer as compiled code where that is usable."""
    compiled = native.kind_of(to.weights.w_att) if to.keys.shape[-1] % 2 == 0 else None
    # The loop's small products gain nothing from half precision.
    with torch.autocast(to.annotations.device.type, enabled=False):
        kind = to.weights.w_att.dtype
        states, contexts, attention = _DecoderLoop.apply(  # type: ignore[no-untyped-call]
            to.annotations.to(kind),
            to.keys.to(kind).contiguous(),
            to.mask,
            *(values.to(kind) for values in (queries, gates, initial)),
            compiled,
            *(weight.contiguous() for weight in to.weights),
        )
    return states, contexts, attention
