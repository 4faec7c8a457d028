"""One row of an ink store as plain data; needs no pyarrow."""

from dataclasses import dataclass
from typing import Any

from inktex.ink import Ink, InkError


class StoreError(InkError):
    """A file that is not an ink store, or a damaged one."""


@dataclass(frozen=True)
class StoreRow:
    """One ink of a store: where it came from, its strokes, and what was read from it, if that is known."""

    source: str
    ink: Ink | None = None
    recognition: dict[str, Any] | None = None  # the plain data of `Recognition.to_json`
    error: str | None = None  # why it could not be read or recognised
