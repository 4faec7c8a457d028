"""How fast and how small is recognition? Ratios and limits, all measured in one run.

    python benchmarks/recognition.py [--out docs/results/recognition.json] [--weights RUN/best.safetensors]
    git worktree add ../before COMMIT
    python benchmarks/recognition.py --model p2 --against ../before   # only the times, by turns

One thread, beam 10, from strokes to LaTeX, in CPU time (of this process only, so that a busy machine
disturbs little). Without CROHME data, synthetic ink is read. Parts: time per ink; against a plain PyTorch
loop; against the model's arithmetic at the measured speed of matrix products; growth with the ink; all cores
against one; start; memory; installed size. With `--out`, the tables in docs/library.md and the picture of the
growth are made anew, too.
"""

# ruff: noqa: E402
import os

for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # numerical libraries read these when they are first imported

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from installed_size import installed
from recognition_report import Measured, circumstances, print_report, write_report
from recognition_turns import by_turns

from inktex.ink import Ink, save
from inktex.reading import Control, ModelInput, find_model
from inktex.recognizer import Recognizer

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE, PICTURE = DOCS / "library.md", DOCS / "figures" / "recognition-time.svg"
BEAM = 10
LONGEST = 20  # times the formula below: 200 symbols
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
    inktex.recognize(path, timeout=None)
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
            recognizer.recognize(ink, timeout=None)  # a limit in seconds would cut on a busy machine
            times[place] = min(times[place], time.process_time() - begin)
    return times


class CountedStepper:
    """Counts what a search asks of the model."""

    def __init__(self, stepper: Any) -> None:
        self._inner = stepper
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
    counted: list[CountedStepper] = []

    def count(stepper: Any, features: Any) -> CountedStepper:
        counted.append(CountedStepper(stepper))
        return counted[0]

    recognizer.reader().read_one(ink, Control(guide=count))
    return recognizer.model.inputs([ink])[0], counted[0].steps, counted[0].rows


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
    found["times_the_arithmetic"] = ours / (needed / (peak * 1e9))
    try:
        from plain_torch import decoder_of
    except ImportError:
        return found
    plain = decoder_of(config, [weights] if weights else [])
    theirs = np.full(len(inks), np.inf)
    for _ in range(REPEATS):
        for place, (ink, (_, steps, _)) in enumerate(zip(inks, counted, strict=True)):
            begin = time.process_time()
            made = recognizer.model.inputs([ink])[0]
            rows = made.arrays[0] if isinstance(made.arrays, tuple) else made.arrays
            plain.recognize(rows, BEAM, None if weights else steps)
            theirs[place] = min(theirs[place], time.process_time() - begin)
    found["plain_torch_ms_per_ink"] = 1e3 * float(theirs.mean())
    found["ours_ms_per_ink"] = 1e3 * ours / len(inks)
    found["times_as_fast"] = found["plain_torch_ms_per_ink"] / found["ours_ms_per_ink"]
    return found


def growth(recognizer: Recognizer, picture: Path | None) -> dict[str, float]:
    """Time against points of the ink, up to 200 symbols: a line, and how well it fits."""
    sizes, seeds = (1, 2, 4, 6, 8, 10, 13, 16, LONGEST), (0, 1, 2)
    inks = [synthetic_ink(repeats, seed) for repeats in sizes for seed in seeds]
    rows = np.array([len(made.features.rows) for made in recognizer.model.inputs(inks)])
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
    matplotlib.rcParams["svg.hashsalt"] = "inktex"
    figure.savefig(picture, metadata={"Date": None})


def many(recognizer: Recognizer, inks: Sequence[Ink]) -> dict[str, float]:
    """`recognize_many` on all cores against one, in wall time; the best of some repeats, as everywhere."""
    cores = os.cpu_count() or 1
    recognizer.recognize_many(inks[:8], jobs=cores, timeout=None)
    best: dict[int, tuple[float, float]] = {}  # jobs: wall and CPU seconds
    for _ in range(REPEATS):
        for jobs in {1, cores}:
            begin, began = time.perf_counter(), time.process_time()
            recognizer.recognize_many(inks, jobs=jobs, timeout=None)
            took = time.perf_counter() - begin, time.process_time() - began
            best[jobs] = min(best.get(jobs, took), took)
    return {
        "cores": float(cores),
        "inks_per_second_one_core": len(inks) / best[1][0],
        "speedup": best[1][0] / best[cores][0],
        "cpu_ms_per_ink_in_batches": 1e3 * best[1][1] / len(inks),
    }


def start_and_memory(inks: Sequence[Ink]) -> dict[str, float]:
    """Import to first answer, and the peak memory of a process that reads many inks and a very long one."""

    def run(script: str, *arguments: str) -> list[float]:
        command = [sys.executable, "-c", script, *arguments]
        return [float(word) for word in subprocess.check_output(command, text=True).split()]

    starts = [run(START_SCRIPT) for _ in range(5)]
    with tempfile.TemporaryDirectory() as folder:
        for place, ink in enumerate([*inks[::4], synthetic_ink(LONGEST, 0)]):
            save(ink, Path(folder) / f"{place}.json")
        peak = run(MEMORY_SCRIPT, *map(str, sorted(Path(folder).iterdir())))[0]
    return {
        "first_answer_wall_s": min(wall for wall, _ in starts),
        "first_answer_cpu_s": min(cpu for _, cpu in starts),
        "peak_memory_mb": peak,
    }


def main() -> None:
    """Measure everything, print it and, with --out, write it down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", default=None)
    parser.add_argument("--data", default=None, help="a CROHME split, or synthetic")
    parser.add_argument("--limit", type=int, default=150, help="inks for the times")
    parser.add_argument("--torch-limit", type=int, default=30, help="inks for the plain PyTorch loop")
    parser.add_argument("--weights", default=None, help="trained weights for the PyTorch loop")
    parser.add_argument("--out", type=Path, default=None, help="write JSON here, tables and picture to docs/")
    parser.add_argument("--against", type=Path, default=None, help="another checkout: the times by turns")
    parser.add_argument("--one", action="store_true", help="with --against: without looking for lines")
    arguments = parser.parse_args()
    recognizer = Recognizer(arguments.model, beam=BEAM)
    name, inks = inks_to_read(arguments.data, arguments.limit)
    if arguments.against is not None:
        model = str(find_model(arguments.model))
        by_turns(arguments.against, model, BEAM, arguments.one, inks, REPEATS)
        return
    few = inks[:: max(1, len(inks) // arguments.torch_limit)][: arguments.torch_limit]
    start = start_and_memory(inks)
    times = times_of(recognizer, inks)
    peak = peak_gflops()
    packages = installed()
    measured: Measured = {
        "times": {
            "inks": float(len(inks)),
            "median_ms": 1e3 * float(np.median(times)),
            "p95_ms": 1e3 * float(np.quantile(times, 0.95)),
            "mean_ms": 1e3 * float(times.mean()),
            "peak_gflops": peak,
        },
        "torch": against_torch(recognizer, few, arguments.weights, peak),
        "growth": growth(recognizer, PICTURE if arguments.out else Path("out/recognition-time.svg")),
        "many": many(recognizer, list(inks) * max(1, 120 // len(inks))),
        "start": start,
        "size": {
            "installed_mb": sum(each.mb for each in packages),
            "with_compiled_mb": sum(each.mb + each.compiled_mb for each in packages),
        },
        "packages": {each.name: each.mb for each in packages},
        "compiled": {each.name: each.compiled_mb for each in packages},
    }
    where = circumstances(name, recognizer.model.info.name)
    print_report(where, measured)
    if arguments.out is not None:
        write_report(arguments.out, PAGE, where, measured)


if __name__ == "__main__":
    main()
