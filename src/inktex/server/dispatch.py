"""Several workers behind one port: a parent accepts connections and hands each to the least busy process.

The parent keeps its own handle of every connection and reads in shared memory how far each is. So a worker
that is killed costs nobody an empty reply: connections on which nothing was asked go to another worker, and
requests that were under way are answered 503. A worker gets no more requests than its queue has room for;
while no queue has any, the parent refuses itself (desk.py). Told to end, the parent accepts all who wait at
the port, hands them over, and only then tells the workers to end.
"""

import logging
import selectors
import signal
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import RawArray
from time import monotonic, sleep
from typing import Any, NamedTuple

from inktex.server import worker as wire
from inktex.server.desk import Desk
from inktex.server.metrics import Metrics, SharedMetrics
from inktex.server.options import ServerOptions
from inktex.server.watch import count_request
from inktex.server.worker import FAILED_TO_START, MESSAGE, Places

CONNECTIONS = 8192  # at once, of all workers
HANGING_SECONDS = 60.0  # without a sign of life, after which a worker is killed
_TICK = 0.25
_AT_ONCE = 256  # connections that are accepted before anything else has its turn
_SCARCE = 8  # places in the queues of all workers; with fewer left, it matters who gets them
_ON_ITS_WAY_SECONDS = 0.1  # from reading a request to its place in the queue; a slow body may take longer
# After a turn with refusals. Each time that this process wakes up, a worker loses its core for a moment.
_REST = 0.004

Work = Callable[[ServerOptions, socket.socket, Places, int], None]

log = logging.getLogger("inktex.server")


@dataclass
class _Worker:
    number: int
    process: BaseProcess
    control: socket.socket
    ready: bool = False
    told: bool = False  # to end
    connections: dict[int, socket.socket] = field(default_factory=dict)  # by their place
    # Places whose request is not known to have reached the queue: when it may count as if it had, once read.
    unread: dict[int, float | None] = field(default_factory=dict)

    def on_their_way(self, states: Any) -> int:
        """How many requests it was given that its queue does not hold yet."""
        now = monotonic()
        for place, end in list(self.unread.items()):
            state = states[place]
            if state == wire.ASKED and end is None:
                self.unread[place] = now + _ON_ITS_WAY_SECONDS
            elif state != wire.NEW and (state != wire.ASKED or now > (end or now)):
                del self.unread[place]
        return len(self.unread)


class _Waiting(NamedTuple):
    """A connection that no worker has yet."""

    connection: socket.socket
    state: int  # NEW, or IDLE where another worker has answered before
    waits: bool = False  # whether its request is known to wait for the recogniser


class Dispatcher:
    """Accepts connections and keeps the workers running, until it is told to end."""

    def __init__(self, listener: socket.socket, options: ServerOptions, work: Work) -> None:
        """`work(options, control, places, number)` is what each process does."""
        self._context = get_context("spawn")
        self._listener, self._options, self._work = listener, options, work
        self._places = Places(
            states=RawArray("B", CONNECTIONS),
            alive=RawArray("d", options.workers),
            room=RawArray("i", options.workers),
            wait=RawArray("d", options.workers),
            metrics=SharedMetrics(options.workers),
        )
        self._free = list(range(CONNECTIONS))
        self._waiting: deque[_Waiting] = deque()  # accepted, and nobody there to serve them yet
        self._selector = selectors.DefaultSelector()
        metrics = Metrics(self._places.metrics, options.workers)
        self._desk = Desk(
            self._selector,
            options,
            hand_over=self._hand_over,
            waiting_time=self._waiting_time,
            count=lambda path, status: count_request(metrics, "POST", path, status, 0.0, 0),
        )
        self._workers = [self._start(number) for number in range(options.workers)]
        self._ending: float | None = None  # when those who are still there are killed
        self._accept_again: float | None = None  # when it looks at the port again; None: it does
        self.exit_code = 0

    def run(self) -> int:
        """Serve until SIGTERM or Ctrl+C; the exit code."""
        wake, woken = socket.socketpair()
        wake.setblocking(False)
        woken.setblocking(False)
        self._listener.setblocking(False)
        self._selector.register(woken, selectors.EVENT_READ, lambda: woken.recv(100))
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        asked: list[int] = []
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: asked.append(number))
        signal.set_wakeup_fd(wake.fileno())
        try:
            while self._workers:
                refusals = self._desk.refusals
                self._turn()
                if asked and self._ending is None:
                    self._end()
                self._hand_out()
                self._look_after()
                if self._desk.refusals > refusals:
                    sleep(_REST)
        finally:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)  # all is done but the last words
            for each in self._waiting:
                self._desk.refuse(each.connection)
            while self._desk.lingering:
                self._turn()
                self._desk.look_after()
        return self.exit_code

    def _turn(self) -> None:
        for key, _ in self._selector.select(_TICK):
            key.data()

    # Connections --------------------------------------------------------------------------------------------

    def _accept(self, most: int = _AT_ONCE) -> None:
        """Take who waits at the port, as long as there are places."""
        for _ in range(min(most, self._unused)):
            try:
                connection, _ = self._listener.accept()
            except BlockingIOError:
                return
            except ConnectionError:  # it left again
                continue
            except OSError as error:
                log.warning("a connection could not be accepted: %s", error.strerror)
                break
            if self._ending is None and self._scarce:
                self._desk.ask(connection)
            else:
                self._waiting.append(_Waiting(connection, wire.NEW))
        else:
            if self._unused:
                return  # for more of them in the next turn
        # No places or no handles are left: asked again at once, nothing would change.
        if self._ending is None:
            self._selector.unregister(self._listener)
            self._accept_again = monotonic() + _TICK

    @property
    def _unused(self) -> int:
        return max(0, len(self._free) - len(self._waiting) - len(self._desk))

    @property
    def _ready(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.ready]

    @property
    def _scarce(self) -> bool:
        """Whether so little room is left that it matters who gets it."""
        return bool(self._ready) and sum(map(self._room, self._ready)) < _SCARCE

    def _room(self, worker: _Worker) -> int:
        """How many more requests a worker takes, besides those on their way to its queue."""
        room = int(self._places.room[worker.number])
        return room - worker.on_their_way(self._places.states) if room else 0

    def _waiting_time(self) -> float | None:
        """Seconds that a request would wait for the recogniser; None if a worker has room, or all start."""
        if any(self._room(worker) > 0 for worker in self._ready):
            return None
        return min((self._places.wait[worker.number] for worker in self._ready), default=None)

    def _hand_over(self, connection: socket.socket, waits: bool) -> None:
        """Give a connection from the desk to a worker."""
        self._waiting.append(_Waiting(connection, wire.NEW, waits))
        self._hand_out()  # at once, since the next one may find no room any more

    def _hand_out(self) -> None:
        """Give each connection that waits to the worker that has fewest, first of all to those with room."""
        while self._waiting and self._free:
            by_business = sorted(self._ready, key=lambda each: (self._room(each) <= 0, len(each.connections)))
            if not any(self._give(worker, self._waiting[0]) for worker in by_business):
                return
            self._waiting.popleft()

    def _give(self, worker: _Worker, waiting: _Waiting) -> bool:
        place = self._free.pop()
        self._places.states[place] = waiting.state
        try:
            socket.send_fds(worker.control, [MESSAGE.pack(wire.HERE, place)], [waiting.connection.fileno()])
        except OSError:  # it is full, or has just died
            self._free.append(place)
            return False
        worker.connections[place] = waiting.connection
        if waiting.waits:
            worker.unread[place] = None
        return True

    # Workers ------------------------------------------------------------------------------------------------

    def _start(self, number: int) -> _Worker:
        ours, theirs = socket.socketpair()
        self._places.alive[number] = monotonic()
        self._places.tell_room(number, self._options.limits.queue + 1, 0.0)
        args = (self._options, theirs, self._places, number)
        process = self._context.Process(target=self._work, args=args, name=f"worker-{number}")
        process.start()
        theirs.close()
        ours.setblocking(False)
        worker = _Worker(number, process, ours)
        self._selector.register(ours, selectors.EVENT_READ, lambda: self._hear(worker))
        return worker

    def _hear(self, worker: _Worker) -> None:
        """Take what a worker says; the end of its words means that it is gone."""
        try:
            said = worker.control.recv(MESSAGE.size * 256)
        except ConnectionResetError:
            said = b""
        for kind, place in MESSAGE.iter_unpack(said):
            if kind == wire.READY:
                worker.ready = True
            elif kind == wire.CLOSED:
                worker.connections.pop(place).close()
                worker.unread.pop(place, None)
                self._free.append(place)
        if not said:
            self._bury(worker)

    def _bury(self, worker: _Worker) -> None:
        """See to the connections of a worker that is gone, and start another."""
        self._selector.unregister(worker.control)
        worker.control.close()
        worker.process.join(5)
        self._workers.remove(worker)
        self._places.metrics.owners[worker.number] = 0
        for place, connection in worker.connections.items():
            self._free.append(place)
            state = self._places.states[place]
            if state in (wire.NEW, wire.IDLE):
                self._waiting.append(_Waiting(connection, state))
            elif state in (wire.ASKED, wire.QUEUED):
                self._desk.refuse(connection)
            else:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                connection.close()
        if self._ending is not None:
            return
        code = worker.process.exitcode
        if code == FAILED_TO_START:
            self.exit_code = FAILED_TO_START
            self._end()
            return
        log.warning("worker %d ended (%s); another one takes its place", worker.process.pid, code)
        self._workers.append(self._start(worker.number))

    def _look_after(self) -> None:
        """Tell the workers to end, once all connections are with them; kill who does not, or hangs."""
        self._desk.look_after()
        now = monotonic()
        if self._accept_again is not None and now > self._accept_again and self._ending is None:
            self._accept_again = None
            self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        for worker in self._workers:
            if self._ending is not None and not worker.told and not (self._waiting and worker.ready):
                with suppress(BlockingIOError, BrokenPipeError):
                    worker.control.send(MESSAGE.pack(wire.END, 0))
                    worker.told = True
            hangs = worker.ready and now - self._places.alive[worker.number] > HANGING_SECONDS
            if hangs or (self._ending is not None and now > self._ending):
                log.error("worker %d does not %s; killed", worker.process.pid, "answer" if hangs else "end")
                worker.process.kill()

    def _end(self) -> None:
        """Take all who wait, and close the port."""
        # A worker needs a moment beyond the grace itself.
        self._ending = monotonic() + self._options.grace_seconds + 3.0
        self._desk.hand_over_all()
        self._accept(CONNECTIONS)
        if self._accept_again is None:
            self._selector.unregister(self._listener)
        self._listener.close()
