"""What changes over a run: the learning rate and the weight of the attention's guidance."""

import math

import torch

from inktex.training.options import TrainOptions


def learning_rate(options: TrainOptions, step: int, progress: float) -> float:
    """Linear warm-up, a plateau, then a cosine to zero; `progress` is the share of the run that is done."""
    rate = options.learning_rate
    if step < options.warmup:
        return rate * (step + 1) / options.warmup
    if progress <= options.decay_from or options.decay_from >= 1.0:
        return rate
    return annealed(rate, (progress - options.decay_from) / (1.0 - options.decay_from))


def annealed(rate: float, progress: float) -> float:
    """A cosine to zero over all of a stage."""
    return rate * 0.5 * (1.0 + math.cos(math.pi * min(progress, 1.0)))


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Use this rate from now on."""
    for group in optimizer.param_groups:
        group["lr"] = rate


def guidance_weight(options: TrainOptions, progress: float) -> float:
    """The guidance fades out linearly, so that the attention ends as the cross-entropy wants it."""
    if options.guidance_until <= 0:
        return options.guidance
    return options.guidance * max(0.0, 1.0 - progress / options.guidance_until)
