"""What the endpoints share: the recogniser, the queue in front of it, and the checks on ink."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence, Sized
from pathlib import PurePosixPath
from typing import TypeVar, Unpack

from fastapi import Request

from inktex.ink import Ink, InkError, write_json
from inktex.ink import Limits as FileLimits
from inktex.ink.archives import ArchiveError
from inktex.ink.limits import MAX_POINTS, MAX_STROKES, LimitError
from inktex.ink.sandbox import Found, Job, Sandbox
from inktex.recognizer import Recognition, Recognizer
from inktex.recognizer.options import OptionKeywords
from inktex.server.engine import Engine
from inktex.server.errors import RequestError, busy
from inktex.server.metrics import Metrics
from inktex.server.options import ServerOptions
from inktex.server.shares import Crowd
from inktex.server.worker import QUEUED

T = TypeVar("T")

log = logging.getLogger("inktex.server")


class Service:
    """One process's recogniser and everything around it."""

    def __init__(self, options: ServerOptions, metrics: Metrics) -> None:
        self.options = options
        self.limits = options.limits
        self.metrics = metrics
        self.loaded: Recognizer | None = None
        self.sessions = 0  # live ones of this process
        self.crowd = Crowd()
        self.engine = Engine(
            queue=options.limits.queue,
            longest_wait=options.limits.seconds / 2,  # the other half is for the recognition itself
            crowd=self.crowd,
            changed=self._count_calls,
        )
        self.rendering = Engine(queue=options.limits.queue, crowd=self.crowd)
        self.sandbox = Sandbox()
        self._uploads = Engine(queue=options.limits.queue)  # they wait for the reader, not the recogniser
        # Told how many requests that come now would be taken, and the seconds that one would wait.
        self.tell_room: Callable[[int, float], None] = lambda room, seconds: None

    @property
    def recognizer(self) -> Recognizer:
        if self.loaded is None:
            raise busy(1.0)
        return self.loaded

    @property
    def ready(self) -> bool:
        """Whether a request that comes now would be taken."""
        return self.loaded is not None and not self.engine.full and not self.engine.late

    def check(self, strokes: Sequence[Sized]) -> None:
        """Refuse more ink than one request may have."""
        limits = self.limits
        sizes = (("strokes", len(strokes), limits.strokes), ("points", sum(map(len, strokes)), limits.points))
        for what, number, most in sizes:
            if number > most:
                raise RequestError(413, f"too_many_{what}", f"{number} {what}; a request may have {most}")

    async def recognize(self, request: Request, ink: Ink, **options: Unpack[OptionKeywords]) -> Recognition:
        """Recognise one ink in its turn; given up when the client leaves."""

        def work(seconds: float) -> Recognition:
            options["timeout"] = seconds
            return self.recognizer.recognize(ink, **options)

        try:
            answer = await self.in_turn(request, work)
        except InkError:
            raise
        except ValueError as error:
            raise RequestError(422, "bad_options", str(error)) from None
        self.count(answer, ink)
        return answer

    async def in_turn(self, request: Request, work: Callable[[float], T]) -> T:
        """Run blocking work in its turn, unless the client leaves before."""
        if "inktex.note" in request.scope:
            request.scope["inktex.note"](QUEUED)
        return await unless_gone(request, self.engine.run(work, seconds=self.limits.seconds))

    async def inks_of_file(self, request: Request, data: bytes, name: str | None) -> Found:
        """The inks of an uploaded file, each with its name, or what is wrong with it."""
        limits = self.limits
        job = Job(
            data,
            safe_name(name),
            inks=limits.inks,
            limits=FileLimits(
                file_bytes=limits.file_bytes,
                points=min(MAX_POINTS, 2 * limits.points),  # a little more is read, to say how many there are
                strokes=min(MAX_STROKES, 2 * limits.strokes),
                # As many as that ink needs in any format: what is larger is refused before it is all parsed.
                elements=10_000 + 2 * limits.inks * limits.strokes,
                nodes=10_000 + 5 * limits.points,
                values=10_000 + 20 * limits.points,
                archive_depth=0,
            ),
            cpu_seconds=limits.file_seconds,
        )
        reading = self._uploads.run(lambda seconds: self.sandbox.read(job, seconds), seconds=limits.seconds)
        try:
            found = await unless_gone(request, reading)
        except LimitError as error:
            raise RequestError(413, "too_large", str(error)) from None
        for _, item in found:
            if isinstance(item, ArchiveError):
                raise RequestError(415, "archive", str(item))
            if isinstance(item, LimitError):
                raise RequestError(413, "too_large", str(item))
            if isinstance(item, Ink):
                self.check(item.strokes)
        if not any(isinstance(item, Ink) for _, item in found):
            reasons = [str(item) for _, item in found] or [f"{job.name}: holds no ink"]
            raise RequestError(422, "unreadable_ink", reasons[0])
        return found

    @property
    def held_up(self) -> bool:
        """Whether work that was given up still runs."""
        return any(engine.running for engine in (self.engine, self.rendering, self._uploads))

    def close(self) -> None:
        for engine in (self.engine, self.rendering, self._uploads):
            engine.close()
        self.sandbox.close()
        self.loaded = None

    def _count_calls(self, waiting: int, running: int) -> None:
        self.metrics.put("waiting", waiting)
        self.metrics.put("running", running)
        self.tell_room(self.engine.room, self.engine.expected_wait)

    def count(self, answer: Recognition, ink: Ink) -> None:
        """Take note of one recognition; of its ink only if that was asked for."""
        self.metrics.recognition(answer.elapsed, len(ink))
        if self.options.log_ink and len(ink):
            log.info("ink %s", json.dumps({"latex": answer.latex, "ink": json.loads(write_json(ink))}))


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
