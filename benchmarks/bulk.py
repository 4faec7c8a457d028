"""Throughput of recognising a collection: the plain engine and Ray, against the number of workers.

    python benchmarks/bulk.py                                   # docs/results/bulk.json and docs/scale.md
    python benchmarks/bulk.py --inks 512 --workers 2 --engines plain        # a look; nothing is recorded

Whole commands are timed, as a person would give them: `inktex recognize STORE -o read.jsonl --jobs N` (N
processes) and the same with `--engine ray` (N actors). Both read the same Parquet store of synthetic inks and
write JSON Lines. What a command takes to start is measured by a collection a sixteenth as large.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from bulk_inks import DOCS, make_inks, put_into_docs

from inktex.evaluation.provenance import provenance
from inktex.files import write_atomically

INKS, WORKERS, ENGINES = 2048, (1, 2), ("plain", "ray")
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}
MACHINES, CORES = 10, 32  # of the sum for a billion inks
GROUP = 1024  # inks of a unit in a store that `inktex convert` made


@dataclass(frozen=True)
class Measured:
    """One line of the table."""

    engine: str
    workers: int
    seconds: float  # the whole command
    start: float  # of these, before the first ink and after the last
    rate: float  # inks per second, of the whole command
    rate_after_start: float
    bytes_per_answer: float


def recognize(engine: str, workers: int, store: Path, out: Path) -> float:
    """Give the command; seconds until it ended."""
    command = [
        sys.executable,
        "-m",
        "inktex",
        "recognize",
        str(store),
        "-o",
        str(out),
        "--jobs",
        str(workers),
    ]
    command += ["--engine", "ray"] if engine == "ray" else []
    begin = time.perf_counter()
    subprocess.run(command, check=True, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def measure(engine: str, workers: int, stores: dict[int, Path], temporary: Path) -> Measured:
    """Time the command on a small and on the whole collection."""
    seconds: dict[int, float] = {}
    for count, store in sorted(stores.items()):
        out = temporary / f"{engine}-{workers}-{count}{'' if engine == 'ray' else '.jsonl'}"
        seconds[count] = recognize(engine, workers, store, out)
        files = [out] if out.is_file() else list(out.glob("part-*"))
        rows = [json.loads(line)["source"] for file in files for line in file.open(encoding="utf-8")]
        if sorted(rows) != sorted({f"ink {number}" for number in range(count)}):
            sys.exit(f"{engine}, {workers} workers: {len(rows)} rows for {count} inks")
        size = sum(file.stat().st_size for file in files)
    small, large = sorted(stores)
    steady = (large - small) / max(seconds[large] - seconds[small], 1e-9)
    return Measured(
        engine=engine,
        workers=workers,
        seconds=round(seconds[large], 1),
        start=round(max(0.0, seconds[large] - large / steady), 1),
        rate=round(large / seconds[large], 1),
        rate_after_start=round(steady, 1),
        bytes_per_answer=round(size / large),
    )


def table(rows: list[Measured]) -> str:
    """As Markdown."""
    lines = ["| engine | workers | seconds | inks/s | of these seconds, start | inks/s after the start |"]
    lines.append("|---|---:|---:|---:|---:|---:|")
    names = {"plain": "plain, processes", "ray": "Ray, actors"}
    lines += [
        f"| {names[row.engine]} | {row.workers} | {row.seconds:.1f} | {row.rate:.0f} | {row.start:.1f} "
        f"| {row.rate_after_start:.0f} |"
        for row in rows
    ]
    return "\n".join(lines)


def billion(rows: list[Measured], store_bytes: float) -> str:
    """The sum for a billion inks, for each engine with as many workers as there are."""
    lines = [
        f"| for 10⁹ inks, {MACHINES} machines of {CORES} cores | core hours | hours "
        f"| a unit of {GROUP:,} inks takes | read and written |",
        "|---|---:|---:|---:|---:|",
    ]
    for engine in dict.fromkeys(row.engine for row in rows):
        best = max((row for row in rows if row.engine == engine), key=lambda row: row.workers)
        per_core = best.rate_after_start / best.workers
        core_hours = 1e9 / per_core / 3600
        hours = core_hours / MACHINES / CORES
        traffic = 1e9 * (store_bytes + best.bytes_per_answer) / hours / 3600 / 1e9
        lines.append(
            f"| {'Ray' if engine == 'ray' else engine}: {per_core:.0f} inks/s per worker of {best.workers} "
            f"| {core_hours:,.0f} | {hours:.0f} | {GROUP / per_core:.0f} s | {traffic:.2f} GB/s |"
        )
    answers = max(row.bytes_per_answer for row in rows)
    lines += [
        "",
        f"Ink is {store_bytes / 1e3:.1f} KB each in a store, {store_bytes / 1e3:.1f} TB in all; the answers "
        f"are {answers / 1e3:.1f} KB each as JSON Lines, {answers / 1e3:.1f} TB. "
        f"There are {1e9 / GROUP:,.0f} units.",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and record if it was the whole benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inks", type=int, default=INKS)
    parser.add_argument("--workers", type=int, nargs="+", default=list(WORKERS))
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    arguments = parser.parse_args()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    with tempfile.TemporaryDirectory(prefix="inktex-bulk-") as temporary:
        small = max(arguments.inks // 16, 129)  # the plain engine starts no processes for fewer
        stores = {count: Path(temporary) / f"inks-{count}" for count in (small, arguments.inks)}
        for count, store in stores.items():
            tokens, points = make_inks(store, count, per_file=min(256, count // (2 * max(arguments.workers))))
        store_bytes = sum(file.stat().st_size for file in store.iterdir()) / arguments.inks
        what = (
            f"{arguments.inks:,} synthetic inks of {tokens:.0f} tokens and {points:.0f} points on average, "
            f"beam 10, the default model"
        )
        print(what, flush=True)
        rows = []
        for engine in arguments.engines:
            for workers in arguments.workers:
                rows.append(measure(engine, workers, stores, Path(temporary)))
                print(asdict(rows[-1]), flush=True)
    made = provenance("python benchmarks/bulk.py")
    line = f"{what}. `{made.command}`, {made.date}, {made.machine}, load at the beginning {load:.1f}."
    print(table(rows), billion(rows, store_bytes), line, sep="\n\n")
    whole = (arguments.inks, tuple(arguments.workers), tuple(arguments.engines)) == (INKS, WORKERS, ENGINES)
    if not whole:
        return
    record = {
        "made": asdict(made),
        "platform": platform.platform(),
        "load": round(load, 2),
        "inks": arguments.inks,
        "tokens": round(tokens, 2),
        "points": round(points, 1),
        "bytes_per_ink": round(store_bytes),
        "rows": [asdict(row) for row in rows],
    }
    write_atomically(DOCS / "results" / "bulk.json", json.dumps(record, indent=1) + "\n")
    put_into_docs("throughput", f"{table(rows)}\n\n{line}")
    put_into_docs("a billion", billion(rows, store_bytes))


if __name__ == "__main__":
    main()
