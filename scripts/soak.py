"""A long run under load: live sessions and bulk at once; memory, errors and latency over time as a picture.

    python scripts/soak.py --minutes 30 -o out/soak
    python scripts/soak.py --minutes 30 --rest 30 --record    # also docs/figures/soak.png and docs/scale.md

A server is started and so many clients write on it, stroke by stroke, each waiting for the answer; at the
same time `inktex recognize` reads a collection again and again, on all cores. The ink is that of the page's
examples, so every answer is known and compared. Leaves with 1 if anything failed or was read wrongly, or if
the memory of the server at the end is a quarter above that after the first fifth of the run.
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
from urllib.request import urlopen

import numpy as np
from websockets.sync.client import connect

from inktex.evaluation.provenance import provenance
from inktex.files import write_atomically
from inktex.ink import Ink, save
from inktex.latex import LatexError, normalize

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "src/inktex/server/static/examples.json"
MARKS = "<!-- soak: made by a command, see there -->", "<!-- end of soak -->"
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}
GROWTH = 1.25


@dataclass
class Tally:
    """What happened since the last look; threads add to it."""

    latencies: list[float] = field(default_factory=list)
    bulk: int = 0
    errors: list[str] = field(default_factory=list)
    command: int | None = None  # the process of the bulk run under way
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> tuple[list[float], int, list[str]]:
        """What was added; from then on it is counted anew."""
        with self.lock:
            seen = self.latencies, self.bulk, self.errors
            self.latencies, self.bulk, self.errors = [], 0, []
        return seen


@dataclass(frozen=True)
class Sample:
    """One line of the record."""

    seconds: float
    server_mb: float
    bulk_mb: float | None  # of the command and its workers; None between two runs
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
        while not _is_ready(url):  # on a busy machine, loading takes longer than a client waits
            time.sleep(0.2)
        yield process.pid, url
    finally:
        process.terminate()
        process.wait(30)


def _is_ready(url: str) -> bool:
    try:
        with urlopen(f"http://{url}/readyz", timeout=60) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


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
                    entry = next(turn)
                    for place, points in enumerate(entry["strokes"]):
                        if stop.wait(pause):
                            return
                        revision += 1
                        begin = time.perf_counter()
                        said = {"type": "add", "id": f"s{place}", "points": points, "revision": revision}
                        socket.send(json.dumps(said))
                        heard = _hear(socket, revision)
                        wrong = live_complaint(heard, entry, place + 1)
                        with tally.lock:
                            tally.latencies.append(time.perf_counter() - begin)
                            tally.errors += wrong
                    revision += 1
                    socket.send(json.dumps({"type": "clear", "revision": revision}))
                    _hear(socket, revision)
        except Exception as error:  # all that goes wrong is what a soak test is there to count
            with tally.lock:
                tally.errors.append(f"session: {type(error).__name__}: {error}")
            stop.wait(1)


def _hear(socket: Any, revision: int) -> dict[str, Any]:
    while True:
        heard: dict[str, Any] = json.loads(socket.recv(timeout=60))
        if heard["type"] == "error":
            raise RuntimeError(heard)
        if heard.get("revision") == revision:
            return heard


def live_complaint(heard: dict[str, Any], entry: dict[str, Any], strokes: int) -> list[str]:
    """What is wrong with the answer for the first strokes of an example: nothing, or one sentence."""
    if heard.get("strokes") != [f"s{place}" for place in range(strokes)]:
        return [f"session: an answer for other strokes than the {strokes} that were written"]
    if strokes < len(entry["strokes"]):
        return []  # nobody has said what half a formula is
    return _misread("session", heard["recognition"]["latex"], entry["latex"])


def bulk_complaints(lines: list[str], entries: list[dict[str, Any]], inks: int) -> list[str]:
    """What is wrong with the rows of one bulk run: each ink must be there once, and be read as it says."""
    wrong, seen = [], set()
    for row in map(json.loads, lines):
        number = int(Path(row["source"]).stem)
        if number in seen:
            wrong.append(f"bulk: two rows for ink {number}")
        seen.add(number)
        wrong += _misread("bulk", row.get("latex") or "", entries[number % len(entries)]["latex"])
    return wrong + [f"bulk: no row for ink {number}" for number in sorted(set(range(inks)) - seen)]


def _misread(where: str, read: str, latex: str) -> list[str]:
    try:
        right = normalize(read) == normalize(latex)
    except LatexError:
        right = False
    return [] if right else [f"{where}: {latex} was read as {read}"]


def read_bulk(folder: Path, inks: int, rest: float, tally: Tally, stop: threading.Event) -> None:
    """Reads the collection again and again, each time by a command of its own, with a rest in between."""
    command = [sys.executable, "-m", "inktex", "recognize", str(folder), "--jobs", "2", "--fresh"]
    written = folder.parent / "read.jsonl"
    command += ["-o", str(written)]
    entries = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    while not stop.is_set():
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        tally.command = process.pid
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
                tally.errors += bulk_complaints(written.read_text("utf-8").splitlines(), entries, inks)
            tally.command = None
        stop.wait(rest)


def memory_mb(process: int) -> float:
    """Memory of a process and of those it started, in MB; what they share is shared out among them."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:  # it just ended
        return 0.0
    found = re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)
    return (int(found[1]) / 1024 if found else 0.0) + sum(memory_mb(int(child)) for child in children)


def draw(samples: list[Sample], path: Path) -> None:
    """Four curves over time."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    minutes = [each.seconds / 60 for each in samples]
    none = float("nan")

    def curve(name: str) -> list[float]:
        return [none if (value := getattr(each, name)) is None else value for each in samples]

    figure, axes = pyplot.subplots(4, 1, figsize=(9, 9), sharex=True, layout="constrained")
    axes[0].plot(minutes, curve("server_mb"), label="server")
    axes[0].plot(minutes, curve("bulk_mb"), ".", label="inktex recognize and its workers")
    axes[0].set_ylabel("memory, MB")
    axes[0].set_ylim(0, 1.3 * max(max(each.server_mb, each.bulk_mb or 0.0) for each in samples))
    axes[0].legend(loc="upper right", ncols=2)
    axes[1].plot(minutes, curve("median_ms"), label="median")
    axes[1].plot(minutes, curve("slowest_ms"), label="95 of 100 are faster")
    axes[1].set_ylabel("live answer, ms")
    axes[1].set_ylim(0, 1.3 * max((each.slowest_ms or 0.0 for each in samples), default=1.0))
    axes[1].legend(loc="upper right", ncols=2)
    axes[2].plot(minutes, np.cumsum([each.answers for each in samples]), label="live answers")
    axes[2].plot(minutes, np.cumsum([each.bulk_inks for each in samples]), label="inks in bulk")
    axes[2].set_ylabel("done in all")
    axes[2].legend(loc="upper left")
    errors = np.cumsum([each.errors for each in samples])
    axes[3].plot(minutes, errors, color="tab:red")
    axes[3].set_ylabel("errors in all")
    axes[3].set_ylim(-0.1, max(1.0, 1.2 * errors[-1]))
    axes[3].set_xlabel("minutes")
    for each in axes:
        each.grid(alpha=0.3)
    figure.savefig(path, dpi=110)


def look(seconds: float, process: int, tally: Tally) -> tuple[Sample, list[str]]:
    """What happened since the last look, and how much memory is in use now."""
    latencies, bulk, errors = tally.take()
    command = tally.command
    sample = Sample(
        seconds=round(seconds, 1),
        server_mb=round(memory_mb(process), 1),
        bulk_mb=None if command is None else round(memory_mb(command), 1) or None,
        answers=len(latencies),
        median_ms=round(1000 * float(np.median(latencies)), 1) if latencies else None,
        slowest_ms=round(1000 * float(np.quantile(latencies, 0.95)), 1) if latencies else None,
        bulk_inks=bulk,
        errors=len(errors),
    )
    return sample, errors


def record(samples: list[Sample], verdict: str, load: float, arguments: argparse.Namespace) -> None:
    """Put picture and verdict into the documentation."""
    draw(samples, ROOT / "docs/figures/soak.png")
    made = provenance(
        f"python scripts/soak.py --minutes {arguments.minutes:g} --clients {arguments.clients} "
        f"--pause {arguments.pause:g} --rest {arguments.rest:g} --record"
    )
    page = ROOT / "docs/scale.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(MARKS[0])
    text = (
        f"![memory, latency, work done and errors over {arguments.minutes:g} minutes](figures/soak.png)\n\n"
        f"{verdict}. `{made.command}`, {made.date}, {made.machine}, load before the run {load:.1f}."
    )
    write_atomically(page, f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.partition(MARKS[1])[2]}")


def main() -> None:
    """Run, sample, draw, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0.3, help="seconds between strokes")
    parser.add_argument("--rest", type=float, default=0.0, help="seconds between two bulk runs")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between samples")
    parser.add_argument("--inks", type=int, default=300, help="inks of the collection")
    parser.add_argument("--record", action="store_true", help="put picture and figures into docs/")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/soak"))
    arguments = parser.parse_args()
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    tally, stop, samples, load = Tally(), threading.Event(), [], os.getloadavg()[0]
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
        bulk = (folder, arguments.inks, arguments.rest, tally, stop)
        threads.append(threading.Thread(target=read_bulk, args=bulk))
        begin = time.monotonic()
        for thread in threads:
            thread.start()
        try:
            while time.monotonic() - begin < 60 * arguments.minutes:
                time.sleep(min(arguments.every, 60 * arguments.minutes))
                sample, errors = look(time.monotonic() - begin, process, tally)
                samples.append(sample)
                print(json.dumps(asdict(sample)), *errors[:3], flush=True)
        finally:
            stop.set()
            for thread in threads:
                thread.join(90)
    lines = "".join(json.dumps(asdict(each)) + "\n" for each in samples)
    write_atomically(arguments.output.with_suffix(".jsonl"), lines)
    draw(samples, arguments.output.with_suffix(".png"))
    early, late = samples[len(samples) // 5].server_mb, samples[-1].server_mb
    failed = sum(each.errors for each in samples)
    medians = [each.median_ms for each in samples if each.median_ms is not None]
    slowest = [each.slowest_ms for each in samples if each.slowest_ms is not None]
    verdict = (
        f"{sum(each.answers for each in samples):,} live answers "
        f"(median {np.median(medians or [0.0]):.0f} ms, 95 of 100 within "
        f"{np.median(slowest or [0.0]):.0f} ms, medians over all samples), "
        f"{sum(each.bulk_inks for each in samples):,} inks in bulk, {failed} errors; "
        f"memory of the server {early:.0f} MB after a fifth of the time, {late:.0f} MB at the end"
    )
    print(f"{verdict}; {arguments.output.with_suffix('.png')}")
    if arguments.record:
        record(samples, verdict, load, arguments)
    sys.exit(1 if failed or late > GROWTH * early else 0)


if __name__ == "__main__":
    main()
