"""The compiled layers compute what the PyTorch ones compute, forwards and backwards."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from inktex.model import ModelConfig, Network
from inktex.model.attention import LoopWeights, coverage_windows
from inktex.model.config import Direction
from inktex.model.encoder import BidirectionalGRU
from inktex.model.fast import accelerate, native
from inktex.model.fast.loop import attend, attend_backward, sum_of_windows

SMALL = ModelConfig(vocabulary=("<eol>", "a"), encoder_layers=1, pool_after=())
KINDS = [
    pytest.param(
        kind,
        marks=pytest.mark.skipif(
            native.library(kind) is None, reason=f"no compiled code for {kind} here: PyTorch does it all"
        ),
    )
    for kind in (torch.bfloat16, torch.float32)
]
in_every_kind = pytest.mark.parametrize("kind", KINDS)
# How far results may be from those of PyTorch, relative to their size.
ROUNDING = {torch.bfloat16: 0.01, torch.float32: 1e-5}


def computing_in(kind: torch.dtype) -> torch.autocast:
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=kind == torch.bfloat16)


def layer_and_gradients(
    layer: BidirectionalGRU, inputs: Tensor, lengths: Tensor
) -> tuple[Tensor, list[Tensor]]:
    layer.zero_grad()
    leaf = inputs.clone().requires_grad_()
    output = layer(leaf, lengths)
    inside = torch.arange(inputs.shape[0])[:, None] < lengths
    weights = torch.linspace(-1.0, 1.0, output.shape[-1])
    (output.float() * weights * inside[:, :, None]).sum().backward()
    found = [leaf.grad, *(parameter.grad for parameter in layer.parameters())]
    return (output * inside[:, :, None]).float().detach(), [
        each.clone().float() for each in found if each is not None
    ]


@in_every_kind
@pytest.mark.parametrize(("units", "batch"), [(64, 5), (50, 5), (128, 5), (64, 1), (64, 13), (64, 31)])
def test_compiled_layer_agrees_with_pytorch(kind: torch.dtype, units: int, batch: int) -> None:
    torch.manual_seed(units)
    network = Network(replace(SMALL, encoder_units=units))
    layer = network.encoder.layers[0]
    inputs, lengths = torch.randn(17, batch, 8), torch.tensor(([17, 3, 11, 1, 16] * 7)[:batch])
    expected, expected_gradients = layer_and_gradients(layer, inputs, lengths)
    accelerate(network)
    with computing_in(kind):
        assert native.kind_of(layer.gates) == kind
        found, gradients = layer_and_gradients(layer, inputs, lengths)
    assert torch.allclose(found, expected, atol=3 * ROUNDING[kind])
    assert len(gradients) == len(expected_gradients) == 5
    for mine, wanted in zip(gradients, expected_gradients, strict=True):
        assert (mine - wanted).norm() < 2 * ROUNDING[kind] * wanted.norm()


@in_every_kind
def test_what_is_not_a_number_stays_so(kind: torch.dtype) -> None:
    """Otherwise a network that has diverged would give answers."""
    layer = Network(replace(SMALL, encoder_units=64)).encoder.layers[0]
    keys, query, v = torch.full((1, 4, 32), torch.nan), torch.zeros(1, 32), torch.ones(32)
    weights = LoopWeights(torch.zeros(8, 32), v, torch.zeros(0, 32), *(torch.zeros(8, 8),) * 4)
    with torch.no_grad(), computing_in(kind):
        layer.input.weight[0, 0] = torch.nan
        hidden = native.native_layer(
            torch.ones(3, 1, 8), layer.input, layer.gates, layer.candidate, torch.tensor([3])
        )
        energy = attend(query, keys, torch.zeros(1, 4), weights, torch.empty_like(keys), kind)
    assert hidden.isnan().any()
    assert energy.isnan().all()


@in_every_kind
def test_an_expression_is_the_same_alone_and_in_a_batch(kind: torch.dtype) -> None:
    torch.manual_seed(1)
    layer = accelerate(Network(replace(SMALL, encoder_units=50))).encoder.layers[0]
    inputs, lengths = torch.randn(12, 3, 8), torch.tensor([12, 5, 7])
    with torch.no_grad(), computing_in(kind):
        together = layer(inputs, lengths)
        for which, length in enumerate(lengths.tolist()):
            alone = layer(inputs[:length, which : which + 1], lengths[which : which + 1])
            assert torch.allclose(alone[:, 0].float(), together[:length, which].float(), atol=1e-5)


def test_pytorch_computes_in_double_precision() -> None:
    assert native.kind_of(torch.zeros(1, dtype=torch.float64)) is None


def test_it_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INKTEX_NATIVE", "0")
    native.library.cache_clear()
    try:
        assert native.library(torch.float32) is None
        assert native.library(torch.bfloat16) is None
    finally:
        monkeypatch.undo()
        native.library.cache_clear()


@in_every_kind
@pytest.mark.parametrize("window", [0, 7, 70])
def test_compiled_attention_agrees_with_pytorch(kind: torch.dtype, window: int) -> None:
    torch.manual_seed(window)
    rows, length, n, width = 3, 11, 8, 20  # a width that is no multiple of 16
    weights = LoopWeights(
        torch.randn(n, width),
        torch.randn(width),
        0.2 * torch.randn(window, width),
        *(torch.randn(n, size) for size in (2 * n, n, 2 * n, n)),
    )
    keys, query = torch.randn(rows, length, width), torch.randn(rows, width)
    coverage = torch.rand(rows, length)
    d_energy = torch.randn(rows, length)

    def run(compiled: torch.dtype | None) -> list[Tensor]:
        layer = torch.empty_like(keys)
        energy = attend(query, keys, coverage, weights, layer, compiled)
        d_layer = torch.empty_like(keys, dtype=compiled)
        d_query, d_coverage = torch.empty_like(query), torch.ones_like(coverage)
        attend_backward(layer, d_energy, weights, d_query, d_coverage, d_layer, compiled)
        return [energy, layer, d_layer.float(), d_query, d_coverage - 1]

    for mine, wanted in zip(run(kind), run(None), strict=True):
        assert (mine - wanted).norm() <= ROUNDING[kind] * wanted.norm()


def test_sum_of_windows_reverses_coverage_windows() -> None:
    coverage = torch.randn(2, 9, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(2, 9, 5, dtype=torch.float64)
    (coverage_windows(coverage, 5) * weights).sum().backward()
    assert coverage.grad is not None
    assert torch.allclose(coverage.grad, sum_of_windows(weights, 5))


@in_every_kind
@pytest.mark.parametrize("direction", ["forward", "both"])
def test_the_whole_network_has_the_gradients_of_the_plain_one(
    kind: torch.dtype, direction: Direction
) -> None:
    config = ModelConfig(
        vocabulary=("<eol>", *"abcdef"),
        encoder_units=64,
        encoder_layers=2,
        embedding=16,
        decoder_units=24,
        attention=32,
        coverage_filters=8,
        direction=direction,
        encoder_dropout=0.0,
        decoder_dropout=0.0,
    )
    features, lengths = torch.randn(4, 21, 8), torch.tensor([21, 9, 14, 1])
    tokens = torch.randint(0, 7, (4, 6))
    found = []
    for fast in (False, True):
        torch.manual_seed(3)
        network = accelerate(Network(config)) if fast else Network(config)
        with computing_in(kind if fast else torch.float32):
            decoded, symbols = network(features, lengths, *([tokens] * len(network.decoders)))
            loss = symbols.float().logsumexp(-1).sum()
            for scores, attention in decoded:
                loss = loss + scores.float().logsumexp(-1).sum() + (attention.float() ** 2).sum()
        loss.backward()
        gradients = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
        found.append(torch.cat([gradient.flatten() for gradient in gradients]))
    assert torch.isfinite(found[1]).all()
    assert (found[1] - found[0]).norm() < 3 * ROUNDING[kind] * found[0].norm()
