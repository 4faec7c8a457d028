"""How much the server carries: requests per second and latency, what it does under too much, and its memory.

    python benchmarks/serving.py                     # the table, overload, memory over 10,000 requests
    python benchmarks/serving.py --seconds 2 --soak 0 --workers 1     # a quick look
    python benchmarks/serving.py --record            # also docs/results and docs/figures

The load comes from this process over loopback, with the page's example formulas as ink, so server and load
share the machine. Clients behave: who is answered 503 waits as long as Retry-After says. Overload does not:
so many requests a second come as the multiple says, each on a connection of its own. The flood is one live
session that sends as fast as it can, from a process of its own.
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
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

from inktex.evaluation.provenance import provenance
from inktex.files import write_atomically

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "src/inktex/server/static/examples.json"
STOP_AFTER = 30.0  # seconds after which a request that has no answer counts as lost


@dataclass
class Load:
    """What came of some load."""

    seconds: float = 0.0
    answered: list[float] = field(default_factory=list)  # latencies of 200, in seconds
    shed: list[float] = field(default_factory=list)  # of 503
    other: Counter[str] = field(default_factory=Counter)
    lost: int = 0

    @property
    def sent(self) -> int:
        """All requests that were begun."""
        return len(self.answered) + len(self.shed) + sum(self.other.values()) + self.lost

    def take(self, status: int, seconds: float) -> None:
        """Note one answer."""
        if status == 200:
            self.answered.append(seconds)
        elif status == 503:
            self.shed.append(seconds)
        else:
            self.other[str(status)] += 1

    def row(self) -> dict[str, float]:
        """The figures of the table."""
        return {
            "answered_per_second": len(self.answered) / self.seconds,
            "p50_ms": 1000 * quantile(self.answered, 0.5),
            "p99_ms": 1000 * quantile(self.answered, 0.99),
            "shed": len(self.shed),
            "shed_p99_ms": 1000 * quantile(self.shed, 0.99),
            "other": sum(self.other.values()),
            "lost": self.lost,
        }


def quantile(values: list[float], share: float) -> float:
    """The value below which this share lies; NaN if there is none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


class Connection:
    """One kept-alive HTTP connection, with as little work per request as possible."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> tuple[int, float]:
        """Send a request; status and Retry-After of its answer."""
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = re.search(r"content-length: (\d+)", head)
        await reader.readexactly(int(length[1]) if length else 0)
        wait = re.search(r"retry-after: (\d+)", head)
        if "connection: close" in head:
            self.close()
        return int(head[9:12]), float(wait[1]) if wait else 0.0

    def close(self) -> None:
        """Hang up."""
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


async def ask(connection: Connection, request: bytes, load: Load) -> float:
    """One request, noted; the seconds that the server asks to wait."""
    begun = time.perf_counter()
    try:
        status, wait = await asyncio.wait_for(connection.ask(request), STOP_AFTER)
    except (OSError, asyncio.IncompleteReadError, TimeoutError):
        load.lost += 1
        connection.close()
        return 0.0
    load.take(status, time.perf_counter() - begun)
    return wait


async def closed_loop(port: int, clients: int, seconds: float, requests: Iterator[bytes]) -> Load:
    """So many clients, each asking again as soon as it has its answer."""
    load = Load()
    begun = time.perf_counter()

    async def client() -> None:
        connection = Connection(port)
        while time.perf_counter() - begun < seconds:
            wait = await ask(connection, next(requests), load)
            if wait:
                await asyncio.sleep(min(wait, max(0.0, seconds - (time.perf_counter() - begun))))
        connection.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    load.seconds = time.perf_counter() - begun
    return load


async def open_loop(port: int, rate: float, seconds: float, requests: Iterator[bytes]) -> Load:
    """Requests at a fixed rate, whether or not earlier ones are answered; each from a client of its own."""
    load = Load()
    begun = time.perf_counter()
    tasks = []

    async def once(request: bytes) -> None:
        connection = Connection(port)
        await ask(connection, request, load)
        connection.close()

    for number in range(int(rate * seconds)):
        await asyncio.sleep(max(0.0, begun + number / rate - time.perf_counter()))
        tasks.append(asyncio.create_task(once(next(requests))))
    await asyncio.gather(*tasks)
    load.seconds = time.perf_counter() - begun  # until the last answer: what still waited counts as well
    assert load.sent == len(tasks)
    return load


@contextmanager
def serving(workers: int, model: str | None) -> Iterator[int]:
    """A server with so many processes, on a port of its own."""
    command = [sys.executable, "-m", "inktex", "serve", "--port", "0", "--no-open", "--workers", str(workers)]
    process = subprocess.Popen(
        [*command, *(["--model", model] if model else [])],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
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
        yield port
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


def overload(
    port: int, capacity: float, times: int, seconds: float, requests: Iterator[bytes]
) -> dict[str, float]:
    """So many times what it carries, then at once a few requests as if nothing had been."""
    load = asyncio.run(open_loop(port, times * capacity, seconds, requests))
    after = asyncio.run(closed_loop(port, 1, min(seconds, 2.0), requests))
    row = load.row() | {
        "times": times,
        "capacity_per_second": capacity,
        "sent": load.sent,
        "after_p50_ms": 1000 * quantile(after.answered, 0.5),
    }
    print(
        f"{times:2d} times its capacity of {capacity:.1f}/s: {load.sent} sent in {load.seconds:.1f} s, "
        f"{len(load.answered)} answered ({row['answered_per_second']:.1f}/s, p99 {row['p99_ms']:.0f} ms), "
        f"{len(load.shed)} shed with 503 (p99 {row['shed_p99_ms']:.0f} ms), {row['other']:.0f} other, "
        f"{load.lost} lost; right after: p50 {row['after_p50_ms']:.0f} ms"
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
        f"{row['flooded_p99_ms']:.0f} ms (alone {row['calm_p50_ms']:.0f} and {row['calm_p99_ms']:.0f} ms)"
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
        with serving(workers, arguments.model) as port:
            for clients in arguments.clients:
                load = asyncio.run(closed_loop(port, clients, arguments.seconds, requests))
                rows[workers, clients] = load.row()
            capacity = max(row["answered_per_second"] for key, row in rows.items() if key[0] == workers)
            print(f"\n{workers} worker{'s' * (workers > 1)}")
            overloads[workers] = [
                overload(port, capacity, times, arguments.seconds, requests) for times in (1, 4, 16)
            ]
            if workers == arguments.workers[0]:
                result["floods"] = [
                    flood(port, kind, arguments.seconds, requests) for kind in ("render", "add")
                ]
            if arguments.soak and workers == arguments.workers[0]:
                result["soak"] = soak(port, arguments.soak, post([[[0, 0], [2, 30], [1, 62]]]))
    print_table(rows)
    result["table"] = [
        {"workers": workers, "clients": clients, **row} for (workers, clients), row in rows.items()
    ]
    result["overload"] = [{"workers": workers, **row} for workers, some in overloads.items() for row in some]
    if arguments.record:
        made = provenance(
            f"python benchmarks/serving.py --seconds {arguments.seconds:g} --soak {arguments.soak} --record"
        )
        text = json.dumps({"made": asdict(made), **result}, indent=1).replace("NaN", "null")  # 99th of none
        write_atomically(ROOT / "docs/results/serving.json", text + "\n")
        draw(overloads, ROOT / "docs/figures/serving.png")


if __name__ == "__main__":
    main()
