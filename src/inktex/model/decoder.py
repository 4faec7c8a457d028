"""The decoder of paper §II-C and §II-D as a module: embedding, loop, and the output of equation 6.

Turns annotations and the previous tokens (teacher forcing), or a state (one step), into scores per token.
"""

import torch
from torch import Tensor, nn

from inktex.model.attention import Attended, LoopWeights, StepState, plain_loop, step
from inktex.model.config import ModelConfig


def _matrix(rows: int, columns: int) -> nn.Parameter:
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(rows, columns)))


class Decoder(nn.Module):
    """Parameters carry the paper's letters; `attended` puts together what acts inside the loop."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        m, n, hidden, depth = config.embedding, config.decoder_units, config.attention, config.annotation_size
        tokens, window, filters = len(config.vocabulary), config.coverage_window, config.coverage_filters
        self.embedding = nn.Embedding(tokens, m)  # E
        nn.init.normal_(self.embedding.weight, std=0.1)
        self.initial = nn.Linear(depth, n)  # s_0 from the mean annotation
        self.u_att = nn.Linear(depth, hidden)
        self.w_att = _matrix(n, hidden)
        self.v_att = nn.Parameter(torch.randn(hidden) / hidden**0.5)
        self.w_query = _matrix(m, hidden) if config.query_token else None
        if window:
            self.q = _matrix(window, filters)  # Q: one filter per column
            self.u_f = _matrix(filters, hidden)
        self.window = window
        self.w_y = nn.Linear(m, 3 * n)  # W_yz | W_yr | W_ys
        self.u_gates = nn.Parameter(torch.empty(n, 2 * n))
        self.u_candidate = nn.Parameter(torch.empty(n, n))
        nn.init.orthogonal_(self.u_gates)
        nn.init.orthogonal_(self.u_candidate)
        self.c_gates = _matrix(depth, 2 * n)
        self.c_candidate = _matrix(depth, n)
        self.w_s = nn.Linear(n, m)
        self.w_c = nn.Linear(depth, m, bias=False)
        self.w_o = nn.Linear(m, tokens)
        self.dropout = nn.Dropout(config.decoder_dropout)
        self.loop = plain_loop  # `fast.accelerate` puts another one here

    def attended(self, annotations: Tensor, mask: Tensor) -> Attended:
        """Q and U_f act one after the other on a window of β, so they are one matrix inside the loop."""
        kernel = self.q @ self.u_f if self.window else self.w_att.new_zeros(0, self.w_att.shape[1])
        weights = LoopWeights(
            self.w_att, self.v_att, kernel, self.u_gates, self.u_candidate, self.c_gates, self.c_candidate
        )
        return Attended(annotations, self.u_att(annotations.to(self.w_att.dtype)), mask, weights)

    def start(self, annotations: Tensor, mask: Tensor) -> StepState:
        """s_0 from the mean annotation; β is zero."""
        mean = annotations.sum(1) / mask.sum(1, keepdim=True)
        return StepState(torch.tanh(self.initial(mean)), torch.zeros_like(annotations[:, :, 0]))

    def output(self, embedded: Tensor, states: Tensor, contexts: Tensor) -> Tensor:
        """Equation 6 before the softmax."""
        scores: Tensor = self.w_o(self.dropout(embedded + self.w_s(states) + self.w_c(contexts)))
        return scores

    def from_previous(self, embedded: Tensor) -> tuple[Tensor, Tensor]:
        """What y_{t-1} contributes to the attention query and to the GRU."""
        if self.w_query is None:
            query = embedded.new_zeros(*embedded.shape[:-1], self.w_att.shape[1])
        else:
            query = embedded @ self.w_query
        return query, self.w_y(embedded)

    def forward(self, annotations: Tensor, mask: Tensor, previous: Tensor) -> tuple[Tensor, Tensor]:
        """Teacher forcing: previous tokens (batch, T) -> scores (batch, T, K), attention (batch, T, L)."""
        embedded = self.dropout(self.embedding(previous.t()))  # (T, B, m)
        query, gates = self.from_previous(embedded)
        start = self.start(annotations, mask)
        with torch.autocast(annotations.device.type, enabled=False):  # the attention in full precision
            to = self.attended(annotations, mask)
        states, contexts, attention = self.loop(query, gates, start.hidden, to)
        scores = self.output(embedded, states, contexts)
        return scores.transpose(0, 1), attention.transpose(0, 1)

    def step(self, state: StepState, previous: Tensor, to: Attended) -> tuple[StepState, Tensor, Tensor]:
        """One step of decoding: previous tokens (rows,) -> state, scores (rows, K), attention (rows, L)."""
        embedded = self.embedding(previous)
        query, gates = self.from_previous(embedded)
        state, context, attention = step(state, query, gates, to)
        return state, self.output(embedded, state.hidden, context), attention
