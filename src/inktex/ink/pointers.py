"""Pointer events as browsers and pen SDKs report them (down, move, up).

Each event is an object with its kind ("pointerdown", "DOWN", "touchmove", …), a position, and possibly
time and pressure. Fingers are told apart by "pointerId"; movement without contact is not ink; "cancel"
removes a stroke.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from inktex.ink.core import Ink
from inktex.ink.errors import InkError
from inktex.ink.jsonvalues import kind, point_of, stroke_of_points
from inktex.ink.strokes import Stroke, build_ink, check_size

_KIND_NAMES = ("eventType", "event", "type")
_PHASES = {
    "down": "down", "start": "down", "move": "move", "drag": "move", "up": "up", "end": "up", "leave": "up",
    "out": "up", "cancel": "cancel",
}  # fmt: skip
_Row = tuple[float, float, float | None, float | None]


def is_pointer_events(entry: Any) -> bool:
    """Tell an event by its kind."""
    return isinstance(entry, Mapping) and _phase(entry) is not None


def read_pointer_events(events: Sequence[Any]) -> Ink:
    """Read the strokes in the order in which they were begun."""
    finished: dict[int, Stroke] = {}  # by the number of the event that began the stroke
    drawing: dict[object, tuple[int, list[_Row]]] = {}  # by pointer
    point_count = 0
    for number, event in enumerate(events):
        place = f"event {number + 1}"
        if not isinstance(event, Mapping):
            raise InkError(f"must be an object, not {kind(event)}", place=place)
        phase = _phase(event)
        pointer = str(event.get("pointerId", 0))
        if phase == "down":
            _finish(drawing.pop(pointer, None), finished)
            drawing[pointer] = (number, [_row(event, place)])
        elif pointer in drawing and phase == "cancel":
            del drawing[pointer]
        elif pointer in drawing and phase == "move":
            drawing[pointer][1].append(_row(event, place))
        elif pointer in drawing and phase == "up":
            began = drawing.pop(pointer)
            if _has_position(event):
                row = _row(event, place)
                if row[:2] != began[1][-1][:2]:  # most devices only repeat the last position
                    began[1].append(row)
            _finish(began, finished)
        point_count += phase is not None
        check_size(len(finished), point_count)
    for began in drawing.values():
        _finish(began, finished)
    if not finished:
        raise InkError("no strokes (no event of a pointer going down)")
    return build_ink([finished[number] for number in sorted(finished)])


def _phase(event: Mapping[str, Any]) -> str | None:
    for name in _KIND_NAMES:
        written = event.get(name)
        if isinstance(written, str):
            plain = written.strip().casefold()
            for prefix in ("pointer", "mouse", "touch", "pen"):
                plain = plain.removeprefix(prefix)
            phase = _PHASES.get(plain.strip("_- "))
            if phase is not None:
                return phase
    return None


def _has_position(event: Mapping[str, Any]) -> bool:
    return any(name in event for name in ("x", "X", "clientX", "offsetX", "pageX", "screenX"))


def _row(event: Mapping[str, Any], place: str) -> _Row:
    try:
        return point_of(event)
    except InkError as error:
        raise InkError(error.reason, place=place) from None


def _finish(began: tuple[int, list[_Row]] | None, finished: dict[int, Stroke]) -> None:
    if began is not None:
        finished[began[0]] = stroke_of_points(began[1])
