"""Reads untrusted files in a separate process with hard limits, and kills it when it takes too long.

`Sandbox.read` takes the bytes of a file and returns what `read_all` returns. The process has limited CPU
time and memory and no disk access. Whatever a file does to it, a new one is started.
"""

import multiprocessing
import os
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from inktex.ink.core import Ink
from inktex.ink.errors import InkError
from inktex.ink.limits import LimitError, Limits
from inktex.ink.sources import read_all

MEMORY_BYTES = 512 * 2**20  # beyond what the process has when it is idle
START_SECONDS = 60.0
_FILES_PER_PROCESS = 500  # then it makes way for a fresh one

Found = list[tuple[str, Ink | InkError]]


@dataclass(frozen=True)
class Job:
    """One file to be read."""

    data: bytes
    name: str
    limits: Limits = field(default_factory=Limits)
    inks: int = 1000  # so many at most
    cpu_seconds: float = 5.0


class Sandbox:
    """One reading process, started when it is needed; one file at a time, from any thread."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._lock = threading.Lock()
        self._process: Any = None
        self._pipe: Connection | None = None
        self._read = 0

    def start(self) -> None:
        """Start the process ahead of the first file."""
        with self._lock:
            self._connected()

    def read(self, job: Job, seconds: float) -> Found:
        """Read one file within so many seconds; past that, or if the process died, a `LimitError`."""
        with self._lock:
            try:
                pipe = self._connected()
                pipe.send(job)
                if not pipe.poll(seconds):
                    raise LimitError(f"not read within {seconds:g} s", source=job.name)
                found: Found = pipe.recv()
            except (EOFError, OSError):
                self.close()
                raise LimitError("takes more time or memory than one file may", source=job.name) from None
            except BaseException:
                self.close()
                raise
            self._read += 1
            if self._read == _FILES_PER_PROCESS:
                self.close()
        return found

    def close(self) -> None:
        """End the process, whatever it does."""
        pipe, self._pipe = self._pipe, None
        if pipe is not None:
            pipe.close()
            self._process.kill()
            self._process.join(5)

    def _connected(self) -> Connection:
        if self._pipe is not None and self._process.is_alive():
            return self._pipe
        self.close()
        self._pipe, theirs = self._context.Pipe()
        self._process = self._context.Process(target=_serve, args=[theirs], daemon=True)
        self._process.start()
        theirs.close()
        self._read = 0
        if not self._pipe.poll(START_SECONDS):
            self.close()  # it may still ignore SIGTERM, and then this process could not end either
            raise OSError("the process that reads files does not start")
        self._pipe.recv()
        return self._pipe


# In the reading process -------------------------------------------------------------------------------------


def _serve(pipe: Connection) -> None:
    """Answer until the other side closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which ends this process
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a worker of a server ignores it, and so would this
    list(read_all(b"<ink><trace>0 0</trace></ink>"))  # what is made on first use
    _limit_memory_and_disk()
    with suppress(EOFError, OSError):
        pipe.send("ready")
        while True:
            job: Job = pipe.recv()
            _limit_time(job.cpu_seconds)
            pipe.send(_found(job))


def _found(job: Job) -> Found:
    found: Found = []
    try:
        for name, item in read_all(job.data, name=job.name, limits=job.limits):
            if len(found) == job.inks:
                return [(job.name, LimitError(f"more than {job.inks} inks in one file", source=job.name))]
            found.append((name, item))
    except MemoryError:
        return [(job.name, LimitError("takes more memory than one file may", source=job.name))]
    except Exception as error:  # a fault of ours: without an answer the file would seem to take too much
        return [(job.name, InkError(f"the reader failed ({type(error).__name__})", source=job.name))]
    return found


def _limit_memory_and_disk() -> None:
    if sys.platform == "linux":  # elsewhere only the time that the other side waits is limited
        import resource

        with open("/proc/self/statm") as file:
            most = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE") + MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_time(seconds: float) -> None:
    """Past the soft limit a signal ends the process; it is set anew for each file."""
    if sys.platform == "linux":
        import resource

        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        resource.setrlimit(resource.RLIMIT_CPU, (int(used + seconds) + 1, resource.RLIM_INFINITY))
