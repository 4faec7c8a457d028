"""Ink in, a file out: InkML for other programs, plain JSON for scripts. What is written reads back equal.

Numbers are written with as many digits as they need to be the same number again.
"""

import json
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import quoteattr

from inktex.files import write_atomically
from inktex.ink.core import Ink
from inktex.ink.drawings import refuse_empty, write_excalidraw, write_xournal
from inktex.ink.errors import InkError
from inktex.ink.inkml import mathml_text, xml_text
from inktex.ink.limits import DEFAULT_LIMITS
from inktex.ink.parsing import parse_xml


def write_inkml(ink: Ink) -> str:
    """Return the ink as an InkML document in the dialect of CROHME."""
    refuse_empty(ink)
    known = {"X": ink.points[:, 0], "Y": ink.points[:, 1], "T": ink.time, "F": ink.pressure}
    channels = {name: values.tolist() for name, values in known.items() if values is not None}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<ink xmlns="http://www.w3.org/2003/InkML">']
    lines += ["<traceFormat>", *(f'<channel name="{name}" type="decimal"/>' for name in channels)]
    lines.append("</traceFormat>")
    for kind, text in (("writer", ink.writer), ("truth", ink.truth)):
        if text is not None:
            lines.append(f'<annotation type="{kind}">{xml_text(text)}</annotation>')
    if ink.mathml is not None:
        plain = _plain_mathml(ink.mathml)
        lines.append(f'<annotationXML type="truth" encoding="MathML">{plain}</annotationXML>')
    columns = ([repr(value).removesuffix(".0") for value in values] for values in channels.values())
    rows = list(zip(*columns, strict=True))
    for number, (begin, end) in enumerate(pairwise(ink.offsets.tolist())):
        points = rows[begin:end]
        lines.append(f'<trace id="{number}">{", ".join(map(" ".join, points))}</trace>')
    if ink.symbols:
        lines.append('<traceGroup><annotation type="truth">Segmentation</annotation>')
        for symbol in ink.symbols:
            lines.append(f'<traceGroup><annotation type="truth">{xml_text(symbol.label)}</annotation>')
            lines += [f'<traceView traceDataRef="{stroke}"/>' for stroke in symbol.strokes]
            if symbol.id is not None:
                # Readers take one leading # away, as InkML uses it to refer to ids.
                reference = f"#{symbol.id}" if symbol.id.startswith("#") else symbol.id
                lines.append(f"<annotationXML href={quoteattr(reference)}/>")
            lines.append("</traceGroup>")
        lines.append("</traceGroup>")
    lines.append("</ink>\n")
    return "\n".join(lines)


def write_json(ink: Ink) -> str:
    """Return the ink as a JSON object: "strokes" as lists of [x, y], and what else is known."""
    refuse_empty(ink)
    data: dict[str, object] = {
        "strokes": [[[_short(x), _short(y)] for x, y in stroke.tolist()] for stroke in ink.strokes]
    }
    for name, channel in (("time", ink.time), ("pressure", ink.pressure)):
        if channel is not None:
            values = list(map(_short, channel.tolist()))
            data[name] = [values[begin:end] for begin, end in pairwise(ink.offsets.tolist())]
    texts = {"truth": ink.truth, "mathml": ink.mathml, "writer": ink.writer}
    data |= {name: text for name, text in texts.items() if text is not None}
    if ink.symbols:
        data["symbols"] = [
            {"label": symbol.label, "strokes": list(symbol.strokes)}
            | ({"id": symbol.id} if symbol.id else {})
            for symbol in ink.symbols
        ]
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def save(ink: Ink, path: str | os.PathLike[str]) -> None:
    """Write the ink to a file, whole or not at all; the ending of its name says in which format.

    `.json` and `.inkml` keep everything; `.xopp`, `.excalidraw` and `.svg` are drawings.
    """
    target = Path(path)
    writers: dict[str, Callable[[Ink], str | bytes]] = {
        ".json": write_json,
        ".inkml": write_inkml,
        ".xopp": write_xournal,
        ".excalidraw": write_excalidraw,
        ".svg": Ink.to_svg,
    }
    writer = writers.get(target.suffix.casefold())
    if writer is None:
        raise InkError(
            f"cannot tell the format from {target.suffix!r}; use {', '.join(writers)}", source=str(target)
        )
    write_atomically(target, writer(ink))


def _plain_mathml(mathml: str) -> str:
    try:
        plain = mathml_text(parse_xml(f"<annotationXML>{mathml}</annotationXML>", DEFAULT_LIMITS))
    except InkError as error:
        raise InkError(f"the MathML of this ink is not well-formed ({error})") from None
    return plain or ""


def _short(value: float) -> float | int:
    """Write 5 instead of 5.0; past 2**53 the digits of an int would only pretend to be exact."""
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
