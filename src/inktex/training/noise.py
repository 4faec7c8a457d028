"""Weight noise, the paper's regularisation (its reference: Graves, "Practical variational inference", 2011).

A fixed deviation gives every weight the same noise. Adaptive noise minimises the expected loss plus the cost
of describing the weights under a normal prior: a weight that hardly changes the loss gets the prior's
deviation, one that the loss depends on gets less. With the mean gradient g of a batch, N expressions and the
cost's weight c, the best variance is 1 / (1/prior + N·g²/c). AdaDelta knows the running mean of g². The
prior's own best variance is the mean of weights and noise squared; it may grow towards that.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from inktex.training.options import TrainOptions

Deviations = float | Sequence[Tensor]  # of all weights, or of each

_RHO = 0.95  # of AdaDelta


class WeightNoise:
    """How much noise each weight gets."""

    def __init__(self, options: TrainOptions, expressions: int) -> None:
        if options.noise_cost and (options.optimizer, options.loss_per) != ("adadelta", "expression"):
            raise ValueError("training.noise_cost needs optimizer = 'adadelta' and loss_per = 'expression'")
        self.deviation, self.cost = options.weight_noise, options.noise_cost
        self.growth, self.expressions = options.noise_growth, expressions
        self.prior = torch.tensor(options.weight_noise**2, dtype=torch.float64)  # its variance

    @torch.no_grad()
    def deviations(self, network: nn.Module, optimizer: torch.optim.Optimizer) -> Deviations:
        """The noise of the next step; none where it adapts and no gradient was seen yet."""
        if not self.cost:
            return self.deviation
        parameters = list(network.parameters())
        if not all(optimizer.state.get(parameter) for parameter in parameters):
            return 0.0
        prior, held = float(self.prior), self.expressions / self.cost
        found = []
        for parameter in parameters:
            state = optimizer.state[parameter]
            seen = 1.0 - _RHO ** float(state["step"])
            found.append(prior / (state["square_avg"] * (prior * held / seen) + 1.0))
        if self.growth:
            squares = sum(float(each.sum()) for each in (*found, *map(torch.square, parameters)))
            best = squares / sum(parameter.numel() for parameter in parameters)
            self.prior = (1.0 - self.growth) * self.prior + self.growth * best
        return [variance.sqrt_() for variance in found]

    @torch.no_grad()
    def charge(self, network: nn.Module) -> None:
        """Add what the weights cost to describe to their gradients."""
        if self.cost:
            for parameter in network.parameters():
                if parameter.grad is not None:
                    parameter.grad.add_(parameter, alpha=self.cost / (self.expressions * float(self.prior)))


@contextmanager
def noisy_weights(network: nn.Module, deviation: Deviations, seed: tuple[int, int]) -> Iterator[None]:
    """Within the block, weights carry Gaussian noise; after it they are as before, with gradients."""
    if isinstance(deviation, float) and deviation <= 0:
        yield
        return
    parameters = list(network.parameters())
    sizes = [torch.tensor(deviation)] * len(parameters) if isinstance(deviation, float) else deviation
    kept = [parameter.detach().clone() for parameter in parameters]
    generator = torch.Generator().manual_seed(seed[0] * 1_000_003 + seed[1])
    with torch.no_grad():
        for parameter, size in zip(parameters, sizes, strict=True):
            noise = torch.randn(parameter.shape, generator=generator).to(parameter.device)
            parameter.add_(noise.mul_(size))
    try:
        yield
    finally:
        with torch.no_grad():
            for parameter, value in zip(parameters, kept, strict=True):
                parameter.copy_(value)
