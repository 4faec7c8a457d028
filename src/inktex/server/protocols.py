"""Patience with slow clients has an end: uvicorn's protocols, closing connections that hold on to nothing.

A client that sends its headers letter by letter, or asks and does not read the answer, costs a connection
and memory for as long as it likes. These count the seconds.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

HEADER_SECONDS = (
    10.0  # from the connection, or the first byte of a further request, to the end of its headers
)
READING_SECONDS = 20.0  # without a client taking any of what waits for it
LAST_WORDS_SECONDS = 0.25  # for a request on a new connection, when the server is told to end


class _Patience:
    """The limit on the time without reading; a mixin in front of a protocol of uvicorn."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _reading_timer: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing to count any more."""
        _cancel(self._reading_timer)
        super().connection_lost(exc)  # type: ignore[misc]

    def pause_writing(self) -> None:
        """The client does not keep up."""
        super().pause_writing()  # type: ignore[misc]
        _cancel(self._reading_timer)
        self._reading_timer = self.loop.call_later(READING_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """It does again."""
        _cancel(self._reading_timer)
        super().resume_writing()  # type: ignore[misc]


class PatientHttp(_Patience, HttpToolsProtocol):
    """HTTP with a limit on the time for headers and on the time without reading."""

    _header_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to count with the connection."""
        super().connection_made(transport)
        self._header_timer = self.loop.call_later(HEADER_SECONDS, self._close)

    def on_message_begin(self) -> None:
        """Count anew for every further request on the connection."""
        super().on_message_begin()
        _cancel(self._header_timer)
        self._header_timer = self.loop.call_later(HEADER_SECONDS, self._close)

    def on_headers_complete(self) -> None:
        """The headers are there."""
        _cancel(self._header_timer)
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing to count any more."""
        _cancel(self._header_timer)
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """The server ends: a client that has just connected may still say what it is about to."""
        if self.cycle is None and not self.transport.is_closing():
            self.loop.call_later(LAST_WORDS_SECONDS, super().shutdown)
        else:
            super().shutdown()

    def _close(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


class PatientWebSocket(_Patience, WebSocketsSansIOProtocol):
    """WebSocket with a limit on the time without reading."""

    async def send(self, message: Any) -> None:
        """Send; a handshake that was answered with an error is complete too, whatever uvicorn's log says."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True


def _cancel(timer: Any) -> None:
    if timer is not None:
        timer.cancel()
