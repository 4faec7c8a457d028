"""Builds an `Ink` from strokes as a reader finds them, with the size limits and checks that readers share."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from inktex.ink.checks import Floats
from inktex.ink.core import Ink, Symbol
from inktex.ink.errors import InkError
from inktex.ink.limits import MAX_POINTS, MAX_STROKES

Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Stroke:
    """One stroke as read: its (n, 2) points and, where the file has them, time and pressure of each."""

    points: Floats
    time: Floats | None = None
    pressure: Floats | None = None


def joined(parts: Sequence[Stroke]) -> Stroke:
    """Several strokes as one."""
    if len(parts) == 1:
        return parts[0]
    return Stroke(
        np.concatenate([part.points for part in parts]),
        _concatenated([part.time for part in parts]),
        _concatenated([part.pressure for part in parts]),
    )


def build_ink(
    strokes: Sequence[Stroke],
    *,
    truth: str | None = None,
    symbols: Iterable[Symbol] = (),
    mathml: str | None = None,
    writer: str | None = None,
) -> Ink:
    """Make an ink of strokes that have points; it has time or pressure only if all of them have."""
    if not strokes:
        raise InkError("no strokes")
    check_size(len(strokes), sum(len(stroke.points) for stroke in strokes))
    return Ink.from_strokes(
        [stroke.points for stroke in strokes],
        time=_if_everywhere([stroke.time for stroke in strokes]),
        pressure=_if_everywhere([stroke.pressure for stroke in strokes]),
        truth=truth,
        symbols=symbols,
        mathml=mathml,
        writer=writer,
    )


def read_strokes(
    entries: Iterable[tuple[str, Entry]], stroke_of: Callable[[Entry], Stroke | None]
) -> list[Stroke | None]:
    """Read the strokes of a file one by one, each entry with its place; None where one has no points."""
    strokes: list[Stroke | None] = []
    point_count = 0
    for place, entry in entries:
        try:
            stroke = stroke_of(entry)
        except InkError as error:
            raise at(place, error) from None
        point_count += 0 if stroke is None else len(stroke.points)
        check_size(len(strokes) + 1, point_count)
        strokes.append(stroke)
    return strokes


def written(strokes: Iterable[Stroke | None]) -> list[Stroke]:
    """Leave out the strokes that have no points."""
    return [stroke for stroke in strokes if stroke is not None]


def check_size(stroke_count: int, point_count: int) -> None:
    """Refuse more ink than the limits allow; readers also ask while they read."""
    if stroke_count > MAX_STROKES:
        raise InkError(f"more than the limit of {MAX_STROKES} strokes")
    if point_count > MAX_POINTS:
        raise InkError(f"more than the limit of {MAX_POINTS} points")


def checked_points(points: Floats) -> Floats:
    """Return the (n, 2) points if all are finite; otherwise say which is not."""
    bad = ~np.isfinite(points).all(axis=1)
    if bad.any():
        raise InkError("x and y must be finite numbers", place=f"point {int(bad.argmax()) + 1}")
    return points


def at(place: str, error: InkError) -> InkError:
    """Put the place of a part (`stroke 3`) before the place inside it (`point 7`)."""
    return InkError(
        error.reason, place=f"{place}, {error.place}" if error.place else place, source=error.source
    )


def _concatenated(channel: Sequence[Floats | None]) -> Floats | None:
    known = _if_everywhere(channel)
    return None if known is None else np.concatenate(known)


def _if_everywhere(channel: Sequence[Floats | None]) -> list[Floats] | None:
    known = [values for values in channel if values is not None]
    return known if len(known) == len(channel) else None
