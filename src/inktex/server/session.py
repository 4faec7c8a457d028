"""Live writing over a WebSocket: the client sends strokes, the server sends answers for the latest state.

Two tasks serve a connection. One takes messages and changes the ink at once; the other asks for the answer
whenever the ink has changed. A change that comes during a search cancels it, because its answer would be out
of date. Nothing piles up: there is one ink, and at most one waiting call. What a session costs is taken from
its share (shares.py), messages included. Answers are turned into text on the thread that made them.
"""

import asyncio
import dataclasses
import json
import logging
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from fastapi import WebSocket, WebSocketDisconnect

from inktex import __version__
from inktex.decoding import SearchCancelled
from inktex.ink import InkError
from inktex.recognizer import READINGS, LiveLine, NoSuchLine, PageAnswer, WhichLine
from inktex.recognizer.answer import for_page
from inktex.recognizer.session import StrokeId
from inktex.server import messages
from inktex.server.api import explanation, rendering
from inktex.server.engine import Lane
from inktex.server.errors import RequestError
from inktex.server.guard import SESSION_PROTOCOL
from inktex.server.service import Service
from inktex.server.shares import Share

T = TypeVar("T")
_Said = tuple[str, dict[int, int]]  # a message as text, and the lines that the client then has

log = logging.getLogger("inktex.server")

TRY_AGAIN_LATER, POLICY_VIOLATION = 1013, 1008
_LINE_ERRORS: dict[type, str] = {WhichLine: "which_line", NoSuchLine: "no_such_line"}
_LONGEST_PAUSE = 2.0  # seconds between two messages; a session that pauses does not notice that it ends
_BAD_MESSAGES = 20  # so many in a row end a session: this is no client of ours


class LiveSession:
    """One connection."""

    def __init__(self, socket: WebSocket, service: Service) -> None:
        self._socket = socket
        self._service = service
        self._session = service.recognizer.page_session()
        self._share = Share()
        self._lane = Lane(service.engine, self._share)
        self._rendering = Lane(service.rendering, self._share)
        self._points: dict[str, int] = {}  # of each stroke, by the client's name of it
        self._revision = 0  # the client's count of its changes
        self._answered = -1  # the version that the last answer was for: two turns may read the same one
        self._version = 0  # ours, also of changes that the client did not count
        self._begun = 0  # the version that the newest call for an answer read
        self._top = READINGS  # as many as a choice asks for, which then finds the answer ready
        # Of each kind, one call at most waits for its turn; it will do what is wanted then.
        self._asked = False
        self._explaining = False
        self._choice: messages.Choose | None = None
        self._sent: dict[int, int] = {}  # the lines that the client has, with their versions
        self._changed = asyncio.Event()
        self._sending = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        service = self._service
        offered = self._socket.scope.get("subprotocols", [])
        await self._socket.accept(SESSION_PROTOCOL if SESSION_PROTOCOL in offered else None)
        if service.sessions >= service.limits.sessions:
            await self._socket.close(TRY_AGAIN_LATER, "too many live sessions; try again later")
            return
        service.sessions += 1
        service.metrics.add("sessions")
        answering = asyncio.create_task(self._answer_changes())
        try:
            limits = {name: getattr(service.limits, name) for name in ("body_bytes", "strokes", "points")}
            model = service.recognizer.model.info.name
            await self._send({"type": "hello", "version": __version__, "model": model, "limits": limits})
            await self._listen()
        except WebSocketDisconnect:
            pass
        finally:
            service.sessions -= 1
            service.metrics.add("sessions", -1)
            for task in (answering, *self._tasks):
                task.cancel()
            await asyncio.gather(answering, *self._tasks, return_exceptions=True)

    # Taking messages ----------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        bad = 0
        while True:
            incoming = await self._socket.receive()
            if incoming["type"] == "websocket.disconnect":
                return
            with self._share.flooded():
                taken = self._take(incoming)
                bad = bad + 1 if isinstance(taken, RequestError) else 0
                if isinstance(taken, RequestError):
                    await self._complain(taken)
                elif isinstance(taken, messages.Render):
                    await self._render(taken.latex)
                if bad == _BAD_MESSAGES:
                    await self._socket.close(POLICY_VIOLATION, "too many messages that cannot be read")
                    return
                # At least the others' turn: without it, messages that wait here would all be taken before.
                await self._service.crowd.let_others_first(self._share, _LONGEST_PAUSE)

    def _take(self, incoming: Mapping[str, Any]) -> messages.AnyMessage | RequestError:
        """Take a message and charge the session for it; the message, or what is wrong with it."""
        begun = time.thread_time()
        try:
            text = incoming.get("text")
            if text is None:
                raise RequestError(400, "bad_message", "messages are JSON in text frames, not binary")
            if len(text) > self._service.limits.body_bytes:
                raise RequestError(413, "too_large", "the message is too large")
            message = messages.parse(text)
            self._follow(message)
            return message
        except RequestError as error:
            return error
        finally:
            self._share.spend(time.thread_time() - begun)

    def _follow(self, message: messages.AnyMessage) -> None:
        """Do what a message says, or see to it that it is done."""
        if isinstance(message, messages.Explain):
            if not self._explaining:
                self._explaining = True
                self._begin(self._explain(message.line))
        elif isinstance(message, messages.Choose):
            waiting, self._choice = self._choice, message
            if waiting is None:
                self._begin(self._choose())
        elif isinstance(message, messages.Options):
            self._top = message.top or self._top
            if message.lines is not None:
                self._session.find_lines(message.lines)
            self._version += 1
            if self._points:  # without ink there is no answer that could change
                self._changed.set()
        elif not isinstance(message, messages.Render):
            self._change(message)
            self._version += 1
            if message.revision is not None:
                self._revision = message.revision
            if not message.more:
                self._changed.set()

    def _change(self, message: messages.Change) -> None:
        try:
            if isinstance(message, messages.Put):
                self._put(message)
            elif isinstance(message, messages.Remove):
                self._check(*message.ids)  # all of them, or none is removed
                for name in dict.fromkeys(message.ids):
                    self._session.remove(name)
                    del self._points[name]
            elif isinstance(message, messages.Pin):
                self._check(*message.ids)
                self._session.pin(message.ids, message.latex)
            else:
                self._session.clear()
                self._points.clear()
        except ValueError as error:
            raise RequestError(422, "bad_message", str(error)) from None

    def _put(self, message: messages.Put) -> None:
        limits, points = self._service.limits, [point[:2] for point in message.points]
        known = self._points.get(message.id, 0)
        if sum(self._points.values()) - known + len(points) > limits.points:
            raise RequestError(413, "too_many_points", f"a session may have {limits.points} points")
        if message.type == "replace":
            self._check(message.id)
            self._session.replace(message.id, points)
        else:
            if known:
                raise RequestError(422, "bad_message", "there is already a stroke with this id")
            if len(self._points) >= limits.strokes:
                raise RequestError(413, "too_many_strokes", f"a session may have {limits.strokes} strokes")
            self._session.add(points, message.id)
        self._points[message.id] = len(points)

    def _check(self, *names: str) -> None:
        if not self._points.keys() >= set(names):
            raise RequestError(422, "bad_message", "there is no stroke with this id")

    async def _render(self, latex: str) -> None:
        """Render before the next message is taken."""

        def work(_: float) -> str:
            try:
                forms = rendering(latex)
            except RequestError as error:
                forms = {"error": error.message}
            return _text({"type": "rendered", "source": latex, **forms})

        try:
            await self._send_text(await self._rendering.run(work, seconds=self._service.limits.seconds))
        except RequestError as error:
            await self._complain(error)

    # Giving answers -----------------------------------------------------------------------------------------

    async def _answer_changes(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            if not self._points:
                await self._send({"type": "empty", "revision": self._revision})
            elif not self._asked and self._begun != self._version:
                self._asked = True
                self._begin(self._answer())

    async def _answer(self) -> None:
        """Answer for the ink as it is when the turn comes, unless it changes before the answer is there."""

        def work(seconds: float) -> tuple[int, PageAnswer, _Said]:
            self._asked = False
            version, revision, names = self._version, self._revision, self._session.stroke_ids
            self._begun = version
            try:
                answer = self._session.answer(top=self._top, timeout=seconds)
            except InkError:
                if names and version == self._version:
                    raise
                raise SearchCancelled from None  # the ink was taken away meanwhile
            return version, answer, self._message("answer", answer, revision, names)

        try:
            found = await self._run(work, "unreadable_ink", replaces=True)
        finally:
            self._asked = False
        if found is None:
            return
        version, answer, said = found
        if version != self._version or version == self._answered:
            self._service.metrics.add("superseded")
            return
        self._answered = version
        self._service.metrics.add("answers")
        self._service.count(answer.recognition, self._session.ink)
        await self._say(said)

    async def _choose(self) -> None:
        """Take the newest choice, when its turn comes."""
        version, revision, names = self._version, self._revision, self._session.stroke_ids

        def work(_: float) -> _Said:
            choice, self._choice = self._choice, None
            assert choice is not None
            answer = self._session.choose(choice.latex, choice.line)
            return self._message("chosen", answer, revision, names)

        try:
            said = await self._run(work, "not_kept")
        finally:
            self._choice = None
        if said is not None and version == self._version:
            await self._say(said)

    async def _explain(self, line: int | None) -> None:
        version, revision = self._version, self._revision

        def work(seconds: float) -> str:
            strokes, ink = self._session.line_ink(line)
            named = {} if line is None else {"line": line}
            said = {"type": "explanation", "revision": revision, **named, "strokes": strokes}
            return _text({**said, **explanation(self._service.recognizer, ink, seconds)})

        found: str | None = None
        try:
            if self._points:
                found = await self._run(work, "unreadable_ink")
        finally:
            self._explaining = False
        if found is not None and version == self._version:
            await self._send_text(found)

    async def _run(self, work: Callable[[float], T], code: str, *, replaces: bool = False) -> T | None:
        """Do work in its turn; what goes wrong is sent, and None is what came of it."""
        revision = self._revision
        try:
            return await self._lane.run(work, seconds=self._service.limits.seconds, replaces=replaces)
        except SearchCancelled:  # newer ink came
            self._service.metrics.add("superseded")
        except RequestError as error:
            await self._complain(error, revision=revision)
        except (LookupError, ValueError) as error:
            code = _LINE_ERRORS.get(type(error), code)
            await self._complain(RequestError(422, code, str(error)), revision=revision)
        return None

    def _message(self, kind: str, answer: PageAnswer, revision: int, names: Sequence[StrokeId]) -> _Said:
        """What the client gets; made on the thread of the call, since it takes all readings in all forms."""
        message = {"type": kind, "revision": revision, "strokes": names}
        whole = answer.recognition
        if len(answer.lines) == 1:
            return _text({**message, "line": answer.lines[0].number, **for_page(whole)}), {}
        # Each line is told by itself, and only when it has changed.
        message |= {
            **for_page(dataclasses.replace(whole, lines=())),
            "lines": list(map(self._line, answer.lines)),
        }
        return _text(message), {line.number: line.version for line in answer.lines}

    async def _say(self, said: _Said) -> None:
        text, self._sent = said
        await self._send_text(text)

    def _line(self, line: LiveLine) -> dict[str, Any]:
        known: dict[str, Any] = {"line": line.number, "version": line.version}
        if self._sent.get(line.number) == line.version:
            return known
        known["strokes"] = line.strokes
        if line.recognition is None:
            return {**known, "error": {"code": "unreadable_ink", "message": str(line.error)}}
        return {**known, **for_page(line.recognition)}

    async def _complain(self, error: RequestError, **about: int) -> None:
        await self._send({"type": "error", **about, "code": error.code, "message": error.message})

    async def _send(self, message: dict[str, Any]) -> None:
        await self._send_text(_text(message))

    async def _send_text(self, text: str) -> None:
        """Send, one message at a time."""
        async with self._sending:
            await self._socket.send_text(text)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(partial(_ended, self._tasks))


def _ended(tasks: set[asyncio.Task[None]], task: asyncio.Task[None]) -> None:
    tasks.discard(task)
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, WebSocketDisconnect | RuntimeError):  # else: it is closed
        log.error("live session: %s", type(error).__name__)


def _text(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)
