"""Requests to recognition services, and what pens report: Mathpix, MyScript, pointer events.

Mathpix `v3/strokes` requests are {"strokes": {"strokes": {"x": [[…], …], "y": […]}}}. Of MyScript there are
recognition requests ("strokeGroups", "events") and JIIX exports: a tree of blocks (expressions, words,
elements, …), whose strokes are in "items" (version 2 and later) or "strokes" (version 1) of the block they
were read as. If every such block is one symbol, that is the segmentation.

Pointer events, as browsers and pen SDKs report them, are objects with their kind ("pointerdown", "DOWN",
"touchmove", …), a position, and possibly time and pressure. Fingers are told apart by "pointerId"; movement
without contact is not ink; "cancel" removes a stroke.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

from inktex.ink.core import Ink, Symbol
from inktex.ink.errors import InkError
from inktex.ink.jsonvalues import (
    X_NAMES,
    Point,
    kind,
    point_of,
    stroke_of_columns,
    stroke_of_points,
    strokes_of,
)
from inktex.ink.limits import MAX_STROKES
from inktex.ink.strokes import Stroke, build_ink, check_size, read_strokes

_JIIX_MEMBERS = ("items", "expressions", "elements", "words", "chars", "children", "operands", "strokes")
# Block types whose own ink is a symbol.
_NAMED_SYMBOLS = {"fraction": "-", "square root": r"\sqrt", "root": r"\sqrt"}

_KIND_NAMES = ("eventType", "event", "type")
_PHASES = {
    "down": "down", "start": "down", "move": "move", "drag": "move", "up": "up", "end": "up", "leave": "up",
    "out": "up", "cancel": "cancel",
}  # fmt: skip


def is_mathpix(data: Mapping[str, Any]) -> bool:
    """Tell the format: x and y as lists of lists, under "strokes" once, twice, or not at all."""
    inner = _innermost(data)
    return inner is not data or ("x" in inner and "y" in inner)


def read_mathpix(data: Mapping[str, Any]) -> Ink:
    inner = _innermost(data)
    columns: dict[str, list[Any]] = {}
    for name in ("x", "y"):
        column = inner.get(name)
        if not isinstance(column, list):
            raise InkError(f"must be a list of one list per stroke, not {kind(column)}", place=repr(name))
        columns[name] = column
    if len(columns["x"]) != len(columns["y"]):
        raise InkError(f"{len(columns['x'])} strokes of x but {len(columns['y'])} of y")
    times = inner.get("t")
    if isinstance(times, list) and len(times) == len(columns["x"]):
        columns["t"] = times
    rows = zip(*columns.values(), strict=True)
    return build_ink(strokes_of([dict(zip(columns, values, strict=True)) for values in rows]))


def _innermost(data: Mapping[str, Any]) -> Mapping[str, Any]:
    for _ in range(2):
        inner = data.get("strokes")
        data = inner if isinstance(inner, Mapping) else data
    return data


def is_myscript(data: Mapping[str, Any]) -> bool:
    """Tell a request by its members, a JIIX document by its type and blocks."""
    lists = {name for name in ("strokeGroups", "events", *_JIIX_MEMBERS) if isinstance(data.get(name), list)}
    return bool(lists & {"strokeGroups", "events"} or (lists and isinstance(data.get("type"), str)))


def read_myscript(data: Mapping[str, Any]) -> Ink:
    groups, events = data.get("strokeGroups"), data.get("events")
    if isinstance(groups, list):
        entries: list[Any] = []
        for number, group in enumerate(groups):
            if not isinstance(group, Mapping) or not isinstance(group.get("strokes"), list):
                place = f"stroke group {number + 1}"
                raise InkError('must be an object with a list of "strokes"', place=place)
            entries.extend(group["strokes"])
    elif not isinstance(events, list):
        return _read_jiix(data)
    elif events and is_pointer_events(events[0]):
        return read_pointer_events(events)
    else:
        entries = events
    return build_ink(strokes_of([entry for entry in entries if not _is_eraser(entry)]))


def _is_eraser(entry: Any) -> bool:
    return isinstance(entry, Mapping) and str(entry.get("pointerType")).upper() == "ERASER"


def _read_jiix(data: Mapping[str, Any]) -> Ink:
    found = list(islice(_jiix_strokes(data), MAX_STROKES + 1))
    strokes = read_strokes(enumerate((entry for entry, _ in found), 1), stroke_of_columns)
    read = [
        (entry.get("timestamp"), stroke, block)
        for stroke, (entry, block) in zip(strokes, found, strict=True)
        if stroke is not None
    ]
    if all(timestamp and isinstance(timestamp, str) for timestamp, _, _ in read):
        read.sort(key=itemgetter(0))  # blocks come in reading order; people write in another
    ink = build_ink(
        (stroke for _, stroke, _ in read),
        missing="no strokes in this JIIX (export it with strokes: export.jiix.strokes)",
    )
    return ink.replace(symbols=_jiix_symbols([block for _, _, block in read]))


def _jiix_strokes(root: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], tuple[int, str | None]]]:
    """Walk the blocks in document order; yield each stroke with the number and the label of its block."""
    waiting: list[tuple[Any, tuple[int, str | None]]] = [(root, (0, None))]
    blocks = 0
    while waiting:
        value, block = waiting.pop()
        if isinstance(value, list):
            waiting.extend((entry, block) for entry in reversed(value))
        elif isinstance(value, Mapping):
            if _is_stroke(value):
                yield value, block
                continue
            blocks += 1
            inner = (blocks, _label(value))
            # Only lists and objects can hold strokes; the rest would only lengthen the walk.
            waiting.extend(
                (v, inner) for v in reversed(list(value.values())) if isinstance(v, list | Mapping)
            )


def _is_stroke(value: Mapping[str, Any]) -> bool:
    has_columns = ("X" in value or "x" in value) and ("Y" in value or "y" in value)
    return value.get("type") == "stroke" or (has_columns and any(isinstance(v, list) for v in value.values()))


def _label(block: Mapping[str, Any]) -> str | None:
    """The symbol that a block's own strokes draw, None if they may be more than one."""
    label, block_type = block.get("label"), block.get("type")
    if isinstance(label, str) and len(label.strip()) == 1:
        return label
    if isinstance(block_type, str) and label is None:
        return block_type if len(block_type) == 1 else _NAMED_SYMBOLS.get(block_type)
    return None


def _jiix_symbols(blocks: Sequence[tuple[int, str | None]]) -> list[Symbol]:
    strokes_of_block: dict[tuple[int, str | None], list[int]] = {}
    for position, block in enumerate(blocks):
        strokes_of_block.setdefault(block, []).append(position)
    if any(label is None for _, label in strokes_of_block):
        return []
    return [Symbol(label or "", tuple(strokes)) for (_, label), strokes in strokes_of_block.items()]


def is_pointer_events(entry: Any) -> bool:
    return isinstance(entry, Mapping) and _phase(entry) is not None


def read_pointer_events(events: Sequence[Any]) -> Ink:
    """Read the strokes in the order in which they were begun."""
    strokes: dict[int, Stroke | None] = {}  # by the number of the event that began one; None while drawn
    drawing: dict[str, tuple[int, list[Point]]] = {}  # by pointer
    point_count = 0

    def finish(pointer: str) -> None:
        if pointer in drawing:
            began, points = drawing.pop(pointer)
            strokes[began] = stroke_of_points(points)

    for number, event in enumerate(events, start=1):
        if not isinstance(event, Mapping):
            raise InkError(f"must be an object, not {kind(event)}", place=f"event {number}")
        phase = _phase(event)
        pointer = str(event.get("pointerId", 0))
        if phase == "down":
            finish(pointer)
            strokes[number], drawing[pointer] = None, (number, [_point(event, number)])
        elif pointer in drawing and phase == "cancel":
            del strokes[drawing.pop(pointer)[0]]
        elif pointer in drawing and phase == "move":
            drawing[pointer][1].append(_point(event, number))
        elif pointer in drawing and phase == "up":
            points = drawing[pointer][1]
            if any(name in event for name in X_NAMES):
                point = _point(event, number)
                if point[:2] != points[-1][:2]:  # most devices only repeat the last position
                    points.append(point)
            finish(pointer)
        point_count += phase is not None
        check_size(len(strokes) - len(drawing), point_count)
    for pointer in list(drawing):
        finish(pointer)
    return build_ink(strokes.values(), missing="no strokes (no event of a pointer going down)")


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


def _point(event: Mapping[str, Any], number: int) -> Point:
    try:
        return point_of(event)
    except InkError as error:
        raise InkError(error.reason, place=f"event {number}") from None
