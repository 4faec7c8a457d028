"""Refuses requests in the parent process, when no worker has room for them.

A worker is slow to refuse while it recognizes, since its threads share one interpreter, and each refusal
takes time from the answers. So while the queues are nearly full, the parent looks at the headers of new
connections, without taking them from the wire. If no worker has room, a request that would have to wait for
the recogniser, and has nothing wrong with it, is answered 503. Everything else goes to a worker untouched.
"""

import selectors
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from time import monotonic

from inktex.server.errors import MATHPIX_PATH, busy
from inktex.server.heads import HEAD_BYTES, Heads
from inktex.server.options import ServerOptions
from inktex.server.watch import raw_response

FIRST_WORDS_SECONDS = 1.0  # for the headers; after that the connection is a worker's
BODY_SECONDS = 15.0  # for the body of a request that is refused; it is passed over
LINGERING_SECONDS = 2.0  # for a client to read why it was refused
_LOOK = socket.MSG_PEEK | socket.MSG_DONTWAIT


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
        self._asked: dict[socket.socket, float] = {}  # nothing was read yet; until when it may stay
        self._refused: dict[socket.socket, float] = {}  # its body is still to come
        self._lingering: dict[socket.socket, float] = {}
        self._taken = bytearray(HEAD_BYTES)  # what was looked at, and is not needed any more
        self.refusals = 0

    def __len__(self) -> int:
        """How many connections there are."""
        return len(self._asked) + len(self._refused) + len(self._lingering)

    @property
    def lingering(self) -> bool:
        """Whether somebody is about to read an answer."""
        return bool(self._lingering or self._refused)

    def ask(self, connection: socket.socket) -> None:
        """See what a new connection wants."""
        if not self._look(connection):
            self._asked[connection] = monotonic() + FIRST_WORDS_SECONDS
            self._selector.register(connection, selectors.EVENT_READ, lambda: self._look_again(connection))

    def refuse(self, connection: socket.socket, answer: bytes | None = None) -> None:
        """Say that there is nobody to answer, and leave the client time to read it."""
        with suppress(OSError):
            connection.send(answer or raw_response(busy(1.0)), socket.MSG_DONTWAIT)
            connection.shutdown(socket.SHUT_WR)
        self._lingering[connection] = monotonic() + LINGERING_SECONDS
        self._selector.register(connection, selectors.EVENT_READ, lambda: self._skip(connection))

    def hand_over_all(self) -> None:
        """Give all who have not been looked at to workers."""
        for connection in list(self._asked):
            self._forget(connection)
            self._hand_over(connection, False)

    def look_after(self) -> None:
        """Go on with those whose time is over; all of one kind have the same time, so the first are first."""
        now = monotonic()
        for connection in _over(self._asked, now):
            self._forget(connection)
            self._hand_over(connection, False)
        for some in (self._refused, self._lingering):
            for connection in _over(some, now):
                self._close(connection)

    # One connection -----------------------------------------------------------------------------------------

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
                connection.close()
                return
        except OSError:
            connection.close()
            return
        if left < 0:
            self.refuse(connection, answer)
            return
        self._refused[connection] = monotonic() + BODY_SECONDS
        rest = _Rest(left)
        self._selector.register(
            connection, selectors.EVENT_READ, lambda: self._pass_over(connection, rest, answer)
        )

    def _pass_over(self, connection: socket.socket, rest: "_Rest", answer: bytes) -> None:
        """Read the body of a request that is refused: who still sends does not read."""
        try:
            part = connection.recv(65536, socket.MSG_DONTWAIT)
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
            over = not connection.recv(65536, socket.MSG_DONTWAIT)
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
    # Answers to clients of Mathpix carry a number of their own.
    return raw_response(busy(seconds), path) if path == MATHPIX_PATH else _made_once(round(seconds))


@lru_cache(maxsize=64)
def _made_once(seconds: int) -> bytes:
    return raw_response(busy(seconds))
