"""Load for a server on this machine: clients that wait their turn, and requests that come whatever happens.

The second kind must not use up the processor that the server needs, nor wake up for each request, since that
takes a core from a worker for a moment. So it is a loop over plain sockets that looks at them every 4 ms,
which takes 0.06 ms per request, nearly all of it in the system; with asyncio's streams it was 0.25.
"""

import asyncio
import re
import select
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

STOP_AFTER = 30.0  # seconds after which a request that has no answer counts as lost
_TICK = 0.004  # seconds; requests begin and answers are noted up to so much later
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)


@dataclass
class Load:
    """What came of some load."""

    seconds: float = 0.0
    answered: list[float] = field(default_factory=list)  # latencies of 200, in seconds
    shed: list[float] = field(default_factory=list)  # of 503
    other: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    latest: float = 0.0  # seconds by which a request was begun too late: the load itself was short of time
    cpu_seconds: float = 0.0  # of this process

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


class _Asked:
    """One request on a connection of its own."""

    def __init__(self, port: int, request: bytes) -> None:
        self.begun = time.perf_counter()
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", port))
        self.unsent = request
        self.got = b""
        self.whole = 0  # bytes of the answer, once its head is there

    def send(self) -> bool:
        """Send what can be sent; whether all is."""
        with suppress(BlockingIOError):
            self.unsent = self.unsent[self.socket.send(self.unsent) :]
        return not self.unsent

    def receive(self) -> int:
        """The status once the answer is whole, else 0."""
        part = self.socket.recv(65536)
        if not part:
            raise ConnectionError
        self.got += part
        if not self.whole and (end := self.got.find(b"\r\n\r\n")) >= 0:
            length = _LENGTH.search(self.got, 0, end + 2)
            self.whole = end + 4 + (int(length[1]) if length else 0)
        return int(self.got[9:12]) if 0 < self.whole <= len(self.got) else 0


class _Crowd:
    """All requests that have no answer yet."""

    def __init__(self, port: int, load: Load) -> None:
        self._port, self._load = port, load
        self._poll = select.epoll()
        self._asked: dict[int, _Asked] = {}

    def __len__(self) -> int:
        return len(self._asked)

    def begin(self, request: bytes) -> None:
        """Connect and send."""
        asked = _Asked(self._port, request)
        try:
            events = select.EPOLLIN if asked.send() else select.EPOLLIN | select.EPOLLOUT
        except OSError:
            asked.socket.close()
            self._load.lost += 1
            return
        self._asked[asked.socket.fileno()] = asked
        self._poll.register(asked.socket, events)

    def go_on(self) -> None:
        """Note the answers that came."""
        for handle, _ in self._poll.poll(0):
            asked = self._asked[handle]
            try:
                if asked.unsent:
                    if not asked.send():
                        continue
                    self._poll.modify(handle, select.EPOLLIN)
                status = asked.receive()
            except BlockingIOError:
                continue
            except OSError:
                self._lose(handle)
                continue
            if status:
                self._load.take(status, time.perf_counter() - asked.begun)
                self._end(handle)

    def give_up(self, seconds: float) -> None:
        """Who has waited longer counts as lost."""
        now = time.perf_counter()
        for handle in [handle for handle, asked in self._asked.items() if now - asked.begun > seconds]:
            self._lose(handle)

    def _lose(self, handle: int) -> None:
        self._load.lost += 1
        self._end(handle)

    def _end(self, handle: int) -> None:
        self._asked.pop(handle).socket.close()  # which also takes it from what is polled


def open_loop(port: int, rate: float, seconds: float, requests: Iterator[bytes]) -> Load:
    """Requests at a fixed rate, whether or not earlier ones are answered; each from a client of its own."""
    load = Load()
    crowd = _Crowd(port, load)
    begun, used = time.perf_counter(), time.process_time()
    number, total = 0, int(rate * seconds)
    while number < total or crowd:
        now = time.perf_counter()
        while number < total and begun + number / rate <= now:
            load.latest = max(load.latest, now - begun - number / rate)
            crowd.begin(next(requests))
            number += 1
        crowd.go_on()
        if number == total:
            crowd.give_up(STOP_AFTER)
        time.sleep(max(0.0, now + _TICK - time.perf_counter()))
    load.seconds = time.perf_counter() - begun  # until the last answer: what still waited counts as well
    load.cpu_seconds = time.process_time() - used
    assert load.sent == total
    return load
