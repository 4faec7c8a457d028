"""The bytes of a text file in, its text or its XML tree out.

Ink files are old, and not all are what they say: stray bytes of another encoding do not cost the file. XML is
parsed without ever following an entity.
"""

import codecs
import re
from contextlib import suppress
from xml.etree import ElementTree as ET

from inktex.ink.errors import MAX_BYTES, MAX_NODES, InkError

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


def decode(data: bytes) -> str:
    """Return the text of a file: by its byte order mark, as UTF-8, or as its XML head declares."""
    if len(data) > MAX_BYTES:
        raise InkError(
            f"the file is larger than the limit of {MAX_BYTES // 2**20} MiB; split it into its expressions"
        )
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace").removeprefix("\ufeff")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    head = _DECLARED.match(data[:400])
    declared = head.group(1).decode("ascii") if head else "utf-8"
    if _CHARACTER_SETS.fullmatch(declared):
        with suppress(LookupError):  # an encoding that there could be, but is not
            if codecs.lookup(declared).name != "utf-8":
                return data.decode(declared, errors="replace")
    # UTF-8 with some bytes of Windows-1252 in it: the rest of the file keeps its characters.
    return data.decode("utf-8", errors="surrogateescape").translate(_STRAY_BYTES)


def parse_xml(text: str) -> ET.Element:
    """Parse XML into elements named without their namespaces; entities are refused, sizes limited."""
    entity = text.find("<!ENTITY")
    if entity >= 0:
        raise InkError(
            "declares XML entities, which are refused (they can read other files or grow without end)",
            place=f"line {text.count(chr(10), 0, entity) + 1}",
        )
    if text.count("<") > MAX_NODES:
        raise InkError(f"more than {MAX_NODES} XML tags")
    parser = ET.XMLParser()  # noqa: S314 - see above
    try:
        parser.feed(text)
        root: ET.Element = parser.close()
    except ET.ParseError as error:
        line, column = error.position
        reason = str(error).partition(":")[0]
        raise InkError(f"not well-formed XML ({reason})", place=f"line {line}, column {column + 1}") from None
    except (ValueError, LookupError) as error:  # an encoding in the XML head that does not exist
        raise InkError(f"not readable as XML ({error})", place="line 1") from None
    for element in root.iter():
        if element.tag[0] == "{":
            element.tag = element.tag[element.tag.index("}") + 1 :]
    return root
