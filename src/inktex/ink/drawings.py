"""Writes ink as drawings of other programs: a Xournal++ notebook, an Excalidraw scene.

Both draw with a pen of a fixed width in units of a page, so ink of other units is scaled to a size that can
be seen, and pressure to 0 to 1. Time, labels and truth have no place in them.
"""

import gzip
import json
from itertools import pairwise
from xml.sax.saxutils import escape

import numpy as np

from inktex.ink.checks import Floats
from inktex.ink.core import Ink
from inktex.ink.errors import InkError

_PEN = 1.6
_MARGIN = 30.0
_PAGE = (595.28, 841.89)  # A4 in points
_VISIBLE = (20.0, 5000.0)  # extents that are left as they are
_EXTENT = 400.0  # of ink that is smaller or larger


def write_xournal(ink: Ink) -> bytes:
    """The ink as a Xournal++ notebook of one page, which is large enough for it."""
    drawn = _on_page(ink)
    _, _, right, bottom = drawn.bounds
    size = [max(least, end + _MARGIN) for least, end in zip(_PAGE, (right, bottom), strict=True)]
    pressure = _pressure(ink)
    strokes = []
    for number, points in enumerate(drawn.strokes):
        rows = points.tolist() if len(points) > 1 else points.tolist() * 2  # a dot is a line of no length
        widths = [_PEN]
        if pressure is not None:
            forces = pressure[drawn.offsets[number] : drawn.offsets[number + 1]].tolist()
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
    for number, (begin, end) in enumerate(pairwise(drawn.offsets.tolist())):
        points = drawn.points[begin:end]
        (x, y), (width, height) = points[0].tolist(), (points.max(axis=0) - points.min(axis=0)).tolist()
        elements.append(
            {
                "id": f"ink-{number}",
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
                "seed": number + 1,
                "version": 1,
                "versionNonce": number + 1,
                "isDeleted": False,
                "points": [[round(px - x, 3), round(py - y, 3)] for px, py in points.tolist()],
                "pressures": [] if pressure is None else pressure[begin:end].round(4).tolist(),
                "simulatePressure": pressure is None,
            }
        )
    scene = {"type": "excalidraw", "version": 2, "source": "inktex", "elements": elements}
    return json.dumps({**scene, "appState": {}, "files": {}}, allow_nan=False)


def _on_page(ink: Ink) -> Ink:
    """The ink inside the margins, at a size that can be seen."""
    if not len(ink):
        raise InkError("an ink without strokes cannot be written", source=ink.source)
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
