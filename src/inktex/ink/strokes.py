"""Builds an `Ink` from strokes as a reader finds them, with the size limits and checks that readers share."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from inktex.ink.checks import Floats
from inktex.ink.core import Ink
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
    channels = (_channel(parts, name) for name in ("time", "pressure"))
    return Stroke(
        np.concatenate([part.points for part in parts]),
        *(None if values is None else np.concatenate(values) for values in channels),
    )


def build_ink(strokes: Iterable[Stroke | None], missing: str = "no strokes") -> Ink:
    """Make an ink of the strokes that have points; it has time or pressure only if all of them have.

    `missing` is the error where there are none.
    """
    drawn = [stroke for stroke in strokes if stroke is not None]
    if not drawn:
        raise InkError(missing)
    check_size(len(drawn), sum(len(stroke.points) for stroke in drawn))
    return Ink.from_strokes(
        [stroke.points for stroke in drawn],
        time=_channel(drawn, "time"),
        pressure=_channel(drawn, "pressure"),
    )


def read_strokes(
    entries: Iterable[tuple[int, Entry]], stroke_of: Callable[[Entry], Stroke | None], what: str = "stroke"
) -> list[Stroke | None]:
    """Read the strokes of a file one by one, each entry with its number; None where one has no points."""
    strokes: list[Stroke | None] = []
    point_count = 0
    for number, entry in entries:
        with at(f"{what} {number}"):
            stroke = stroke_of(entry)
        point_count += 0 if stroke is None else len(stroke.points)
        check_size(len(strokes) + 1, point_count)
        strokes.append(stroke)
    return strokes


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


@contextmanager
def at(place: str) -> Iterator[None]:
    """Put the place of a part (`stroke 3`) before the place of an error inside it (`point 7`)."""
    try:
        yield
    except InkError as error:
        inner = f"{place}, {error.place}" if error.place else place
        raise InkError(error.reason, place=inner, source=error.source) from None


def _channel(strokes: Sequence[Stroke], name: str) -> list[Floats] | None:
    found = [getattr(stroke, name) for stroke in strokes]
    return None if any(values is None for values in found) else found
