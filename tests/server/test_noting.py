"""What a parent process is told of a connection, so that a worker that is killed costs nobody an answer."""

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from inktex.server import ServerOptions
from inktex.server.metrics import Metrics, SharedMetrics
from inktex.server.protocols import PatientHttp
from inktex.server.running import config_for
from inktex.server.watch import Watch
from inktex.server.worker import ASKED, IDLE, NEW, Place

PATIENCE = 120.0


class Seen(PatientHttp):
    """Remembers what the parent would have seen when something was read and not yet looked at."""

    seen: list[int]

    def data_received(self, data: bytes) -> None:
        assert self.place is not None
        self.seen.append(self.place.state)
        super().data_received(data)


class Wire:
    """A connection to a worker, with the one place that its parent sees."""

    def __init__(self, app: Any, state: int = NEW) -> None:
        self.app = app
        self.states = bytearray([state])
        self.seen: list[int] = []
        self.client, self._server = socket.socketpair()
        self.client.setblocking(False)
        self._control, self._parent = socket.socketpair()

    async def __aenter__(self) -> "Wire":
        def protocol() -> PatientHttp:
            made = Seen(config_for(ServerOptions(), self.app), ServerState(), {})
            made.seen, made.place = self.seen, Place(self.states, 0, self._control)
            return made

        loop = asyncio.get_running_loop()
        self.transport, _ = await loop.connect_accepted_socket(protocol, self._server)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.transport.close()
        for each in (self.client, self._control, self._parent):
            each.close()

    async def say(self, data: bytes) -> None:
        before = len(self.seen)
        await asyncio.get_running_loop().sock_sendall(self.client, data)
        await until(lambda: len(self.seen) > before)

    async def hear(self) -> bytes:
        async with asyncio.timeout(PATIENCE):
            return await asyncio.get_running_loop().sock_recv(self.client, 65536)


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.005)


def test_a_request_is_noted_before_it_is_read() -> None:
    """Killed right after reading, a worker would take the request with it, and nobody would know."""

    async def scenario() -> None:
        async with Wire(PlainTextResponse("here")) as wire:
            await wire.say(b"GET / HTTP/1.1\r\n")
            assert (wire.seen, wire.states[0]) == ([ASKED], ASKED)
            await wire.say(b"Host: localhost\r\n\r\n")
            assert (await wire.hear()).startswith(b"HTTP/1.1 200")
            await until(lambda: wire.states[0] == IDLE)
            await wire.say(b"\r\n")  # some clients end a body so; nothing was asked
            assert (wire.seen[-1], wire.states[0]) == (ASKED, IDLE)

    asyncio.run(scenario())


@pytest.mark.parametrize(("state", "kept"), [(NEW, False), (IDLE, True)])
def test_a_connection_that_moves_is_kept_alive_as_before(
    state: int, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inktex.server.protocols.HEADER_SECONDS", 0.2)

    async def scenario() -> None:
        async with Wire(PlainTextResponse("here"), state) as wire:
            await asyncio.sleep(0.6)
            assert wire.transport.is_closing() is not kept
            if kept:
                await wire.say(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert (await wire.hear()).startswith(b"HTTP/1.1 200")

    asyncio.run(scenario())


def test_an_answer_is_counted_before_it_is_given() -> None:
    """The next request may reach another process, which adds all counters up."""
    metrics = Metrics(SharedMetrics(1))
    counted = 'inktex_requests_total{endpoint="page",status="200"} 1'
    found: list[bool] = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            found.append(counted in metrics.render())

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("here")(scope, receive, send)

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    asyncio.run(Watch(app, metrics)({"type": "http", "path": "/", "method": "GET"}, receive, send))
    assert found == [True]
    assert counted in metrics.render()  # and only once
