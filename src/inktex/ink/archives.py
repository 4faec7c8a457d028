"""An open zip archive in, its members out, one after the other: names with their bytes, or why not.

Archives may hold archives. A bomb (few bytes that unpack to many) is refused from what the archive itself
says of its members, before anything is unpacked.
"""

import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from inktex.ink.errors import MAX_ARCHIVE_BYTES, MAX_ARCHIVE_DEPTH, MAX_BYTES, InkError

MAX_RATIO = 250  # of unpacked to packed size; pen strokes written as text reach about 30
_SMALL = 1024 * 1024  # below this size a high ratio is harmless
_IN_MEMORY = 16 * 1024 * 1024

# zipfile reports damage in as many ways as there are places to be damaged.
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,  # and with it NotImplementedError, for compression methods unknown here
    ValueError,
    OverflowError,
    LookupError,
    AttributeError,
)


def is_zip(head: bytes) -> bool:
    """Tell a zip archive by its first four bytes."""
    return head[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def spool(stream: IO[bytes], head: bytes) -> IO[bytes]:
    """Copy `head` and the rest of a stream into a temporary file, which zip archives need to be read."""
    copy = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - the caller closes it
    try:
        copy.write(head)
        while chunk := stream.read(_SMALL):
            copy.write(chunk)
            if copy.tell() > MAX_ARCHIVE_BYTES:
                raise InkError(f"more than the limit of {MAX_ARCHIVE_BYTES // 2**30} GiB when decompressed")
    except BaseException:
        copy.close()
        raise
    copy.seek(0)
    return copy


def members(stream: IO[bytes], label: str, depth: int = 1) -> Iterator[tuple[str, bytes | InkError]]:
    """Yield (name, bytes or error) for every file in a zip archive, going into archives inside it."""
    if depth > MAX_ARCHIVE_DEPTH:
        yield label, InkError(f"archives nested deeper than {MAX_ARCHIVE_DEPTH}", source=label)
        return
    try:
        archive = zipfile.ZipFile(stream)
        listing = archive.infolist()
    except _ZIP_ERRORS as error:
        yield label, InkError(f"damaged zip archive ({str(error)[:100]})", source=label)
        return
    with archive:
        for member in listing:
            if member.filename.endswith("/") or any(is_hidden(part) for part in member.filename.split("/")):
                continue
            name = f"{label}/{member.filename}"
            try:
                content = _unpack(archive, member)
            except InkError as error:
                yield name, error.inside(source=name)
            except _ZIP_ERRORS as error:
                yield name, InkError(f"damaged inside its zip archive ({str(error)[:100]})", source=name)
            else:
                if isinstance(content, bytes):
                    yield name, content
                else:
                    with content:
                        yield from members(content, name, depth + 1)


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes | IO[bytes]:
    """Return the bytes of a member, or an open file if it is an archive itself."""
    size = member.file_size
    if member.flag_bits & 1:
        raise InkError("encrypted; unpack it with its password first")
    if size > _SMALL and size > MAX_RATIO * member.compress_size:
        raise InkError(f"unpacks to more than {MAX_RATIO} times its size, which ink does not; refused")
    with archive.open(member) as packed:
        head = packed.read(4)
        if is_zip(head):
            return spool(packed, head)
        if size > MAX_BYTES:
            raise InkError(
                f"larger than the limit of {MAX_BYTES // 2**20} MiB; split it into its expressions"
            )
        return head + packed.read(MAX_BYTES)


def is_hidden(part: str) -> bool:
    """Tell the files and folders that operating systems put beside those of people."""
    return part.startswith(".") or part == "__MACOSX"
