"""One of several worker processes: connections come from the parent, one by one, and are served as usual.

What passes between the two are messages of five bytes, a kind and the place of a connection. In shared memory
the worker notes for each place how far its connection is, for the case that it is killed.
"""

import asyncio
import contextlib
import socket
import struct
import sys
from dataclasses import dataclass
from time import monotonic
from typing import Any

import uvicorn

from inktex.server.metrics import SharedMetrics

MESSAGE = struct.Struct("=BI")
HERE, END = 1, 2  # from the parent: a connection (its handle comes with it); serve what you have, then end
READY, CLOSED = 3, 4  # from the worker: send me connections; one is closed
# How far a connection is: nothing was ever asked; all that was asked is answered; a request came, no answer
# yet; part of the answer is sent; a request came, and the recogniser knows of it.
NEW, IDLE, ASKED, ANSWERING, QUEUED = range(5)
FAILED_TO_START = 3
TICKS_PER_SIGN_OF_LIFE = 10


@dataclass(frozen=True)
class Places:
    """What parent and workers share."""

    states: Any  # of each place: NEW, IDLE, ASKED, ANSWERING or QUEUED
    alive: Any  # of each worker: when it last said that it is alive
    room: Any  # of each worker: how many requests it would take; more are refused
    wait: Any  # of each worker: seconds that one would wait
    metrics: SharedMetrics

    def tell_room(self, number: int, room: int, seconds: float) -> None:
        """Note how many more requests a worker takes, and how long one would wait."""
        self.wait[number] = seconds
        self.room[number] = room


class Place:
    """A worker's view of one place: where its connection notes how far it is."""

    def __init__(self, states: Any, number: int, control: socket.socket) -> None:
        self._states, self._number, self._control = states, number, control

    @property
    def state(self) -> int:
        return int(self._states[self._number])

    def note(self, state: int) -> None:
        self._states[self._number] = state

    def closed(self, wire: Any) -> None:
        with contextlib.suppress(OSError):
            wire.shutdown(socket.SHUT_WR)  # at once: the parent still holds the connection
        with contextlib.suppress(OSError):
            self._control.send(MESSAGE.pack(CLOSED, self._number))


class OrderlyServer(uvicorn.Server):
    """uvicorn's server on a port of its own; who waits at the port when it ends is still served."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.server_state.leaving = True  # type: ignore[attr-defined]
        for listener in sockets or []:
            asyncio.get_running_loop().remove_reader(listener)
        # asyncio drops connections that it has accepted but not yet set up when its server is closed.
        for _ in range(5):
            await asyncio.sleep(0)
        for listener in sockets or []:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    await self.take(connection)
        await super().shutdown(sockets)

    async def take(self, connection: socket.socket, place: Place | None = None) -> None:
        connection.setblocking(False)
        config = self.config

        def protocol() -> asyncio.Protocol:
            made: Any = config.http_protocol_class(
                config=config,  # type: ignore[call-arg]
                server_state=self.server_state,
                app_state=self.lifespan.state,
            )
            made.place = place
            return made  # type: ignore[no-any-return]

        with contextlib.suppress(OSError):  # it left already
            await asyncio.get_running_loop().connect_accepted_socket(protocol, connection)


class Worker(OrderlyServer):
    """A server that has no port: its connections come from the parent."""

    def __init__(self, config: uvicorn.Config, control: socket.socket, places: Places, number: int) -> None:
        super().__init__(config)
        self._control, self._places, self._number = control, places, number
        self._taking: set[asyncio.Task[None]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(FAILED_TO_START)
        self.servers = []
        self._control.setblocking(False)
        asyncio.get_running_loop().add_reader(self._control, self._hear)
        with contextlib.suppress(OSError):  # the parent is gone: heard as the end
            self._control.send(MESSAGE.pack(READY, 0))
        self.started = True

    def _hear(self) -> None:
        """Take one message; without a parent there is nothing to wait for."""
        try:
            said, handles, _, _ = socket.recv_fds(self._control, MESSAGE.size, 1)
        except BlockingIOError:
            return
        except OSError:
            said, handles = b"", []
        kind, number = MESSAGE.unpack(said) if said else (END, 0)
        if kind == END:
            asyncio.get_running_loop().remove_reader(self._control)
            self.should_exit = True
        elif handles:
            place = Place(self._places.states, number, self._control)
            task = asyncio.create_task(self.take(socket.socket(fileno=handles[0]), place))
            self._taking.add(task)
            task.add_done_callback(self._taking.discard)

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS_PER_SIGN_OF_LIFE == 0:
            self._places.alive[self._number] = monotonic()
        return await super().on_tick(counter)

    def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # type: ignore[override]
        """Signals are ignored, also those that reach the whole group: the parent says when to end."""
        return contextlib.nullcontext()
