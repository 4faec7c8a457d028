"""uvicorn's protocols with timeouts for slow clients, and reading in small parts.

A client that sends its headers letter by letter, or does not read its answer, would otherwise hold a
connection and memory for as long as it likes. What is read goes through a buffer of ours, so that a parent
process learns of a request before any of it is taken from the wire.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from inktex.server.errors import RequestError
from inktex.server.watch import raw_response
from inktex.server.worker import ANSWERING, ASKED, IDLE, NEW, Place

# From the connection, or the first byte of a further request, to the end of its headers.
HEADER_SECONDS = 10.0
BODY_SECONDS = 15.0  # for the body of a request that is refused; it is passed over
READING_SECONDS = 20.0  # without a client taking any of what waits for it
# For a request that is on its way when the server is told to end: on a new connection, on one that had some.
FIRST_WORDS_SECONDS, LAST_WORDS_SECONDS = 1.0, 0.25
# Read at once. Of a session less: all messages in it are taken from the wire before anybody else has a turn.
READ_BYTES, SESSION_READ_BYTES = 64 * 1024, 8 * 1024
MAX_HEADER_BYTES = 64 * 1024  # of one request
MAX_HEADERS = 100
MAX_AT_ONCE = 16  # requests on one connection that are not answered yet; clients of today send one


class _Patience(asyncio.BufferedProtocol):
    """The limit on the time without reading; a mixin in front of a protocol of uvicorn."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    read_bytes = READ_BYTES
    _incoming = bytearray()
    place: Place | None = None  # where a parent process looks how far the connection is
    _reading_timer: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._reading_timer)
        super().connection_lost(exc)
        if self.place is not None:
            self.place.closed(self.transport.get_extra_info("socket"))

    def eof_received(self) -> None:
        """The client says no more; asyncio then closes the connection."""

    def get_buffer(self, sizehint: int) -> bytearray:
        del sizehint
        self._incoming = bytearray(self.read_bytes)
        return self._incoming

    def buffer_updated(self, nbytes: int) -> None:
        data, self._incoming = bytes(memoryview(self._incoming)[:nbytes]), bytearray()
        self.data_received(data)  # type: ignore[attr-defined]

    def note(self, state: int) -> None:
        """Tell the parent process, if there is one, how far the connection is."""
        if self.place is not None:
            self.place.note(state)

    def _answer(self, error: RequestError) -> None:
        """Say what is wrong, which is the end of the connection."""
        if not self.transport.is_closing():
            self.note(ANSWERING)
            self.transport.write(raw_response(error))
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        _cancel(self._reading_timer)
        self._reading_timer = self.loop.call_later(READING_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        _cancel(self._reading_timer)
        super().resume_writing()


class PatientHttp(_Patience, HttpToolsProtocol):
    """HTTP with a limit on the time for headers and on the time without reading."""

    _header_timer: asyncio.TimerHandle | None = None
    _in_headers = True
    _header_bytes = 0  # received since the request began, until its headers are complete
    _kept_bytes = 0  # of the headers that are complete
    _refused = False
    _open_requests = 0  # begun and not yet answered
    _leaving = False
    _state_before = NEW
    _refusal: bytes | None = None  # what the request that comes in is answered, whatever its body

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if self._in_headers:
            self._header_bytes += len(data)
        super().data_received(data)
        if self._in_headers and self._header_bytes > MAX_HEADER_BYTES:
            self._refuse_headers()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._refused:
            return
        self._kept_bytes += len(name) + len(value)
        if len(self.headers) == MAX_HEADERS or self._kept_bytes > MAX_HEADER_BYTES:
            self._refuse_headers()
        else:
            super().on_header(name, value)

    def _refuse_headers(self) -> None:
        self._refused = True
        limits = f"a request may have {MAX_HEADERS} headers and {MAX_HEADER_BYTES // 1024} KB of them"
        self._answer(RequestError(431, "large_headers", limits))

    def send_400_response(self, msg: str) -> None:
        self._answer(RequestError(400, "not_http", msg))

    def get_buffer(self, sizehint: int) -> bytearray:
        """Before anything is read it counts as asked: killed in between, nobody could answer it any more."""
        self._state_before = NEW if self.place is None else self.place.state
        if self._state_before in (NEW, IDLE):
            self.note(ASKED)
        return super().get_buffer(sizehint)

    def buffer_updated(self, nbytes: int) -> None:
        """Take what came; it may have been no request at all, as an empty line after one."""
        super().buffer_updated(nbytes)
        if self.place is not None and self.place.state == ASKED and not self._open_requests:
            self.note(self._state_before)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to count with the connection; one that was kept alive elsewhere is kept alive here."""
        super().connection_made(transport)
        kept = self.place is not None and self.place.state == IDLE
        seconds = self.timeout_keep_alive if kept else HEADER_SECONDS
        self._header_timer = self.loop.call_later(seconds, transport.close)
        if getattr(self.server_state, "leaving", False):
            self.shutdown()

    def on_message_begin(self) -> None:
        if self._open_requests == MAX_AT_ONCE:
            self._refused = True
            at_once = f"a connection may have {MAX_AT_ONCE} requests at once"
            self._answer(RequestError(400, "too_many_at_once", at_once))
            raise ValueError(at_once)  # ends the parser: the rest may be thousands
        super().on_message_begin()
        self.scope["inktex.note"] = self.note  # type: ignore[typeddict-unknown-key]
        self._open_requests += 1
        if self._open_requests == 1:
            self.note(ASKED)
        self._in_headers, self._header_bytes, self._kept_bytes = True, 0, 0
        _cancel(self._header_timer)
        self._header_timer = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def on_headers_complete(self) -> None:
        _cancel(self._header_timer)
        self._in_headers = False
        if not self._refused:
            self._refusal = self._refuse_at_once()
            if self._refusal is not None:
                self._header_timer = self.loop.call_later(BODY_SECONDS, self.transport.close)
                return
            super().on_headers_complete()
            if self._leaving and self.cycle is not None:
                self.cycle.keep_alive = False

    def _refuse_at_once(self) -> bytes | None:
        """The answer to a request that is refused before anything is done for it, if this is one."""
        ask: Any = getattr(self.app, "refusal", None)
        if ask is None or self._open_requests > 1 or self._leaving or self.expect_100_continue:
            return None
        if self.parser.get_method() != b"POST" or self.parser.should_upgrade():
            return None
        path = self.url.partition(b"?")[0].decode("latin-1")
        error: RequestError | None = ask(path, self.headers)
        return None if error is None else raw_response(error, path, close=not self.parser.should_keep_alive())

    def on_body(self, body: bytes) -> None:
        if self._refusal is None:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is there; one that is refused is answered now, since who still sends does not read."""
        if self._refusal is None:
            super().on_message_complete()
            return
        _cancel(self._header_timer)
        answer, self._refusal = self._refusal, None
        if not self.transport.is_closing():
            self.note(ANSWERING)
            self.transport.write(answer)
            if not self.parser.should_keep_alive():
                self.transport.close()
            self.on_response_complete()

    def on_response_complete(self) -> None:
        """A request is answered; another may have come meanwhile."""
        self._open_requests -= 1
        if self._open_requests:
            self.note(ASKED)
        elif not self.transport.get_write_buffer_size():
            self.note(IDLE)
        super().on_response_complete()

    def handle_websocket_upgrade(self) -> None:
        """From here on it is a session, at the same place."""
        place, self.place = self.place, None
        super().handle_websocket_upgrade()
        session: Any = self.transport.get_protocol()
        session.place = place

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._header_timer)
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """The server ends: what is under way is answered, and what a client is just about to say."""
        self._leaving = True
        if self._open_requests:
            if self.cycle is not None and not self.cycle.response_complete:
                self.cycle.keep_alive = False
        else:
            wait = FIRST_WORDS_SECONDS if self.cycle is None else LAST_WORDS_SECONDS
            self.loop.call_later(wait, self._close_if_idle)

    def _close_if_idle(self) -> None:
        if not self._open_requests:
            self.transport.close()


class PatientWebSocket(_Patience, WebSocketsSansIOProtocol):
    """WebSocket with a limit on the time without reading."""

    read_bytes = SESSION_READ_BYTES

    def data_received(self, data: bytes) -> None:
        """Take what came; what the library takes for no handshake, as one with a long header, is answered."""
        super().data_received(data)
        if not self.handshake_initiated:  # it comes whole, as `handle_websocket_upgrade` puts it together
            self._refuse_handshake()

    def handle_connect(self, event: Any) -> None:
        """Begin a session, or say in the shape of all errors why there is none."""
        if self.conn.accept(event).status_code == 101:
            super().handle_connect(event)
        else:
            self._refuse_handshake()

    def _refuse_handshake(self) -> None:
        self.handshake_initiated = self.handshake_complete = self.close_sent = True
        reason = f"this WebSocket handshake cannot be answered: {self.conn.handshake_exc}"[:200]
        self._answer(RequestError(400, "bad_handshake", reason))

    def connection_lost(self, exc: Exception | None) -> None:
        """Messages that were not taken yet are of no use: the session hears at once that it is over."""
        self._forget()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        self._forget()
        super().shutdown()

    def _forget(self) -> None:
        while not self.queue.empty():
            self.queue.get_nowait()

    async def send(self, message: Any) -> None:
        """Send; a handshake that was answered with an error is complete too, whatever uvicorn's log says."""
        self.note(ANSWERING)
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True


def _cancel(timer: Any) -> None:
    if timer is not None:
        timer.cancel()
