"""Parses XML incrementally with defusedxml, within limits.

Entities and external references are refused (they can read other files, or grow without end). Elements are
counted while they are parsed, so that a tree past the limits is never built.
"""

from xml.etree import ElementTree as ET

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from inktex.ink.errors import InkError
from inktex.ink.limits import Limits

XML_ID = "{http://www.w3.org/XML/1998/namespace}id"

_PIECE = 64 * 1024  # characters given to the parser at a time
_MAX_TOKEN = 1024 * 1024  # bytes of one tag or comment, which the parser holds at once


def parse_xml(text: str, limits: Limits) -> ET.Element:
    """Parse XML into elements named without their namespaces."""
    parser = DefusedXMLParser(target=_Builder(limits), forbid_entities=True, forbid_external=True)
    expat = parser.parser
    fed = 0
    try:
        for start in range(0, len(text), _PIECE):
            piece = text[start : start + _PIECE]
            parser.feed(piece)
            fed += len(piece.encode("utf-8"))
            if fed - max(0, expat.CurrentByteIndex) > _MAX_TOKEN + 4 * _PIECE:
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
        self._depth = 0
        self._elements = 0
        self.data = self._tree.data

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

    def close(self) -> ET.Element:
        return self._tree.close()


def _plain(tag: str) -> str:
    return tag[tag.index("}") + 1 :] if tag[0] == "{" else tag
