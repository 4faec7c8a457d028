"""`load_split` opens the examples of a split (`train`, `test2013`, `test2014`, or any that was imported).

Returns a memory-mapped `Corpus` from the cache, which is made on first use. The ink comes from the first of
these that applies: the folder given; `INKTEX_DATA`; what was imported by `inktex data import`; the data
folder that `locate` finds.
"""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from inktex.corpus.cache import ContainerError, Corpus, open_container
from inktex.corpus.importing import build_split, captions_beside, split_digest
from inktex.corpus.packages import Source, find_sources, list_paths, locate, split_of
from inktex.files import cache_folder, write_atomically

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Imported:
    """What the user asked to import as a split: where from, and the cache file it went to."""

    paths: tuple[str, ...]
    whole: bool  # all of it is this split, whatever the paths inside say
    file: str


def load_split(name: str, data: Path | None = None, progress: Progress = lambda path: None) -> Corpus:
    """Open a split, importing it into the user's cache folder at first and whenever its source changed."""
    if data is None and not os.environ.get("INKTEX_DATA"):
        imported = _read_imported().get(name)
        if imported is not None:
            return _load_imported(name, imported, progress)
    folder = data or locate()
    if folder is None:
        raise FileNotFoundError(
            f"no data for the split {name!r}: set INKTEX_DATA to the folder with the CROHME zips, "
            "or run `inktex data import PATH`"
        )
    sources = _sources_of(find_sources([folder])).get(name)
    if not sources:
        raise FileNotFoundError(f"{folder}: no ink of the split {name!r} in it")
    return _cached(name, sources, whole=False, progress=progress)


def load_all(
    paths: Sequence[Path], split: str | None = None, progress: Progress = lambda path: None
) -> list[Corpus]:
    """Open everything at `paths`: as the splits that the paths name, or all of it as the one given."""
    sources = find_sources(paths)
    if not sources:
        raise FileNotFoundError(f"{', '.join(map(str, paths))}: no InkML file and no zip in it")
    if split is not None:
        return [_cached(split, sources, whole=True, progress=progress)]
    return [
        _cached(name, part, whole=False, progress=progress) for name, part in _sources_of(sources).items()
    ]


def import_paths(
    paths: Sequence[Path], split: str | None = None, progress: Progress = lambda path: None
) -> list[Corpus]:
    """Do what `load_all` does, and let `load_split` find it from now on."""
    corpora = load_all(paths, split, progress)
    where = tuple(str(path.resolve()) for path in paths)
    new = {corpus.split: Imported(where, split is not None, corpus.path.name) for corpus in corpora}
    imported = _read_imported() | new
    text = json.dumps({name: asdict(entry) for name, entry in sorted(imported.items())}, indent=1)
    write_atomically(_folder() / "imported.json", text)
    return corpora


def _sources_of(sources: Sequence[Source]) -> dict[str, list[Source]]:
    """Sort sources by the splits they hold; an archive may hold several."""
    splits: dict[str, list[Source]] = {}
    for source in sources:
        for name in {split_of(path) for path in list_paths(source)}:
            splits.setdefault(name, []).append(source)
    return dict(sorted(splits.items()))


def _cached(name: str, sources: Sequence[Source], whole: bool, progress: Progress) -> Corpus:
    """Open the cache file of these sources, making it where it is missing or cannot be used."""
    captions = captions_beside(sources, name)
    path = _folder() / f"{name}-{split_digest(name, sources, captions, whole)}.corpus"
    if path.exists():
        try:
            return Corpus.open(path)
        except (ContainerError, OSError):
            pass  # damaged: made again below
    build_split(name, sources, path, captions, lambda inner: whole or split_of(inner) == name, progress)
    corpus = Corpus.open(path)
    # Files made from earlier contents of the same sources, and damaged ones, are of no use any more.
    for other in set(_folder().glob(f"{name}-*.corpus")) - {path}:
        try:
            superseded = open_container(other)[0]["origin"] == corpus.header["origin"]
        except (ContainerError, OSError, KeyError):
            superseded = True
        if superseded:
            other.unlink(missing_ok=True)
    return corpus


def _load_imported(name: str, imported: Imported, progress: Progress) -> Corpus:
    paths = [Path(path) for path in imported.paths]
    if all(path.exists() for path in paths):
        sources = find_sources(paths)
        mine = sources if imported.whole else _sources_of(sources).get(name, [])
        if mine:
            return _cached(name, mine, imported.whole, progress)
    # The package may be gone (a USB stick, a download since deleted): what was read from it is still here.
    return Corpus.open(_folder() / imported.file)


def _read_imported() -> dict[str, Imported]:
    file = _folder() / "imported.json"
    try:
        table = json.loads(file.read_text(encoding="utf-8"))
        return {
            name: Imported(tuple(entry["paths"]), bool(entry["whole"]), str(entry["file"]))
            for name, entry in table.items()
        }
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{file}: damaged ({error}); delete it and import again") from error


def _folder() -> Path:
    return cache_folder() / "corpus"
