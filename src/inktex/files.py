"""Where files of a user lie, and atomic writing: under a temporary name, flushed, then renamed."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self
from uuid import uuid4

if sys.platform != "win32":
    import fcntl


def cache_folder() -> Path:
    """Find the folder for files that can be made again: `INKTEX_CACHE`, or `~/.cache/inktex`."""
    named = os.environ.get("INKTEX_CACHE")
    return Path(named).expanduser() if named else user_folder("XDG_CACHE_HOME", ".cache")


def user_folder(variable: str, usual: str) -> Path:
    """The folder of this program where an environment variable says, or in the usual place."""
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / usual) / "inktex"


class WriteError(OSError):
    """A file that could not be written."""

    reason = ""

    @classmethod
    def of(cls, path: Path, error: OSError) -> "WriteError":
        """The error for people; `path` is the file they asked for, not a temporary one."""
        said = str(error).splitlines() or [type(error).__name__]
        reason = error.reason if isinstance(error, WriteError) else error.strerror or said[0][:200]
        made = cls(f"{path}: could not be written ({reason}); free space or choose another folder")
        made.reason = reason
        return made


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary name to write to, which becomes `path` at the end of the block.

    On failure the old file stays as it was, and an `OSError` names the path.
    """
    # A name of its own for every attempt: two threads, or two machines of a cluster, may write at once.
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise WriteError.of(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_atomically(path: Path, content: bytes | str) -> None:
    """Write `content` to `path`, or leave what was there (see `replacing`)."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())


class FileLock:
    """Held by one process at a time, until it is released or the process ends, however it ends.

    The lock is on the file itself, which is made if it is missing. Its holder may replace the file, so the
    next process checks that what it locked is still the file of that name. Windows has no such lock.
    """

    def __init__(self, path: Path) -> None:
        """`BlockingIOError` if another process has it."""
        self._held = -1
        while self._held < 0:
            held = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                if sys.platform != "win32":
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                with suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(held), os.stat(path)):
                        self._held = held
            finally:
                if self._held != held:
                    os.close(held)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def release(self) -> None:
        held, self._held = self._held, -1
        if held >= 0:
            os.close(held)
