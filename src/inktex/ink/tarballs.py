"""A tar archive, plain or gzipped (MathWriting comes as one), in; its members out, read from front to back.

Nothing is unpacked to disk, so that neither links nor names that climb out of a folder can do harm.
"""

import tarfile
import zlib
from collections.abc import Iterator
from typing import IO

from inktex.ink.archives import is_hidden, is_zip, members, spool
from inktex.ink.errors import MAX_BYTES, InkError

LEAD_BYTES = 4096  # enough of a file to tell whether it is a tar archive
_MARK = slice(257, 262)  # where the first header says "ustar"
_TAR_ERRORS = (tarfile.TarError, zlib.error, EOFError, OSError, ValueError, OverflowError, LookupError)


class Rejoined:
    """A stream whose first bytes were already read, read again from its beginning."""

    def __init__(self, lead: bytes, stream: IO[bytes]) -> None:
        self._lead = lead
        self._stream = stream

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes."""
        taken, self._lead = self._lead[:size], self._lead[size:]
        return taken + self._stream.read(size - len(taken)) if len(taken) < size else taken


def is_tar(lead: bytes) -> bool:
    """Tell a tar archive, also a gzipped one, by its first bytes."""
    if lead.startswith(b"\x1f\x8b"):
        try:
            lead = zlib.decompressobj(wbits=31).decompress(lead, 512)
        except zlib.error:
            return False
    return lead[_MARK] == b"ustar"


def tar_members(stream: Rejoined, label: str) -> Iterator[tuple[str, bytes | InkError]]:
    """Yield (name, bytes or error) for every file in a tar archive, going into zip archives inside it."""
    try:
        archive = tarfile.open(fileobj=stream, mode="r|*")  # type: ignore[call-overload]  # noqa: SIM115
    except _TAR_ERRORS as error:
        yield label, InkError(f"damaged tar archive ({str(error)[:100]})", source=label)
        return
    with archive:
        while True:
            try:
                member = archive.next()
                if member is None:
                    return
                archive.members = []  # tarfile would keep every header of a million files
                if not member.isfile() or any(is_hidden(part) for part in member.name.split("/")[1:]):
                    continue
                name = f"{label}/{member.name.removeprefix('./')}"
                content = _unpack(archive, member)
            except InkError as error:
                yield name, error.inside(source=name)
            except _TAR_ERRORS as error:  # from here on the stream cannot be followed
                yield label, InkError(f"damaged tar archive ({str(error)[:100]})", source=label)
                return
            else:
                if isinstance(content, bytes):
                    yield name, content
                else:
                    with content:
                        yield from members(content, name, depth=2)


def _unpack(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes | IO[bytes]:
    packed = archive.extractfile(member)
    if packed is None:
        return b""
    head = packed.read(4)
    if is_zip(head):
        return spool(packed, head)
    if member.size > MAX_BYTES:
        raise InkError(f"larger than the limit of {MAX_BYTES // 2**20} MiB; split it into its expressions")
    return head + packed.read(MAX_BYTES)
