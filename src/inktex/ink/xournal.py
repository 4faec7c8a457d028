"""Xournal and Xournal++ notebooks (.xoj, .xopp): one `Ink` per page.

Pen strokes are ink; highlighter, eraser, text and images are not. A stroke with pressure lists its nominal
width and then one width per segment: pressure is the width relative to the nominal one.
"""

from xml.etree.ElementTree import Element

import numpy as np

from inktex.ink.checks import Floats
from inktex.ink.core import Ink
from inktex.ink.errors import InkError, shown
from inktex.ink.limits import MAX_POINTS
from inktex.ink.strokes import Stroke, at, build_ink, checked_points, read_strokes, written


def read_xournal(root: Element) -> list[tuple[str | None, Ink | InkError]]:
    """Return the ink of every page that has any, with the page as its place."""
    pages = root.findall("page")
    inks: list[tuple[str | None, Ink | InkError]] = []
    for number, page in enumerate(pages, start=1):
        place = f"page {number}"
        try:
            strokes = _page_strokes(page)
            if strokes:
                inks.append((place if len(pages) > 1 else None, build_ink(strokes)))
        except InkError as error:
            inks.append((place, error) if len(pages) > 1 else (None, at(place, error)))
    if not inks:
        raise InkError(f"no strokes (nothing written with the pen on its {len(pages)} pages)")
    return inks


def _page_strokes(page: Element) -> list[Stroke]:
    drawn = (
        (f"stroke {number}", element)
        for number, element in enumerate(page.findall("layer/stroke"), start=1)
        if element.get("tool", "pen") == "pen"
    )
    return written(read_strokes(drawn, _stroke))


def _stroke(element: Element) -> Stroke | None:
    values = _numbers(element.text or "", "coordinates")
    if len(values) % 2:
        raise InkError(f"{len(values)} coordinates, which are not pairs of x and y")
    if not len(values):
        return None
    points = checked_points(values.reshape(-1, 2))
    return Stroke(points, pressure=_pressure(element, len(points)))


def _numbers(text: str, what: str) -> Floats:
    if sum(map(text.count, " \t\r\n")) > 4 * MAX_POINTS:
        raise InkError(f"more than the limit of {MAX_POINTS} points")
    try:
        return np.fromiter(map(float, text.split()), dtype=np.float64)
    except ValueError:
        bad = next(word for word in text.split() if not _is_number(word))
        raise InkError(f"{what} must be numbers, not {shown(bad)}") from None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _pressure(element: Element, count: int) -> Floats | None:
    widths = (element.get("width") or "").split()
    if len(widths) != count or count < 2:  # one nominal width and one for each of the count - 1 segments
        return None
    values = _numbers(" ".join(widths), "widths")
    if not np.isfinite(values).all() or values[0] <= 0:
        return None
    relative = np.append(values[1:], values[-1]) / values[0]
    return relative if np.isfinite(relative).all() else None
