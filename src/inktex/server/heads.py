"""Tells from the headers of a request whether it only waits for the recogniser.

Under overload this decides over most requests, while the workers need the processor. The headers of one
client differ in little but the length of the body, so what was found for them is remembered without it.
"""

import re

import httptools

from inktex.server.guard import waits_for_recognizer
from inktex.server.options import ServerOptions

HEAD_BYTES = 16 * 1024  # headers that are longer are for a worker to look at
_REMEMBERED = 256  # different headers
_REMEMBERED_BYTES = 2 * 1024  # of each
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,9})(?=\r\n)", re.IGNORECASE)


class Heads:
    """Looks at requests, and remembers what it found for their headers."""

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
        found = Head(head)
        path = found.path if found.refusable(self._options) else ""
        if len(head) <= _REMEMBERED_BYTES:
            if len(self._found) == _REMEMBERED:
                self._found.clear()
            self._found[head] = path
        return path


class Head:
    """What the headers of a request say; callbacks of httptools."""

    def __init__(self, data: bytes) -> None:
        self.url = b""
        self.headers: list[tuple[bytes, bytes]] = []
        self.complete = self.is_post = False
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
