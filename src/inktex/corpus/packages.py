"""Finds ink files on this machine: the data folder, the files in it, and the split that each belongs to.

Data is as users have it: files, folders, zips, and zips inside zips. The path of each file is written as if
archives were folders. Only InkML counts as ink here: the packages also hold label graphs, pictures and texts,
which are skipped.

A path like `CROHME2013_data/TestINKMLGT.zip/TestINKMLGT/x.inkml` gives the name of a split: `train`,
`test2013`, `valid2019`, `symbols-test2014`, … The packages of 2011 to 2023 agree on hardly anything but the
words train, test and valid and a year somewhere in the path.
"""

import hashlib
import io
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from inktex.files import user_folder

# 2013 and 2014 trained on the same files, and most people call them just "the training set".
_TRAINING_YEARS = {None, "2013", "2014"}
# The 2013 test set carries no year in its own name.
_YEAR_OF_FOLDER = {"testinkmlgt": "2013", "testinkml": "2013"}
# Tasks other than whole expressions come in the same packages and must not be mixed with them.
_TASKS = dict.fromkeys(("symbol", "isolated", "junk"), "symbols") | {
    "matri": "matrices", "structure": "structure",
}  # fmt: skip
MAX_DEPTH = 4  # zips inside zips; the packages have at most two levels
MAX_FILE_BYTES = 64 << 20  # a larger file is not taken for ink
MAX_ARCHIVE_BYTES = 2 << 30  # what a zip inside a zip may unpack to


def locate() -> Path | None:
    """Find the data folder: `INKTEX_DATA`, or `~/.local/share/inktex`."""
    if named := os.environ.get("INKTEX_DATA"):
        folder = Path(named).expanduser()
        if not folder.exists():
            raise FileNotFoundError(f"INKTEX_DATA is set to {folder}, which does not exist")
        return folder
    folder = user_folder("XDG_DATA_HOME", ".local/share")
    return folder if folder.is_dir() else None


def split_of(path: str) -> str:
    """Name the split of a file by its path, `other` where the path does not say.

    The innermost folder that speaks of training, validation or test wins: the 2023 package keeps
    `CROHME2014_test` inside `val`.
    """
    folders = [part for part in path.replace("\\", "/").split("/") if part][:-1]
    roles = list(map(_role, folders))
    depth = next((depth for depth in reversed(range(len(folders))) if roles[depth]), None)
    if depth is None:
        return "other"
    role, years = roles[depth], map(_year, reversed(folders[: depth + 1]))
    year = next(filter(None, years), None) or _YEAR_OF_FOLDER.get(folders[depth].lower().removesuffix(".zip"))
    task = next((name for word, name in _TASKS.items() if word in "/".join(folders).lower()), None)
    split = "train" if role == "train" and year in _TRAINING_YEARS else f"{role}{year or ''}"
    return f"{task}-{split}" if task else split


def _role(folder: str) -> str:
    """What a word of the name begins with: `TestEM2014GT` is test, `trainData_2012` train, `val` valid."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", " ", folder).lower()
    found = re.search(r"(?<![a-z])(train|test|val(id|(?![a-z])))", spaced)
    return {"val": "valid"}.get(found[1], found[1]) if found else ""


def _year(folder: str) -> str | None:
    full = re.search(r"(?<!\d)20[12]\d(?!\d)", folder)
    short = re.search(r"crohme[_-]?([12]\d)(?!\d)", folder.lower())  # the 2023 package is named CROHME23
    return full[0] if full else f"20{short[1]}" if short else None


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

    return [*(unreadable.path for unreadable in walk(source, note)), *paths]


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
            if suffix == ".zip" and depth >= MAX_DEPTH:
                yield InkFile(inner, None, f"zips nested deeper than {MAX_DEPTH} are not opened")
                continue
            limit = MAX_FILE_BYTES if suffix == ".inkml" else MAX_ARCHIVE_BYTES
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
