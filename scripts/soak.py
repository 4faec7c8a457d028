"""A long run under load: live sessions and bulk at once; memory, errors and latency over time as a picture.

    python scripts/soak.py --minutes 30 -o out/soak

A server is started and so many clients write on it, stroke by stroke, each waiting for the answer; at the
same time `inktex recognize` reads a collection again and again. Leaves with 1 if anything failed, or if the
memory of the server at the end is a quarter above that after the first fifth of the run.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from websockets.sync.client import connect

from inktex.ink import Ink, save

EXAMPLES = Path(__file__).parents[1] / "src/inktex/server/static/examples.json"
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}
GROWTH = 1.25


@dataclass
class Tally:
    """What happened since the last look; threads add to it."""

    latencies: list[float] = field(default_factory=list)
    bulk: int = 0
    errors: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> tuple[list[float], int, list[str]]:
        with self.lock:
            seen = self.latencies, self.bulk, self.errors
            self.latencies, self.bulk, self.errors = [], 0, []
        return seen


@dataclass(frozen=True)
class Sample:
    """One line of the record."""

    seconds: float
    server_mb: float
    answers: int
    median_ms: float | None
    slowest_ms: float | None  # 95 of 100 are faster
    bulk_inks: int
    errors: int


@contextmanager
def server() -> Iterator[tuple[int, str]]:
    """`inktex serve` on a free port."""
    command = [sys.executable, "-m", "inktex", "serve", "--port", "0", "--no-open"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    assert process.stderr is not None
    url = ""
    while not url:
        line = process.stderr.readline()
        if not line:
            raise SystemExit("the server did not start")
        url = (re.findall(r"http://([\d.:]+)/", line) or [""])[0]
    threading.Thread(target=process.stderr.read, daemon=True).start()
    try:
        yield process.pid, url
    finally:
        process.terminate()
        process.wait(30)


def write_live(url: str, number: int, pause: float, tally: Tally, stop: threading.Event) -> None:
    """One person: writes an example stroke by stroke, erases all, takes the next; reconnects now and then."""
    entries = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    turn = cycle(entries[number % len(entries) :] + entries[: number % len(entries)])
    while not stop.is_set():
        try:
            with connect(f"ws://{url}/v1/session") as socket:
                socket.recv(timeout=60)
                revision = 0
                for _ in range(20):
                    for place, points in enumerate(next(turn)["strokes"]):
                        if stop.wait(pause):
                            return
                        revision += 1
                        begin = time.perf_counter()
                        said = {"type": "add", "id": f"s{place}", "points": points, "revision": revision}
                        socket.send(json.dumps(said))
                        _hear(socket, revision)
                        with tally.lock:
                            tally.latencies.append(time.perf_counter() - begin)
                    revision += 1
                    socket.send(json.dumps({"type": "clear", "revision": revision}))
                    _hear(socket, revision)
        except Exception as error:  # all that goes wrong is what a soak test is there to count
            with tally.lock:
                tally.errors.append(f"session: {type(error).__name__}: {error}")
            stop.wait(1)


def _hear(socket: Any, revision: int) -> None:
    while True:
        heard = json.loads(socket.recv(timeout=60))
        if heard["type"] == "error":
            raise RuntimeError(heard)
        if heard.get("revision") == revision:
            return


def read_bulk(folder: Path, inks: int, tally: Tally, stop: threading.Event) -> None:
    """Reads the collection again and again, each time in a process of its own."""
    command = [sys.executable, "-m", "inktex", "recognize", str(folder), "--jobs", "1", "--fresh"]
    command += ["-o", str(folder.parent / "read.jsonl")]
    while not stop.is_set():
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        while process.poll() is None and not stop.wait(0.2):
            pass
        if process.poll() is None:
            process.terminate()
            process.wait(30)
            return
        with tally.lock:
            if process.returncode:
                said = process.stderr.read() if process.stderr else ""
                tally.errors.append(f"bulk: {process.returncode}: {said[-300:]}")
            else:
                tally.bulk += inks


def memory_mb(process: int) -> float:
    """Memory of a process that is its own or shared, in MB."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def draw(samples: list[Sample], path: Path) -> None:
    """Four curves over time."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    minutes = [each.seconds / 60 for each in samples]
    figure, axes = pyplot.subplots(4, 1, figsize=(9, 9), sharex=True, layout="constrained")
    axes[0].plot(minutes, [each.server_mb for each in samples])
    axes[0].set_ylabel("memory of the server, MB")
    axes[0].set_ylim(0, 1.2 * max(each.server_mb for each in samples))
    none = float("nan")
    for name, label in (("median_ms", "median"), ("slowest_ms", "95 of 100")):
        axes[1].plot(minutes, [none if (v := getattr(s, name)) is None else v for s in samples], label=label)
    axes[1].set_ylabel("live answer, ms")
    axes[1].set_ylim(bottom=0)
    axes[1].legend()
    axes[2].plot(minutes, np.cumsum([each.answers for each in samples]), label="live answers")
    axes[2].plot(minutes, np.cumsum([each.bulk_inks for each in samples]), label="inks in bulk")
    axes[2].set_ylabel("done in all")
    axes[2].legend()
    errors = np.cumsum([each.errors for each in samples])
    axes[3].plot(minutes, errors, color="tab:red")
    axes[3].set_ylabel("errors in all")
    axes[3].set_ylim(-0.1, max(1.0, 1.2 * errors[-1]))
    axes[3].set_xlabel("minutes")
    figure.savefig(path, dpi=110)


def main() -> None:
    """Run, sample, draw, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0.3, help="seconds between strokes")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between samples")
    parser.add_argument("--inks", type=int, default=300, help="inks of the collection")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/soak"))
    arguments = parser.parse_args()
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    tally, stop, samples = Tally(), threading.Event(), []
    with tempfile.TemporaryDirectory() as temporary, server() as (process, url):
        folder = Path(temporary) / "inks"
        folder.mkdir()
        entries = json.loads(EXAMPLES.read_text(encoding="utf-8"))
        for number in range(arguments.inks):
            save(Ink.from_strokes(entries[number % len(entries)]["strokes"]), folder / f"{number}.inkml")
        threads = [
            threading.Thread(target=write_live, args=(url, number, arguments.pause, tally, stop))
            for number in range(arguments.clients)
        ]
        threads.append(threading.Thread(target=read_bulk, args=(folder, arguments.inks, tally, stop)))
        begin = time.monotonic()
        for thread in threads:
            thread.start()
        try:
            while time.monotonic() - begin < 60 * arguments.minutes:
                time.sleep(min(arguments.every, 60 * arguments.minutes))
                latencies, bulk, errors = tally.take()
                sample = Sample(
                    seconds=round(time.monotonic() - begin, 1),
                    server_mb=round(memory_mb(process), 1),
                    answers=len(latencies),
                    median_ms=round(1000 * float(np.median(latencies)), 1) if latencies else None,
                    slowest_ms=round(1000 * float(np.quantile(latencies, 0.95)), 1) if latencies else None,
                    bulk_inks=bulk,
                    errors=len(errors),
                )
                samples.append(sample)
                print(json.dumps(asdict(sample)), *errors[:3], flush=True)
        finally:
            stop.set()
            for thread in threads:
                thread.join(90)
    arguments.output.with_suffix(".jsonl").write_text(
        "".join(json.dumps(asdict(each)) + "\n" for each in samples), encoding="utf-8"
    )
    draw(samples, arguments.output.with_suffix(".png"))
    early, late = samples[len(samples) // 5].server_mb, samples[-1].server_mb
    failed = sum(each.errors for each in samples)
    print(
        f"{sum(each.answers for each in samples)} live answers, "
        f"{sum(each.bulk_inks for each in samples)} inks in bulk, {failed} errors; "
        f"server {early:.0f} MB early, {late:.0f} MB at the end; "
        f"{arguments.output.with_suffix('.png')}"
    )
    sys.exit(1 if failed or late > GROWTH * early else 0)


if __name__ == "__main__":
    main()
