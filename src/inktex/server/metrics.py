"""Counters of all worker processes in one shared block of memory; the Prometheus text format goes out.

Every process owns one slot and is the only one to write it, from its event loop, so no lock is needed; who
is asked for `/metrics` adds all slots up. A worker that takes the place of one that died goes on with its
slot, so that counters never fall.

`prometheus_client` would do the same through files in a folder that an environment variable names before it
is imported, one per process that ever ran; this needs neither disk nor folder.
"""

import os
from bisect import bisect_left
from collections.abc import Hashable, Iterator
from itertools import accumulate, product
from multiprocessing.sharedctypes import RawArray

import numpy as np

from inktex import __version__

ENDPOINTS = ("recognize", "symbol", "file", "ink", "render", "strokes", "session", "page", "other")
STATUSES = (101, 200, 304, 400, 401, 403, 404, 405, 408, 413, 415, 421, 422, 499, 500, 503, 504, 0)  # 0: any
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SINGLES = {  # with the name, kind and help of Prometheus
    "answers": ("inktex_session_answers_total", "counter", "Answers sent in live sessions."),
    "superseded": (
        "inktex_session_superseded_total",
        "counter",
        "Live answers given up because newer ink came.",
    ),
    "shed": ("inktex_shed_total", "counter", "Requests refused with 503 because too many waited."),
    "sessions": ("inktex_sessions", "gauge", "Live sessions now."),
    "waiting": ("inktex_waiting", "gauge", "Calls waiting for their turn now."),
    "running": ("inktex_running", "gauge", "Recognitions under way now."),
    "memory": ("process_resident_memory_bytes", "gauge", "Memory of all processes."),
    "strokes": ("inktex_strokes_total", "counter", "Strokes recognized."),
}
_RECOGNITION = ""  # stands for an endpoint where seconds of recognising alone are counted
_KEYS = (
    *SINGLES,
    *product(ENDPOINTS, ("requests",), STATUSES),
    # One count per bucket and beyond, then the sum.
    *product((*ENDPOINTS, _RECOGNITION), ("seconds",), range(len(BUCKETS) + 2)),
)
_PLACES: dict[Hashable, int] = {key: place for place, key in enumerate(_KEYS)}


class SharedMetrics:
    """The memory that the processes of one server share; made by the parent, handed to each of them."""

    def __init__(self, workers: int) -> None:
        slots = workers + 1  # the last one is their parent's
        self.values = RawArray("d", slots * len(_KEYS))
        self.owners = RawArray("q", slots)  # ids of the processes; 0 where there is none


class Metrics:
    """The counters of this process, and the sum over all."""

    def __init__(self, shared: SharedMetrics, slot: int = 0) -> None:
        self._owners = shared.owners
        self._owners[slot] = os.getpid()
        self._slots = np.frombuffer(shared.values).reshape(len(shared.owners), len(_KEYS))
        self._own = self._slots[slot]
        for name, (_, kind, _) in SINGLES.items():
            if kind == "gauge":
                self.put(name, 0.0)

    def request(self, endpoint: str, status: int, seconds: float) -> None:
        self.add((endpoint, "requests", status if status in STATUSES else 0))
        self._observe(endpoint, seconds)

    def recognition(self, seconds: float, strokes: int) -> None:
        self._observe(_RECOGNITION, seconds)
        self.add("strokes", strokes)

    def add(self, key: Hashable, amount: float = 1.0) -> None:
        self._own[_PLACES[key]] += amount

    def put(self, name: str, value: float) -> None:
        self._own[_PLACES[name]] = value

    def value(self, name: str) -> float:
        """A counter summed over all processes, or a gauge over those that run."""
        if name == "memory":
            return sum(resident_bytes(owner) for owner in self._owners if owner)
        if SINGLES[name][1] == "counter":
            return self._sum(name)
        return float(self._slots[np.array(self._owners) > 0, _PLACES[name]].sum())

    def _observe(self, endpoint: str, seconds: float) -> None:
        self.add((endpoint, "seconds", bisect_left(BUCKETS, seconds)))
        self.add((endpoint, "seconds", len(BUCKETS) + 1), seconds)

    def _sum(self, key: Hashable) -> float:
        return float(self._slots[:, _PLACES[key]].sum())

    def render(self) -> str:
        """All of them in the text format of Prometheus."""
        return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        yield from _head("inktex_build_info", "gauge", "Version of the server.")
        yield f'inktex_build_info{{version="{__version__}"}} 1'
        yield from _head("inktex_requests_total", "counter", "Requests answered.")
        for endpoint, status in product(ENDPOINTS, STATUSES):
            if total := self._sum((endpoint, "requests", status)):
                labels = f'endpoint="{endpoint}",status="{status or "other"}"'
                yield f"inktex_requests_total{{{labels}}} {_number(total)}"
        yield from _head("inktex_request_seconds", "histogram", "From request to answer, waiting included.")
        for endpoint in ENDPOINTS:
            yield from self._histogram("inktex_request_seconds", endpoint, f'endpoint="{endpoint}"')
        yield from _head("inktex_recognition_seconds", "histogram", "Recognizing alone, without waiting.")
        yield from self._histogram("inktex_recognition_seconds", _RECOGNITION, "")
        for name, single in SINGLES.items():
            yield from _head(*single)
            yield f"{single[0]} {_number(self.value(name))}"

    def _histogram(self, name: str, endpoint: str, label: str) -> Iterator[str]:
        *counts, seconds = (self._sum((endpoint, "seconds", place)) for place in range(len(BUCKETS) + 2))
        if not any(counts):
            return
        for bound, total in zip([*BUCKETS, "+Inf"], accumulate(counts), strict=True):
            labels = ",".join(filter(None, [label, f'le="{bound}"']))
            yield f"{name}_bucket{{{labels}}} {_number(total)}"
        braces = f"{{{label}}}" if label else ""
        yield f"{name}_sum{braces} {seconds:.6f}"
        yield f"{name}_count{braces} {_number(sum(counts))}"


def _head(name: str, kind: str, help_text: str) -> tuple[str, str]:
    return f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"


def resident_bytes(process: int) -> float:
    """Memory that a process holds now; 0 where the system does not say, or it is gone."""
    try:
        with open(f"/proc/{process}/statm") as file:
            return float(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0.0


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:g}"
