"""Counters of all worker processes in one shared block of memory; the Prometheus text format goes out.

Every process owns one slot and is the only one to write it, from its event loop, so no lock is needed; who
is asked for `/metrics` adds all slots up. A process that takes the place of one that died goes on with its
slot, so that counters never fall.

`prometheus_client` would do the same through files in a folder that an environment variable names before it
is imported, one per process that ever ran; this needs neither disk nor folder.
"""

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.sharedctypes import RawArray
from typing import Any

from inktex import __version__

ENDPOINTS = ("recognize", "symbol", "file", "ink", "render", "strokes", "session", "page", "other")
STATUSES = (
    101,
    200,
    304,
    400,
    401,
    403,
    404,
    405,
    408,
    413,
    415,
    421,
    422,
    499,
    500,
    503,
    504,
    0,
)  # 0: other
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_REQUESTS = 0
_REQUEST_SECONDS = _REQUESTS + len(ENDPOINTS) * len(STATUSES)
_HISTOGRAM = len(BUCKETS) + 2  # one count per bucket and beyond, then the sum
_RECOGNITION_SECONDS = _REQUEST_SECONDS + len(ENDPOINTS) * _HISTOGRAM
_SINGLE = _RECOGNITION_SECONDS + _HISTOGRAM
_SIZE = _SINGLE + 8


@dataclass(frozen=True)
class _Single:
    offset: int
    name: str
    kind: str
    help: str


_SINGLES = {
    "answers": _Single(0, "inktex_session_answers_total", "counter", "Answers sent in live sessions."),
    "superseded": _Single(
        1, "inktex_session_superseded_total", "counter", "Live answers given up because newer ink came."
    ),
    "shed": _Single(2, "inktex_shed_total", "counter", "Requests refused with 503 because too many waited."),
    "sessions": _Single(3, "inktex_sessions", "gauge", "Live sessions now."),
    "waiting": _Single(4, "inktex_waiting", "gauge", "Calls waiting for their turn now."),
    "running": _Single(5, "inktex_running", "gauge", "Recognitions under way now."),
    "memory": _Single(6, "process_resident_memory_bytes", "gauge", "Memory of all processes."),
    "strokes": _Single(7, "inktex_strokes_total", "counter", "Strokes recognised."),
}


class SharedMetrics:
    """The memory that the processes of one server share; made by the parent, handed to each of them."""

    def __init__(self, processes: int) -> None:
        context = get_context("spawn")
        slots = processes + 3  # their parent; and one may start while the one it replaces still stops
        self.values = RawArray("d", slots * _SIZE)
        self.owners = RawArray("q", slots)
        self.lock = context.Lock()


class Metrics:
    """The counters of this process, and the sum over all."""

    def __init__(self, shared: SharedMetrics) -> None:
        self._shared = shared
        self._base = _claim(shared) * _SIZE
        for single in _SINGLES.values():
            if single.kind == "gauge":
                self._values[self._base + _SINGLE + single.offset] = 0.0

    @property
    def _values(self) -> Any:
        return self._shared.values

    def request(self, endpoint: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        place = ENDPOINTS.index(endpoint)
        column = STATUSES.index(status) if status in STATUSES else len(STATUSES) - 1
        self._values[self._base + _REQUESTS + place * len(STATUSES) + column] += 1
        self._observe(_REQUEST_SECONDS + place * _HISTOGRAM, seconds)

    def recognition(self, seconds: float, strokes: int) -> None:
        """Count one recognition."""
        self._observe(_RECOGNITION_SECONDS, seconds)
        self.add("strokes", strokes)

    def add(self, name: str, amount: float = 1.0) -> None:
        """Raise a counter or gauge."""
        self._values[self._base + _SINGLE + _SINGLES[name].offset] += amount

    def put(self, name: str, value: float) -> None:
        """Set a gauge."""
        self._values[self._base + _SINGLE + _SINGLES[name].offset] = value

    def value(self, name: str) -> float:
        """A counter summed over all processes, or a gauge over those that run."""
        single = _SINGLES[name]
        if name == "memory":
            return sum(resident_bytes(owner) for owner in self._shared.owners if owner)
        slots = self._values[_SINGLE + single.offset :: _SIZE]
        if single.kind == "counter":
            return float(sum(slots))
        owners = self._shared.owners
        return float(
            sum(value for value, owner in zip(slots, owners, strict=True) if value and _alive(owner))
        )

    def _observe(self, start: int, seconds: float) -> None:
        start += self._base
        self._values[start + bisect_left(BUCKETS, seconds)] += 1
        self._values[start + _HISTOGRAM - 1] += seconds

    def _sum(self, offset: int) -> float:
        return float(sum(self._values[offset::_SIZE]))

    def render(self) -> str:
        """All counters in the text format of Prometheus."""
        return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        yield from _head("inktex_build_info", "gauge", "Version of the server.")
        yield f'inktex_build_info{{version="{__version__}"}} 1'
        yield from _head("inktex_requests_total", "counter", "Requests answered.")
        for place, endpoint in enumerate(ENDPOINTS):
            for column, status in enumerate(STATUSES):
                total = self._sum(_REQUESTS + place * len(STATUSES) + column)
                if total:
                    labels = f'endpoint="{endpoint}",status="{status or "other"}"'
                    yield f"inktex_requests_total{{{labels}}} {_number(total)}"
        yield from _head("inktex_request_seconds", "histogram", "From request to answer, waiting included.")
        for place, endpoint in enumerate(ENDPOINTS):
            start = _REQUEST_SECONDS + place * _HISTOGRAM
            yield from self._histogram("inktex_request_seconds", f'endpoint="{endpoint}"', start)
        yield from _head("inktex_recognition_seconds", "histogram", "Recognising alone, without waiting.")
        yield from self._histogram("inktex_recognition_seconds", "", _RECOGNITION_SECONDS)
        for name, single in _SINGLES.items():
            yield from _head(single.name, single.kind, single.help)
            yield f"{single.name} {_number(self.value(name))}"

    def _histogram(self, name: str, label: str, start: int) -> Iterator[str]:
        counts = [self._sum(start + bucket) for bucket in range(len(BUCKETS) + 1)]
        if not any(counts):
            return
        total = 0.0
        for bound, number in zip([*map(str, BUCKETS), "+Inf"], counts, strict=True):
            total += number
            labels = ",".join(filter(None, [label, f'le="{bound}"']))
            yield f"{name}_bucket{{{labels}}} {_number(total)}"
        braces = f"{{{label}}}" if label else ""
        yield f"{name}_sum{braces} {self._sum(start + _HISTOGRAM - 1):.6f}"
        yield f"{name}_count{braces} {_number(total)}"


def resident_bytes(process: int) -> float:
    """Memory that a process holds now; 0 where the system does not say, or it is gone."""
    try:
        with open(f"/proc/{process}/statm") as file:
            return float(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0.0


def _claim(shared: SharedMetrics) -> int:
    """Take a slot that is free or whose process is gone."""
    with shared.lock:
        owners: Sequence[int] = shared.owners
        for slot, owner in enumerate(owners):
            if owner in (0, os.getpid()) or not _alive(owner):
                shared.owners[slot] = os.getpid()
                return slot
    return len(shared.owners) - 1


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _head(name: str, kind: str, help_text: str) -> Iterable[str]:
    return f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:g}"
