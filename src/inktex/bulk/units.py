"""What a large collection is cut into: sources in, numbered units of work and their place on disk out.

A unit is some files, or one row group of a Parquet ink store. Its answers go to a part file of its own, which
is written whole or not at all; so a unit that is done twice, after a machine died, leaves one part.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from inktex.files import write_atomically
from inktex.ink.archives import is_hidden

FORMAT = "inktex.bulk/1"
PLAN = "_plan.json"
DONE = "_SUCCESS"
FILES_PER_UNIT = 256


@dataclass(frozen=True)
class Unit:
    """Work that is done as a whole: files to read, or a row group of a store."""

    files: tuple[str, ...]
    group: int | None = None  # of the one Parquet file
    named: bool = True  # somebody named these files; what lies in a folder may be something else than ink

    def to_json(self) -> str:
        """As text, to travel to where it is done."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Unit":
        """Read back."""
        fields = json.loads(text)
        return cls(tuple(fields["files"]), fields["group"], fields["named"])


@dataclass(frozen=True)
class Plan:
    """All units of a run and where their parts go."""

    units: tuple[Unit, ...]
    folder: Path
    parquet: bool  # parts as Parquet with the ink, or as JSON Lines

    def part(self, number: int) -> Path:
        """The part file of a unit."""
        return self.folder / f"part-{number:07d}.{'parquet' if self.parquet else 'jsonl'}"

    def open(self, model: str, *, fresh: bool = False) -> list[int]:
        """Make the folder ready and give the units that are still to do."""
        digest = hashlib.sha256()
        for unit in self.units:
            digest.update(unit.to_json().encode())
        said = {"format": FORMAT, "units": len(self.units), "inputs": digest.hexdigest()}
        said |= {"model": model}
        found = self._found()
        if fresh and found is not None:
            for file in [*self.folder.glob("part-*"), self.folder / DONE, self.folder / PLAN]:
                file.unlink(missing_ok=True)
            found = None
        if found is None:
            if self.folder.exists() and any(self.folder.iterdir()):
                raise ValueError(f"{self.folder}: the folder is not empty; choose another")
            write_atomically(self.folder / PLAN, json.dumps(said, indent=1))
        elif found != said:
            raise ValueError(
                f"{self.folder}: holds a run over other inputs or with another model; "
                "choose another folder, or --fresh to begin it anew"
            )
        return [number for number in range(len(self.units)) if not self.part(number).exists()]

    def _found(self) -> object:
        try:
            return json.loads((self.folder / PLAN).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError:
            raise ValueError(f"{self.folder / PLAN}: damaged; choose another folder") from None

    def finish(self) -> None:
        """Mark the run as whole."""
        write_atomically(self.folder / DONE, "")


def units_of(sources: Iterable[str], files_per_unit: int = FILES_PER_UNIT) -> Iterator[Unit]:
    """Cut sources into units; only names are looked at, and of stores their footers."""
    for source in sources:
        path = Path(source)
        if source == "-":
            raise ValueError("the Ray engine reads files, not standard input")
        stores = _stores(path)
        if stores:
            for store in stores:
                yield from (Unit((str(store),), group) for group in range(_groups(store)))
        elif path.is_dir():
            yield from _packed(sorted(_inside(path)), files_per_unit, named=False)
        else:
            yield Unit((source,))


def _stores(path: Path) -> list[Path]:
    if path.suffix.casefold() == ".parquet" and path.is_file():
        return [path]
    return (
        sorted(file for file in path.glob("*.parquet") if not is_hidden(file.name)) if path.is_dir() else []
    )


def _groups(store: Path) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return int(pq.read_metadata(store).num_row_groups)
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{store}: damaged or no Parquet file ({error}); make it again") from None


def _inside(folder: Path) -> Iterator[str]:
    for place, subfolders, files in os.walk(folder):
        subfolders[:] = [sub for sub in subfolders if not is_hidden(sub)]
        yield from (os.path.join(place, file) for file in files if not is_hidden(file))


def _packed(files: Sequence[str], size: int, *, named: bool) -> Iterator[Unit]:
    for begin in range(0, len(files), size):
        yield Unit(tuple(files[begin : begin + size]), named=named)
