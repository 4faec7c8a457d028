"""Refuses requests in the parent process, when no worker has room for them.

A worker is slow to refuse while it recognizes, since its threads share one interpreter, and each refusal
takes time from the answers. So while the queues are nearly full, the parent looks at the headers of new
connections, without taking them from the wire. If no worker has room, a request that would have to wait for
the recogniser, and has nothing wrong with it, is answered 503. Everything else goes to a worker untouched.
"""

import re
import selectors
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from itertools import takewhile
from time import monotonic

import httptools

from inktex.server.errors import MATHPIX_PATH, busy
from inktex.server.guard import waits_for_recognizer
from inktex.server.options import ServerOptions
from inktex.server.protocols import BODY_SECONDS, FIRST_WORDS_SECONDS
from inktex.server.watch import raw_response

LINGERING_SECONDS = 2.0  # for a client to read why it was refused
HEAD_BYTES = 16 * 1024  # headers that are longer are for a worker to look at
_REMEMBERED = 256  # different headers
_REMEMBERED_BYTES = 2 * 1024  # of each
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,9})(?=\r\n)", re.IGNORECASE)
_LOOK = socket.MSG_PEEK | socket.MSG_DONTWAIT
_Stays = dict[socket.socket, float]  # until when a connection may stay as it is
_Then = Callable[[], object]


class Desk:
    """Connections that the parent has not given to a worker, or takes leave of."""

    def __init__(
        self,
        selector: selectors.BaseSelector,
        options: ServerOptions,
        hand_over: Callable[[socket.socket, bool], None],
        waiting_time: Callable[[], float | None],
        count: Callable[[str, int], None],
    ) -> None:
        """`waiting_time` is None while a worker has room; `count(path, status)` is told of each refusal.

        `hand_over(connection, waits)` is told whether it is a request that waits for the recogniser.
        """
        self._selector = selector
        self._heads = Heads(options)
        self._hand_over = hand_over
        self._waiting_time = waiting_time
        self._count = count
        self._asked: _Stays = {}  # nothing was read yet
        self._refused: _Stays = {}  # its body is still to come
        self._lingering: _Stays = {}
        self._taken = bytearray(HEAD_BYTES)  # what was looked at, and is not needed any more
        self.refusals = 0

    def __len__(self) -> int:
        return len(self._asked) + len(self._refused) + len(self._lingering)

    @property
    def lingering(self) -> bool:
        """Whether somebody is about to read an answer."""
        return bool(self._lingering or self._refused)

    def ask(self, connection: socket.socket) -> None:
        """See what a new connection wants."""
        if not self._look(connection):
            self._await(connection, self._asked, FIRST_WORDS_SECONDS, partial(self._look_again, connection))

    def refuse(self, connection: socket.socket, answer: bytes | None = None) -> None:
        """Say that there is nobody to answer, and leave the client time to read it."""
        with suppress(OSError):
            connection.send(answer or raw_response(busy(1.0)), socket.MSG_DONTWAIT)
            connection.shutdown(socket.SHUT_WR)
        self._await(connection, self._lingering, LINGERING_SECONDS, partial(self._skip, connection))

    def hand_over_all(self) -> None:
        """Give all who have not been looked at to workers."""
        for connection in list(self._asked):
            self._give_up(connection)

    def look_after(self) -> None:
        """Go on with those whose time is over; all of one kind have the same time, so the first are first."""
        now = monotonic()
        for connection in _over(self._asked, now):
            self._give_up(connection)
        for some in (self._refused, self._lingering):
            for connection in _over(some, now):
                self._close(connection)

    # One connection -----------------------------------------------------------------------------------------

    def _await(self, connection: socket.socket, some: _Stays, seconds: float, then: _Then) -> None:
        """Go on when something comes on a connection, which counts to `some` and may stay so many seconds."""
        some[connection] = monotonic() + seconds
        self._selector.register(connection, selectors.EVENT_READ, then)

    def _give_up(self, connection: socket.socket) -> None:
        self._forget(connection)
        self._hand_over(connection, False)

    def _look_again(self, connection: socket.socket) -> None:
        self._forget(connection)
        if not self._look(connection):
            self._hand_over(connection, False)

    def _look(self, connection: socket.socket) -> bool:
        """Decide what becomes of a connection; False if nothing was said on it yet."""
        try:
            data = connection.recv(HEAD_BYTES, _LOOK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:  # it left again
            connection.close()
            return True
        path, whole = self._heads.waiting(data)
        wait = self._waiting_time() if path else None
        if wait is None:
            self._hand_over(connection, bool(path))
        else:
            self._count(path, 503)
            self.refusals += 1
            self._turn_away(connection, whole, _busy_answer(path, wait))
        return True

    def _turn_away(self, connection: socket.socket, whole: int, answer: bytes) -> None:
        """Refuse a request that is so long with its body."""
        try:
            left = whole - connection.recv_into(self._taken, 0, socket.MSG_DONTWAIT)
            if left == 0:  # the usual case: nothing is unread, so the answer arrives, and all is done
                connection.send(answer, socket.MSG_DONTWAIT)
        except OSError:
            left = 0
        if left == 0:
            connection.close()
        elif left < 0:
            self.refuse(connection, answer)
        else:
            then = partial(self._pass_over, connection, [left], answer)
            self._await(connection, self._refused, BODY_SECONDS, then)

    def _pass_over(self, connection: socket.socket, left: list[int], answer: bytes) -> None:
        """Read the body of a request that is refused: who still sends does not read."""
        left[0] -= self._skip(connection)
        if left[0] <= 0 and connection.fileno() >= 0:
            self._forget(connection)
            self.refuse(connection, answer)

    def _skip(self, connection: socket.socket) -> int:
        """Pass over what a client says: closing with it unread would take the answer back. Its length."""
        try:
            size = len(connection.recv(65536, socket.MSG_DONTWAIT))
        except BlockingIOError:
            return 0
        except OSError:
            size = 0
        if not size:
            self._close(connection)
        return size

    def _forget(self, connection: socket.socket) -> None:
        for some in (self._asked, self._refused, self._lingering):
            some.pop(connection, None)
        self._selector.unregister(connection)

    def _close(self, connection: socket.socket) -> None:
        self._forget(connection)
        connection.close()


def _over(some: _Stays, now: float) -> list[socket.socket]:
    return [connection for connection, _ in takewhile(lambda stay: stay[1] <= now, some.items())]


def _busy_answer(path: str, seconds: float) -> bytes:
    # Answers to clients of Mathpix carry a number of their own.
    return raw_response(busy(seconds), path) if path == MATHPIX_PATH else _made_once(round(seconds))


@lru_cache(maxsize=64)
def _made_once(seconds: int) -> bytes:
    return raw_response(busy(seconds))


class Heads:
    """Tells from the headers of a request whether it only waits for the recogniser.

    Under overload this decides over most requests, while the workers need the processor. The headers of one
    client differ in little but the length of the body, so what was found for them is remembered without it.
    """

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._found: dict[bytes, str] = {}  # by the headers without length: the path, or nothing

    def waiting(self, data: bytes) -> tuple[str, int]:
        """Path and whole length of the request that data begins with, if nothing but waiting is before it.

        An empty path means that a worker has to look: something is wrong with it, or it asks for something
        else, or there is more than one request.
        """
        end = data.find(b"\r\n\r\n")
        length = _LENGTH.search(data, 0, end + 2) if end > 0 else None
        if length is None:
            return "", 0
        bytes_of_body = int(length[1])
        whole = end + 4 + bytes_of_body
        if bytes_of_body > self._options.limits.body_bytes or whole < len(data):
            return "", 0
        rest = data[: length.start(1)] + b"0" + data[length.end(1) : end + 4]
        path = self._found.get(rest)
        if path is None:
            path = self._look(rest)
        return path, whole

    def _look(self, head: bytes) -> str:
        found = _Head(head)
        path = found.url.partition(b"?")[0].decode("latin-1")
        if (
            not found.is_post
            or dict(found.headers).keys() & {b"expect", b"upgrade", b"transfer-encoding"}
            or not waits_for_recognizer(self._options, path, found.headers)
        ):
            path = ""
        if len(head) <= _REMEMBERED_BYTES:
            if len(self._found) == _REMEMBERED:
                self._found.clear()
            self._found[head] = path
        return path


class _Head:
    """What the headers of a request say; callbacks of httptools."""

    def __init__(self, data: bytes) -> None:
        self.url = b""
        self.headers: list[tuple[bytes, bytes]] = []
        self.complete = self.is_post = False
        parser = httptools.HttpRequestParser(self)
        with suppress(httptools.HttpParserError, httptools.HttpParserUpgrade):  # for a worker to answer
            parser.feed_data(data)
            self.is_post = self.complete and parser.get_method() == b"POST"

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        self.complete = True
