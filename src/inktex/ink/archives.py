"""Iterates over the members of a zip archive: names with their bytes, or with an error.

Archives may contain archives. Their unpacked size is counted over all of them together (`Budget`). A single
member that claims to be far larger than its packed bytes is refused before any of it is unpacked.
"""

import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, cast

from inktex.ink.errors import InkError, printable
from inktex.ink.limits import MIB, Budget, LimitError, Limits

_SMALL = MIB  # below this size a high ratio is harmless
_IN_MEMORY = 16 * MIB
_DIRECTORY_COST = 16  # bytes of memory that a byte of a zip's table of contents becomes
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others unpack slowly, or need gigabytes to begin with

# zipfile reports damage in as many ways as there are places to be damaged.
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    OverflowError,
    LookupError,
    AttributeError,
)


class ArchiveError(InkError):
    """An archive where only single files are read."""


def is_zip(head: bytes) -> bool:
    """Tell a zip archive by its first four bytes."""
    return head[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def spool(stream: IO[bytes], head: bytes, budget: Budget) -> IO[bytes]:
    """Copy `head` and the rest of a stream into a temporary file, which zip archives need to be read."""
    copy = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - the caller closes it
    try:
        copy.write(head)
        while chunk := stream.read(_SMALL):
            budget.spend(len(chunk))
            copy.write(chunk)
    except BaseException:
        copy.close()
        raise
    copy.seek(0)
    return copy


def members(
    stream: IO[bytes], label: str, budget: Budget, depth: int = 1
) -> Iterator[tuple[str, bytes | InkError]]:
    """Yield (name, bytes or error) for every file in a zip archive, going into archives inside it."""
    if depth > budget.limits.archive_depth:
        yield label, InkError(f"archives nested deeper than {budget.limits.archive_depth}", source=label)
        return
    try:
        directory = _Directory(stream, budget)
        archive = zipfile.ZipFile(cast(IO[bytes], directory))
        directory.counted = False
        listing = archive.infolist()
    except LimitError as error:
        yield label, error.inside(source=label)
        return
    except _ZIP_ERRORS as error:
        yield label, InkError(f"damaged zip archive ({str(error)[:100]})", source=label)
        return
    with archive:
        for member in listing:
            name = printable(f"{label}/{member.filename}")
            try:
                budget.member()
                if member.filename.endswith("/") or any(map(is_hidden, member.filename.split("/"))):
                    continue
                content = _unpack(archive, member, budget)
            except InkError as error:
                yield name, error.inside(source=name)
            except _ZIP_ERRORS as error:
                yield name, InkError(f"damaged inside its zip archive ({str(error)[:100]})", source=name)
            else:
                if isinstance(content, bytes):
                    yield name, content
                else:
                    with content:
                        yield from members(content, name, budget, depth + 1)
            if budget.exhausted:
                return


class _Directory:
    """An open zip file; its table of contents, read at once while it is opened, counts."""

    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream = stream
        self._budget = budget
        self.counted = True
        self.seek = stream.seek
        self.tell = stream.tell
        self.seekable = lambda: True

    def read(self, size: int = -1) -> bytes:
        """Read, as of the file."""
        if self.counted and size > 2**16 + 100:  # so much is read to find where the table begins
            self._budget.spend(_DIRECTORY_COST * size)
        return self._stream.read(size)


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, budget: Budget) -> bytes | IO[bytes]:
    """Return the bytes of a member, or an open file if it is an archive itself."""
    limits, size = budget.limits, member.file_size
    if member.flag_bits & 1:
        raise InkError("encrypted; unpack it with its password first")
    if member.compress_type not in _METHODS:
        raise InkError("packed by a method other than deflate; unpack it first")
    if size > _SMALL and size > limits.ratio * member.compress_size:
        raise InkError(limits.too_packed)
    with archive.open(member) as packed:
        head = packed.read(4)
        if is_zip(head):
            return spool(packed, head, budget)
        if size > limits.file_bytes:
            raise too_large(limits)
        budget.spend(size)
        return head + packed.read(size)


def too_large(limits: Limits) -> InkError:
    """A member that is larger than a file may be."""
    return InkError(f"larger than the limit of {limits.file_bytes // MIB} MiB; split it into its expressions")


def is_hidden(part: str) -> bool:
    """Tell the files and folders that operating systems put beside those of people."""
    return part.startswith(".") or part == "__MACOSX"
