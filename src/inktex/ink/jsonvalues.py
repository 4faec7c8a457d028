"""Checks JSON values: the numbers and strokes that all JSON formats of ink consist of.

A stroke is written in one of a few ways, and all formats share them: a list of [x, y], a list of {"x", "y"},
an object of lists {"x": […], "y": […]}, or the bare lists [[x, …], [y, …]] (MyScriptJS); time ("t") and
pressure ("p", "f") where known.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inktex.ink.checks import Floats
from inktex.ink.errors import InkError, shown
from inktex.ink.limits import MAX_POINTS
from inktex.ink.strokes import Stroke, checked_points, read_strokes

Point = tuple[float, float, float | None, float | None]  # x, y, time, pressure

X_NAMES = ("x", "X", "clientX", "offsetX", "pageX", "screenX")
_Y_NAMES = ("y", "Y", "clientY", "offsetY", "pageY", "screenY")
_TIME_NAMES = ("t", "T", "time", "timestamp", "timeStamp")
_PRESSURE_NAMES = ("p", "P", "f", "F", "pressure", "force")
_POINT_LISTS = ("points", "pointers", "path")
_COLUMNS = ("x", "y", "t", "p")  # of strokes without names

_NUMBERS = {int, float}  # a bool is an int, but no coordinate
_FEW = 4  # a point has x, y and maybe time and pressure; so have strokes lists of coordinates


def numbers(value: Any, what: str) -> Floats:
    if not isinstance(value, list):
        raise InkError(f"{what} must be a list of numbers, not {kind(value)}")
    if len(value) > MAX_POINTS:
        raise InkError(f"more than the limit of {MAX_POINTS} points")
    if not set(map(type, value)) <= _NUMBERS:
        place, entry = next(
            (place, entry) for place, entry in enumerate(value, 1) if type(entry) not in _NUMBERS
        )
        raise InkError(f"{what} must be a number, not {kind(entry)}", place=f"point {place}")
    try:
        return np.array(list(map(float, value)), dtype=np.float64)
    except OverflowError:
        raise InkError(f"{what} has a number too large") from None


def number(value: Any, what: str) -> float:
    if type(value) not in _NUMBERS:
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
    name = next((name for name in names if data.get(name) is not None), names[0])
    value = data.get(name)
    if value is not None and not isinstance(value, str):
        raise InkError(f"must be a text, not {kind(value)}", place=repr(name))
    return value


def strokes_of(value: Any) -> list[Stroke | None]:
    """Return the strokes of a JSON list in any of the ways they are written; None where one has no points."""
    if not isinstance(value, list):
        raise InkError(f"strokes must be a list, not {kind(value)}")
    read = _of_bare_columns if _has_bare_columns(value) else stroke_of
    return read_strokes(enumerate(value, 1), read)


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
    x, y = (numbers(_member(value, names), names[0]) for names in (X_NAMES, _Y_NAMES))
    if len(x) != len(y):
        raise InkError(f"{len(x)} values of x but {len(y)} of y")
    if not len(x):
        return None
    points = checked_points(np.stack([x, y], axis=1))
    extra = []
    for names in (_TIME_NAMES, _PRESSURE_NAMES):
        given = next((name for name in names if _is_channel(value.get(name), len(x))), None)
        extra.append(None if given is None else finite(numbers(value[given], given)))
    return Stroke(points, *extra)


def point_of(value: Mapping[str, Any]) -> Point:
    """Read x, y and, where known, time and pressure of one point written as an object."""
    x, y = number(_member(value, X_NAMES), "x"), number(_member(value, _Y_NAMES), "y")
    extra = []
    for names in (_TIME_NAMES, _PRESSURE_NAMES):
        found = next((value[name] for name in names if name in value), None)
        extra.append(number(found, names[0]) if type(found) in _NUMBERS else None)
    return x, y, extra[0], extra[1]


def stroke_of_points(rows: Sequence[Point]) -> Stroke:
    xs, ys, *extra = zip(*rows, strict=True)
    return Stroke(
        np.array([xs, ys], dtype=np.float64).T,
        *(None if None in values else np.array(values, dtype=np.float64) for values in extra),
    )


def _of_objects(value: Sequence[Any]) -> Stroke:
    rows: list[Point] = []
    try:
        for entry in value:
            if not isinstance(entry, Mapping):
                raise InkError(f"must be an object like the others, not {kind(entry)}")
            rows.append(point_of(entry))
    except InkError as error:
        raise InkError(error.reason, place=f"point {len(rows) + 1}") from None
    return stroke_of_points(rows)


def _has_bare_columns(strokes: Sequence[Any]) -> bool:
    """Whether strokes of lists are lists of coordinates, [[x, …], [y, …]], not lists of points, [[x, y], …].

    One stroke can look like both; a file is taken as what most of its strokes can only be. If no
    stroke decides it, pairs are points, as inktex writes them, and anything longer is reported as unclear.
    """
    shapes = {place: shape for place, stroke in enumerate(strokes, 1) if (shape := _shape(stroke))}
    points = any(rows > _FEW or rows == 1 for rows, _ in shapes.values())
    columns = [place for place, (rows, width) in shapes.items() if 2 <= rows <= _FEW < width]
    if points and columns:
        raise InkError(
            "a list of coordinates, [[x, …], [y, …]], where other strokes are lists of points, [[x, y], …]",
            place=f"stroke {columns[0]}",
        )
    if not points and not columns and max((width for _, width in shapes.values()), default=0) > 2:
        raise InkError(
            "its strokes could be points, [[x, y, t], …], or coordinates, [[x, …], [y, …]]; "
            'write them as {"x": […], "y": […]}'
        )
    return bool(columns)


def _shape(stroke: Any) -> tuple[int, int] | None:
    """How many lists of how many numbers a stroke has; None if they differ or it is written otherwise."""
    if not isinstance(stroke, list) or not stroke or not all(isinstance(row, list) for row in stroke):
        return None
    widths = set(map(len, stroke))
    return (len(stroke), widths.pop()) if len(widths) == 1 else None


def _of_bare_columns(value: Any) -> Stroke | None:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        return stroke_of(value)
    return stroke_of_columns(dict(zip(_COLUMNS, value, strict=False))) if value else None


def _of_rows(value: Sequence[Any]) -> Stroke | None:
    """Points as lists: x, y and, if every point has more numbers, time and pressure."""
    for position, entry in enumerate(value):
        if not isinstance(entry, list) or len(entry) < 2:
            found = f"a list of {len(entry)}" if isinstance(entry, list) else kind(entry)
            raise InkError(f"a point must be [x, y], not {found}", place=f"point {position + 1}")
    columns = ([entry[place] for entry in value if len(entry) > place] for place in range(4))
    return stroke_of_columns(dict(zip(_COLUMNS, columns, strict=True)))


def _member(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    for name in names:
        if name in value:
            return value[name]
    raise InkError(f"no {names[0]} in it (found: {', '.join(map(shown, list(value)[:6])) or 'nothing'})")


def _is_channel(entries: Any, count: int) -> bool:
    """Of a channel that need not be there, whatever is not one number per point is as good as absent."""
    return isinstance(entries, list) and len(entries) == count and set(map(type, entries)) <= _NUMBERS


def finite(values: Floats) -> Floats | None:
    """The values, or None if one of them is NaN or infinite."""
    return values if np.isfinite(values).all() else None
