"""InkML (W3C, and the dialects of CROHME and MathWriting): turns the root element into an `Ink`.

Channels are found by name in the `traceFormat` of a trace; X and Y are required, T becomes time and F
pressure. Truth is the annotation `truth` (CROHME) or `normalizedLabel` / `label` (MathWriting). The
innermost `traceGroup`s that have a label are the symbols; `annotationXML href` links one to its MathML leaf.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from inktex.ink.checks import Floats
from inktex.ink.core import Ink, Symbol
from inktex.ink.errors import InkError, shown
from inktex.ink.limits import MAX_STROKES
from inktex.ink.parsing import XML_ID
from inktex.ink.strokes import Stroke, at, build_ink, check_size, checked_points, joined
from inktex.ink.traces import parse_trace

_XML = "{http://www.w3.org/XML/1998/namespace}"
_MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML"'
_TRUTH_ANNOTATIONS = ("truth", "normalizedLabel", "label")  # the first one present counts
_MANY_CHANNELS = 64
_MAX_TRACES = 5 * MAX_STROKES  # some make one stroke together


@dataclass(frozen=True)
class Channels:
    """Where x, y, time and pressure stand in a point, and how many values every point has."""

    x: int = 0
    y: int = 1
    time: int | None = None
    pressure: int | None = None
    regular: int = 2
    signs: tuple[float, float] = (1.0, 1.0)  # of x and y


def read_inkml(root: Element) -> Ink:
    strokes, stroke_of_id = _read_traces(root)
    ink = build_ink(strokes, missing="no strokes (no <trace> with points in it)")
    annotations = _annotations(root)
    return ink.replace(
        truth=next((annotations[kind] for kind in _TRUTH_ANNOTATIONS if annotations.get(kind)), None),
        symbols=_symbols(root, stroke_of_id),
        mathml=next(filter(None, map(mathml_text, root.findall("annotationXML"))), None),
        writer=annotations.get("writer"),
    )


def _read_traces(root: Element) -> tuple[list[Stroke], dict[str, int]]:
    """Read all traces in document order; also return which stroke a trace id became."""
    strokes: list[list[Stroke]] = []  # each with the traces that go on with it, joined once at the end
    stroke_of_id: dict[str, int] = {}
    point_count = 0
    for number, (trace, channels) in enumerate(_traces(root)):
        if number == _MAX_TRACES:
            raise InkError(f"more than the limit of {_MAX_TRACES} traces")
        identifier = _identifier(trace)
        place = f"trace {number + 1}" if identifier is None else f"trace with id {shown(identifier)}"
        with at(place):
            stroke = _stroke(trace.text or "", channels)
        if stroke is None or trace.get("type", "").casefold() == "penup":
            continue  # nothing was drawn: no point, or the pen moved above the paper
        point_count += len(stroke.points)
        check_size(len(strokes) + 1, point_count)
        continued = len(strokes)
        if strokes and trace.get("continuation") in ("middle", "end"):
            continued = stroke_of_id.get(_reference(trace, "priorRef") or "", len(strokes) - 1)
            strokes[continued].append(stroke)
        else:
            strokes.append([stroke])
        if identifier is not None:
            stroke_of_id.setdefault(identifier, continued)
    return [joined(parts) for parts in strokes], stroke_of_id


def _traces(root: Element) -> Iterator[tuple[Element, Channels]]:
    """Yield every trace with its channels: by reference, or as the last format before it says."""
    formats = _formats(root)
    first = root.find(".//traceFormat")
    current = Channels() if first is None else _channels(first)
    waiting: list[tuple[Element, Channels | None]] = [(child, None) for child in reversed(root)]
    while waiting:
        element, inherited = waiting.pop()
        own = formats.get(_reference(element, "contextRef"), inherited)
        if element.tag == "trace":
            yield element, own or current
        elif element.tag in ("traceFormat", "context"):
            inner = _own_format(element)
            current = formats.get(_identifier(element)) or current if inner is None else _channels(inner)
        elif element.tag not in ("definitions", "annotation", "annotationXML"):
            waiting.extend((child, own) for child in reversed(element))


def _formats(root: Element) -> dict[str | None, Channels]:
    """The formats that traces can refer to, by the id of the format, its ink source or its context."""
    formats: dict[str | None, Channels] = {}
    for tag, references in (
        ("traceFormat", ()),
        ("inkSource", ("traceFormatRef",)),
        ("context", ("traceFormatRef", "inkSourceRef", "contextRef")),
    ):
        for element in root.iter(tag):
            identifier = _identifier(element)
            if identifier is None:
                continue
            inner = _own_format(element)
            known = (formats.get(_reference(element, name)) for name in references)
            found = next(filter(None, known), None) if inner is None else _channels(inner)
            if found is not None:
                formats[identifier] = found
    return formats


def _own_format(element: Element) -> Element | None:
    """The format that an element is or holds, looked for only where the standard puts it."""
    if element.tag == "traceFormat":
        return element
    found = element.find("traceFormat")
    return element.find("inkSource/traceFormat") if found is None else found


def _channels(trace_format: Element) -> Channels:
    channels = trace_format.findall("channel") + trace_format.findall("regularChannels/channel")
    names = [element.get("name", "").strip().upper() for element in channels]
    if not names:
        return Channels()
    if len(names) > _MANY_CHANNELS:
        raise InkError(f"{len(names)} channels, more than the limit of {_MANY_CHANNELS}", place="traceFormat")
    missing = [name for name in ("X", "Y") if name not in names]
    if missing:
        raise InkError(
            f"no channel {' and '.join(missing)} (channels: {shown(', '.join(names))})", place="traceFormat"
        )
    x, y = names.index("X"), names.index("Y")
    time, pressure = (names.index(name) if name in names else None for name in "TF")
    signs = [-1.0 if channels[at].get("orientation", "").startswith("-") else 1.0 for at in (x, y)]
    return Channels(x, y, time, pressure, len(names), (signs[0], signs[1]))


def _stroke(text: str, channels: Channels) -> Stroke | None:
    rows = parse_trace(text, channels.regular)  # (points, values)
    if not len(rows):
        return None
    if rows.shape[1] <= max(channels.x, channels.y):
        raise InkError(f"{rows.shape[1]} values in a point, but its format has {channels.regular} channels")
    points = checked_points(rows[:, [channels.x, channels.y]])
    if min(channels.signs) < 0:
        points *= channels.signs
    return Stroke(points, _column(rows, channels.time), _column(rows, channels.pressure))


def _column(rows: Floats, number: int | None) -> Floats | None:
    if number is None or number >= rows.shape[1] or not np.isfinite(rows[:, number]).all():
        return None
    return rows[:, number]


def _annotations(element: Element) -> dict[str, str]:
    """The annotations of one element by type; the first of each type counts."""
    found: dict[str, str] = {}
    for annotation in element.findall("annotation"):
        text = (annotation.text or "").strip()
        if text:
            found.setdefault(_kind(annotation), text)
    return found


def _kind(annotation: Element) -> str:
    """The type of an annotation. Some CROHME 2013 files misspell the attribute as `typx`."""
    misspelt = next((value for name, value in annotation.items() if name.startswith("typ")), "")
    return annotation.get("type", misspelt).strip()


def _symbols(root: Element, stroke_of_id: Mapping[str, int]) -> list[Symbol]:
    symbols = []
    for group in root.iter("traceGroup"):
        names = [_reference(child, "traceDataRef") for child in group if child.tag == "traceView"]
        names += [_identifier(child) for child in group if child.tag == "trace"]
        if not names:
            continue
        label = _annotations(group).get("truth")
        strokes = [stroke_of_id.get(name or "", -1) for name in names]
        if label is None or min(strokes) < 0:  # a group without a meaning, or one of ink that is not there
            continue
        leaf = next((x.get("href") for x in group.findall("annotationXML") if x.get("href")), None)
        symbols.append(Symbol(label, tuple(dict.fromkeys(strokes)), leaf.removeprefix("#") if leaf else None))
    return symbols


def _identifier(element: Element) -> str | None:
    return element.get(XML_ID) or element.get("id")


def _reference(element: Element, attribute: str) -> str | None:
    value = element.get(attribute)
    return value.strip().removeprefix("#") if value else None


def mathml_text(annotation: Element) -> str | None:
    """Return the MathML inside an `<annotationXML>` in a plain form: no prefixes, no blanks, ids as `xml:id`.

    The plain form of the plain form is itself, so that what is written reads back equal.
    """
    if not len(annotation):
        return None
    math = annotation[0]
    if math.tag != "math":
        math = Element("math")
        math.extend(annotation)
    parts = [f"{_MATH}{_attributes(math)}>{xml_text((math.text or '').strip())}"]
    # A stack instead of recursion; a text on it is an end tag that waits for the children before it.
    waiting: list[Element | str] = list(reversed(math))
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        parts.append(f"<{item.tag}{_attributes(item)}>{xml_text((item.text or '').strip())}")
        waiting.append(f"</{item.tag}>{xml_text((item.tail or '').strip())}")
        waiting.extend(reversed(item))
    parts.append("</math>")
    return "".join(parts)


def xml_text(text: str) -> str:
    """Escape text between tags; a carriage return would otherwise come back as a line feed."""
    return escape(text, {"\r": "&#13;"})


def _attributes(element: Element) -> str:
    texts = []
    for name, value in element.items():
        plain = "xml:id" if name == XML_ID or (name == "id" and XML_ID not in element.attrib) else name
        if plain.startswith(_XML):
            plain = f"xml:{plain.removeprefix(_XML)}"
        if "{" not in plain:  # attributes of other namespaces mean nothing to MathML
            texts.append(f" {plain}={quoteattr(value)}")
    return "".join(texts)
