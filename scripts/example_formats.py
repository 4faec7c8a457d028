"""One ink as a file of every format that inktex reads: the bytes that other programs would have written."""

import gzip
import json
from collections.abc import Sequence

from inktex.ink import Ink, write_inkml, write_json

PEN_MILLISECONDS = 8


def inkml(ink: Ink) -> bytes:
    """InkML as CROHME has it."""
    return write_inkml(ink).encode()


def object_json(ink: Ink) -> bytes:
    """The JSON of inktex itself."""
    return write_json(ink).encode()


def plain_json(ink: Ink) -> bytes:
    """A list of strokes, each a list of [x, y]."""
    return _json([stroke.tolist() for stroke in ink.strokes])


def scgink(ink: Ink) -> bytes:
    """SCGINK, as MathBrush has it."""
    lines = ["SCG_INK", str(len(ink))]
    for stroke in ink.strokes:
        lines.append(str(len(stroke)))
        lines += [f"{x:g} {y:g}" for x, y in stroke.tolist()]
    return "\n".join(lines).encode() + b"\n"


def xournal(pages: Sequence[Ink]) -> bytes:
    """A Xournal++ document, one page per ink."""
    body = "".join(
        '<page width="595.27" height="841.89">\n<background type="solid" color="#ffffffff" style="lined"/>\n'
        "<layer>\n" + "".join(map(_xournal_stroke, page.strokes)) + "</layer>\n</page>\n"
        for page in pages
    )
    text = (
        '<?xml version="1.0" standalone="no"?>\n<xournal creator="inktex example" fileversion="4">\n'
        f"<title>Xournal++ document</title>\n{body}</xournal>\n"
    )
    return gzip.compress(text.encode(), mtime=0)


def _xournal_stroke(stroke: Sequence[Sequence[float]]) -> str:
    coordinates = " ".join(f"{x:g} {y:g}" for x, y in stroke)
    return f'<stroke tool="pen" ts="0" fn="" color="#000000ff" width="1.41">{coordinates}</stroke>\n'


def excalidraw(ink: Ink) -> bytes:
    """An Excalidraw scene of free drawing."""
    elements = [
        {
            "id": f"stroke-{number}",
            "type": "freedraw",
            "x": x,
            "y": y,
            "angle": 0,
            "strokeColor": "#1e1e1e",
            "isDeleted": False,
            "points": [[round(px - x, 2), round(py - y, 2)] for px, py in points],
            "pressures": [],
            "simulatePressure": True,
        }
        for number, points in enumerate(stroke.tolist() for stroke in ink.strokes)
        for x, y in points[:1]
    ]
    return _json(
        {"type": "excalidraw", "version": 2, "source": "https://excalidraw.com", "elements": elements}
    )


def mathpix(ink: Ink) -> bytes:
    """The body of a Mathpix `v3/strokes` request."""
    columns = {axis: [stroke[:, place].tolist() for stroke in ink.strokes] for place, axis in enumerate("xy")}
    return _json({"strokes": {"strokes": columns}})


def myscript_request(ink: Ink) -> bytes:
    """The body of a MyScript batch request."""
    strokes = [
        {"x": x, "y": y, "t": times, "p": [0.5] * len(x), "pointerType": "PEN"} for x, y, times in _timed(ink)
    ]
    return _json({"contentType": "Math", "xDPI": 96, "yDPI": 96, "strokeGroups": [{"strokes": strokes}]})


def jiix(ink: Ink) -> bytes:
    """A JIIX export of MyScript, strokes only."""
    items = [
        {"type": "stroke", "timestamp": f"2024-05-01 10:00:00.{number:06d}", "X": x, "Y": y, "T": times}
        for number, (x, y, times) in enumerate(_timed(ink))
    ]
    return _json({"type": "Math", "version": "3", "id": "MainBlock", "items": items})


def pointer_events(ink: Ink) -> bytes:
    """What a browser reports while somebody writes."""
    events: list[dict[str, object]] = []
    for x, y, times in _timed(ink):
        for place, (left, top, moment) in enumerate(zip(x, y, times, strict=True)):
            kind = "pointermove" if place else "pointerdown"
            events.append({"type": kind, "pointerId": 1, "x": left, "y": top, "timeStamp": moment})
        events.append({**events[-1], "type": "pointerup"})
    return _json(events)


def _timed(ink: Ink) -> list[tuple[list[float], list[float], list[int]]]:
    """x, y and the milliseconds of each stroke, as if the pen had reported at an even pace."""
    found, moment = [], 0
    for stroke in ink.strokes:
        times = [moment + PEN_MILLISECONDS * place for place in range(len(stroke))]
        found.append((stroke[:, 0].tolist(), stroke[:, 1].tolist(), times))
        moment = times[-1] + 30 * PEN_MILLISECONDS
    return found


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
