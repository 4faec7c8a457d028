"""How fast and how small is recognition? Ratios and limits, all measured in one run.

    python benchmarks/recognition.py [--data test2014] [--limit 150] [--weights RUN/best.safetensors]

One thread, beam 10, from strokes to LaTeX, in CPU time (of this process only, so that a busy machine
disturbs little). Without CROHME data, synthetic ink is read. Parts: time per ink; against a plain PyTorch
loop; against the model's arithmetic at the measured speed of matrix products; growth with the ink; all cores
against one; start; memory; installed size.
"""

# ruff: noqa: E402
import os

for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # numerical libraries read these when they are first imported

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np

from inktex.ink import Ink
from inktex.recognizer import Recognizer
from inktex.runtime import ModelInput

BEAM = 10
REPEATS = 4  # of each ink; the best counts, so that other work of the machine disturbs little
FORMULA = ("x", "^", "{", "2", "}", "+", "3", "y", "-", r"\frac", "{", "a", "}", "{", "b", "}", "+")
START_SCRIPT = """
import time; begin = time.perf_counter(), time.process_time()
import inktex
inktex.recognize([[(0, 0), (10, 12), (20, 20)], [(20, 0), (9, 11), (0, 20)]])
print(time.perf_counter() - begin[0], time.process_time() - begin[1])
"""
# Not `ru_maxrss` where there is another way: on Linux a child begins with what its parent had.
MEMORY_SCRIPT = """
import pathlib, resource, sys, inktex
for path in sys.argv[1:]:
    inktex.recognize(path)
status = pathlib.Path("/proc/self/status")
if status.exists():
    print(int(status.read_text().split("VmHWM:")[1].split()[0]) / 2**10)
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def inks_to_read(data: str | None, limit: int) -> tuple[str, list[Ink]]:
    """Inks of a CROHME split, spread evenly, or synthetic ones."""
    from inktex.corpus import load_split, locate

    if data != "synthetic" and (data is not None or locate() is not None):
        examples = list(load_split(data or "test2014"))
        count = min(limit, len(examples))
        return data or "test2014", [examples[n * len(examples) // count].ink for n in range(count)]
    return "synthetic", [synthetic_ink(1 + number % 3, number) for number in range(limit)]


def synthetic_ink(repeats: int, seed: int) -> Ink:
    """A formula of about ten symbols, some times over, in the built-in symbols."""
    from inktex.corpus import Synthesizer, open_bank

    if not hasattr(synthetic_ink, "writer"):
        synthetic_ink.writer = Synthesizer(open_bank("hershey"))  # type: ignore[attr-defined]
    ink: Ink = synthetic_ink.writer.write((*(FORMULA * repeats), "1"), seed).ink  # type: ignore[attr-defined]
    return ink


def times_of(recognizer: Recognizer, inks: Sequence[Ink], repeats: int = REPEATS) -> np.ndarray:
    """CPU seconds of each ink, the best of some repeats."""
    recognizer.recognize(inks[0])
    times = np.full(len(inks), np.inf)
    for _ in range(repeats):
        for place, ink in enumerate(inks):
            begin = time.process_time()
            recognizer.recognize(ink)
            times[place] = min(times[place], time.process_time() - begin)
    return times


class CountedStepper:
    """Counts what a search asks of the model."""

    def __init__(self, recognizer: Recognizer) -> None:
        self._inner = recognizer.model.stepper()
        self.vocabulary = self._inner.vocabulary
        self.start, self.select, self.lengths = self._inner.start, self._inner.select, self._inner.lengths
        self.steps = self.rows = 0

    def step(self, state: Any, tokens: Any) -> Any:
        """One step of the model."""
        self.steps += 1
        self.rows += len(tokens)
        return self._inner.step(state, tokens)


def counts_of(recognizer: Recognizer, ink: Ink) -> tuple[ModelInput, int, int]:
    """The features of an ink, and the steps and rows (hypotheses, summed over steps) of its search."""
    prepared = recognizer.prepare(ink)
    counted = CountedStepper(recognizer)
    recognizer.search(ink, prepared, recognizer.options(prepared), stepper=counted)
    return prepared, counted.steps, counted.rows


def peak_gflops() -> float:
    """Speed of large matrix products on one thread."""
    left = np.random.default_rng(0).normal(size=(1024, 1024)).astype(np.float32)
    right, best = left.T.copy(), np.inf
    for _ in range(8):
        begin = time.process_time()
        left @ right
        best = min(best, time.process_time() - begin)
    return float(2 * 1024**3 / best / 1e9)


def arithmetic(config: dict[str, Any], points: int, rows: int) -> float:
    """Floating-point operations of the paper's equations: the encoder once, the decoder for each row."""
    units, total, length = config["encoder_units"], 0.0, float(points)
    for layer in range(config["encoder_layers"]):
        inputs = 8 if layer == 0 else 2 * units
        total += length * 2 * 2 * 3 * units * (inputs + units)
        if layer + 1 in config["pool_after"]:
            length = np.ceil(length / 2)
    depth, n, m = 2 * units, config["decoder_units"], config["embedding"]
    width, tokens = config["attention"], len(config["vocabulary"])
    filters = config["coverage_filters"]
    total += 2 * length * depth * width  # keys
    per_row = n * width + (m * width if config["query_token"] else 0)  # query
    per_row += length * (config["coverage_window"] * filters + filters * width + width)  # coverage, energy
    per_row += length * depth + 3 * n * (m + n + depth)  # context, GRU
    per_row += m * (n + depth) + m * tokens  # output
    return total + 2.0 * rows * per_row


def against_torch(
    recognizer: Recognizer, inks: Sequence[Ink], weights: str | None, peak: float
) -> dict[str, float]:
    """Ratios to a plain PyTorch loop with the same beam, and to the arithmetic at peak speed."""
    found: dict[str, float] = {}
    counted = [counts_of(recognizer, ink) for ink in inks]
    ours = float(times_of(recognizer, inks).sum())
    config = recognizer.model.info.config
    needed = sum(arithmetic(config, len(made.features.rows), rows) for made, _, rows in counted)
    found["arithmetic_gflop_per_ink"] = needed / len(inks) / 1e9
    found["times_the_arithmetic_at_peak"] = ours / (needed / (peak * 1e9))
    try:
        from plain_torch import decoder_of
    except ImportError:
        return found
    plain = decoder_of(config, [weights] if weights else [])
    theirs = np.full(len(inks), np.inf)
    for _ in range(REPEATS):
        for place, (ink, (_, steps, _)) in enumerate(zip(inks, counted, strict=True)):
            begin = time.process_time()
            made = recognizer.prepare(ink)
            rows = made.arrays[0] if isinstance(made.arrays, tuple) else made.arrays
            plain.recognize(rows, BEAM, None if weights else steps)
            theirs[place] = min(theirs[place], time.process_time() - begin)
    found["plain_torch_ms_per_ink"] = 1e3 * float(theirs.mean())
    found["ours_ms_per_ink"] = 1e3 * ours / len(inks)
    found["times_as_fast_as_plain_torch"] = found["plain_torch_ms_per_ink"] / found["ours_ms_per_ink"]
    return found


def growth(recognizer: Recognizer, picture: Path | None) -> dict[str, float]:
    """Time against points of the ink, up to 200 symbols: a line, and how well it fits."""
    sizes, seeds = (1, 2, 4, 6, 8, 10, 13, 16, 20), (0, 1, 2)
    inks = [synthetic_ink(repeats, seed) for repeats in sizes for seed in seeds]
    rows = np.array([len(recognizer.prepare(ink).features.rows) for ink in inks])
    points = np.median(rows.reshape(len(sizes), -1), axis=1)
    times = np.median(times_of(recognizer, inks, repeats=2).reshape(len(sizes), -1), axis=1)
    slope, offset = np.polyfit(points, times, 1)
    residual = times - (slope * points + offset)
    exponent = np.polyfit(np.log(points), np.log(times), 1)[0]
    if picture is not None:
        _plot(points, times, slope, offset, picture)
    return {
        "ms_per_100_points": 1e5 * float(slope),
        "r_squared": 1.0 - float(residual.var() / times.var()),
        "exponent": float(exponent),
        "largest_symbols": float(max(len(ink.symbols) for ink in inks)),
        "largest_ms": 1e3 * float(times.max()),
    }


def _plot(points: np.ndarray, times: np.ndarray, slope: float, offset: float, picture: Path) -> None:
    try:
        import matplotlib

        matplotlib.use("agg")
        from matplotlib import pyplot
    except ImportError:
        return
    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    axes.plot(points, 1e3 * times, "o", color="#0072b2", label="measured")
    line = np.array([0, points.max()])
    axes.plot(line, 1e3 * (slope * line + offset), color="#d55e00", label="straight line")
    axes.set(xlabel="feature points of the ink", ylabel="CPU milliseconds", xlim=(0, None), ylim=(0, None))
    axes.legend(frameon=False)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=150)


def many(recognizer: Recognizer, inks: Sequence[Ink]) -> dict[str, float]:
    """`recognize_many` on all cores against one, in wall time."""
    cores = os.cpu_count() or 1
    recognizer.recognize_many(inks[:8], jobs=cores)
    walls, cpu = [], []
    for jobs in (1, cores):
        begin, began = time.perf_counter(), time.process_time()
        recognizer.recognize_many(inks, jobs=jobs)
        walls.append(time.perf_counter() - begin)
        cpu.append(time.process_time() - began)
    return {
        "cores": float(cores),
        "inks_per_second_one_core": len(inks) / walls[0],
        "speedup": walls[0] / walls[1],
        "cpu_ms_per_ink_in_batches": 1e3 * cpu[0] / len(inks),
    }


def start_and_memory() -> dict[str, float]:
    """Import to first answer, and the peak memory of a process that reads the examples."""

    def run(script: str, *arguments: str) -> list[float]:
        command = [sys.executable, "-c", script, *arguments]
        return [float(word) for word in subprocess.check_output(command, text=True).split()]

    examples = sorted(Path(__file__).parent.parent.glob("examples/*.inkml"))
    starts = [run(START_SCRIPT) for _ in range(3)]
    return {
        "first_answer_wall_s": min(wall for wall, _ in starts),
        "first_answer_cpu_s": min(cpu for _, cpu in starts),
        "peak_memory_mb": run(MEMORY_SCRIPT, *map(str, examples))[0],
    }


def installed_size() -> dict[str, float]:
    """Bytes of inktex and of all it requires, as installed here, compiled files left out."""
    sizes: dict[str, float] = {}
    waiting = ["inktex"]
    while waiting:
        name = waiting.pop()
        if name in sizes:
            continue
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        files = [file.locate() for file in found.files or () if not file.name.endswith(".pyc")]
        sizes[name] = sum(Path(str(file)).stat().st_size for file in files if Path(str(file)).is_file())
        waiting += [
            _plain_name(requirement)
            for requirement in found.requires or ()
            if "extra ==" not in requirement and not _excluded(requirement)
        ]
    package = Path(__file__).parent.parent / "src" / "inktex"
    if package.is_dir():  # an editable installation lists no files
        sizes["inktex"] = sum(
            p.stat().st_size for p in package.rglob("*") if p.is_file() and p.suffix != ".pyc"
        )
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:4]
    return {
        "installed_mb": sum(sizes.values()) / 1e6,
        **{f"of_it_{name}_mb": size / 1e6 for name, size in largest},
    }


def _plain_name(requirement: str) -> str:
    name = ""
    for letter in requirement:
        if not (letter.isalnum() or letter in "-_."):
            break
        name += letter
    return name.lower().replace("_", "-")


def _excluded(requirement: str) -> bool:
    """Requirements for other systems."""
    marker = requirement.partition(";")[2]
    return any(word in marker for word in ("win32", "Windows", "Darwin", "python_version <"))


def limits(measured: dict[str, dict[str, float]]) -> list[tuple[str, float, str, bool]]:
    """What is promised, what was measured, and whether it holds."""
    table = [
        ("times as fast as a plain PyTorch loop", "torch", "times_as_fast_as_plain_torch", ">=", 5.0),
        ("times the arithmetic at peak (goal)", "torch", "times_the_arithmetic_at_peak", "<=", 5.0),
        ("median CPU ms", "times", "median_ms", "<=", 40.0),
        ("95th percentile CPU ms", "times", "p95_ms", "<=", 150.0),
        ("straightness of growth (R²)", "growth", "r_squared", ">=", 0.95),
        ("all cores against one", "many", "speedup", ">=", 1.8),
        ("import to first answer, s", "start", "first_answer_wall_s", "<=", 1.0),
        ("peak memory, MB", "start", "peak_memory_mb", "<=", 300.0),
        ("installed without torch, MB", "size", "installed_mb", "<=", 150.0),
    ]
    found = []
    for title, part, name, sign, limit in table:
        value = measured.get(part, {}).get(name)
        if value is not None:
            holds = value >= limit if sign == ">=" else value <= limit
            found.append((title, value, f"{sign} {limit:g}", holds))
    return found


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", default=None)
    parser.add_argument("--data", default=None, help="a CROHME split, or synthetic")
    parser.add_argument("--limit", type=int, default=150, help="inks for the times")
    parser.add_argument("--torch-limit", type=int, default=30, help="inks for the plain PyTorch loop")
    parser.add_argument("--weights", default=None, help="trained weights for the PyTorch loop")
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--plot", type=Path, default=Path("out/recognition-growth.png"))
    arguments = parser.parse_args()
    recognizer = Recognizer(arguments.model, beam=BEAM)
    name, inks = inks_to_read(arguments.data, arguments.limit)
    few = inks[:: max(1, len(inks) // arguments.torch_limit)][: arguments.torch_limit]
    times = times_of(recognizer, inks)
    peak = peak_gflops()
    measured: dict[str, dict[str, float]] = {
        "times": {
            "inks": float(len(inks)),
            "median_ms": 1e3 * float(np.median(times)),
            "p95_ms": 1e3 * float(np.quantile(times, 0.95)),
            "mean_ms": 1e3 * float(times.mean()),
            "peak_gflops": peak,
        },
        "torch": against_torch(recognizer, few, arguments.weights, peak),
        "growth": growth(recognizer, arguments.plot),
        "many": many(recognizer, list(inks) * max(1, 120 // len(inks))),
        "start": start_and_memory(),
        "size": installed_size(),
    }
    print(f"inks: {name}; model: {recognizer.model.info.name}; {platform.processor() or platform.machine()}")
    for part, values in measured.items():
        print(f"{part}: " + ", ".join(f"{key} {value:.4g}" for key, value in values.items()))
    print()
    for title, value, limit, holds in limits(measured):
        print(f"{'ok  ' if holds else 'MISS'}  {title}: {value:.3g} ({limit})")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"load of the machine: {load:.1f}")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"inks": name, **measured}, indent=1) + "\n")


if __name__ == "__main__":
    main()
