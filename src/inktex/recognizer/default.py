"""`inktex.recognize` and `inktex.recognize_many`: one recognizer per process, made when first asked."""

import threading
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Unpack

from inktex.ink import InkError

from .answer import Recognition
from .core import DEFAULTS, InkLike, Recognizer
from .options import OptionKeywords, RecognizeOptions

_lock = threading.Lock()


@lru_cache(maxsize=1)
def _shared() -> Recognizer:
    return Recognizer()


def default_recognizer() -> Recognizer:
    """The recognizer that all of the process shares, with the default weights."""
    with _lock:
        return _shared()


def load_model(model: str | Path | None = None, *, beam: int = 10, threads: int = 1) -> Recognizer:
    """A recognizer with this model: a name that `inktex models` lists, or a path."""
    return Recognizer(model, beam=beam, threads=threads)


def recognize(
    ink: InkLike, options: RecognizeOptions = DEFAULTS, **changes: Unpack[OptionKeywords]
) -> Recognition:
    """Read `Ink`, a path, the bytes of a file, or strokes as lists of (x, y): one expression per line.

    Options are a `RecognizeOptions`, or its fields as keywords.
    """
    return default_recognizer().recognize(ink, options, **changes)


def recognize_many(
    inks: Iterable[InkLike],
    options: RecognizeOptions = DEFAULTS,
    *,
    jobs: int | None = None,
    **changes: Unpack[OptionKeywords],
) -> list[Recognition | InkError]:
    """Read many inks on all cores; what cannot be read is an error in its place."""
    return default_recognizer().recognize_many(inks, options, jobs=jobs, **changes)
