"""Reads ink from a path, bytes, an open file, standard input, a folder or an archive.

`read` expects exactly one ink and raises `InkError` otherwise. `read_all` goes through everything and yields
a name with either the ink or the error, so that one bad file among thousands stops nothing.
"""

import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any

from inktex.ink import archives
from inktex.ink.archives import LEAD_BYTES, is_hidden, is_tar, is_zip
from inktex.ink.core import Ink
from inktex.ink.errors import InkError, printable
from inktex.ink.formats import UnknownFormatError, read_bytes
from inktex.ink.limits import DEFAULT_LIMITS, Budget, Limits
from inktex.ink.scgink import MAGIC as SCGINK_MAGIC

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[Any]
Item = tuple[str, Ink | InkError]

# Files so named say that they are ink: if they cannot be read, that is reported, also inside a folder.
INK_SUFFIXES = (".inkml", ".scgink", ".scg", ".xopp", ".xoj", ".excalidraw", ".jiix")


def read(source: Source, *, name: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Ink:
    """Read the one ink of a file, bytes, an open file or stdin (`"-"`); errors call the source `name`."""
    found: Ink | None = None
    for _, item in _items(source, name, limits):
        if isinstance(item, InkError):
            raise item
        if found is not None:
            raise InkError("holds more than one ink; use read_all", source=_label(source, name))
        found = item
    if found is None:
        raise InkError("holds no ink", source=_label(source, name))
    return found


def read_all(
    source: Source | Iterable[Source],
    *,
    name: str | None = None,
    named: bool = True,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[Item]:
    """Yield (name, ink or error) for all that is in one source or several: files, folders, archives.

    With `named=False` a file that turns out to be no ink at all is passed over, as it is inside a folder.
    What passes the `limits` is an error; of an archive that does, nothing further is read.
    """
    single = isinstance(source, str | os.PathLike | bytes | bytearray | memoryview) or hasattr(source, "read")
    try:
        sources = [source] if single else iter(source)  # type: ignore[arg-type]
    except TypeError:
        sources = [source]  # what it is not, `_items` says
    for each in sources:
        yield from _items(each, name, limits, named)


def _items(source: Any, name: str | None, limits: Limits, named: bool = True) -> Iterator[Item]:
    label = _label(source, name)
    try:
        if not isinstance(source, str | os.PathLike) or os.fspath(source) == "-":
            yield from _from_stream(_opened(source, limits), label, limits, named=named)
        elif _is_folder(source):
            yield from _from_folder(Path(source), label, limits)
        else:
            with _open(Path(source)) as stream:
                yield from _from_stream(stream, label, limits, named=named)
    except InkError as error:
        yield label, error.inside(source=label)


def _label(source: object, name: str | None) -> str:
    if name is not None:
        return printable(name)
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        return "stdin" if path == "-" else printable(str(path))
    found = getattr(source, "name", None)
    return found if isinstance(found, str) else "ink"


def _is_folder(source: str | os.PathLike[str]) -> bool:
    path = os.fspath(source)
    if not isinstance(path, str):
        raise InkError("the name of a file must be text")
    if not path:
        raise InkError("no file name given", source="(empty)")
    with _system_calls():
        return Path(source).is_dir()


def _open(path: Path) -> IO[bytes]:
    with _system_calls():
        try:
            return path.open("rb")
        except FileNotFoundError:
            if str(path).lstrip().startswith(("<", "{", "[", SCGINK_MAGIC)):
                raise InkError("no such file; if this is ink itself, give it as bytes") from None
            raise


@contextmanager
def _system_calls(*also: type[Exception]) -> Iterator[None]:
    """Make an `InkError` of what the operating system says; ValueError: a NUL in a name, a closed file.

    Only calls to it are guarded so; in a reader a ValueError is a bug.
    """
    caught: tuple[type[Exception], ...] = (OSError, ValueError, *also)
    try:
        yield
    except InkError:
        raise
    except caught as error:
        raise InkError((error.strerror or str(error)) if isinstance(error, OSError) else str(error)) from None


def _opened(source: Any, limits: Limits) -> IO[bytes]:
    if isinstance(source, bytes | bytearray | memoryview):
        return io.BytesIO(source)
    if isinstance(source, str | os.PathLike):
        source = getattr(sys.stdin, "buffer", sys.stdin)  # a notebook's stdin has no buffer
    if not hasattr(source, "read"):
        raise InkError(f"ink is read from a path, bytes or an open file, not from {type(source).__name__}")
    if isinstance(source, io.TextIOBase):
        with _system_calls():
            return io.BytesIO(source.read(limits.file_bytes + 1).encode("utf-8", errors="replace"))
    stream: IO[bytes] = source
    return stream


def folder_files(path: Path) -> Iterator[Path]:
    """Files of a folder and those below it, sorted; also broken links, and folders that cannot be listed.

    Hidden ones are left out, and so are pipes, sockets and devices, which would be waited for.
    """
    unreadable: list[OSError] = []
    for folder, subfolders, files in os.walk(path, onerror=unreadable.append):
        subfolders[:] = sorted(sub for sub in subfolders if not is_hidden(sub))
        for file in sorted(file for file in files if not is_hidden(file)):
            inner = Path(folder) / file
            if os.path.isfile(inner) or not os.path.exists(inner):
                yield inner
    yield from (Path(problem.filename) for problem in unreadable)


def _from_folder(path: Path, label: str, limits: Limits) -> Iterator[Item]:
    for inner in folder_files(path):
        inner_label = printable((Path(label) / inner.relative_to(path)).as_posix())
        try:
            with _open(inner) as stream:
                yield from _from_stream(stream, inner_label, limits, named=False)
        except InkError as error:
            yield inner_label, error.inside(source=inner_label)


def _from_stream(stream: IO[bytes], label: str, limits: Limits, *, named: bool) -> Iterator[Item]:
    """Yield the inks of one open file: ink or an archive of it."""
    with _system_calls():
        at_front = hasattr(stream, "seekable") and stream.seekable() and stream.tell() == 0
    lead = _read_up_to(stream, LEAD_BYTES)
    if (is_zip(lead) or is_tar(lead)) and not limits.archive_depth:
        raise archives.ArchiveError("an archive; send the ink files in it one by one")
    if is_zip(lead):
        # Zip archives are read from their end; a pipe, or a file read from its middle, is copied first.
        with nullcontext(stream) if at_front else _spooled(stream, lead, limits) as file:
            with _system_calls():
                size = file.seek(0, io.SEEK_END)
                file.seek(0)
            yield from _from_members(archives.members(file, label, Budget(limits, lambda: size)), limits)
    elif is_tar(lead):
        rejoined = archives.Rejoined(lead, stream)
        budget = Budget(limits, lambda: rejoined.given)
        packed = lead.startswith(archives.GZIP_MAGIC)
        yield from _from_members(archives.tar_members(rejoined, label, budget, packed=packed), limits)
    else:
        rest = _read_up_to(stream, limits.file_bytes) if len(lead) == LEAD_BYTES else b""
        yield from _from_bytes(lead + rest, label, limits, named=named)


def _spooled(stream: IO[bytes], lead: bytes, limits: Limits) -> IO[bytes]:
    with _system_calls(TypeError):  # a stream of something else than bytes
        # Nothing is unpacked here: what comes out is as large as what went in.
        return archives.spool(stream, lead, Budget(limits, lambda: limits.total_bytes))


def _read_up_to(stream: IO[bytes], size: int) -> bytes:
    """Read until `size` bytes are there or the stream ends; pipes and sockets give less at a time."""
    parts: list[bytes] = []
    while size > 0:
        with _system_calls():
            part: object = stream.read(size)
        if not isinstance(part, bytes):
            raise InkError(f"reading gave {type(part).__name__} instead of bytes")
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _from_members(contents: Iterator[tuple[str, bytes | InkError]], limits: Limits) -> Iterator[Item]:
    for name, content in contents:
        if isinstance(content, InkError):
            yield name, content
        else:
            yield from _from_bytes(content, name, limits, named=False)


def _from_bytes(data: bytes, label: str, limits: Limits, *, named: bool) -> Iterator[Item]:
    """Yield the inks of one file; content that is no ink is an error only where somebody named the file."""
    try:
        inks = read_bytes(data, limits)
    except InkError as error:
        claims_ink = named or label.casefold().endswith(INK_SUFFIXES)
        if claims_ink or not isinstance(error, UnknownFormatError):
            yield label, error.inside(source=label)
        return
    for place, ink in inks:
        name = label if place is None else f"{label}#{place}"
        yield name, ink.inside(source=name) if isinstance(ink, InkError) else ink.replace(source=name)
