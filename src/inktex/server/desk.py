"""Refuses requests in the parent process, when no worker has room for them.

A worker is slow to refuse while it recognizes, since its threads share one interpreter, and each refusal
takes time from the answers. So while all queues are full, the parent looks at the headers of new connections,
without taking them from the wire. A request that would have to wait for the recogniser, and has nothing wrong
with it, is answered 503. Everything else goes to a worker untouched.
"""

import selectors
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from time import monotonic

import httptools

from inktex.server.errors import MATHPIX_PATH, busy
from inktex.server.guard import waits_for_recognizer
from inktex.server.options import ServerOptions
from inktex.server.watch import raw_response

HEAD_BYTES = 16 * 1024  # headers that are longer are for a worker to look at
FIRST_WORDS_SECONDS = 1.0  # for the headers; after that the connection is a worker's
BODY_SECONDS = 15.0  # for the body of a request that is refused; it is passed over
LINGERING_SECONDS = 2.0  # for a client to read why it was refused


class Head:
    """What the headers of a request say; callbacks of httptools."""

    def __init__(self, data: bytes) -> None:
        self.url = b""
        self.headers: list[tuple[bytes, bytes]] = []
        self.complete = self.is_post = False
        self.body_begun = 0  # bytes of the body that are there
        parser = httptools.HttpRequestParser(self)
        try:
            parser.feed_data(data)
            self.is_post = self.complete and parser.get_method() == b"POST"
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            pass  # for a worker to answer

    def on_url(self, url: bytes) -> None:
        """Part of the address."""
        self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header."""
        self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        """All headers are there."""
        self.complete = True

    def on_body(self, body: bytes) -> None:
        """Part of the body."""
        self.body_begun += len(body)

    @property
    def path(self) -> str:
        """The address without its query."""
        return self.url.partition(b"?")[0].decode("latin-1")

    def refusable(self, options: ServerOptions) -> bool:
        """Whether the request would only wait for the recogniser."""
        return (
            self.is_post
            and not any(name in (b"expect", b"upgrade", b"transfer-encoding") for name, _ in self.headers)
            and waits_for_recognizer(options, self.path, self.headers)
        )

    @property
    def body_bytes(self) -> int:
        """The length of the body, which `refusable` has found to be a number."""
        return int(dict(self.headers)[b"content-length"])


class Desk:
    """Connections that the parent has not given to a worker, or takes leave of."""

    def __init__(
        self,
        selector: selectors.BaseSelector,
        options: ServerOptions,
        hand_over: Callable[[socket.socket], None],
        waiting_time: Callable[[], float | None],
        count: Callable[[str, int], None],
    ) -> None:
        """`waiting_time` is None while a worker has room; `count(path, status)` is told of each refusal."""
        self._selector = selector
        self._options = options
        self._hand_over = hand_over
        self._waiting_time = waiting_time
        self._count = count
        self._asked: dict[socket.socket, float] = {}  # nothing was read yet; until when it may stay
        self._refused: dict[socket.socket, float] = {}  # its body is still to come
        self._lingering: dict[socket.socket, float] = {}

    def __len__(self) -> int:
        """How many connections there are."""
        return len(self._asked) + len(self._refused) + len(self._lingering)

    @property
    def lingering(self) -> bool:
        """Whether somebody is about to read an answer."""
        return bool(self._lingering or self._refused)

    def ask(self, connection: socket.socket) -> None:
        """See what a new connection wants."""
        connection.setblocking(False)
        if not self._look(connection):
            self._asked[connection] = monotonic() + FIRST_WORDS_SECONDS
            self._selector.register(connection, selectors.EVENT_READ, lambda: self._look_again(connection))

    def refuse(self, connection: socket.socket, answer: bytes | None = None) -> None:
        """Say that there is nobody to answer, and leave the client time to read it."""
        with suppress(OSError):
            connection.setblocking(False)
            connection.send(answer or raw_response(busy(1.0)))
            connection.shutdown(socket.SHUT_WR)
        self._lingering[connection] = monotonic() + LINGERING_SECONDS
        self._selector.register(connection, selectors.EVENT_READ, lambda: self._skip(connection))

    def hand_over_all(self) -> None:
        """Give all who have not been looked at to workers."""
        for connection in list(self._asked):
            self._forget(connection)
            self._hand_over(connection)

    def look_after(self) -> None:
        """Go on with those whose time is over; all of one kind have the same time, so the first are first."""
        now = monotonic()
        for connection in _over(self._asked, now):
            self._forget(connection)
            self._hand_over(connection)
        for some in (self._refused, self._lingering):
            for connection in _over(some, now):
                self._close(connection)

    # One connection -----------------------------------------------------------------------------------------

    def _look_again(self, connection: socket.socket) -> None:
        self._forget(connection)
        if not self._look(connection):
            self._hand_over(connection)

    def _look(self, connection: socket.socket) -> bool:
        """Decide what becomes of a connection; False if nothing was said on it yet."""
        try:
            data = connection.recv(HEAD_BYTES, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            connection.close()
            return True
        wait = self._waiting_time()
        head = Head(data)
        if wait is None or not head.refusable(self._options):
            self._hand_over(connection)
            return True
        self._count(head.path, 503)
        answer = _busy_answer(head.path, wait)
        with suppress(OSError):
            connection.recv(len(data))  # what was looked at
        left = head.body_bytes - head.body_begun
        if left <= 0:
            self.refuse(connection, answer)
        else:
            self._refused[connection] = monotonic() + BODY_SECONDS
            rest = _Rest(left)
            self._selector.register(
                connection, selectors.EVENT_READ, lambda: self._pass_over(connection, rest, answer)
            )
        return True

    def _pass_over(self, connection: socket.socket, rest: "_Rest", answer: bytes) -> None:
        """Read the body of a request that is refused: who still sends does not read."""
        try:
            part = connection.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        rest.left -= len(part)
        if not part:
            self._close(connection)
        elif rest.left <= 0:
            self._forget(connection)
            self.refuse(connection, answer)

    def _skip(self, connection: socket.socket) -> None:
        """Pass over the rest of what a client says: closing with it unread would take the answer back."""
        try:
            over = not connection.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            over = True
        if over:
            self._close(connection)

    def _forget(self, connection: socket.socket) -> None:
        for some in (self._asked, self._refused, self._lingering):
            some.pop(connection, None)
        self._selector.unregister(connection)

    def _close(self, connection: socket.socket) -> None:
        self._forget(connection)
        connection.close()


class _Rest:
    """How much of a body is still to come."""

    def __init__(self, left: int) -> None:
        self.left = left


def _over(some: dict[socket.socket, float], now: float) -> list[socket.socket]:
    found = []
    for connection, end in some.items():
        if end > now:
            break
        found.append(connection)
    return found


def _busy_answer(path: str, seconds: float) -> bytes:
    error = busy(seconds)
    # Answers to clients of Mathpix carry a number of their own.
    return raw_response(error, path) if path == MATHPIX_PATH else _made_once(error.headers["Retry-After"])


@lru_cache(maxsize=64)
def _made_once(seconds: str) -> bytes:
    return raw_response(busy(float(seconds)))
