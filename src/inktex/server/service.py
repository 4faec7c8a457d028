"""What the endpoints share: the recogniser, the queue in front of it, and the checks on ink."""

import asyncio
import json
import logging
import zlib
from collections.abc import Awaitable, Callable, Sequence, Sized
from pathlib import PurePosixPath
from time import perf_counter
from typing import TypeVar

from fastapi import Request

from inktex.ink import Ink, InkError, read_all, write_json
from inktex.recognizer import Recognition, Recognizer
from inktex.server.engine import Engine
from inktex.server.errors import RequestError, busy
from inktex.server.metrics import Metrics
from inktex.server.options import ServerOptions

T = TypeVar("T")

log = logging.getLogger("inktex.server")

_GZIP = b"\x1f\x8b"
_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")


class Service:
    """One process's recogniser and everything around it."""

    def __init__(self, options: ServerOptions, metrics: Metrics) -> None:
        self.options = options
        self.limits = options.limits
        self.metrics = metrics
        self.loaded: Recognizer | None = None
        self.engine = Engine(queue=options.limits.queue)
        self._sessions = 0

    @property
    def recognizer(self) -> Recognizer:
        """The recogniser, once it is loaded."""
        if self.loaded is None:
            raise busy(1.0)
        return self.loaded

    @property
    def ready(self) -> bool:
        """Whether a request that comes now would be taken."""
        return self.loaded is not None and not self.engine.full

    @property
    def sessions(self) -> int:
        """Live sessions of this process."""
        return self._sessions

    @sessions.setter
    def sessions(self, number: int) -> None:
        self._sessions = number
        self.metrics.put("sessions", number)

    def check(self, strokes: Sequence[Sized]) -> None:
        """Refuse more ink than one request may have."""
        if len(strokes) > self.limits.strokes:
            raise _too_much("strokes", len(strokes), self.limits.strokes)
        points = sum(map(len, strokes))
        if points > self.limits.points:
            raise _too_much("points", points, self.limits.points)

    async def recognize(
        self,
        request: Request,
        ink: Ink,
        *,
        top: int = 5,
        symbols: Sequence[str] | None = None,
        attention: bool = False,
    ) -> Recognition:
        """Recognise one ink in its turn; given up when the client leaves."""

        def work(seconds: float) -> Recognition:
            return self.recognizer.recognize(
                ink, top=top, symbols=symbols, timeout=seconds, attention=attention
            )

        try:
            answer = await self.in_turn(request, work)
        except InkError as error:
            raise RequestError(422, "unreadable_ink", str(error)) from None
        except ValueError as error:
            raise RequestError(422, "bad_options", str(error)) from None
        self.count(answer, ink)
        return answer

    async def in_turn(self, request: Request, work: Callable[[float], T]) -> T:
        """Run blocking work in its turn, unless the client leaves before."""
        return await unless_gone(request, self.engine.run(work, seconds=self.limits.seconds))

    def count(self, answer: Recognition, ink: Ink) -> None:
        """Take note of one recognition; of its ink only if that was asked for."""
        self.metrics.recognition(answer.elapsed, len(ink))
        if self.options.log_ink and len(ink):
            log.info("ink %s", json.dumps({"latex": answer.latex, "ink": json.loads(write_json(ink))}))


def _too_much(what: str, number: int, limit: int) -> RequestError:
    return RequestError(413, f"too_many_{what}", f"{number} {what}; a request may have {limit}")


async def unless_gone(request: Request, work: Awaitable[T]) -> T:
    """Await, but give up as soon as the client hangs up: nobody would read the answer."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait([task, gone], return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise RequestError(499, "gone", "the client left before the answer was ready")
        return task.result()
    finally:
        gone.cancel()
        task.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def safe_name(name: str | None) -> str:
    """A file's name as a label: its last part, short, printable. It is never opened."""
    plain = "".join(sign for sign in (name or "") if sign.isprintable())
    return PurePosixPath(plain.replace("\\", "/")).name[:80] or "ink"


def inks_of_file(data: bytes, name: str, service: Service) -> list[tuple[str, Ink | str]]:
    """The inks of an uploaded file, each with its name; a text instead of the ink says what is wrong."""
    limits = service.limits
    if data.startswith(_ARCHIVES):
        raise RequestError(415, "archive", f"{name}: an archive; send the ink files in it one by one")
    if data.startswith(_GZIP):
        data = _unpacked(data, limits.file_bytes, name)
    found: list[tuple[str, Ink | str]] = []
    begun = perf_counter()
    for source, item in read_all(data, name=name):
        if len(found) == limits.inks:
            raise RequestError(413, "too_many_inks", f"{name}: more than {limits.inks} inks in one file")
        if perf_counter() - begun > limits.seconds:
            raise RequestError(413, "too_large", f"{name}: too large to be read in {limits.seconds:g} s")
        if isinstance(item, InkError):
            found.append((source, str(item)))
        else:
            service.check(item.strokes)
            found.append((source, item))
    if not any(isinstance(item, Ink) for _, item in found):
        reason = next((item for _, item in found if isinstance(item, str)), f"{name}: holds no ink")
        raise RequestError(422, "unreadable_ink", reason)
    return found


def _unpacked(data: bytes, limit: int, name: str) -> bytes:
    """Decompress, but no further than the limit: a small request cannot fill the memory."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        unpacked = unpacker.decompress(data, limit + 1)
    except zlib.error:
        raise RequestError(422, "unreadable_ink", f"{name}: damaged gzip data") from None
    if len(unpacked) > limit:
        raise RequestError(413, "too_large", f"{name}: more than {limit // 2**20} MB when decompressed")
    return unpacked
