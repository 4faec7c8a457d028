"""Executors: run work on threads of this process or in other processes (`ray_executor`: on a cluster).

All executors have one method. `map(make, chunks)` calls `make()` once per worker, which returns the function
that does the work, and then calls that function for every chunk. Results come as they are ready. Only as
many chunks are taken in advance as keep all workers busy.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ThreadPoolExecutor, wait
from concurrent.futures import Executor as Pool
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeVar

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")


class WorkerDied(OSError):
    """A worker process was killed."""


class Executor(Protocol):
    """Does work in some other place."""

    def map(self, make: Callable[[], Callable[[Chunk], Result]], chunks: Iterable[Chunk]) -> Iterator[Result]:
        """Do the work on every chunk, in any order."""


@dataclass(frozen=True)
class Threads:
    """Threads of this process; one is this thread itself."""

    count: int = 1

    def map(self, make: Callable[[], Callable[[Chunk], Result]], chunks: Iterable[Chunk]) -> Iterator[Result]:
        work = make()
        if self.count == 1:
            yield from map(work, chunks)
            return
        with ThreadPoolExecutor(self.count, thread_name_prefix="inktex") as pool:
            yield from _results(pool, work, chunks, self.count)


@dataclass(frozen=True)
class Processes:
    """Processes of this machine: a search uses the interpreter half of its time, which threads share."""

    count: int

    def map(self, make: Callable[[], Callable[[Chunk], Result]], chunks: Iterable[Chunk]) -> Iterator[Result]:
        import multiprocessing  # most runs are small and need none of it
        from concurrent.futures import ProcessPoolExecutor

        # Spawned, not forked: onnxruntime's threads and locks do not survive a fork.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self.count, context, initializer=_begin, initargs=(make,))
        try:
            yield from _results(pool, _do, chunks, self.count)
        except BrokenExecutor:
            raise WorkerDied(
                "a worker process died, perhaps for lack of memory (--jobs 1 needs the least)"
            ) from None
        finally:
            pool.shutdown(cancel_futures=True)


def _results(
    pool: Pool, work: Callable[[Chunk], Result], chunks: Iterable[Chunk], workers: int
) -> Iterator[Result]:
    """Submit chunks as workers become free, one in reserve for each."""
    coming = iter(chunks)
    waiting: set[Future[Result]] = set()
    try:
        while True:
            waiting |= {pool.submit(work, chunk) for chunk in islice(coming, 2 * workers - len(waiting))}
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for each in done:
                yield each.result()
    finally:
        for each in waiting:
            each.cancel()


_kept: dict[str, Callable[[Any], Any]] = {}  # in a worker process, between chunks


def _begin(make: Callable[[], Callable[[Any], Any]]) -> None:
    """In a worker: prepare the work, leave Ctrl-C to the parent, and exit when the parent does."""
    import multiprocessing

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    _kept["work"] = make()


def _do(chunk: Any) -> Any:
    return _kept["work"](chunk)


def _end_with(parent: int) -> None:
    from multiprocessing.connection import wait as wait_for

    wait_for([parent])
    os._exit(1)  # a parent that was killed takes no answers; nothing here needs an orderly end
