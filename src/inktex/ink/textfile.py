"""Decodes the bytes of a text file.

Ink files are old and not always in the encoding they claim: stray bytes of another encoding do not
make a file unreadable.
"""

import codecs
import re
from contextlib import suppress

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
