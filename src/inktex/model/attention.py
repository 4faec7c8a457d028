"""One step of the decoder (paper §II-C and §II-D): coverage attention, context, decoder GRU.

The equations in the paper's order, in plain PyTorch. `plain_loop` repeats the step over known previous tokens
(teacher forcing); autograd does the rest. `fast/loop.py` computes the same by hand-written gradients.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor


class LoopWeights(NamedTuple):
    """Weights that act inside the loop, in the paper's letters (transposed: they multiply from the right)."""

    w_att: Tensor  # (n, n')
    v_att: Tensor  # (n',)
    kernel: Tensor  # Q and U_f as one map from a window of β to n': (window, n'); (0, n') without coverage
    u_gates: Tensor  # U_sz | U_sr: (n, 2n)
    u_candidate: Tensor  # U_rs: (n, n)
    c_gates: Tensor  # C_cz | C_cr: (D, 2n)
    c_candidate: Tensor  # C_cs: (D, n)


class Attended(NamedTuple):
    """What stays the same from step to step."""

    annotations: Tensor  # a_i (rows, L, D)
    keys: Tensor  # U_att a_i (rows, L, n')
    mask: Tensor  # (rows, L) True where there is an annotation
    weights: LoopWeights


@dataclass(frozen=True)
class StepState:
    """What the decoder remembers between steps, one row per hypothesis."""

    hidden: Tensor  # s_{t-1} (rows, n)
    coverage: Tensor  # β_t (rows, L)


def coverage_windows(coverage: Tensor, window: int) -> Tensor:
    """The neighbourhood of every annotation in β: (rows, L, window), zeros outside."""
    reach = window // 2
    return F.pad(coverage, (reach, window - 1 - reach)).unfold(1, window, 1)


def attend(query: Tensor, coverage: Tensor, to: Attended) -> Tensor:
    """Attention over the annotations, (rows, L)."""
    inner = to.keys + query[:, None]  # W_att s_{t-1} + U_att a_i: (rows, L, n')
    if window := to.weights.kernel.shape[0]:
        inner = inner + coverage_windows(coverage, window) @ to.weights.kernel  # + U_f f_i, with F = Q * β
    energy = torch.tanh(inner) @ to.weights.v_att  # e_ti (equation 7)
    return torch.softmax(energy.masked_fill(~to.mask, float("-inf")), dim=1)  # α_ti (equation 8)


def step(state: StepState, query: Tensor, gates: Tensor, to: Attended) -> tuple[StepState, Tensor, Tensor]:
    """One step; `query` and `gates` are what y_{t-1} contributes. Gives state, context, attention."""
    n, before, weights = state.hidden.shape[-1], state.hidden, to.weights
    attention = attend(before @ weights.w_att + query, state.coverage, to)
    context = (attention[:, None] @ to.annotations)[:, 0]  # c_t (equation 9): (rows, D)
    gate = torch.sigmoid(gates[:, : 2 * n] + before @ weights.u_gates + context @ weights.c_gates)
    update, reset = gate[:, :n], gate[:, n:]  # z_t, r_t
    candidate = torch.tanh(
        gates[:, 2 * n :] + (reset * before) @ weights.u_candidate + context @ weights.c_candidate
    )
    hidden = (1.0 - update) * before + update * candidate  # s_t
    return StepState(hidden, state.coverage + attention), context, attention  # β_{t+1} = β_t + α_t


def plain_loop(
    queries: Tensor, gates: Tensor, initial: Tensor, to: Attended
) -> tuple[Tensor, Tensor, Tensor]:
    """All steps under teacher forcing: states (T, B, n), contexts (T, B, D), attention (T, B, L)."""
    state = StepState(initial, torch.zeros_like(to.annotations[:, :, 0]))
    states, contexts, attentions = [], [], []
    for query, gate in zip(queries, gates, strict=True):
        state, context, attention = step(state, query, gate, to)
        states.append(state.hidden)
        contexts.append(context)
        attentions.append(attention)
    return torch.stack(states), torch.stack(contexts), torch.stack(attentions)
