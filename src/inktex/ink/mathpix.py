"""Mathpix `v3/strokes` requests: {"strokes": {"strokes": {"x": [[…], …], "y": […]}}}."""

from collections.abc import Mapping
from typing import Any

from inktex.ink.core import Ink
from inktex.ink.errors import InkError
from inktex.ink.jsonvalues import kind, strokes_of
from inktex.ink.strokes import build_ink, written


def is_mathpix(data: Mapping[str, Any]) -> bool:
    """Tell the format: x and y as lists of lists, under "strokes" once, twice, or not at all."""
    inner = _innermost(data)
    return inner is not data or ("x" in inner and "y" in inner)


def read_mathpix(data: Mapping[str, Any]) -> Ink:
    """Read one request body."""
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
    strokes = strokes_of(
        [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    )
    return build_ink(written(strokes))


def _innermost(data: Mapping[str, Any]) -> Mapping[str, Any]:
    inner: Any = data
    for _ in range(2):
        if isinstance(inner.get("strokes"), Mapping):
            inner = inner["strokes"]
    found: Mapping[str, Any] = inner
    return found
