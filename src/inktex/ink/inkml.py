"""InkML (W3C, and the dialects of CROHME and MathWriting): turns the root element into an `Ink`.

Channels are found by name in the `traceFormat` of a trace; X and Y are required, T becomes time and F
pressure. Truth is the annotation `truth` (CROHME) or `normalizedLabel` / `label` (MathWriting). The
innermost `traceGroup`s that have a label are the symbols; `annotationXML href` links one to its MathML leaf.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from inktex.ink.checks import Floats
from inktex.ink.core import Ink, Symbol
from inktex.ink.errors import InkError, shown
from inktex.ink.limits import MAX_STROKES
from inktex.ink.mathml import mathml_text
from inktex.ink.strokes import Stroke, at, build_ink, check_size, checked_points, joined
from inktex.ink.traces import parse_trace
from inktex.ink.xmlfile import XML_ID

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
    sign_x: float = 1.0
    sign_y: float = 1.0


def read_inkml(root: Element) -> Ink:
    """Read one InkML document."""
    strokes, stroke_of_id = _read_traces(root)
    if not strokes:
        raise InkError("no strokes (no <trace> with points in it)")
    annotations = _annotations(root)
    return build_ink(
        strokes,
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
        try:
            stroke = _stroke(trace.text or "", channels)
        except InkError as error:
            raise at(place, error) from None
        if stroke is None or trace.get("type", "").casefold() == "penup":
            continue  # nothing was drawn: no point, or the pen moved above the paper
        point_count += len(stroke.points)
        check_size(len(strokes) + 1, point_count)
        continued = _continued(trace, strokes, stroke_of_id)
        if continued is None:
            continued = len(strokes)
            strokes.append([stroke])
        else:
            strokes[continued].append(stroke)
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
            if inner is not None:
                formats[identifier] = _channels(inner)
                continue
            known = (formats.get(_reference(element, name)) for name in references)
            found = next((channels for channels in known if channels is not None), None)
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

    def sign(name: str) -> float:
        return -1.0 if channels[names.index(name)].get("orientation", "").startswith("-") else 1.0

    return Channels(
        x=names.index("X"),
        y=names.index("Y"),
        time=names.index("T") if "T" in names else None,
        pressure=names.index("F") if "F" in names else None,
        regular=len(names),
        sign_x=sign("X"),
        sign_y=sign("Y"),
    )


def _stroke(text: str, channels: Channels) -> Stroke | None:
    rows = parse_trace(text, channels.regular)  # (points, values)
    if not len(rows):
        return None
    if rows.shape[1] <= max(channels.x, channels.y):
        raise InkError(f"{rows.shape[1]} values in a point, but its format has {channels.regular} channels")
    points = checked_points(rows[:, [channels.x, channels.y]])
    if channels.sign_x < 0 or channels.sign_y < 0:
        points *= (channels.sign_x, channels.sign_y)
    return Stroke(points, _column(rows, channels.time), _column(rows, channels.pressure))


def _column(rows: Floats, number: int | None) -> Floats | None:
    if number is None or number >= rows.shape[1] or not np.isfinite(rows[:, number]).all():
        return None
    return rows[:, number]


def _continued(trace: Element, strokes: Sequence[object], stroke_of_id: Mapping[str, int]) -> int | None:
    """The stroke that a trace goes on with (`continuation`), None for a stroke of its own."""
    if trace.get("continuation") not in ("middle", "end") or not strokes:
        return None
    return stroke_of_id.get(_reference(trace, "priorRef") or "", len(strokes) - 1)


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
    kind = annotation.get("type")
    if kind is None:
        kind = next((value for name, value in annotation.items() if name.startswith("typ")), "")
    return kind.strip()


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
