"""Drawings of other programs, read and written: Xournal++ notebooks (.xoj, .xopp) and Excalidraw scenes.

A notebook has one `Ink` per page. Pen strokes are ink; highlighter, eraser, text and images are not. A stroke
with pressure lists its nominal width and then one width per segment: pressure is the width relative to the
nominal one. Of a scene (a file or the clipboard) the `freedraw` elements are ink. Their points are relative
to the element, which may be rotated about the middle of its box; pressure is kept if a pen reported it.

Both draw with a pen of a fixed width in units of a page, so ink of other units is written at a size that can
be seen, and pressure as 0 to 1. Time, labels and truth have no place in them.
"""

import gzip
import json
from collections.abc import Mapping
from contextlib import nullcontext
from itertools import pairwise
from typing import Any
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

import numpy as np

from inktex.ink.checks import Floats
from inktex.ink.core import Ink
from inktex.ink.errors import InkError, shown
from inktex.ink.jsonvalues import finite, kind, number, numbers, stroke_of
from inktex.ink.limits import MAX_POINTS
from inktex.ink.strokes import Stroke, at, build_ink, checked_points, read_strokes

_FREEHAND = ("freedraw", "draw")  # "draw" in files of before 2021

_PEN = 1.6
_MARGIN = 30.0
_PAGE = (595.28, 841.89)  # A4 in points
_VISIBLE = (20.0, 5000.0)  # extents that are left as they are
_EXTENT = 400.0  # of ink that is smaller or larger


def read_xournal(root: Element) -> list[tuple[str | None, Ink | InkError]]:
    """Return the ink of every page that has any, with the page as its place."""
    pages = root.findall("page")
    inks: list[tuple[str | None, Ink | InkError]] = []
    for count, page in enumerate(pages, start=1):
        place = f"page {count}" if len(pages) > 1 else None
        drawn = (
            (number, element)
            for number, element in enumerate(page.findall("layer/stroke"), 1)
            if element.get("tool", "pen") == "pen"
        )
        try:
            with at("page 1") if place is None else nullcontext():
                strokes = read_strokes(drawn, _xournal_stroke)
                if any(strokes):
                    inks.append((place, build_ink(strokes)))
        except InkError as error:
            inks.append((place, error))
    if not inks:
        raise InkError(f"no strokes (nothing written with the pen on its {len(pages)} pages)")
    return inks


def _xournal_stroke(element: Element) -> Stroke | None:
    values = _numbers(element.text or "", "coordinates")
    if len(values) % 2:
        raise InkError(f"{len(values)} coordinates, which are not pairs of x and y")
    if not len(values):
        return None
    points = checked_points(values.reshape(-1, 2))
    widths = (element.get("width") or "").split()
    # One nominal width and one for each of the segments, which are one less than the points.
    if not len(widths) == len(points) > 1:
        return Stroke(points)
    values = _numbers(" ".join(widths), "widths")
    if finite(values) is None or values[0] <= 0:
        return Stroke(points)
    return Stroke(points, pressure=finite(np.append(values[1:], values[-1]) / values[0]))


def _numbers(text: str, what: str) -> Floats:
    if sum(map(text.count, " \t\r\n")) > 4 * MAX_POINTS:
        raise InkError(f"more than the limit of {MAX_POINTS} points")
    word = ""
    try:
        return np.fromiter((float(word := each) for each in text.split()), dtype=np.float64)
    except ValueError:
        raise InkError(f"{what} must be numbers, not {shown(word)}") from None


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
        (number, element)
        for number, element in enumerate(elements, 1)
        if not isinstance(element, Mapping)
        or (element.get("type") in _FREEHAND and element.get("isDeleted") is not True)
    )
    return build_ink(
        read_strokes(drawn, _freehand, "element"),
        missing="no strokes (no freedraw element; shapes and texts are not ink)",
    )


def _freehand(element: Any) -> Stroke | None:
    if not isinstance(element, Mapping):
        raise InkError(f"must be an object, not {kind(element)}")
    drawn = stroke_of(element.get("points"))
    if drawn is None:
        return None
    points = drawn.points
    x, y = (number(element.get(name), name) for name in ("x", "y"))
    angle = number(element.get("angle") or 0, "angle")
    with np.errstate(over="ignore", invalid="ignore"):
        if angle:
            middle = points.min(axis=0) / 2 + points.max(axis=0) / 2
            cos, sin = np.cos(angle), np.sin(angle)
            points = (points - middle) @ np.array([[cos, sin], [-sin, cos]]) + middle
        points = points + np.array([x, y])
    if not np.isfinite(points).all():
        raise InkError("x and y must be finite numbers")
    pressures = element.get("pressures")
    if not isinstance(pressures, list) or len(pressures) != len(points):
        return Stroke(points)  # a mouse or finger: the list is empty
    return Stroke(points, pressure=finite(numbers(pressures, "pressure")))


def write_xournal(ink: Ink) -> bytes:
    """The ink as a Xournal++ notebook of one page, which is large enough for it."""
    drawn = _on_page(ink)
    _, _, right, bottom = drawn.bounds
    size = [max(least, end + _MARGIN) for least, end in zip(_PAGE, (right, bottom), strict=True)]
    pressure = _pressure(ink)
    strokes = []
    for begin, end in pairwise(drawn.offsets.tolist()):
        rows = drawn.points[begin:end].tolist()
        rows *= 2 if len(rows) == 1 else 1  # a dot is a line of no length
        widths = [_PEN]
        if pressure is not None:
            forces = pressure[begin:end].tolist()
            widths += [2 * _PEN * force for force in (forces[:-1] or forces)]
        places = " ".join(f"{x:.2f} {y:.2f}" for x, y in rows)
        numbers = " ".join(f"{width:.3f}" for width in widths)
        strokes.append(f'<stroke tool="pen" color="#1c2438ff" width="{numbers}">{places}</stroke>')
    text = (
        '<?xml version="1.0" standalone="no"?>\n<xournal creator="inktex" fileversion="4">\n'
        f"<title>{escape(''.join(filter(str.isprintable, ink.truth or '')))}</title>\n"
        f'<page width="{size[0]:.2f}" height="{size[1]:.2f}">\n'
        '<background type="solid" color="#ffffffff" style="plain"/>\n<layer>\n'
        + "\n".join(strokes)
        + "\n</layer>\n</page>\n</xournal>\n"
    )
    return gzip.compress(text.encode(), mtime=0)


def write_excalidraw(ink: Ink) -> str:
    """The ink as an Excalidraw scene: one freehand element per stroke, its points relative to its first."""
    drawn = _on_page(ink)
    pressure = _pressure(ink)
    elements = []
    for place, (begin, end) in enumerate(pairwise(drawn.offsets.tolist())):
        points = drawn.points[begin:end]
        (x, y), (width, height) = points[0].tolist(), (points.max(axis=0) - points.min(axis=0)).tolist()
        elements.append(
            {
                "id": f"ink-{place}",
                "type": "freedraw",
                "x": round(x, 3),
                "y": round(y, 3),
                "width": round(width, 3),
                "height": round(height, 3),
                "angle": 0,
                "strokeColor": "#1e1e1e",
                "backgroundColor": "transparent",
                "fillStyle": "solid",
                "strokeWidth": 2,
                "strokeStyle": "solid",
                "roughness": 0,
                "opacity": 100,
                "groupIds": [],
                "seed": place + 1,
                "version": 1,
                "versionNonce": place + 1,
                "isDeleted": False,
                "points": [[round(px - x, 3), round(py - y, 3)] for px, py in points.tolist()],
                "pressures": [] if pressure is None else pressure[begin:end].round(4).tolist(),
                "simulatePressure": pressure is None,
            }
        )
    scene = {"type": "excalidraw", "version": 2, "source": "inktex", "elements": elements}
    return json.dumps({**scene, "appState": {}, "files": {}}, allow_nan=False)


def refuse_empty(ink: Ink) -> None:
    if not len(ink):
        raise InkError("an ink without strokes cannot be written", source=ink.source)


def _on_page(ink: Ink) -> Ink:
    """The ink inside the margins, at a size that can be seen."""
    refuse_empty(ink)
    left, top, right, bottom = ink.bounds
    extent = max(right - left, bottom - top)
    if not np.isfinite(extent):
        raise InkError("the coordinates are too large to be drawn", source=ink.source)
    scale = 1.0 if extent == 0 or _VISIBLE[0] <= extent <= _VISIBLE[1] else _EXTENT / extent
    return ink.translate(-left, -top).scale(scale).translate(_MARGIN, _MARGIN)


def _pressure(ink: Ink) -> Floats | None:
    """Pressure from 0 to 1; None where a pen reported none."""
    if ink.pressure is None or not ink.pressure.max() > 0:
        return None
    scaled: Floats = np.clip(ink.pressure / max(1.0, float(ink.pressure.max())), 0.0, 1.0)
    return scaled
