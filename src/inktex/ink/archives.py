"""Iterates over the members of a zip or tar archive: names with their bytes, or with an error.

Archives may contain zip archives. The unpacked size is counted over all of them together (`Budget`). A single
member that claims to be far larger than its packed bytes is refused before any of it is unpacked.

A tar archive, plain or gzipped (MathWriting comes as one), is read front to back. Nothing is unpacked to
disk, so that neither links nor names with `..` can do harm. The features of tar that let a small file stand
for a large one are refused: sparse files, and headers of many kilobytes (in Python before 3.11.10, reading
these takes quadratic time).
"""

import gzip
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any, NoReturn, cast

from inktex.ink.errors import InkError, printable
from inktex.ink.limits import MIB, Budget, LimitError

GZIP_MAGIC = b"\x1f\x8b"
LEAD_BYTES = 4096  # enough of a file to tell whether it is a tar archive

_SMALL = MIB  # below this size a high ratio is harmless
_IN_MEMORY = 16 * MIB
_DIRECTORY_COST = 16  # bytes of memory that a byte of a zip's table of contents becomes
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others unpack slowly, or need gigabytes to begin with
_MAX_HEADER_BYTES = 16 * 1024  # of a name or of the attributes of a member of a tar archive
_MAX_ATTRIBUTES = 100  # that hold for all members
_EXTENDED = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)

# zipfile and tarfile report damage in as many ways as there are places to be damaged.
_DAMAGE = (zlib.error, EOFError, OSError, ValueError, OverflowError, LookupError)
_ZIP_ERRORS = (*_DAMAGE, zipfile.BadZipFile, RuntimeError, AttributeError)
_TAR_ERRORS = (*_DAMAGE, tarfile.TarError, RecursionError)  # the last of header upon header

Members = Iterator[tuple[str, bytes | InkError]]


class ArchiveError(InkError):
    """An archive where only single files are read."""


def is_zip(head: bytes) -> bool:
    """Tell a zip archive by its first four bytes."""
    return head[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def is_tar(lead: bytes) -> bool:
    """Tell a tar archive, also a gzipped one, by its first bytes."""
    if lead.startswith(GZIP_MAGIC):
        try:
            lead = zlib.decompressobj(wbits=31).decompress(lead, 512)
        except zlib.error:
            return False
    return lead[257:262] == b"ustar"


def is_hidden(part: str) -> bool:
    """Tell the files and folders that operating systems put beside those of people."""
    return part.startswith(".") or part == "__MACOSX"


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


def members(stream: IO[bytes], label: str, budget: Budget, depth: int = 1) -> Members:
    """Yield (name, bytes or error) for every file in a zip archive, going into archives inside it."""
    if depth > budget.limits.archive_depth:
        yield label, InkError(f"archives nested deeper than {budget.limits.archive_depth}", source=label)
        return
    try:
        directory = _Directory(stream, budget)
        archive = zipfile.ZipFile(cast(IO[bytes], directory))
        directory.counted = False
        listing = archive.infolist()
    except _ZIP_ERRORS as error:
        yield label, _damage(error, "damaged zip archive", label)
        return
    with archive:
        for member in listing:
            name = printable(f"{label}/{member.filename}")
            try:
                budget.member()
                if member.filename.endswith("/") or any(map(is_hidden, member.filename.split("/"))):
                    continue
                content = _unpack_zipped(archive, member, budget)
            except _ZIP_ERRORS as error:
                yield name, _damage(error, "damaged inside its zip archive", name)
            else:
                yield from _contents(content, name, budget, depth + 1)
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
        if self.counted and size > 2**16 + 100:  # so much is read to find where the table begins
            self._budget.spend(_DIRECTORY_COST * size)
        return self._stream.read(size)


def _unpack_zipped(archive: zipfile.ZipFile, member: zipfile.ZipInfo, budget: Budget) -> bytes | IO[bytes]:
    limits, size = budget.limits, member.file_size
    if member.flag_bits & 1:
        raise InkError("encrypted; unpack it with its password first")
    if member.compress_type not in _METHODS:
        raise InkError("packed by a method other than deflate; unpack it first")
    if size > _SMALL and size > limits.ratio * member.compress_size:
        raise InkError(limits.too_packed)
    with archive.open(member) as packed:
        return _unpack(packed, size, budget)


def _unpack(packed: IO[bytes], size: int, budget: Budget, *, counted: bool = False) -> bytes | IO[bytes]:
    """Return the bytes of a member, or an open file if it is an archive itself."""
    head = packed.read(4)
    if is_zip(head):
        return spool(packed, head, budget)
    if size > budget.limits.file_bytes:
        most = budget.limits.file_bytes // MIB
        raise InkError(f"larger than the limit of {most} MiB; split it into its expressions")
    if not counted:
        budget.spend(size)
    return head + packed.read(size)


def _contents(content: bytes | IO[bytes], name: str, budget: Budget, depth: int) -> Members:
    if isinstance(content, bytes):
        yield name, content
    else:
        with content:
            yield from members(content, name, budget, depth)


def _damage(error: Exception, what: str, name: str) -> InkError:
    if isinstance(error, InkError):
        return error.inside(source=name)
    return InkError(f"{what} ({str(error)[:100]})", source=name)


class Rejoined:
    """A stream whose first bytes were already read, read again from its beginning; counts what it gave."""

    def __init__(self, lead: bytes, stream: IO[bytes]) -> None:
        self._lead = lead
        self._stream = stream
        self.given = 0

    def read(self, size: int) -> bytes:
        taken, self._lead = self._lead[:size], self._lead[size:]
        if len(taken) < size:
            taken += self._stream.read(size - len(taken))
        self.given += len(taken)
        return taken


def tar_members(stream: Rejoined, label: str, budget: Budget, *, packed: bool) -> Members:
    """Yield (name, bytes or error) for every file in a tar archive, going into zip archives inside it."""
    try:
        plain = cast(IO[bytes], gzip.GzipFile(fileobj=cast(IO[bytes], stream)) if packed else stream)
        headers = _careful(budget)
        archive = tarfile.open(  # noqa: SIM115
            fileobj=cast(IO[bytes], _Counted(plain, budget)), mode="r|", tarinfo=headers
        )
    except _TAR_ERRORS as error:
        yield label, _damage(error, "damaged tar archive", label)
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
                file = archive.extractfile(member)
                content = b"" if file is None else _unpack(file, member.size, budget, counted=True)
            except _TAR_ERRORS as error:
                place = name if isinstance(error, InkError) else label
                yield place, _damage(error, "damaged tar archive", place)
                if isinstance(error, LimitError) or not isinstance(error, InkError):
                    return  # from here on the stream cannot be followed
            else:
                yield from _contents(content, name, budget, depth=2)


class _Counted:
    """The unpacked bytes of the archive, each of which counts."""

    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._budget.spend(len(data))
        return data


def _careful(budget: Budget) -> Any:
    """A class for the headers of an archive: counts each of them, and refuses what makes much of little."""

    class Header(tarfile.TarInfo):
        ended = False  # whether the mark of the archive's end was read

        @classmethod
        def frombuf(cls, *given: Any, **more: Any) -> "Header":
            try:
                return super().frombuf(*given, **more)
            except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
                cls.ended = True
                raise

        def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
            # The place that tarfile gives to subclasses for what depends on the type of a header.
            budget.member()
            if self.type in _EXTENDED and self.size > _MAX_HEADER_BYTES:
                raise LimitError(f"a tar header of more than {_MAX_HEADER_BYTES // 1024} KiB; refused")
            if self.type == tarfile.GNUTYPE_SPARSE:
                self._refuse_sparse()
            if len(archive.pax_headers) > _MAX_ATTRIBUTES:
                raise LimitError(f"more than {_MAX_ATTRIBUTES} attributes for all files in a tar archive")
            made: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
            return made

        def _refuse_sparse(self, *ignored: object) -> NoReturn:
            raise LimitError("a sparse file in a tar archive; refused, pack it without --sparse")

        _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _refuse_sparse

    return Header
