"""Optimiser, schedules, averaged weights, device and precision, and the C library's memory settings."""

import ctypes
import math
import sys
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from inktex.training.options import TrainOptions


def make_optimizer(network: nn.Module, options: TrainOptions) -> torch.optim.Optimizer:
    """AdamW (no decay on vectors: biases and the attention's v), or the paper's AdaDelta."""
    parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]
    if options.optimizer == "adadelta":
        return torch.optim.Adadelta(parameters, lr=options.learning_rate, rho=0.95, eps=options.epsilon)
    matrices = [parameter for parameter in parameters if parameter.ndim > 1]
    vectors = [parameter for parameter in parameters if parameter.ndim <= 1]
    decays = ((matrices, options.weight_decay), (vectors, 0.0))
    groups = [{"params": some, "weight_decay": decay} for some, decay in decays]
    return torch.optim.AdamW(groups, lr=options.learning_rate, betas=(0.9, 0.98), fused=True)


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


@torch.no_grad()
def update_average(average: nn.Module, network: nn.Module, decay: float, step: int) -> None:
    """Move averaged weights towards the network's; faster at first, when there is little to average."""
    decay = min(decay, (1 + step) / (10 + step))
    torch._foreach_lerp_(list(average.parameters()), list(network.parameters()), 1.0 - decay)


@dataclass(frozen=True)
class Place:
    """Where the arithmetic happens."""

    device: torch.device
    half: torch.dtype | None  # type of matrix products under autocast; None: all in float32

    def autocast(self) -> torch.autocast:
        """The context for forward passes."""
        kind = self.half or torch.bfloat16
        return torch.autocast(self.device.type, kind, enabled=self.half is not None)


def choose_place(device: str, precision: str, local_rank: int = 0) -> Place:
    """`auto` takes CUDA, then Apple's GPU, then the CPU; half precision where it is faster."""
    if device == "auto":
        mps = torch.backends.mps.is_available()
        device = "cuda" if torch.cuda.is_available() else "mps" if mps else "cpu"
    if device == "cuda":
        device = f"cuda:{local_rank}"
    try:
        chosen = torch.device(device)
        torch.empty(1, device=chosen)
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"device {device!r} cannot be used here: {str(error).splitlines()[0]}") from None
    if precision != "auto":
        fast = precision == "bfloat16"
    elif chosen.type == "cpu":
        fast = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    else:
        fast = chosen.type == "cuda" and torch.cuda.is_bf16_supported()
    return Place(chosen, torch.bfloat16 if fast else None)


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimiser's memory as named tensors."""
    state = optimizer.state_dict()["state"]
    return {
        f"{number}.{key}": torch.as_tensor(value)
        for number, entry in state.items()
        for key, value in entry.items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """Put back what `optimizer_tensors` gave."""
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in tensors.items():
        number, key = name.split(".", 1)
        state.setdefault(int(number), {})[key] = value
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def keep_freed_memory() -> None:
    """Tell glibc to reuse freed blocks of any size instead of returning them to the system.

    Every step makes and frees tensors of tens of megabytes. By default each comes as fresh pages that the
    kernel has to clear first: at the paper's sizes that is a tenth of the training time.
    """
    if not sys.platform.startswith("linux"):
        return
    adjust = getattr(ctypes.CDLL(None), "mallopt", None)
    if adjust is not None:
        adjust(ctypes.c_int(-4), ctypes.c_int(0))  # M_MMAP_MAX: no block on pages of its own
        adjust(ctypes.c_int(-1), ctypes.c_int(2**31 - 1))  # M_TRIM_THRESHOLD
        adjust(ctypes.c_int(-2), ctypes.c_int(64 * 2**20))  # M_TOP_PAD
