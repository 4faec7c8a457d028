"""The compiled layers compute what the PyTorch ones compute, forwards and backwards."""

import pytest
import torch
from torch import Tensor

from inktex.model import native
from inktex.model.attention import (
    LoopWeights,
    attend,
    attend_backward,
    coverage_windows,
    sum_of_windows,
)
from inktex.model.encoder import BidirectionalGRU

needs_native = pytest.mark.skipif(
    native.library() is None, reason="no compiler or no AVX-512 BF16 here: PyTorch does it all"
)


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


@needs_native
@pytest.mark.parametrize("units", [64, 50, 128])
def test_compiled_layer_agrees_with_pytorch(units: int) -> None:
    torch.manual_seed(units)
    layer = BidirectionalGRU(8, units)
    inputs, lengths = torch.randn(17, 5, 8), torch.tensor([17, 3, 11, 1, 16])
    expected, expected_gradients = layer_and_gradients(layer, inputs, lengths)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert native.usable()
        found, gradients = layer_and_gradients(layer, inputs, lengths)
    assert torch.allclose(found, expected, atol=0.03)
    assert len(gradients) == len(expected_gradients) == 5
    for mine, wanted in zip(gradients, expected_gradients, strict=True):
        assert (mine - wanted).norm() < 0.02 * wanted.norm()


@needs_native
def test_an_expression_is_the_same_alone_and_in_a_batch() -> None:
    torch.manual_seed(1)
    layer = BidirectionalGRU(8, 50)
    inputs, lengths = torch.randn(12, 3, 8), torch.tensor([12, 5, 7])
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        together = layer(inputs, lengths)
        for which, length in enumerate(lengths.tolist()):
            alone = layer(inputs[:length, which : which + 1], lengths[which : which + 1])
            assert torch.allclose(alone[:, 0].float(), together[:length, which].float(), atol=1e-5)


def test_without_autocast_pytorch_does_it_all() -> None:
    assert not native.usable()


def test_it_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INKTEX_NATIVE", "0")
    native.library.cache_clear()
    try:
        assert native.library() is None
    finally:
        monkeypatch.undo()
        native.library.cache_clear()


@needs_native
@pytest.mark.parametrize("window", [0, 7, 70])
def test_compiled_attention_agrees_with_pytorch(window: int) -> None:
    torch.manual_seed(window)
    rows, length, n, width = 3, 11, 8, 20  # a width that is no multiple of 16
    weights = LoopWeights(
        torch.randn(n, width),
        torch.randn(width),
        0.2 * torch.randn(window, width),
        *(torch.randn(n, size) for size in (2 * n, n, 2 * n, n)),
    )
    keys, query = torch.randn(rows, length, width), torch.randn(rows, width)
    coverage, mask = torch.rand(rows, length), torch.rand(rows, length) < 0.7
    mask[:, 0] = True
    d_energy = torch.randn(rows, length)

    def run(compiled: bool) -> list[Tensor]:
        into = torch.empty_like(keys) if compiled else None
        attention, layer = attend(query, keys, coverage, mask, weights, into)
        d_layer = torch.empty_like(keys, dtype=torch.bfloat16 if compiled else torch.float32)
        d_query, d_coverage = torch.empty_like(query), torch.ones_like(coverage)
        attend_backward(layer, d_energy, weights, d_query, d_coverage, d_layer)
        return [attention, layer, d_layer.float(), d_query, d_coverage - 1]

    for mine, wanted in zip(run(compiled=True), run(compiled=False), strict=True):
        assert (mine - wanted).norm() <= (0.01 if window else 0.004) * wanted.norm()


def test_sum_of_windows_reverses_coverage_windows() -> None:
    coverage = torch.randn(2, 9, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(2, 9, 5, dtype=torch.float64)
    (coverage_windows(coverage, 5) * weights).sum().backward()
    assert coverage.grad is not None
    assert torch.allclose(coverage.grad, sum_of_windows(weights, 5))
