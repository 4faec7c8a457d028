"""Excalidraw drawings (files and clipboard): reads their `freedraw` elements.

Points are relative to the element, which may be rotated about the middle of its box; all other shapes are
ignored. Pressure is kept if a pen reported it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from inktex.ink.checks import Floats
from inktex.ink.core import Ink
from inktex.ink.errors import InkError
from inktex.ink.jsonvalues import kind, number, numbers, stroke_of
from inktex.ink.strokes import Stroke, build_ink, read_strokes, written

_FREEHAND = ("freedraw", "draw")  # "draw" in files of before 2021


def is_excalidraw(data: Mapping[str, Any]) -> bool:
    """Tell the format by its type ("excalidraw", "excalidraw/clipboard"), or by a freehand element."""
    declared, elements = data.get("type"), data.get("elements")
    if isinstance(declared, str) and declared.startswith("excalidraw"):
        return True
    return isinstance(elements, list) and any(
        isinstance(element, Mapping) and element.get("type") == "freedraw" for element in elements
    )


def read_excalidraw(data: Mapping[str, Any]) -> Ink:
    """Read all that was drawn by hand and not deleted."""
    elements = data.get("elements")
    if not isinstance(elements, list):
        raise InkError(f"must be a list, not {kind(elements)}", place="'elements'")
    drawn = (
        (f"element {number}", element)
        for number, element in enumerate(elements, start=1)
        if not isinstance(element, Mapping)
        or (element.get("type") in _FREEHAND and element.get("isDeleted") is not True)
    )
    strokes = written(read_strokes(drawn, _stroke))
    if not strokes:
        raise InkError("no strokes (no freedraw element; shapes and texts are not ink)")
    return build_ink(strokes)


def _stroke(element: Any) -> Stroke | None:
    if not isinstance(element, Mapping):
        raise InkError(f"must be an object, not {kind(element)}")
    drawn = stroke_of(element.get("points"))
    if drawn is None:
        return None
    x, y = (number(element.get(name), name) for name in ("x", "y"))
    with np.errstate(over="ignore", invalid="ignore"):
        points = _turned(drawn.points, number(element.get("angle") or 0, "angle")) + np.array([x, y])
    if not np.isfinite(points).all():
        raise InkError("x and y must be finite numbers")
    return Stroke(points, pressure=_pressure(element, len(points)))


def _turned(points: Floats, angle: float) -> Floats:
    if angle == 0:
        return points
    middle = points.min(axis=0) / 2 + points.max(axis=0) / 2
    cos, sin = np.cos(angle), np.sin(angle)
    turned: Floats = (points - middle) @ np.array([[cos, sin], [-sin, cos]]) + middle
    return turned


def _pressure(element: Mapping[str, Any], count: int) -> Floats | None:
    pressures = element.get("pressures")
    if not isinstance(pressures, list) or len(pressures) != count:
        return None  # a mouse or finger: the list is empty
    values = numbers(pressures, "pressure")
    return values if np.isfinite(values).all() else None
