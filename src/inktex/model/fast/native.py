"""GRU and attention as compiled code (`native.c`) where the machine supports it, otherwise in PyTorch.

Requirements: Linux, a C compiler and AVX-512. Matrix products are in bfloat16 under autocast (AVX-512 BF16),
else in float32. The code is compiled once into the user's cache folder. `INKTEX_NATIVE=0` turns it off. Same
function, same gradients (to rounding), a third to a half of the time.

It works on multiples of 64 units. Other widths (the paper's 250) are padded with units whose weights are
zero: such a unit starts at 0, its candidate is tanh(0) = 0, so it stays 0 and no other unit sees it.
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import linear, pad

from inktex.files import cache_folder, write_atomically

SOURCE = Path(__file__).with_name("native.c")
LANES = 64  # the compiled code works on multiples of this many units

# What matrix products take: the question to `torch.cpu` that says where it can run, and the compiler's flags.
_KINDS = {
    torch.bfloat16: ("_is_avx512_bf16_supported", ["-DBF16"]),
    torch.float32: ("_is_avx512_supported", []),
}


@cache
def library(kind: torch.dtype) -> ctypes.CDLL | None:
    """The code compiled for this type of numbers, or None where it is not available."""
    if kind not in _KINDS:
        return None
    supported, defines = _KINDS[kind]
    compiler = shutil.which("cc") or shutil.which("gcc")
    if os.environ.get("INKTEX_NATIVE") == "0" or not sys.platform.startswith("linux") or compiler is None:
        return None
    if not (SOURCE.exists() and getattr(torch.cpu, supported, bool)()):
        return None
    root = cache_folder()
    made_of = SOURCE.read_bytes() + " ".join(defines).encode() + _processor()
    target = root / f"native-{hashlib.sha256(made_of).hexdigest()[:16]}.so"
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _ours(root):
            return None
        if not _whole(target):
            with tempfile.TemporaryDirectory(dir=root) as folder:
                made = Path(folder) / "native.so"
                flags = ["-O3", "-march=native", "-shared", "-fPIC", *defines]
                command = [compiler, *flags, str(SOURCE), "-o", str(made)]
                subprocess.run(command, check=True, capture_output=True)  # noqa: S603
                digest = hashlib.sha256(made.read_bytes()).hexdigest()
                made.replace(target)
                write_atomically(_digest_file(target), digest)
        return ctypes.CDLL(str(target))
    except (OSError, subprocess.CalledProcessError):
        return None


def _processor() -> bytes:
    """What this processor can do: the code is compiled for it, and machines may share a cache."""
    lines = Path("/proc/cpuinfo").read_bytes().splitlines()
    return next((line for line in lines if line.startswith(b"flags")), b"")


def _ours(folder: Path) -> bool:
    """Whether nobody else can put a library there: the folder is this user's, and others cannot write."""
    found = folder.stat()
    return found.st_uid == os.getuid() and not found.st_mode & 0o022


def _digest_file(target: Path) -> Path:
    return target.with_suffix(".so.sha256")


def _whole(target: Path) -> bool:
    """Whether the library is as it was compiled; loading a damaged one would end the process."""
    try:
        return hashlib.sha256(target.read_bytes()).hexdigest() == _digest_file(target).read_text()
    except OSError:
        return False


def kind_of(values: Tensor) -> torch.dtype | None:
    """The type in which compiled code would compute with these weights here; None: PyTorch does it."""
    if values.device.type != "cpu" or values.dtype != torch.float32:
        return None
    kind = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else torch.float32
    return kind if library(kind) is not None else None


def call(kind: torch.dtype, name: str, numbers: tuple[int, ...], tensors: tuple[Tensor, ...]) -> None:
    """Call a function of `native.c`, which fills some of the tensors."""
    code = library(kind)
    if code is None:
        raise RuntimeError("no compiled code on this machine")
    pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in tensors]
    if getattr(code, name)(*(ctypes.c_int(number) for number in numbers), *pointers):
        raise MemoryError("not enough memory for the recurrent layer")


class _NativeLayer(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, projections: Tensor, weight_gates: Tensor, weight_candidate: Tensor, lengths: Tensor
    ) -> Tensor:
        # projections (T, B, 6H) -> output (T, B, 2H), both of the type of matrix products
        steps, batch, width = projections.shape
        units = width // 6
        projections, lengths = projections.contiguous(), lengths.contiguous()
        weight_gates = weight_gates.detach().contiguous()
        weight_candidate = weight_candidate.detach().contiguous()
        output = projections.new_empty(steps, batch, 2 * units)
        gates = weight_gates.new_empty(2, steps, batch, 2 * units)
        candidates = weight_gates.new_empty(2, steps, batch, units)
        before = projections.new_empty(2, steps, batch, units)
        reset_hidden = torch.empty_like(before)
        hidden = weight_gates.new_empty(2, steps + 1, batch, units)
        tensors = (projections, weight_gates, weight_candidate, lengths)
        made = (output, gates, candidates, before, reset_hidden, hidden)
        call(projections.dtype, "gru_forward", (steps, batch, units), tensors + made)
        ctx.save_for_backward(
            weight_gates, weight_candidate, lengths, gates, candidates, before, reset_hidden, hidden
        )
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_output: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        weight_gates, weight_candidate, lengths, gates, candidates, before, reset_hidden, hidden = (
            ctx.saved_tensors
        )
        _, steps, batch, units = candidates.shape
        d_output = d_output.to(before.dtype).contiguous()
        d_projections = before.new_empty(steps, batch, 6 * units)
        tensors = (d_output, weight_gates, weight_candidate, lengths, gates, candidates, hidden)
        call(before.dtype, "gru_backward", (steps, batch, units), (*tensors, d_projections))
        rows = d_projections.view(steps * batch, 2, 3 * units)
        d_gates, d_candidate = torch.empty_like(weight_gates), torch.empty_like(weight_candidate)
        for direction in range(2):
            was, reset = before[direction].view(-1, units), reset_hidden[direction].view(-1, units)
            d_gates[direction] = was.t() @ rows[:, direction, : 2 * units]
            d_candidate[direction] = reset.t() @ rows[:, direction, 2 * units :]
        return d_projections, d_gates, d_candidate, None


def native_layer(
    inputs: Tensor, layer: nn.Linear, weight_gates: Tensor, weight_candidate: Tensor, lengths: Tensor
) -> Tensor:
    """Both directions, (T, B, features) -> (T, B, 2H); equations as in `recurrence.py`."""
    units = weight_candidate.shape[-1]
    more = -units % LANES
    weight: Tensor = layer.weight
    bias: Tensor = layer.bias
    if more:
        weight = pad(weight.view(6, units, -1), (0, 0, 0, more)).flatten(0, 1)
        bias = pad(bias.view(6, units), (0, more)).flatten()
        weight_gates = pad(weight_gates.view(2, units, 2, units), (0, more, 0, 0, 0, more)).flatten(2)
        weight_candidate = pad(weight_candidate, (0, more, 0, more))
    projections = linear(inputs, weight, bias)
    output: Tensor = _NativeLayer.apply(projections, weight_gates, weight_candidate, lengths)  # type: ignore[no-untyped-call]
    if more:
        output = output.view(*output.shape[:2], 2, units + more)[..., :units].flatten(2)
    return output
