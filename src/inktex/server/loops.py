"""An event loop for several processes that accept from one port: each takes one connection at a time.

asyncio accepts all connections that wait before it does anything else, so of clients that come together one
process would get all and the others none. Here a process takes one and goes back to its work; who is idle
takes the next.
"""

import asyncio
import os
import socket
from typing import Any


class SharingLoop(asyncio.SelectorEventLoop):
    """The usual loop, with listening sockets that share."""

    async def create_server(self, *arguments: Any, sock: Any = None, **options: Any) -> asyncio.Server:
        """Listen; on a socket that was handed over, one connection at a time."""
        if sock is not None:
            sock = _OneAtATime(sock.family, sock.type, sock.proto, fileno=os.dup(sock.fileno()))
        return await super().create_server(*arguments, sock=sock, **options)


class _OneAtATime(socket.socket):
    """A listening socket that says that nobody else waits after each connection."""

    _took_one = False

    def accept(self) -> tuple[socket.socket, Any]:
        if self._took_one:
            self._took_one = False
            raise BlockingIOError
        connection = super().accept()
        self._took_one = True
        return connection
