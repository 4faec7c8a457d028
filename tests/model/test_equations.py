"""The network computes the paper's equations: each is written out again here in plain NumPy, term by term."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from inktex.model import ModelConfig, Network
from inktex.model.attention import Attended, LoopWeights, StepState, plain_loop, step
from inktex.model.encoder import BidirectionalGRU, plain_layer
from inktex.model.fast import accelerate, layer_by_hand
from inktex.model.fast.loop import fast_loop
from inktex.model.fast.recurrence import gru_recurrence
from inktex.training import recipe


def sigmoid(values: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-values))


def tiny(**changes: object) -> ModelConfig:
    base = ModelConfig(
        vocabulary=("<eol>", "a", "b", "c"),
        encoder_units=6,
        embedding=5,
        decoder_units=4,
        attention=7,
        coverage_window=3,
        coverage_filters=2,
        encoder_dropout=0.0,
        decoder_dropout=0.0,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def random_network(config: ModelConfig, seed: int = 0) -> Network:
    torch.manual_seed(seed)
    network = Network(config).double().eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(0.0, 0.5)
    return network


@pytest.mark.parametrize("run", [plain_layer, layer_by_hand])
def test_encoder_layer_is_a_gru_in_both_directions(run: Callable[..., torch.Tensor]) -> None:
    torch.manual_seed(1)
    layer = BidirectionalGRU(3, 4).double()
    layer.run = run
    inputs = torch.randn(5, 1, 3, dtype=torch.double)
    got = layer(inputs, torch.tensor([5]))[:, 0].detach().numpy()
    weights = layer.input.weight.detach().numpy()
    bias = layer.input.bias.detach().numpy() + 0.0
    for direction, order in ((0, range(5)), (1, range(4, -1, -1))):
        w_z, w_r, w_h = np.split(weights[12 * direction : 12 * direction + 12], 3)
        b_z, b_r, b_h = np.split(bias[12 * direction : 12 * direction + 12], 3)
        u_z, u_r = np.split(layer.gates[direction].detach().numpy(), 2, axis=1)
        u_h = layer.candidate[direction].detach().numpy()
        hidden = np.zeros(4)
        for time in order:
            x = inputs[time, 0].numpy()
            z = sigmoid(w_z @ x + b_z + hidden @ u_z)
            r = sigmoid(w_r @ x + b_r + hidden @ u_r)
            candidate = np.tanh(w_h @ x + b_h + (r * hidden) @ u_h)
            hidden = (1 - z) * hidden + z * candidate
            np.testing.assert_allclose(got[time, 4 * direction : 4 * direction + 4], hidden, atol=1e-12)


def decode_in_numpy(
    network: Network, annotations: np.ndarray, tokens: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Equations 6 to 9, the coverage equations and the decoder GRU, one step after the other."""
    p = {name: value.detach().numpy() for name, value in network.decoder.named_parameters()}
    config = network.config
    n, window = config.decoder_units, config.coverage_window
    state = np.tanh(p["initial.weight"] @ annotations.mean(0) + p["initial.bias"])
    beta = np.zeros(len(annotations))
    probabilities, attentions = [], []
    for previous in tokens:
        embedded = p["embedding.weight"][previous]
        energies = np.zeros(len(annotations))
        padded = np.concatenate((np.zeros(window // 2), beta, np.zeros(window)))
        for i, a in enumerate(annotations):
            inner = state @ p["w_att"] + p["u_att.weight"] @ a + p["u_att.bias"]
            if config.query_token:
                inner = inner + embedded @ p["w_query"]
            if window:
                f = padded[i : i + window] @ p["q"]  # F = Q * β at place i
                inner = inner + f @ p["u_f"]
            energies[i] = p["v_att"] @ np.tanh(inner)
        alpha = np.exp(energies) / np.exp(energies).sum()
        beta = beta + alpha
        context = alpha @ annotations
        y = p["w_y.weight"] @ embedded + p["w_y.bias"]
        gates = sigmoid(y[: 2 * n] + state @ p["u_gates"] + context @ p["c_gates"])
        z, r = gates[:n], gates[n:]
        candidate = np.tanh(y[2 * n :] + (r * state) @ p["u_candidate"] + context @ p["c_candidate"])
        state = (1 - z) * state + z * candidate
        inner = embedded + p["w_s.weight"] @ state + p["w_s.bias"] + p["w_c.weight"] @ context
        scores = p["w_o.weight"] @ inner + p["w_o.bias"]
        probabilities.append(np.exp(scores) / np.exp(scores).sum())
        attentions.append(alpha)
    return np.array(probabilities), np.array(attentions)


@pytest.mark.parametrize("window", [0, 3, 4])
@pytest.mark.parametrize("query_token", [False, True])
@pytest.mark.parametrize("loop", [plain_loop, fast_loop])
def test_decoder_follows_the_equations(
    window: int, query_token: bool, loop: Callable[..., tuple[torch.Tensor, ...]]
) -> None:
    network = random_network(
        tiny(query_token=query_token)
        if window == 3
        else replace(tiny(query_token=query_token), coverage_window=window, coverage_filters=min(window, 2))
    )
    network.decoder.loop = loop
    annotations = torch.randn(1, 9, 12, dtype=torch.double)
    mask = torch.ones(1, 9, dtype=torch.bool)
    tokens = [0, 2, 1, 3, 3]
    with torch.no_grad():
        scores, attention = network.decoder(annotations, mask, torch.tensor([tokens]))
    expected, expected_attention = decode_in_numpy(network, annotations[0].numpy(), tokens)
    np.testing.assert_allclose(torch.softmax(scores, -1)[0].numpy(), expected, atol=1e-10)
    np.testing.assert_allclose(attention[0].numpy(), expected_attention, atol=1e-10)


def test_one_step_at_a_time_says_the_same_as_all_steps() -> None:
    network = random_network(tiny())
    annotations, mask = torch.randn(2, 9, 12, dtype=torch.double), torch.ones(2, 9, dtype=torch.bool)
    mask[1, 6:] = False
    tokens = torch.tensor([[0, 2, 1], [0, 3, 3]])
    decoder = network.decoder
    with torch.no_grad():
        scores, attention = decoder(annotations, mask, tokens)
        state, to = decoder.start(annotations, mask), decoder.attended(annotations, mask)
        for t in range(3):
            state, now, looked = decoder.step(state, tokens[:, t], to)
            torch.testing.assert_close(now, scores[:, t])
            torch.testing.assert_close(looked, attention[:, t])


def test_gradient_of_the_recurrence() -> None:
    torch.manual_seed(0)
    shapes = ((4, 2, 3, 12), (2, 4, 8), (2, 4, 4), (2, 3, 4))
    inputs = [torch.randn(*shape, dtype=torch.double, requires_grad=True) for shape in shapes]
    assert torch.autograd.gradcheck(gru_recurrence, inputs)


@pytest.mark.parametrize("window", [0, 5])
def test_gradient_of_the_decoder_loop(window: int) -> None:
    torch.manual_seed(0)
    mask = torch.ones(2, 7, dtype=torch.bool)
    mask[0, 5:] = False

    def random(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, dtype=torch.double, requires_grad=True)

    values = [random(2, 7, 5), random(2, 7, 6), random(3, 2, 6), random(3, 2, 12), random(2, 4)]
    weights = [
        random(4, 6),
        random(6),
        random(window, 6),
        random(4, 8),
        random(4, 4),
        random(5, 8),
        random(5, 4),
    ]

    def loop(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        annotations, keys, queries, gates, initial = tensors[:5]
        return fast_loop(
            queries, gates, initial, Attended(annotations, keys, mask, LoopWeights(*tensors[5:]))
        )

    assert torch.autograd.gradcheck(loop, (*values, *weights))


@pytest.mark.parametrize("direction", ["forward", "both"])
def test_the_fast_path_has_the_gradients_of_the_plain_one(direction: str) -> None:
    config = tiny(direction=direction, pool_after=(2,))
    features, lengths = torch.randn(3, 11, 8, dtype=torch.double), torch.tensor([11, 4, 7])
    tokens = torch.tensor([[0, 1, 2, 3], [0, 3, 0, 0], [0, 2, 2, 1]])
    found = []
    for make in (lambda network: network, accelerate):
        network = make(random_network(config))
        decoded, symbols = network(features, lengths, *([tokens] * len(network.decoders)))
        loss = symbols.logsumexp(-1).sum()
        for scores, attention in decoded:
            loss = loss + scores.logsumexp(-1).sum() + (attention**2).sum()
        loss.backward()
        found.append([loss.detach(), *(parameter.grad for parameter in network.parameters())])
    for plain, fast in zip(*found, strict=True):
        torch.testing.assert_close(fast, plain, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("make", [lambda network: network, accelerate])
def test_gradient_of_the_whole_network_agrees_with_finite_differences(
    make: Callable[[Network], Network],
) -> None:
    network = make(random_network(tiny()))
    features, lengths = torch.randn(2, 9, 8, dtype=torch.double), torch.tensor([9, 6])
    tokens = torch.tensor([[0, 1, 2], [0, 3, 0]])

    def loss() -> torch.Tensor:
        [(scores, attention)], symbols = network(features, lengths, tokens)
        assert symbols is not None
        return scores.logsumexp(-1).sum() + (attention**2).sum() + symbols.logsumexp(-1).sum()

    loss().backward()
    generator = np.random.default_rng(0)
    for parameter in network.parameters():
        assert parameter.grad is not None
        flat, gradient = parameter.data.view(-1), parameter.grad.view(-1)
        place = int(generator.integers(len(flat)))
        kept = float(flat[place])
        with torch.no_grad():
            flat[place] = kept + 1e-5
            above = float(loss())
            flat[place] = kept - 1e-5
            below = float(loss())
            flat[place] = kept
        assert float(gradient[place]) == pytest.approx((above - below) / 2e-5, rel=1e-4, abs=1e-7)


def test_step_counts_coverage() -> None:
    network = random_network(tiny())
    annotations, mask = torch.randn(1, 5, 12, dtype=torch.double), torch.ones(1, 5, dtype=torch.bool)
    state = StepState(torch.zeros(1, 4, dtype=torch.double), torch.ones(1, 5, dtype=torch.double))
    query, gates = network.decoder.from_previous(network.decoder.embedding(torch.tensor([1])))
    after, _, attention = step(state, query, gates, network.decoder.attended(annotations, mask))
    torch.testing.assert_close(after.coverage, 1.0 + attention)


def test_presets_have_the_papers_sizes() -> None:
    paper = recipe("paper-p2").model
    assert (paper.encoder_layers, paper.encoder_units, paper.annotation_size) == (4, 250, 500)
    assert (paper.embedding, paper.decoder_units, paper.attention, paper.stride) == (256, 256, 500, 4)
    for name in ("paper", ""):
        with_coverage, without = (recipe(f"{name}-{p}".strip("-")).model for p in ("p2", "p1"))
        assert without == replace(with_coverage, coverage_window=0, coverage_filters=0)
