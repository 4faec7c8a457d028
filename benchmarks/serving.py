"""How much the server carries: requests per second and latency, what it does under too much, and its memory.

    python benchmarks/serving.py                     # the table, overload, memory over 10,000 requests
    python benchmarks/serving.py --seconds 2 --soak 0 --workers 1     # a quick look
    python benchmarks/serving.py --record            # also docs/results and docs/figures (make serving)
    python benchmarks/serving.py --record --parts overload            # one part of them anew

The load comes from this process over loopback, with the page's example formulas as ink, so server and load
share the machine. Clients behave: who is answered 503 waits as long as Retry-After says. Overload does not:
so many requests a second come as the multiple says, each on a connection of its own. The capacity is measured
right before, with 8 clients per worker, so that both meet the same machine. The flood is one live session
that sends as fast as it can, from a process of its own.
"""

import argparse
import asyncio
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import cycle
from pathlib import Path
from typing import Any

from load import Connection, Load, ask, closed_loop, open_loop, quantile

from inktex.evaluation.provenance import provenance
from inktex.files import write_atomically

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "src/inktex/server/static/examples.json"
PARTS = ["table", "overload", "floods", "soak"]


@contextmanager
def serving(workers: int, model: str | None, checkout: Path = ROOT) -> Iterator[int]:
    """A server with so many processes, on a port of its own, with the code of a checkout."""
    with launched(workers, model, checkout) as (port, _):
        yield port


@contextmanager
def launched(workers: int, model: str | None, checkout: Path = ROOT) -> Iterator[tuple[int, int]]:
    """The same, with its port and the number of the process that accepts and refuses."""
    command = [sys.executable, "-m", "inktex", "serve", "--port", "0", "--no-open", "--workers", str(workers)]
    process = subprocess.Popen(
        [*command, *(["--model", model] if model else [])],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(checkout / "src")},
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        if not found:
            raise SystemExit(f"the server did not start: {line}{process.stderr.read()}")
        threading.Thread(target=process.stderr.read, daemon=True).start()
        port = int(found[1])
        asyncio.run(warmed_up(port, workers))
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(30)


async def warmed_up(port: int, workers: int) -> None:
    """Wait until the processes answer, each more than once."""
    for _ in range(8 * workers):
        load = Load()
        while not load.answered:
            await ask(Connection(port), get("/readyz"), load)
            await asyncio.sleep(0.1)


def get(path: str) -> bytes:
    """A GET request."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def post(strokes: object) -> bytes:
    """A request to recognise strokes."""
    body = json.dumps({"strokes": strokes}).encode()
    head = "POST /v1/recognize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def memory(port: int) -> float:
    """MB that all processes hold; each tells its own when it is asked, so all are asked."""
    value = 0.0
    for _ in range(6):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(get("/metrics"))
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        text = await reader.readexactly(int(re.search(r"content-length: (\d+)", head)[1]))
        writer.close()
        value = float(re.search(rb"\nprocess_resident_memory_bytes (\S+)", text)[1]) / 1e6
    return value


def print_table(rows: dict[tuple[int, int], dict[str, float]]) -> None:
    """The table in Markdown."""
    print("\n| workers | clients | answered/s | p50 ms | p99 ms | shed (503) | other | lost |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for (workers, clients), row in rows.items():
        print(
            f"| {workers} | {clients} | {row['answered_per_second']:.1f} "
            f"| {row['p50_ms']:.0f} | {row['p99_ms']:.0f} "
            f"| {row['shed']:.0f} | {row['other']:.0f} | {row['lost']:.0f} |"
        )


def cpu_seconds(process: int) -> float:
    """Seconds that a process has had of a core, in its main thread."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9
    except OSError:  # not Linux
        return float("nan")


def overload(
    port: int, parent: int, workers: int, times: int, seconds: float, requests: Iterator[bytes]
) -> dict[str, float]:
    """So many times what it carries, then at once a few requests as if nothing had been."""
    before = asyncio.run(closed_loop(port, 8 * workers, seconds, requests))
    capacity = len(before.answered) / before.seconds
    used = cpu_seconds(parent)
    load = open_loop(port, times * capacity, seconds, requests)
    used = cpu_seconds(parent) - used
    after = asyncio.run(closed_loop(port, 1, min(seconds, 1.0), requests))
    row = load.row() | {
        "times": times,
        "capacity_per_second": capacity,
        "sent": load.sent,
        "load_cpu_share": load.cpu_seconds / load.seconds,
        "load_late_ms": 1000 * load.latest,
        "parent_cpu_share": used / load.seconds,
        "after_p50_ms": 1000 * quantile(after.answered, 0.5),
    }
    print(
        f"{times:2d} times its capacity of {capacity:.1f}/s: {load.sent} sent in {load.seconds:.1f} s, "
        f"{len(load.answered)} answered ({row['answered_per_second']:.1f}/s, "
        f"{row['answered_per_second'] / capacity:.0%} of the capacity, p99 {row['p99_ms']:.0f} ms), "
        f"{len(load.shed)} shed with 503 (p99 {row['shed_p99_ms']:.0f} ms), {row['other']:.0f} other, "
        f"{load.lost} lost; right after: p50 {row['after_p50_ms']:.0f} ms; "
        f"the load took {100 * row['load_cpu_share']:.0f} % of a core, late by {row['load_late_ms']:.0f} ms; "
        f"the parent took {100 * row['parent_cpu_share']:.0f} %, {1e6 * used / load.sent:.0f} µs per request"
    )
    return row


FLOOD = """
import json, sys
from itertools import count
from websockets.sync.client import connect
port, kind = sys.argv[1:]
with connect(f"ws://127.0.0.1:{port}/v1/session", ping_interval=None) as socket:
    for number in count():
        if kind == "render":
            said = {"type": "render", "latex": r"\\frac{a}{b}+" * 300 + "1"}
        elif number % 200:
            said = {"type": "add", "id": str(number), "points": [[number % 50, 3], [number % 50 + 9, 20]]}
        else:
            said = {"type": "clear"}
        socket.send(json.dumps(said))
        try:
            socket.recv(timeout=0)
        except TimeoutError:
            pass
"""


def flood(port: int, kind: str, seconds: float, requests: Iterator[bytes]) -> dict[str, Any]:
    """How long another client waits while nobody else asks, and while one session floods the server."""
    seconds *= 2  # of some hundred answers, more than the slowest one or two are past the 99th percentile
    calm = asyncio.run(closed_loop(port, 1, seconds, requests))
    flooding = subprocess.Popen([sys.executable, "-c", FLOOD, str(port), kind])
    try:
        time.sleep(3.0)  # a quarter of a second of the processor is everybody's; then it counts as a flood
        crowded = asyncio.run(closed_loop(port, 1, seconds, requests))
    finally:
        flooding.kill()
        flooding.wait()
    row = {
        "kind": kind,
        **{f"calm_p{p}_ms": 1000 * quantile(calm.answered, p / 100) for p in (50, 99)},
        **{f"flooded_p{p}_ms": 1000 * quantile(crowded.answered, p / 100) for p in (50, 99)},
        "lost": calm.lost + crowded.lost,
    }
    print(
        f"flood of {kind}: another client waits p50 {row['flooded_p50_ms']:.0f} ms, p99 "
        f"{row['flooded_p99_ms']:.0f} ms (alone {row['calm_p50_ms']:.0f} and {row['calm_p99_ms']:.0f} ms); "
        f"{row['flooded_p99_ms'] / row['calm_p99_ms']:.1f} times at p99"
    )
    return row


def draw(rows: dict[int, list[dict[str, float]]], path: Path) -> None:
    """Answers per second, and how long answers and refusals took, against the load."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (rate, wait) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for workers, points in rows.items():
        times = [point["times"] for point in points]
        name = f"{workers} worker{'s' * (workers > 1)}"
        (line,) = rate.plot(times, [point["answered_per_second"] for point in points], "o-", label=name)
        rate.axhline(points[0]["capacity_per_second"], color=line.get_color(), linestyle=":", linewidth=1)
        wait.plot(
            times,
            [point["p99_ms"] for point in points],
            "o-",
            color=line.get_color(),
            label=f"{name}, answers",
        )
        wait.plot(
            times,
            [point["shed_p99_ms"] for point in points],
            "x--",
            color=line.get_color(),
            label=f"{name}, refusals",
        )
    for axes, label in ((rate, "answers per second (dotted: capacity)"), (wait, "99 of 100 within, ms")):
        axes.set_xscale("log", base=2)
        axes.set_xticks([1, 4, 16], ["1", "4", "16"])
        axes.set_xlabel("load, times the capacity")
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def soak(port: int, number: int, request: bytes) -> dict[str, float]:
    """Memory over many requests: the first tenth warms up, the rest may not grow."""
    samples: list[float] = []

    async def run() -> Load:
        load, connections = Load(), [Connection(port) for _ in range(4)]
        begun = time.perf_counter()
        while load.sent < number:
            for _ in range(max(1, number // 80)):
                await asyncio.gather(*(ask(connection, request, load) for connection in connections))
            samples.append(await memory(port))
        load.seconds = time.perf_counter() - begun
        return load

    load = asyncio.run(run())
    steady = samples[len(samples) // 10 :]
    half = len(steady) // 2
    first, second = statistics.mean(steady[:half]), statistics.mean(steady[half:])
    print(
        f"\nmemory over {load.sent} requests ({load.sent / load.seconds:.0f}/s): "
        f"{samples[0]:.0f} MB at first, "
        f"mean {first:.1f} MB in the first half after warming up, {second:.1f} MB in the second; "
        f"{load.lost} lost, {len(load.shed)} shed"
    )
    return {
        "requests": load.sent,
        "first_mb": samples[0],
        "half_1_mb": first,
        "half_2_mb": second,
        "lost": load.lost,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=8.0, help="of load for each row")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--soak", type=int, default=10_000, help="requests while memory is watched; 0: none")
    parser.add_argument("--model", help="model file or name")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="of these only")
    parser.add_argument("--record", action="store_true", help="put figures and picture into docs/")
    arguments = parser.parse_args()
    formulas = [entry["strokes"] for entry in json.loads(EXAMPLES.read_text(encoding="utf-8"))]
    requests = cycle([post(strokes) for strokes in formulas])
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=ROOT)
    print(
        f"{time.strftime('%Y-%m-%d')}, commit {commit.stdout.strip()}, "
        f"{platform.machine()}, {os.cpu_count()} cores, "
        f"load average at start {os.getloadavg()[0]:.1f}, {arguments.seconds:g} s per row"
    )
    rows: dict[tuple[int, int], dict[str, float]] = {}
    overloads: dict[int, list[dict[str, float]]] = {}
    result: dict[str, Any] = {"load_average": os.getloadavg()[0]}
    for workers in arguments.workers:
        first = workers == arguments.workers[0]
        if not first and not {"table", "overload"} & {*arguments.parts}:
            continue
        with launched(workers, arguments.model) as (port, parent):
            if "table" in arguments.parts:
                for clients in arguments.clients:
                    load = asyncio.run(closed_loop(port, clients, arguments.seconds, requests))
                    rows[workers, clients] = load.row()
            if "overload" in arguments.parts:
                print(f"\n{workers} worker{'s' * (workers > 1)}")
                overloads[workers] = [
                    overload(port, parent, workers, times, arguments.seconds, requests)
                    for times in (1, 4, 16)
                ]
            if "floods" in arguments.parts and first:
                result["floods"] = [
                    flood(port, kind, arguments.seconds, requests) for kind in ("render", "add")
                ]
            if "soak" in arguments.parts and first and arguments.soak:
                result["soak"] = soak(port, arguments.soak, post([[[0, 0], [2, 30], [1, 62]]]))
    if rows:
        print_table(rows)
        result["table"] = [
            {"workers": workers, "clients": clients, **row} for (workers, clients), row in rows.items()
        ]
    if overloads:
        result["overload"] = [
            {"workers": workers, **row} for workers, some in overloads.items() for row in some
        ]
    if arguments.record:
        record(result, arguments)
        if overloads:
            draw(overloads, ROOT / "docs/figures/serving.png")


def record(result: dict[str, Any], arguments: argparse.Namespace) -> None:
    """Put what was measured into docs/results; parts that were not stay as they are, with their own date."""
    path = ROOT / "docs/results/serving.json"
    parts = "" if {*arguments.parts} == {*PARTS} else f" --parts {' '.join(arguments.parts)}"
    options = f"--seconds {arguments.seconds:g} --soak {arguments.soak}"
    made = provenance(f"python benchmarks/serving.py {options} --record{parts}")
    average = result.pop("load_average")
    found = json.loads(path.read_text(encoding="utf-8")) if parts and path.exists() else {}
    for part, figures in result.items():
        found[part] = {"made": {**asdict(made), "load_average": average}, "rows": figures}
    text = json.dumps(found, indent=1).replace("NaN", "null")  # 99th of none
    write_atomically(path, text + "\n")


if __name__ == "__main__":
    main()
