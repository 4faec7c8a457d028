"""A small expression as somebody could have drawn it, and a file of every format that holds it."""

import gzip
import json
import math

from inktex.ink import Ink, Symbol


def arc(
    x: float, y: float, radius: float, begin: float, end: float, count: int = 12
) -> list[tuple[float, float]]:
    """Points on a part of a circle, angles in degrees, clockwise on a screen (y down)."""
    angles = [math.radians(begin + (end - begin) * i / (count - 1)) for i in range(count)]
    return [(round(x + radius * math.cos(a), 2), round(y + radius * math.sin(a), 2)) for a in angles]


def line(x0: float, y0: float, x1: float, y1: float, count: int = 6) -> list[tuple[float, float]]:
    """Evenly spaced points from one end to the other."""
    steps = [i / (count - 1) for i in range(count)]
    return [(round(x0 + (x1 - x0) * s, 2), round(y0 + (y1 - y0) * s, 2)) for s in steps]


# x² + i: two crossing strokes, a two, a plus, and an i with its dot (a stroke of one point).
STROKES = [
    line(10, 40, 34, 70),
    line(34, 40, 10, 70),
    [*arc(45, 26, 6, 180, 380), *line(50, 28, 40, 42), *line(40, 42, 54, 42, 4)],
    line(64, 55, 88, 55),
    line(76, 43, 76, 67),
    [*line(104, 50, 104, 66), *arc(107, 66, 3, 180, 30, 5)],
    [(104.0, 42.0)],
]
SYMBOLS = (
    Symbol("x", (0, 1), "x_1"),
    Symbol("2", (2,), "2_1"),
    Symbol("+", (3, 4), "+_1"),
    Symbol("i", (5, 6), "i_1"),
)
TRUTH = "x^{2} + i"
MATHML = (
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><mrow><msup>'
    '<mi xml:id="x_1">x</mi><mn xml:id="2_1">2</mn></msup>'
    '<mrow><mo xml:id="+_1">+</mo><mi xml:id="i_1">i</mi></mrow></mrow></math>'
)
INK = Ink.from_strokes(STROKES, truth=TRUTH, symbols=SYMBOLS, mathml=MATHML, writer="ada")
BARE = Ink.from_strokes(STROKES)


def trace_text(stroke: list[tuple[float, float]]) -> str:
    return ", ".join(f"{x:g} {y:g}" for x, y in stroke)


def inkml_crohme() -> bytes:
    traces = "\n".join(
        f'<trace id="{n}">\n{trace_text(stroke)}\n</trace>' for n, stroke in enumerate(STROKES)
    )
    groups = "\n".join(
        f'\t<traceGroup xml:id="{20 + n}">\n\t\t<annotation type="truth">{symbol.label}</annotation>\n'
        + "".join(f'\t\t<traceView traceDataRef="{stroke}"/>\n' for stroke in symbol.strokes)
        + f'\t\t<annotationXML href="{symbol.id}"/>\n\t</traceGroup>'
        for n, symbol in enumerate(SYMBOLS)
    )
    return f"""<ink xmlns="http://www.w3.org/2003/InkML">
<traceFormat>
<channel name="X" type="decimal"/>
<channel name="Y" type="decimal"/>
</traceFormat>
<annotation type="truth">{TRUTH}</annotation>
<annotation type="UI">sample</annotation>
<annotation type="writer">ada</annotation>
<annotationXML type="truth" encoding="Content-MathML">
\t<math xmlns='http://www.w3.org/1998/Math/MathML'>
\t\t<mrow>
\t\t\t<msup>
\t\t\t\t<mi xml:id="x_1">x</mi>
\t\t\t\t<mn xml:id="2_1">2</mn>
\t\t\t</msup>
\t\t\t<mrow>
\t\t\t\t<mo xml:id="+_1">+</mo>
\t\t\t\t<mi xml:id="i_1">i</mi>
\t\t\t</mrow>
\t\t</mrow>
\t</math>
</annotationXML>
{traces}
<traceGroup xml:id="19">
\t<annotation type="truth">Segmentation</annotation>
{groups}
</traceGroup>
</ink>
""".encode()


def inkml_mathwriting() -> bytes:
    traces = ""
    moment = 0
    for number, stroke in enumerate(STROKES):
        rows = []
        for x, y in stroke:
            moment += 8
            rows.append(f"{x:g} {y:g} {moment}")
        traces += f'<trace id="{number}">{",".join(rows)}</trace>\n'
    return f"""<ink xmlns="http://www.w3.org/2003/InkML">
<annotation type="sampleId">00c1d2</annotation>
<annotation type="splitTagOriginal">train</annotation>
<annotation type="inkCreationMethod">human</annotation>
<annotation type="label">x ^2+i</annotation>
<annotation type="normalizedLabel">x^{{2}}+i</annotation>
<traceFormat>
<channel name="X" type="decimal"/>
<channel name="Y" type="decimal"/>
<channel name="T" type="decimal"/>
</traceFormat>
{traces}</ink>""".encode()


def inkml_w3c() -> bytes:
    """Prefixes, contexts, channels in another order, groups that hold their traces, differences."""
    return b"""<?xml version="1.0" encoding="UTF-8"?>
<i:ink xmlns:i="http://www.w3.org/2003/InkML">
<i:definitions>
 <i:context xml:id="pen"><i:inkSource xml:id="tablet"><i:traceFormat xml:id="yfx">
  <i:channel name="Y" type="integer"/><i:channel name="F" type="integer" max="1023"/>
  <i:channel name="X" type="integer"/>
  <i:intermittentChannels><i:channel name="OTx" type="integer"/></i:intermittentChannels>
 </i:traceFormat></i:inkSource></i:context>
</i:definitions>
<i:traceGroup contextRef="#pen">
 <i:annotation type="truth">x</i:annotation>
 <i:trace xml:id="t1">40 300 10,50 310 18 5,60 320 26,70 300 34</i:trace>
 <i:trace xml:id="t2">40 300 34,'10'5'-8,10 5-8,10 5 -8</i:trace>
</i:traceGroup>
<i:trace xml:id="hover" contextRef="#pen" type="penUp">1 2 3,4 5 6</i:trace>
</i:ink>"""


def scgink() -> bytes:
    lines = ["SCG_INK", str(len(STROKES))]
    for stroke in STROKES:
        lines.append(str(len(stroke)))
        lines += [f"{x:g} {y:g}" for x, y in stroke]
    return "\n".join(lines).encode() + b"\n"


def xournal_xml(pages: int = 1) -> str:
    def stroke_element(stroke: list[tuple[float, float]]) -> str:
        widths = " ".join(["1.41", *(f"{0.5 + 0.01 * n:g}" for n in range(len(stroke) - 1))])
        coordinates = " ".join(f"{x:g} {y:g}" for x, y in stroke)
        return f'<stroke tool="pen" ts="0ll" fn="" color="#000000ff" width="{widths}">{coordinates}</stroke>'

    body = "\n".join(map(stroke_element, STROKES))
    page = (
        '<page width="595.27" height="841.89">\n<background type="solid" color="#ffffffff" style="lined"/>\n'
        f'<layer>\n{body}\n<stroke tool="highlighter" color="#ffff007f" width="8.5">0 0 50 50</stroke>\n'
        '<text font="Sans" size="12" x="9" y="9" color="#000000ff">home work</text>\n</layer>\n</page>\n'
    )
    empty = '<page width="595.27" height="841.89"><background type="solid"/><layer/></page>\n'
    body_pages = page if pages == 1 else page + empty + page * (pages - 2)
    return (
        '<?xml version="1.0" standalone="no"?>\n<xournal creator="Xournal++ 1.2.0" fileversion="4">\n'
        f"<title>Xournal++ document</title>\n<preview>iVBORw0KGgo=</preview>\n{body_pages}</xournal>\n"
    )


def xopp(pages: int = 1) -> bytes:
    return gzip.compress(xournal_xml(pages).encode(), mtime=0)


def excalidraw() -> bytes:
    elements: list[dict[str, object]] = [
        {"type": "rectangle", "x": 0, "y": 0, "width": 200, "height": 100, "isDeleted": False},
        {"type": "freedraw", "x": 5, "y": 5, "points": [[0, 0], [9, 9]], "isDeleted": True, "pressures": []},
    ]
    for number, stroke in enumerate(STROKES):
        x, y = stroke[0]
        elements.append(
            {
                "id": f"stroke{number}",
                "type": "freedraw",
                "x": x,
                "y": y,
                "angle": 0,
                "strokeColor": "#1e1e1e",
                "isDeleted": False,
                "points": [[px - x, py - y] for px, py in stroke],
                "pressures": [],
                "simulatePressure": True,
            }
        )
    return json.dumps(
        {"type": "excalidraw", "version": 2, "source": "https://excalidraw.com", "elements": elements}
    ).encode()


def mathpix() -> bytes:
    columns = {axis: [[point[i] for point in stroke] for stroke in STROKES] for i, axis in enumerate("xy")}
    return json.dumps({"strokes": {"strokes": columns}}).encode()


def jiix() -> bytes:
    def item(number: int) -> dict[str, object]:
        stroke = STROKES[number]
        return {
            "type": "stroke",
            "timestamp": f"2024-05-01 10:00:{number:02d}.000000",
            "X": [x for x, _ in stroke],
            "Y": [y for _, y in stroke],
            "F": [0.5] * len(stroke),
            "T": [10 * i for i in range(len(stroke))],
        }

    # Reading order differs from writing order: the plus comes first in the tree.
    tree = {
        "type": "Math",
        "version": "3",
        "id": "MainBlock",
        "bounding-box": {"x": 10, "y": 20, "width": 97, "height": 50},
        "expressions": [
            {
                "type": "+",
                "items": [item(3), item(4)],
                "operands": [
                    {
                        "type": "superscript",
                        "operands": [
                            {"type": "symbol", "label": "x", "items": [item(0), item(1)]},
                            {"type": "number", "label": "2", "value": 2, "items": [item(2)]},
                        ],
                    },
                    {"type": "symbol", "label": "i", "items": [item(5), item(6)]},
                ],
            }
        ],
    }
    return json.dumps(tree).encode()


def myscript_request() -> bytes:
    strokes = [
        {
            "x": [x for x, _ in stroke],
            "y": [y for _, y in stroke],
            "t": [1000 + 10 * i for i in range(len(stroke))],
            "p": [0.4] * len(stroke),
            "pointerType": "PEN",
        }
        for stroke in STROKES
    ]
    return json.dumps({"contentType": "Math", "xDPI": 96, "strokeGroups": [{"strokes": strokes}]}).encode()


def pointer_events() -> bytes:
    events: list[dict[str, object]] = [
        {"type": "pointermove", "pointerId": 1, "x": 0, "y": 0, "timeStamp": 1}
    ]
    moment = 10
    for stroke in STROKES:
        for number, (x, y) in enumerate(stroke):
            moment += 8
            kind = "pointermove" if number else "pointerdown"
            events.append(
                {"type": kind, "pointerId": 1, "x": x, "y": y, "timeStamp": moment, "pressure": 0.5}
            )
        events.append(
            {"type": "pointerup", "pointerId": 1, "x": x, "y": y, "timeStamp": moment + 1, "pressure": 0}
        )
    return json.dumps(events).encode()


def plain_json() -> bytes:
    return json.dumps([[list(point) for point in stroke] for stroke in STROKES]).encode()


def object_json() -> bytes:
    data = {
        "strokes": [[list(point) for point in stroke] for stroke in STROKES],
        "time": [[10 * i for i in range(len(stroke))] for stroke in STROKES],
        "truth": TRUTH,
        "symbols": [{"label": s.label, "strokes": list(s.strokes), "id": s.id} for s in SYMBOLS],
        "mathml": MATHML,
        "writer": "ada",
    }
    return json.dumps(data).encode()


# Each of these files holds the strokes above.
FILES = {
    "crohme.inkml": inkml_crohme(),
    "mathwriting.inkml": inkml_mathwriting(),
    "sample.scgink": scgink(),
    "sample.xopp": xopp(),
    "sample.excalidraw": excalidraw(),
    "mathpix.json": mathpix(),
    "sample.jiix": jiix(),
    "request.json": myscript_request(),
    "events.json": pointer_events(),
    "plain.json": plain_json(),
    "object.json": object_json(),
}
