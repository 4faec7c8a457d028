"""Splits a large collection into numbered units of work, and says where their results go.

A unit is some files, or one row group of a Parquet ink store. Its answers go to a part file of its own,
which is written atomically; so a unit that is done twice, after a machine failed, leaves one part.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from inktex.files import FileLock, WriteError, write_atomically
from inktex.ink import InkError
from inktex.ink.sources import folder_files
from inktex.store.sources import is_store

FORMAT = "inktex.bulk/2"
PLAN = "_plan.json"
LOCK = "_lock"
DONE = "_SUCCESS"
FILES_PER_UNIT = 256


@dataclass(frozen=True)
class Unit:
    """Work that is done as a whole: files to read, or a row group of a store."""

    files: tuple[str, ...]
    group: int | None = None  # of the one Parquet file
    named: bool = True  # somebody named these files; what lies in a folder may be something else than ink

    def state(self) -> str:
        """Differs when one of the files was written since."""
        digest = hashlib.sha256()
        for file in self.files:
            try:
                found = os.stat(file)
                digest.update(f"{found.st_size} {found.st_mtime_ns}\n".encode())
            except (OSError, ValueError):
                digest.update(b"missing\n")
        return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Plan:
    """All units of a run and where their parts go."""

    units: tuple[Unit, ...]
    folder: Path
    parquet: bool  # parts as Parquet with the ink, or as JSON Lines

    def part(self, number: int) -> Path:
        """The part file of a unit."""
        return self.folder / f"part-{number:07d}.{'parquet' if self.parquet else 'jsonl'}"

    def lock(self) -> FileLock:
        """Make the folder and keep others from writing to it; a folder of something else is refused."""
        if self.folder.exists() and not (self.folder / PLAN).exists():
            if not self.folder.is_dir():
                raise ValueError(f"{self.folder}: a file; name a folder")
            if any(file.name != LOCK for file in self.folder.iterdir()):
                raise ValueError(f"{self.folder}: the folder is not empty; choose another")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            return FileLock(self.folder / LOCK)
        except BlockingIOError:
            raise ValueError(
                f"{self.folder}: another run is writing to it; wait until it ends, or choose another folder"
            ) from None
        except OSError as error:
            raise WriteError.of(self.folder, error) from error

    def open(self, settings: dict[str, Any], *, fresh: bool = False) -> list[int]:
        """Make the folder ready and give the units that are still to do, changed ones included."""
        digest = hashlib.sha256()
        for unit in self.units:
            digest.update(json.dumps(asdict(unit)).encode())
        inputs = digest.hexdigest()
        said = {"format": FORMAT, "units": len(self.units), "inputs": inputs, "settings": settings}
        states = [unit.state() for unit in self.units]
        found, before = self._found()
        if fresh and found is not None:
            for file in [*self.folder.glob("part-*"), self.folder / DONE, self.folder / PLAN]:
                file.unlink(missing_ok=True)
            found, before = None, []
        if found is not None and found != said:
            raise ValueError(
                f"{self.folder}: holds a run over other inputs or with other settings; "
                "choose another folder, or use --fresh to start over"
            )
        if before != states:
            for number, (old, new) in enumerate(zip(before, states, strict=False)):
                if old != new:
                    self.part(number).unlink(missing_ok=True)
                    (self.folder / DONE).unlink(missing_ok=True)
            write_atomically(self.folder / PLAN, json.dumps({**said, "states": states}, indent=1))
        return [number for number in range(len(self.units)) if not self.part(number).exists()]

    def _found(self) -> tuple[dict[str, Any] | None, list[str]]:
        """What the plan in the folder says, and the states of its inputs at that time."""
        try:
            said = json.loads((self.folder / PLAN).read_text(encoding="utf-8"))
            states = list(map(str, said.pop("states", [])))
        except FileNotFoundError:
            return None, []
        except (ValueError, TypeError, AttributeError):
            raise ValueError(f"{self.folder / PLAN}: damaged; choose another folder") from None
        return said, states

    def finish(self) -> None:
        """Mark the run as whole."""
        write_atomically(self.folder / DONE, "")


def units_of(sources: Iterable[str], files_per_unit: int = FILES_PER_UNIT) -> Iterator[Unit]:
    """Cut sources into units; only names are looked at, and of stores their footers."""
    for source in sources:
        path = Path(source)
        if source == "-":
            raise ValueError("the Ray engine reads files, not standard input")
        if not path.is_dir():
            yield from _groups(path) if is_store(path) else [Unit((source,))]
            continue
        inside = sorted(folder_files(path))
        for store in filter(is_store, inside):
            yield from _groups(store)
        if not inside:
            yield Unit((source,))
        files = [str(file) for file in inside if not is_store(file)]
        for begin in range(0, len(files), files_per_unit):
            yield Unit(tuple(files[begin : begin + files_per_unit]), named=False)


def _groups(store: Path) -> Iterator[Unit]:
    """A unit per row group; a file that is none is a unit as well, whose part says why it cannot be read."""
    try:
        from inktex.store.files import group_count

        yield from (Unit((str(store),), group) for group in range(group_count(store)))
    except (InkError, ImportError):
        yield Unit((str(store),))
