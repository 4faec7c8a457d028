"""Iterates over the members of a tar archive, plain or gzipped (MathWriting comes as one), front to back.

Nothing is unpacked to disk, so that neither links nor names with `..` can do harm. The features of tar that
let a small file stand for a large one are refused: sparse files, and headers of many kilobytes (in Python
before 3.11.10, reading these takes quadratic time).
"""

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from typing import IO, Any, NoReturn, cast

from inktex.ink.archives import is_hidden, is_zip, members, spool, too_large
from inktex.ink.errors import InkError, printable
from inktex.ink.limits import Budget, LimitError

LEAD_BYTES = 4096  # enough of a file to tell whether it is a tar archive
MAX_HEADER_BYTES = 16 * 1024  # of a name or of the attributes of a member
MAX_ATTRIBUTES = 100  # that hold for all members
_GZIP = b"\x1f\x8b"
_MARK = slice(257, 262)  # where the first header says "ustar"
_EXTENDED = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
_TAR_ERRORS = (
    tarfile.TarError,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    LookupError,
    RecursionError,  # header upon header
)


class Rejoined:
    """A stream whose first bytes were already read, read again from its beginning; counts what it gave."""

    def __init__(self, lead: bytes, stream: IO[bytes]) -> None:
        self._lead = lead
        self._stream = stream
        self.given = 0

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes."""
        taken, self._lead = self._lead[:size], self._lead[size:]
        if len(taken) < size:
            taken += self._stream.read(size - len(taken))
        self.given += len(taken)
        return taken


def is_tar(lead: bytes) -> bool:
    """Tell a tar archive, also a gzipped one, by its first bytes."""
    if lead.startswith(_GZIP):
        try:
            lead = zlib.decompressobj(wbits=31).decompress(lead, 512)
        except zlib.error:
            return False
    return lead[_MARK] == b"ustar"


def tar_members(
    stream: Rejoined, label: str, budget: Budget, *, packed: bool
) -> Iterator[tuple[str, bytes | InkError]]:
    """Yield (name, bytes or error) for every file in a tar archive, going into zip archives inside it."""
    try:
        plain = cast(IO[bytes], gzip.GzipFile(fileobj=cast(IO[bytes], stream)) if packed else stream)
        headers = _careful(budget)
        archive = tarfile.open(  # noqa: SIM115
            fileobj=cast(IO[bytes], _Counted(plain, budget)), mode="r|", tarinfo=headers
        )
    except LimitError as error:
        yield label, error.inside(source=label)
        return
    except _TAR_ERRORS as error:
        yield label, InkError(f"damaged tar archive ({str(error)[:100]})", source=label)
        return
    with archive:
        while not budget.exhausted:
            name = label
            try:
                member = archive.next()
                if member is None:
                    if not headers.ended:
                        raise tarfile.ReadError("it ends too early; the file is truncated")
                    return
                archive.members = []  # type: ignore[attr-defined]  # tarfile would keep every header of a million files
                if not member.isfile() or any(map(is_hidden, member.name.split("/")[1:])):
                    continue
                name = printable(f"{label}/{member.name.removeprefix('./')}")
                content = _unpack(archive, member, budget)
            except LimitError as error:
                yield name, error.inside(source=name)
                return
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
                        yield from members(content, name, budget, depth=2)


class _Counted:
    """The unpacked bytes of the archive, each of which counts."""

    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._budget.spend(len(data))
        return data


class _Header(tarfile.TarInfo):
    """A header of an archive; notes on its class when the mark of the archive's end was read."""

    ended = False

    @classmethod
    def frombuf(cls, *given: Any, **more: Any) -> "_Header":
        try:
            return super().frombuf(*given, **more)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            cls.ended = True
            raise


def _careful(budget: Budget) -> type[_Header]:
    """The headers of an archive, without what makes much of little; counts each of them."""

    class Header(_Header):
        def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
            # The place that tarfile gives to subclasses for what depends on the type of a header.
            budget.member()
            if self.type in _EXTENDED and self.size > MAX_HEADER_BYTES:
                raise LimitError(f"a tar header of more than {MAX_HEADER_BYTES // 1024} KiB; refused")
            if self.type == tarfile.GNUTYPE_SPARSE:
                self._refuse_sparse()
            if len(archive.pax_headers) > MAX_ATTRIBUTES:
                raise LimitError(f"more than {MAX_ATTRIBUTES} attributes for all files in a tar archive")
            made: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
            return made

        def _refuse_sparse(self, *ignored: object) -> NoReturn:
            raise LimitError("a sparse file in a tar archive; refused, pack it without --sparse")

        _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _refuse_sparse

    return Header


def _unpack(archive: tarfile.TarFile, member: tarfile.TarInfo, budget: Budget) -> bytes | IO[bytes]:
    packed = archive.extractfile(member)
    if packed is None:
        return b""
    head = packed.read(4)
    if is_zip(head):
        return spool(packed, head, budget)
    if member.size > budget.limits.file_bytes:
        raise too_large(budget.limits)
    return head + packed.read(member.size)
