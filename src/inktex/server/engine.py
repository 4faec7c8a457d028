"""The queue in front of the recogniser: runs blocking calls in a fair order.

Recognition keeps a core busy, so a process runs one call at a time. Further calls wait in a queue of bounded
length. When it is full, a request is refused immediately, which costs nothing, instead of slowing down all
others. Live sessions go first, because a person is waiting, as long as they use no more than a person's
share; what a session gets beyond that is in `shares.py`. A long search lets others go first at its next step.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, thread_time
from typing import TypeVar

from inktex.server.errors import RequestError, busy
from inktex.server.shares import Crowd, Share

T = TypeVar("T")

_SMOOTHING = 0.1  # weight of the newest call in the running mean of durations
_LIVE_IN_A_ROW = 3  # turns that sessions may have before a request that waits
# Seconds of the processor after which those who wait go first. By the clock, a busy machine would interrupt
# every call; all would go on side by side, and none would end in time.
_SLICE = 0.25
_SHORT_SLICE = 0.02  # the same for a session that has used up its share
_MOST_THREADS = 256  # calls that have begun and wait to go on keep theirs


class Turn:
    """The right to keep a thread busy."""

    def __init__(self, share: Share | None = None) -> None:
        self.share = share  # of the session whose turn it is
        self.superseded = False  # nobody wants the result any more
        self._begun = 0.0  # by the thread's clock

    @property
    def live(self) -> bool:
        """Whether it goes before requests."""
        return self.share is not None and self.share.ample

    @property
    def over(self) -> bool:
        """Whether it has lasted long enough, if others wait; asked on its thread."""
        return thread_time() - self._begun > (_SHORT_SLICE if self.share and not self.live else _SLICE)

    def begin_on_thread(self) -> None:
        """From here on the time of this thread is the turn's."""
        self._begun = thread_time()

    def charge_on_thread(self) -> None:
        """Charge what was used since; time of the processor, so that a busy machine makes nothing dearer."""
        if self.share is not None:
            self.share.spend(thread_time() - self._begun)


class Engine:
    """Runs blocking calls one at a time on threads, live ones first, refusing what would wait too long.

    To be used from one event loop; only `breathe` is called by the work, on its thread.
    """

    def __init__(
        self,
        *,
        queue: int,
        longest_wait: float = float("inf"),
        crowd: Crowd | None = None,
        changed: Callable[[int, int], None] = lambda w, r: None,
    ) -> None:
        """`changed(waiting, running)` is told whenever one of them changes; engines may share a crowd.

        Past `longest_wait` seconds of expected waiting the queue counts as full, however short it is.
        """
        self._longest_wait = longest_wait
        self.crowd = crowd or Crowd()
        self.queue = queue
        self.running = 0
        self._changed = changed
        self._overdue: set[int] = set()  # calls that still run although their time is over
        self._live: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()
        self._live_in_a_row = 0
        self._executor = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="recognize")
        self._of_thread = threading.local()
        self._closed = False
        self._mean_seconds = 0.05

    @property
    def waiting(self) -> int:
        return sum(not turn.done() for turns in (self._live, self._others) for turn in turns)

    @property
    def full(self) -> bool:
        """Whether a request that comes now is refused."""
        waiting = self.waiting
        return waiting >= self.queue or (waiting > 0 and self.expected_wait > self._longest_wait)

    @property
    def room(self) -> int:
        """How many requests that come now would be taken."""
        return 0 if self.full else self.queue - self.waiting + 1 - self.running

    @property
    def late(self) -> bool:
        """Whether a call that is past its time still runs: nothing can be served."""
        return bool(self._overdue)

    @property
    def expected_wait(self) -> float:
        """Seconds until a call that comes now would begin, by the pace of late."""
        return self._mean_seconds * (self.waiting + self.running)

    async def run(self, work: Callable[[float], T], *, seconds: float) -> T:
        """Call `work(seconds left)` on a thread; `RequestError` 503 if it cannot begin, 504 if it cannot end.

        When the caller is cancelled while waiting, the work is never begun.
        """
        self.crowd.saw(None)
        if self.full:
            raise busy(self.expected_wait)
        return await self.call(work, Turn(), monotonic() + seconds)

    async def call(self, work: Callable[[float], T], turn: Turn, end: float) -> T:
        """Wait for the turn, then call on a thread."""
        await self._take(turn, end)
        loop = asyncio.get_running_loop()
        begun = monotonic()
        future = loop.run_in_executor(self._executor, self._work, work, turn, loop, end)

        def finished(call: "asyncio.Future[T]") -> None:
            if not call.cancelled():
                call.exception()  # seen here: the caller may have gone away
            self._overdue.discard(id(call))
            self._mean_seconds += _SMOOTHING * (monotonic() - begun - self._mean_seconds)
            self._pass_on()

        future.add_done_callback(finished)
        try:
            # The work watches its own time; the margin is for work that is late to notice.
            async with asyncio.timeout(end - begun + 1.0):
                return await asyncio.shield(future)
        except TimeoutError:
            if not future.done():
                self._overdue.add(id(future))
            slow = f"no answer within {end - begun:g} s; send less ink at once"
            raise RequestError(504, "timeout", slow) from None
        except asyncio.CancelledError:
            turn.superseded = True
            raise

    def breathe(self) -> bool:
        """Called by the work between its steps: others may go first; whether nobody wants the result."""
        found: tuple[Turn, asyncio.AbstractEventLoop] | None = getattr(self._of_thread, "turn", None)
        if found is None:
            return False
        turn, loop = found
        if not turn.superseded and (self._live or self._others) and turn.over and not self._closed:
            turn.charge_on_thread()
            again = threading.Event()
            loop.call_soon_threadsafe(self._wait_again, turn, again)
            while not again.wait(0.5) and not self._closed:
                pass
            turn.begin_on_thread()
        return turn.superseded

    def close(self) -> None:
        """Let running work end and begin no other."""
        self._closed = True
        self._executor.shutdown(wait=False, cancel_futures=True)

    # On the event loop --------------------------------------------------------------------------------------

    async def _take(self, turn: Turn, end: float) -> None:
        if not self.running and not self.waiting:
            self.running += 1
            self._tell()
            return
        mine = self._line_up(turn)
        try:
            async with asyncio.timeout(end - monotonic()):
                await mine
        except (TimeoutError, asyncio.CancelledError) as stopped:
            if mine.done() and not mine.cancelled():
                self._pass_on()  # the turn came in the same moment; it is the next one's now
            mine.cancel()
            self._tell()
            if isinstance(stopped, TimeoutError):
                raise busy(self.expected_wait) from None
            raise

    def _line_up(self, turn: Turn) -> "asyncio.Future[None]":
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._live if turn.live else self._others).append(mine)
        self._tell()
        return mine

    def _pass_on(self) -> None:
        """Give a turn to the next that waits: sessions first, but not without end."""
        for waiting in (self._live, self._others):
            while waiting and waiting[0].done():
                waiting.popleft()
        if self._live and (not self._others or self._live_in_a_row < _LIVE_IN_A_ROW):
            self._live_in_a_row += 1
            self._live.popleft().set_result(None)
        elif self._others:
            self._live_in_a_row = 0
            self._others.popleft().set_result(None)
        else:
            self.running -= 1
        self._tell()

    def _wait_again(self, turn: Turn, again: threading.Event) -> None:
        """Let those who wait go first, then go on."""
        self._line_up(turn).add_done_callback(lambda _: again.set())
        self._pass_on()

    def _tell(self) -> None:
        self._changed(self.waiting, self.running)

    # On a thread --------------------------------------------------------------------------------------------

    def _work(self, work: Callable[[float], T], turn: Turn, loop: asyncio.AbstractEventLoop, end: float) -> T:
        self._of_thread.turn = turn, loop
        turn.begin_on_thread()
        try:
            return work(end - monotonic())
        finally:
            turn.charge_on_thread()
            self._of_thread.turn = None


class Lane:
    """The calls of one live session, one at a time: a newer one may stop the older one that it replaces."""

    def __init__(self, engine: Engine, share: Share) -> None:
        self._engine, self._share = engine, share
        self._one = asyncio.Lock()
        self._replaceable: Turn | None = None  # what runs, or waits to go on

    async def run(self, work: Callable[[float], T], *, seconds: float, replaces: bool = False) -> T:
        """Like `Engine.run`, but the queue is never full, and mostly first; who owes time waits before.

        With `replaces`, an older such call ends with `SearchCancelled` at its next step.
        """
        end = monotonic() + seconds
        if replaces and self._replaceable is not None:
            self._replaceable.superseded = True
        async with self._one:
            self._engine.crowd.saw(self._share)
            try:
                async with asyncio.timeout(end - monotonic()):
                    await self._engine.crowd.let_others_first(self._share)
            except TimeoutError:
                raise busy(self._share.owed_seconds) from None
            turn = Turn(self._share)
            self._replaceable = turn if replaces else None
            try:
                return await self._engine.call(work, turn, end)
            finally:
                self._replaceable = None
