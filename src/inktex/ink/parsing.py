"""From the bytes of a file to its text, and from text to XML elements or JSON values, within limits.

Ink files are old and not always in the encoding they claim: stray bytes of another encoding do not make a
file unreadable. XML is parsed by defusedxml: entities and external references are refused (they can read
other files, or grow without end), and elements are counted while they are parsed, so that a tree past the
limits is never built. JSON is counted before it is parsed.
"""

import codecs
import json
import re
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from inktex.ink.errors import InkError
from inktex.ink.limits import Limits

XML_ID = "{http://www.w3.org/XML/1998/namespace}id"

_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is the beginning of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Python knows more codecs, but some decode in quadratic time and some are no character sets at all.
_CHARACTER_SETS = re.compile(
    r"utf-?(8|16|16-?[lb]e|32)|(us-)?ascii|iso-?8859-?\d+|latin-?1|windows-?\d+|cp\d+|shift-?_?jis|euc-?(jp|kr)|"
    r"iso-?2022-?(jp|kr)|gb-?(2312|k|18030)|big-?5|koi8-?[ru]|mac-?roman",
    re.IGNORECASE,
)
_STRAY_BYTES = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(128, 256)}

_XML_PIECE = 64 * 1024  # characters given to the parser at a time
_MAX_TOKEN = 1024 * 1024  # bytes of one tag or comment, which the parser holds at once

_ESCAPED = re.compile(r"\\.", re.DOTALL)
_JSON_PIECE = 1024 * 1024
_STEP_OF_CODE = np.zeros(256, dtype=np.int8)
_STEP_OF_CODE[[*b"[{"]] = 1
_STEP_OF_CODE[[*b"]}"]] = -1


def decode(data: bytes) -> str:
    """Return the text of a file: by its byte order mark, as UTF-8, or as its XML head declares."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace").removeprefix("\ufeff")
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8")
    head = _DECLARED.match(data[:400])
    declared = head.group(1).decode("ascii") if head else "utf-8"
    if _CHARACTER_SETS.fullmatch(declared):
        with suppress(LookupError):  # an encoding that there could be, but is not
            if codecs.lookup(declared).name != "utf-8":
                return data.decode(declared, errors="replace")
    # UTF-8 with some bytes of Windows-1252 in it: the rest of the file keeps its characters.
    return data.decode("utf-8", errors="surrogateescape").translate(_STRAY_BYTES)


def parse_xml(text: str, limits: Limits) -> ET.Element:
    """Parse XML into elements named without their namespaces."""
    parser = DefusedXMLParser(target=_Builder(limits), forbid_entities=True, forbid_external=True)
    expat = parser.parser
    fed = 0
    try:
        for start in range(0, len(text), _XML_PIECE):
            piece = text[start : start + _XML_PIECE]
            parser.feed(piece)
            fed += len(piece.encode("utf-8"))
            if fed - max(0, expat.CurrentByteIndex) > _MAX_TOKEN + 4 * _XML_PIECE:
                raise InkError(f"a tag or comment of more than {_MAX_TOKEN // 2**20} MiB")
        root: ET.Element = parser.close()
    except InkError as error:
        raise error.inside(place=f"line {expat.CurrentLineNumber}") from None
    except DefusedXmlException:
        raise InkError(
            "declares XML entities, which are refused (they can read other files or grow without end)",
            place=f"line {expat.CurrentLineNumber}",
        ) from None
    except ET.ParseError as error:
        line, column = error.position
        reason = str(error).partition(":")[0]
        raise InkError(f"not well-formed XML ({reason})", place=f"line {line}, column {column + 1}") from None
    except (ValueError, LookupError) as error:  # an encoding in the XML head that does not exist
        raise InkError(f"not readable as XML ({error})", place="line 1") from None
    return root


class _Builder:
    """Builds the tree, counting."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._tree = ET.TreeBuilder()
        self._depth = self._elements = 0
        self.data, self.close = self._tree.data, self._tree.close

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        limits = self._limits
        self._depth += 1
        self._elements += 1
        if self._depth > limits.depth:
            raise InkError(f"elements nested deeper than {limits.depth}")
        if self._elements > limits.elements:
            raise InkError(f"more than the limit of {limits.elements} XML elements")
        if len(attributes) > limits.attributes:
            raise InkError(f"more than the limit of {limits.attributes} attributes of one XML element")
        self._tree.start(_plain(tag), attributes)

    def end(self, tag: str) -> None:
        self._depth -= 1
        self._tree.end(_plain(tag))


def _plain(tag: str) -> str:
    return tag[tag.index("}") + 1 :] if tag[0] == "{" else tag


def parse_json(text: str, limits: Limits) -> Any:
    """Parse JSON; what is wrong with it is one `InkError`."""
    nodes = text.count("[") + text.count("{")
    if nodes > limits.nodes:
        raise InkError(f"more than the limit of {limits.nodes} JSON lists and objects")
    if nodes + text.count(",") > limits.values:
        raise InkError(f"more than the limit of {limits.values} JSON values")
    if nodes > limits.depth and _depth(text) > limits.depth:
        raise InkError(f"JSON nested deeper than {limits.depth}")
    try:
        return json.loads(text)  # NaN and Infinity too: who takes the number says where it stands
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InkError(f"not valid JSON ({error.msg})", place=place) from None
    except RecursionError:
        raise InkError(f"JSON nested deeper than {limits.depth}") from None
    except ValueError:  # an integer of thousands of digits
        raise InkError("a number too long to be a coordinate") from None


def _depth(text: str) -> int:
    """How deep the lists and objects of a JSON text nest; brackets in strings do not count."""
    if "\\" in text:
        text = _ESCAPED.sub("", text)
    deepest = depth = 0
    inside = False  # a string
    for start in range(0, len(text), _JSON_PIECE):
        codes = np.frombuffer(text[start : start + _JSON_PIECE].encode("ascii", "replace"), np.uint8)
        quotes = np.logical_xor(np.cumsum(codes == ord('"')) % 2 == 1, inside)
        steps = _STEP_OF_CODE[codes] * ~quotes
        depths = depth + np.cumsum(steps, dtype=np.int64)
        deepest, depth, inside = max(deepest, int(depths.max())), int(depths[-1]), bool(quotes[-1])
    return deepest
