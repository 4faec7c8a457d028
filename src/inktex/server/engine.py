"""The one place where work waits: calls that block come in, their results come out, in a fair order.

Recognising keeps a core busy, so a process does only as much of it at a time as it has threads. What comes
on top waits in a queue of bounded length; past that a request is refused at once, which costs nothing,
instead of making all others slower. Live sessions go first: a person looks at the page. Each has a lane, in
which a newer call takes the turn of the one that it makes superfluous.
"""

import asyncio
import heapq
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from time import monotonic
from typing import TypeVar

from inktex.server.errors import busy, too_slow

T = TypeVar("T")

_SMOOTHING = 0.1  # weight of the newest call in the running mean of durations
_SPARE_THREADS = 8  # for calls that begin in the turn of one that is about to stop


class Engine:
    """Runs blocking calls on a few threads, live ones first, refusing what would wait too long.

    To be used from one event loop.
    """

    def __init__(self, *, queue: int, threads: int = 1) -> None:
        self.queue = queue
        self.threads = threads
        self.running = 0
        self._waiters: list[tuple[bool, int, asyncio.Future[None]]] = []
        self._order = count()
        self._executor = ThreadPoolExecutor(threads + _SPARE_THREADS, thread_name_prefix="recognise")
        self._mean_seconds = 0.05

    @property
    def waiting(self) -> int:
        """How many calls wait for their turn."""
        return sum(not waiter.done() for _, _, waiter in self._waiters)

    @property
    def full(self) -> bool:
        """Whether a request that comes now is refused."""
        return self.waiting >= self.queue

    @property
    def expected_wait(self) -> float:
        """Seconds until a call that comes now would begin, by the pace of late."""
        return self._mean_seconds * (self.waiting + self.running) / self.threads

    async def run(self, work: Callable[[float], T], *, seconds: float) -> T:
        """Call `work(seconds left)` on a thread; `RequestError` 503 if it cannot begin, 504 if it cannot end.

        When the caller is cancelled while waiting, the work is never begun.
        """
        if self.full:
            raise busy(self.expected_wait)
        end = monotonic() + seconds
        await self.take_turn(live=False, end=end)
        return await self.call(work, end, self.pass_on)

    async def take_turn(self, *, live: bool, end: float) -> None:
        """Wait until a thread is free; whoever took a turn has to pass it on."""
        if self.running < self.threads and not self.waiting:
            self.running += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiters, (not live, next(self._order), turn))
        try:
            async with asyncio.timeout(end - monotonic()):
                await turn
        except (TimeoutError, asyncio.CancelledError) as stopped:
            if turn.done() and not turn.cancelled():
                self.pass_on()  # the turn came in the same moment; it is the next one's now
            if isinstance(stopped, TimeoutError):
                raise busy(self.expected_wait) from None
            raise

    async def call(self, work: Callable[[float], T], end: float, done: Callable[[], None]) -> T:
        """Call on a thread, in a turn that was taken; `done` is called when the thread is free again."""
        begun = monotonic()
        future = asyncio.get_running_loop().run_in_executor(self._executor, work, end - begun)

        def finished(call: "asyncio.Future[T]") -> None:
            if not call.cancelled():
                call.exception()  # seen here: the caller may have gone away
            self._mean_seconds += _SMOOTHING * (monotonic() - begun - self._mean_seconds)
            done()

        future.add_done_callback(finished)
        try:
            # The work watches its own time; the margin is for work that is late to notice.
            async with asyncio.timeout(end - begun + 1.0):
                return await asyncio.shield(future)
        except TimeoutError:
            raise too_slow(end - begun) from None

    def pass_on(self) -> None:
        """Give a turn to the next that waits."""
        while self._waiters:
            _, _, turn = heapq.heappop(self._waiters)
            if not turn.done():
                turn.set_result(None)
                return
        self.running -= 1

    def close(self) -> None:
        """Let running work end and begin no other."""
        self._executor.shutdown(wait=False, cancel_futures=True)


class Lane:
    """The calls of one live session: a newer one does not wait for the older one that it stops.

    No more than two are under way, so that a client that changes its ink without pause takes no more than
    its share.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._calls = 0  # under way, in one turn
        self._places = asyncio.Semaphore(2)

    @property
    def running(self) -> bool:
        """Whether a call is under way; one more would begin at once."""
        return self._calls > 0

    async def run(self, work: Callable[[float], T], *, seconds: float) -> T:
        """Like `Engine.run`, but first in the queue, and at once where an older call has the turn."""
        end = monotonic() + seconds
        await self._places.acquire()
        try:
            if not self._calls:
                await self._engine.take_turn(live=True, end=end)
        except BaseException:
            self._places.release()
            raise
        self._calls += 1
        return await self._engine.call(work, end, self._finished)

    def _finished(self) -> None:
        self._places.release()
        self._calls -= 1
        if not self._calls:
            self._engine.pass_on()
