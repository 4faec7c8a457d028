"""Detects the format of a file by its content, never by its name, and reads its inks.

Most files hold one ink; a notebook holds one per page, each with its place (`page 2`).
"""

import zlib
from collections.abc import Callable, Mapping
from typing import Any

from inktex.ink import services
from inktex.ink.archives import GZIP_MAGIC
from inktex.ink.core import Ink
from inktex.ink.drawings import is_excalidraw, read_excalidraw, read_xournal
from inktex.ink.errors import InkError, shown
from inktex.ink.inkml import read_inkml
from inktex.ink.jsonvalues import kind
from inktex.ink.limits import DEFAULT_LIMITS, MIB, LimitError, Limits
from inktex.ink.parsing import decode, parse_json, parse_xml
from inktex.ink.plain import read_plain
from inktex.ink.scgink import MAGIC as SCGINK_MAGIC
from inktex.ink.scgink import read_scgink

KNOWN_FORMATS = "InkML, SCGINK, Xournal++, Excalidraw, Mathpix, MyScript, or strokes as JSON"

_JSON_OBJECTS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Ink]], ...] = (
    (is_excalidraw, read_excalidraw),
    (services.is_mathpix, services.read_mathpix),
    (lambda data: isinstance(data.get("strokes"), list), read_plain),
    (services.is_myscript, services.read_myscript),
)


class UnknownFormatError(InkError):
    """The content is of none of the formats; inside a folder such a file is passed over."""


def read_bytes(data: bytes, limits: Limits = DEFAULT_LIMITS) -> list[tuple[str | None, Ink | InkError]]:
    """Return the inks of one file, each with its place in the file (None where there is only one)."""
    if data.startswith(GZIP_MAGIC):
        data = _gunzip(data, limits)
    if len(data) > limits.file_bytes:
        size = _mib(limits.file_bytes)
        raise InkError(f"the file is larger than the limit of {size}; split it into its expressions")
    return [(place, _within(ink, limits)) for place, ink in _inks(data, limits)]


def _within(ink: Ink | InkError, limits: Limits) -> Ink | InkError:
    if isinstance(ink, Ink):
        strokes, points = len(ink), len(ink.points)
        for what, number, most in (("strokes", strokes, limits.strokes), ("points", points, limits.points)):
            if number > most:
                return InkError(f"{number} {what}, more than the limit of {most}")
    return ink


def _inks(data: bytes, limits: Limits) -> list[tuple[str | None, Ink | InkError]]:
    if not data.strip(b"\0 \t\r\n"):
        raise UnknownFormatError("the file is empty; save or export the ink again")
    text = decode(data).lstrip()
    if text.startswith("<"):
        root = parse_xml(text, limits)
        if root.tag == "ink":
            return [(None, read_inkml(root))]
        if root.tag == "xournal":
            return read_xournal(root)
        raise UnknownFormatError(f"XML, but not ink (its root element is {shown(root.tag)})")
    if text.startswith(("{", "[")):
        return [(None, read_json(parse_json(text, limits)))]
    if text.startswith(SCGINK_MAGIC):
        return [(None, read_scgink(text))]
    raise UnknownFormatError(f"none of the known ink formats ({KNOWN_FORMATS})")


def read_json(data: Any) -> Ink:
    if isinstance(data, list):
        if data and services.is_pointer_events(data[0]):
            return services.read_pointer_events(data)
        if data and not isinstance(data[0], list | Mapping):
            raise UnknownFormatError(
                f"JSON, but not ink (a list of strokes cannot begin with {kind(data[0])})"
            )
        return read_plain(data)
    if isinstance(data, Mapping):
        for is_format, read in _JSON_OBJECTS:
            if is_format(data):
                return read(data)
    members = ", ".join(map(shown, list(data)[:6])) if isinstance(data, Mapping) else kind(data)
    raise UnknownFormatError(f"JSON, but none of the known ink formats (found: {members or 'nothing'})")


def _gunzip(data: bytes, limits: Limits) -> bytes:
    """Decompress no further than the limit, so that a small file cannot fill the memory."""
    unpacker = zlib.decompressobj(wbits=31)
    most = min(limits.file_bytes, limits.unpacked(len(data)))
    try:
        unpacked = unpacker.decompress(data, most + 1)
    except zlib.error as error:
        raise InkError(f"damaged gzip data ({error})") from None
    if len(unpacked) > most:
        if most < limits.file_bytes:
            raise LimitError(limits.too_packed)
        raise LimitError(f"more than the limit of {_mib(most)} when decompressed")
    if not unpacker.eof:
        raise InkError("gzip data ends too early; the file is truncated")
    return unpacked


def _mib(size: int) -> str:
    return f"{size // MIB} MiB" if size >= MIB else f"{size} bytes"
