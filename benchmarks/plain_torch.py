"""The paper's equations written down as they stand, in PyTorch: what recognition is compared with.

A plain loop: the encoder goes through the steps of each layer and direction one by one, the decoder steps a
batch of hypotheses with the annotations repeated for each, and the best continuations are taken by `topk`.
Weights are those of a trained network, or random ones of the same shapes: the time does not depend on them.
"""

from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from inktex.model import ModelConfig, Network


class PlainDecoder:
    """Beam search by the book."""

    def __init__(self, network: Network) -> None:
        self.config: ModelConfig = network.config
        self.weights = {name: value.detach() for name, value in network.state_dict().items()}
        self.scale = torch.tensor(self.config.input_scale)

    def encode(self, features: NDArray[np.float32]) -> Tensor:
        """Annotations (L, D): stacked bidirectional GRU layers with pooling (paper §II-B)."""
        values = torch.from_numpy(np.ascontiguousarray(features)) * self.scale
        for layer in range(self.config.encoder_layers):
            forward = self._direction(values, layer, 0)
            backward = self._direction(values.flip(0), layer, 1).flip(0)
            values = torch.cat([forward, backward], dim=1)
            if layer + 1 in self.config.pool_after:
                if len(values) % 2:
                    values = torch.cat([values, torch.full_like(values[:1], -torch.inf)])
                values = torch.maximum(values[0::2], values[1::2])
        return values

    def _direction(self, inputs: Tensor, layer: int, direction: int) -> Tensor:
        units, prefix = self.config.encoder_units, f"encoder.layers.{layer}"
        part = slice(direction * 3 * units, (direction + 1) * 3 * units)
        w, b = self.weights[f"{prefix}.input.weight"][part], self.weights[f"{prefix}.input.bias"][part]
        u_gates = self.weights[f"{prefix}.gates"][direction]
        u_candidate = self.weights[f"{prefix}.candidate"][direction]
        hidden = torch.zeros(units)
        states = []
        for x in inputs:
            projected = w @ x + b
            update = torch.sigmoid(projected[:units] + hidden @ u_gates[:, :units])
            reset = torch.sigmoid(projected[units : 2 * units] + hidden @ u_gates[:, units:])
            candidate = torch.tanh(projected[2 * units :] + (reset * hidden) @ u_candidate)
            hidden = (1 - update) * hidden + update * candidate
            states.append(hidden)
        return torch.stack(states)

    def step(
        self, annotations: Tensor, keys: Tensor, hidden: Tensor, coverage: Tensor, tokens: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Log probabilities (rows, K), s_t and β of the next step (paper §II-C and D)."""
        weights, n = self.weights, self.config.decoder_units
        embedded = weights["decoder.embedding.weight"][tokens]
        query = hidden @ weights["decoder.w_att"]
        if self.config.query_token:
            query = query + embedded @ weights["decoder.w_query"]
        energy = query[:, None] + keys
        if self.config.coverage_window:
            reach = self.config.coverage_window // 2
            padded = F.pad(coverage[:, None], (reach, self.config.coverage_window - 1 - reach))
            seen = F.conv1d(padded, weights["decoder.q"].T[:, None])  # (rows, filters, L)
            energy = energy + seen.transpose(1, 2) @ weights["decoder.u_f"]
        attention = torch.softmax(torch.tanh(energy) @ weights["decoder.v_att"], dim=1)
        context = (attention[:, :, None] * annotations).sum(1)
        from_token = embedded @ weights["decoder.w_y.weight"].T + weights["decoder.w_y.bias"]
        gates = torch.sigmoid(
            from_token[:, : 2 * n]
            + hidden @ weights["decoder.u_gates"]
            + context @ weights["decoder.c_gates"]
        )
        update, reset = gates[:, :n], gates[:, n:]
        candidate = torch.tanh(
            from_token[:, 2 * n :]
            + (reset * hidden) @ weights["decoder.u_candidate"]
            + context @ weights["decoder.c_candidate"]
        )
        hidden = (1 - update) * hidden + update * candidate
        mixed = (
            embedded
            + hidden @ weights["decoder.w_s.weight"].T
            + weights["decoder.w_s.bias"]
            + context @ weights["decoder.w_c.weight"].T
        )
        scores = mixed @ weights["decoder.w_o.weight"].T + weights["decoder.w_o.bias"]
        return torch.log_softmax(scores, dim=1), hidden, coverage + attention

    @torch.inference_mode()
    def recognize(self, features: NDArray[np.float32], beam: int, steps: int | None = None) -> list[int]:
        """The best of `beam` hypotheses; with `steps`, exactly so many steps of a full beam."""
        annotations = self.encode(features)[None]
        weights = self.weights
        keys = annotations @ weights["decoder.u_att.weight"].T + weights["decoder.u_att.bias"]
        mean = annotations.mean(1)
        initial = mean @ weights["decoder.initial.weight"].T + weights["decoder.initial.bias"]
        hidden, coverage = torch.tanh(initial), torch.zeros(1, annotations.shape[1])
        tokens, totals = torch.zeros(1, dtype=torch.long), torch.zeros(1)
        sequences: list[list[int]] = [[]]
        finished: list[tuple[float, list[int]]] = []
        for _ in range(steps or 200):
            rows, its_keys = annotations.repeat(len(tokens), 1, 1), keys.repeat(len(tokens), 1, 1)
            log_probs, hidden, coverage = self.step(rows, its_keys, hidden, coverage, tokens)
            candidates = (totals[:, None] + log_probs).flatten()
            if steps is not None:
                candidates[:: log_probs.shape[1]] = -torch.inf  # no hypothesis ends early
            best, places = candidates.topk(min(beam, len(candidates)))
            parents, chosen = places // log_probs.shape[1], places % log_probs.shape[1]
            kept, grown = [], []
            for place, (parent, token) in enumerate(zip(parents.tolist(), chosen.tolist(), strict=True)):
                if token == 0 and steps is None:
                    finished.append((float(best[place]), sequences[parent]))
                else:
                    kept.append(place)
                    grown.append([*sequences[parent], token])
            if steps is None and finished and (not kept or max(finished)[0] >= float(best[kept[0]])):
                break
            hidden, coverage = hidden[parents[kept]], coverage[parents[kept]]
            tokens, totals, sequences = chosen[kept], best[kept], grown
        return max(finished)[1] if finished else sequences[0]


def decoder_of(config: dict[str, object], weights: Sequence[str] = ()) -> PlainDecoder:
    """A decoder with the weights of a `.safetensors` file, or with random ones for a model's config."""
    from pathlib import Path

    from inktex.model import load_network

    torch.set_num_threads(1)
    if weights:
        return PlainDecoder(load_network(Path(weights[0])))
    torch.manual_seed(0)
    return PlainDecoder(Network(ModelConfig.from_json(dict(config))).eval())
