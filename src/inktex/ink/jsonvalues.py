"""Parses JSON into checked values: the numbers and strokes that all JSON formats of ink consist of.

A stroke is written in one of a few ways, and all formats share them: a list of [x, y], a list of {"x", "y"},
an object of lists {"x": […], "y": […]}, or the bare lists [[x, …], [y, …]] (MyScriptJS); time ("t") and
pressure ("p", "f") where known.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inktex.ink.checks import Floats
from inktex.ink.errors import InkError, shown
from inktex.ink.limits import DEFAULT_LIMITS, MAX_POINTS, Limits
from inktex.ink.strokes import Stroke, checked_points, read_strokes

_X_NAMES = ("x", "X", "clientX", "offsetX", "pageX", "screenX")
_Y_NAMES = ("y", "Y", "clientY", "offsetY", "pageY", "screenY")
_TIME_NAMES = ("t", "T", "time", "timestamp", "timeStamp")
_PRESSURE_NAMES = ("p", "P", "f", "F", "pressure", "force")
_POINT_LISTS = ("points", "pointers", "path")

_FEW = 4  # a point has x, y and maybe time and pressure; so have strokes lists of coordinates

_ESCAPED = re.compile(r"\\.", re.DOTALL)
_PIECE = 1024 * 1024
_QUOTE = ord('"')
_STEP_OF_CODE = np.zeros(256, dtype=np.int8)
_STEP_OF_CODE[[ord(c) for c in "[{"]] = 1
_STEP_OF_CODE[[ord(c) for c in "]}"]] = -1


def parse_json(text: str, limits: Limits = DEFAULT_LIMITS) -> Any:
    """Parse JSON; what is wrong with it is one `InkError`."""
    nodes = text.count("[") + text.count("{")
    if nodes > limits.nodes:
        raise InkError(f"more than the limit of {limits.nodes} JSON lists and objects")
    if nodes + text.count(",") > limits.values:
        raise InkError(f"more than the limit of {limits.values} JSON values")
    if nodes > limits.depth and _depth(text) > limits.depth:
        raise InkError(f"JSON nested deeper than {limits.depth}")
    try:
        return json.loads(text)  # NaN and Infinity too: who takes the number says where it stands
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InkError(f"not valid JSON ({error.msg})", place=place) from None
    except RecursionError:
        raise InkError(f"JSON nested deeper than {limits.depth}") from None
    except ValueError:  # an integer of thousands of digits
        raise InkError("a number too long to be a coordinate") from None


def _depth(text: str) -> int:
    """How deep the lists and objects of a JSON text nest; brackets in strings do not count."""
    if "\\" in text:
        text = _ESCAPED.sub("", text)
    deepest = depth = 0
    inside = False  # a string
    for start in range(0, len(text), _PIECE):
        codes = np.frombuffer(text[start : start + _PIECE].encode("ascii", "replace"), np.uint8)
        quotes = np.logical_xor(np.cumsum(codes == _QUOTE) % 2 == 1, inside)
        steps = _STEP_OF_CODE[codes] * ~quotes
        depths = depth + np.cumsum(steps, dtype=np.int64)
        deepest, depth, inside = max(deepest, int(depths.max())), int(depths[-1]), bool(quotes[-1])
    return deepest


def numbers(value: Any, what: str) -> Floats:
    """Return a JSON list of numbers as an array."""
    if not isinstance(value, list):
        raise InkError(f"{what} must be a list of numbers, not {kind(value)}")
    if len(value) > MAX_POINTS:
        raise InkError(f"more than the limit of {MAX_POINTS} points")
    for position, entry in enumerate(value):
        if type(entry) is not float and type(entry) is not int:  # a bool is an int, but no coordinate
            raise InkError(f"{what} must be a number, not {kind(entry)}", place=f"point {position + 1}")
    try:
        return np.array(list(map(float, value)), dtype=np.float64)
    except OverflowError:
        raise InkError(f"{what} has a number too large") from None


def number(value: Any, what: str) -> float:
    """Return one finite JSON number."""
    if type(value) is not float and type(value) is not int:
        raise InkError(f"{what} must be a number, not {kind(value)}")
    try:
        result = float(value)
    except OverflowError:
        result = np.inf
    if not np.isfinite(result):
        raise InkError(f"{what} must be a finite number")
    return result


def kind(value: Any) -> str:
    """Name the type of a JSON value as JSON does."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def text_of(data: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of the named members that is there; it must be a text."""
    for name in names:
        value = data.get(name)
        if value is not None:
            if not isinstance(value, str):
                raise InkError(f"must be a text, not {kind(value)}", place=repr(name))
            return value
    return None


def strokes_of(value: Any, what: str = "strokes") -> list[Stroke | None]:
    """Return the strokes of a JSON list in any of the ways they are written; None where one has no points."""
    if not isinstance(value, list):
        raise InkError(f"{what} must be a list, not {kind(value)}")
    read = _of_bare_columns if _has_bare_columns(value) else stroke_of
    return read_strokes(((f"stroke {number}", entry) for number, entry in enumerate(value, start=1)), read)


def stroke_of(value: Any) -> Stroke | None:
    """Read one stroke: a list of points, or an object that has lists of coordinates or a list of points."""
    if isinstance(value, Mapping):
        inner = next((value[name] for name in _POINT_LISTS if name in value), None)
        if inner is None:
            return stroke_of_columns(value)
        value = inner
    if not isinstance(value, list):
        raise InkError(f"a stroke must be a list of [x, y] or an object with x and y, not {kind(value)}")
    if not value:
        return None
    return _of_objects(value) if isinstance(value[0], Mapping) else _of_rows(value)


def stroke_of_columns(value: Mapping[str, Any]) -> Stroke | None:
    """Read a stroke written as one list per channel."""
    x = numbers(_member(value, _X_NAMES, "x"), "x")
    y = numbers(_member(value, _Y_NAMES, "y"), "y")
    if len(x) != len(y):
        raise InkError(f"{len(x)} values of x but {len(y)} of y")
    if not len(x):
        return None
    points = checked_points(np.stack([x, y], axis=1))
    return Stroke(points, _channel(value, _TIME_NAMES, len(x)), _channel(value, _PRESSURE_NAMES, len(x)))


def point_of(value: Mapping[str, Any]) -> tuple[float, float, float | None, float | None]:
    """Read x, y and, where known, time and pressure of one point written as an object."""
    x = number(_member(value, _X_NAMES, "x"), "x")
    y = number(_member(value, _Y_NAMES, "y"), "y")
    extra = []
    for names in (_TIME_NAMES, _PRESSURE_NAMES):
        found = next((value[name] for name in names if name in value), None)
        extra.append(number(found, names[0]) if type(found) in (int, float) else None)
    return x, y, extra[0], extra[1]


def stroke_of_points(rows: Sequence[tuple[float, float, float | None, float | None]]) -> Stroke:
    """Make a stroke of points as `point_of` reads them."""
    xs, ys, times, pressures = zip(*rows, strict=True)
    return Stroke(
        np.array([xs, ys], dtype=np.float64).T,
        None if None in times else np.array(times, dtype=np.float64),
        None if None in pressures else np.array(pressures, dtype=np.float64),
    )


def _of_objects(value: Sequence[Any]) -> Stroke:
    rows = []
    for position, entry in enumerate(value):
        try:
            if not isinstance(entry, Mapping):
                raise InkError(f"must be an object like the others, not {kind(entry)}")
            rows.append(point_of(entry))
        except InkError as error:
            raise InkError(error.reason, place=f"point {position + 1}") from None
    return stroke_of_points(rows)


def _has_bare_columns(strokes: Sequence[Any]) -> bool:
    """Whether strokes of lists are lists of coordinates, [[x, …], [y, …]], not lists of points, [[x, y], …].

    One stroke can look like both; a file is taken as what most of its strokes can only be. If no
    stroke decides it, pairs are points, as inktex writes them, and anything longer is reported as unclear.
    """
    shapes = [_shape(stroke) for stroke in strokes]
    lists = [shape for shape in shapes if shape is not None]
    points = sum(rows > _FEW or rows == 1 for rows, _ in lists)
    columns = sum(2 <= rows <= _FEW < width for rows, width in lists)
    if points and columns:
        first = next(
            number for number, shape in enumerate(shapes, 1) if shape and 2 <= shape[0] <= _FEW < shape[1]
        )
        raise InkError(
            "a list of coordinates, [[x, …], [y, …]], where other strokes are lists of points, [[x, y], …]",
            place=f"stroke {first}",
        )
    if lists and not points and not columns and max(width for _, width in lists) > 2:
        raise InkError(
            "its strokes could be points, [[x, y, t], …], or coordinates, [[x, …], [y, …]]; "
            'write them as {"x": […], "y": […]}'
        )
    return columns > 0


def _shape(stroke: Any) -> tuple[int, int] | None:
    """How many lists of how many numbers a stroke has; None if they differ or it is written otherwise."""
    if not isinstance(stroke, list) or not stroke or not all(isinstance(row, list) for row in stroke):
        return None
    widths = set(map(len, stroke))
    return (len(stroke), widths.pop()) if len(widths) == 1 else None


def _of_bare_columns(value: Any) -> Stroke | None:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        return stroke_of(value)
    return stroke_of_columns(dict(zip(("x", "y", "t", "p"), value, strict=False))) if value else None


def _of_rows(value: Sequence[Any]) -> Stroke:
    """Points as lists: x, y and, if there are more numbers, time and pressure."""
    for position, entry in enumerate(value):
        if not isinstance(entry, list) or len(entry) < 2:
            raise InkError(f"a point must be [x, y], not {_shown(entry)}", place=f"point {position + 1}")
    columns = [numbers([entry[channel] for entry in value], "xy"[channel]) for channel in (0, 1)]
    points = checked_points(np.stack(columns, axis=1))
    return Stroke(points, *(_further(value, channel) for channel in (2, 3)))


def _further(rows: Sequence[list[Any]], channel: int) -> Floats | None:
    """What stands behind x and y, if every point has it."""
    entries = [row[channel] for row in rows if len(row) > channel]
    if len(entries) < len(rows) or not all(type(entry) in (int, float) for entry in entries):
        return None
    return _finite(numbers(entries, "time or pressure"))


def _shown(entry: Any) -> str:
    return f"a list of {len(entry)}" if isinstance(entry, list) else kind(entry)


def _member(value: Mapping[str, Any], names: Sequence[str], what: str) -> Any:
    for name in names:
        if name in value:
            return value[name]
    raise InkError(f"no {what} in it (found: {', '.join(map(shown, list(value)[:6])) or 'nothing'})")


def _channel(value: Mapping[str, Any], names: Sequence[str], count: int) -> Floats | None:
    """A channel that need not be there: whatever is not one number per point is as good as absent."""
    for name in names:
        entries = value.get(name)
        if (
            isinstance(entries, list)
            and len(entries) == count
            and all(type(e) in (int, float) for e in entries)
        ):
            return _finite(numbers(entries, name))
    return None


def _finite(values: Floats) -> Floats | None:
    return values if np.isfinite(values).all() else None
