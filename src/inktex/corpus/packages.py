"""Finds the ink files in data as users have it: files, folders, zips, and zips inside zips.

The path of each file is written as if archives were folders. Only InkML counts as ink here: the packages
also hold label graphs, pictures and texts, which are skipped.
"""

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

MAX_DEPTH = 4  # zips inside zips; the packages have at most two levels
MAX_FILE_BYTES = 64 << 20  # a larger file is not taken for ink
MAX_ARCHIVE_BYTES = 2 << 30  # what a zip inside a zip may unpack to


@dataclass(frozen=True)
class InkFile:
    """An ink file found in a package."""

    path: str  # archives written as folders, relative to the path that was given
    data: bytes | None  # None where the file could not be unpacked
    problem: str | None = None  # why not


@dataclass(frozen=True)
class Source:
    """A file on disk that holds ink: one ink file or an archive of them."""

    path: Path
    name: str  # the path that its splits are guessed from


def find_sources(paths: Iterable[Path]) -> list[Source]:
    """List the ink files and archives at and below `paths`, sorted, without looking inside."""
    sources: list[Source] = []
    for root in paths:
        root = root.resolve()
        if not root.exists():
            raise FileNotFoundError(f"{root}: no such file or folder")
        if root.is_file():
            sources.append(Source(root, f"{root.parent.name}/{root.name}"))
            continue
        for path in sorted(root.rglob("*")):
            inner = path.relative_to(root).as_posix()
            if path.suffix.lower() in (".inkml", ".zip") and path.is_file() and not _hidden(inner):
                sources.append(Source(path, f"{root.name}/{inner}"))
    return sources


def walk(source: Source, wanted: Callable[[str], bool]) -> Iterator[InkFile]:
    """Yield the ink files of a source whose paths are wanted, opening nested archives in memory."""
    if source.path.suffix.lower() == ".zip":
        yield from _walk_zip(source.path, source.name, 1, wanted)
    elif wanted(source.name):
        if source.path.stat().st_size > MAX_FILE_BYTES:
            yield InkFile(source.name, None, f"larger than {MAX_FILE_BYTES >> 20} MB")
        else:
            yield InkFile(source.name, source.path.read_bytes())


def list_paths(source: Source) -> list[str]:
    """List the paths of all ink files of a source without reading them."""
    paths: list[str] = []

    def note(path: str) -> bool:
        paths.append(path)
        return False

    paths += [unreadable.path for unreadable in walk(source, note)]
    return paths


def _walk_zip(
    file: Path | io.BytesIO, name: str, depth: int, wanted: Callable[[str], bool]
) -> Iterator[InkFile]:
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        yield InkFile(name, None, f"not a readable zip: {error}")
        return
    with archive:
        for entry in sorted(archive.infolist(), key=lambda entry: entry.filename):
            inner = f"{name}/{entry.filename}"
            suffix = Path(entry.filename).suffix.lower()
            if entry.is_dir() or suffix not in (".inkml", ".zip") or _hidden(entry.filename):
                continue
            if suffix == ".inkml" and not wanted(inner):
                continue
            limit = MAX_FILE_BYTES if suffix == ".inkml" else MAX_ARCHIVE_BYTES
            if suffix == ".zip" and depth >= MAX_DEPTH:
                yield InkFile(inner, None, f"zips nested deeper than {MAX_DEPTH} are not opened")
                continue
            try:
                with archive.open(entry) as member:
                    data = member.read(limit + 1)
            except Exception as error:  # zlib.error, LZMAError, BadZipFile, RuntimeError: no common base
                yield InkFile(inner, None, f"cannot be unpacked: {error}")
                continue
            if len(data) > limit:
                yield InkFile(inner, None, f"larger than {limit >> 20} MB")
            elif suffix == ".inkml":
                yield InkFile(inner, data)
            else:
                yield from _walk_zip(io.BytesIO(data), inner, depth + 1, wanted)


def _hidden(path: str) -> bool:
    """Leave out what operating systems add: `__MACOSX/._x.inkml`, `.Trash/…`."""
    return any(part.startswith((".", "__MACOSX")) for part in path.split("/"))


def digest_of(files: Iterable[Path], salt: str) -> str:
    """Hash the contents of files (and not their dates: a copied file is the same file)."""
    digest = hashlib.blake2b(salt.encode(), digest_size=16)
    for path in files:
        digest.update(f"\0{path.name}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
