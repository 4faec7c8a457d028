"""The bytes of one file in, its inks out: the format is told by the content, never by the name.

Most files hold one ink; a notebook holds one per page, and each comes with its place (`page 2`).
"""

import zlib

from inktex.ink.core import Ink
from inktex.ink.errors import MAX_BYTES, InkError
from inktex.ink.inkml import read_inkml
from inktex.ink.textfile import decode, parse_xml

GZIP_MAGIC = b"\x1f\x8b"


class UnknownFormatError(InkError):
    """The content is of none of the formats; inside a folder such a file is passed over."""


def read_bytes(data: bytes) -> list[tuple[str | None, Ink]]:
    """Return the inks of one file, each with its place in the file (None where there is only one)."""
    if data.startswith(GZIP_MAGIC):
        data = _gunzip(data)
    if not data.strip(b"\0 \t\r\n"):
        raise UnknownFormatError("the file is empty")
    text = decode(data).lstrip()
    if text.startswith("<"):
        root = parse_xml(text)
        if root.tag == "ink":
            return [(None, read_inkml(root))]
        raise UnknownFormatError(f"XML, but not ink (its root element is <{root.tag[:40]}>)")
    raise UnknownFormatError("not a known ink format")


def _gunzip(data: bytes) -> bytes:
    """Decompress no further than the limit, so that a small file cannot fill the memory."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        unpacked = unpacker.decompress(data, MAX_BYTES + 1)
    except zlib.error as error:
        raise InkError(f"damaged gzip data ({error})") from None
    if len(unpacked) > MAX_BYTES:
        raise InkError(f"more than the limit of {MAX_BYTES // 2**20} MiB when decompressed")
    if not unpacker.eof:
        raise InkError("gzip data ends too early; the file is truncated")
    return unpacked
