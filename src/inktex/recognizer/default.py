"""`inktex.recognize` and `inktex.recognize_many`: one recognizer per process, made when first asked."""

import threading
from collections.abc import Collection, Iterable
from functools import lru_cache

from inktex.ink import InkError

from .answer import Recognition
from .core import TIMEOUT, InkLike, Recognizer

_lock = threading.Lock()


@lru_cache(maxsize=1)
def _shared() -> Recognizer:
    return Recognizer()


def default_recognizer() -> Recognizer:
    """The recognizer that all of the process shares, with the default weights."""
    with _lock:
        return _shared()


def recognize(
    ink: InkLike,
    *,
    symbols: Collection[str] | None = None,
    top: int = 5,
    timeout: float | None = TIMEOUT,
    attention: bool = False,
) -> Recognition:
    """Read one expression: `Ink`, a path, the bytes of a file, or strokes as lists of (x, y)."""
    return default_recognizer().recognize(ink, symbols=symbols, top=top, timeout=timeout, attention=attention)


def recognize_many(
    inks: Iterable[InkLike],
    *,
    jobs: int | None = None,
    symbols: Collection[str] | None = None,
    top: int = 5,
    timeout: float | None = TIMEOUT,
) -> list[Recognition | InkError]:
    """Read many expressions on all cores; what cannot be read is an error in its place."""
    return default_recognizer().recognize_many(inks, jobs=jobs, symbols=symbols, top=top, timeout=timeout)
