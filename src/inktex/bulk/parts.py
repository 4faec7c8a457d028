"""Recognizes large collections in parts, on this machine or on a cluster of Ray.

A unit of work is some files, or one row group of a Parquet ink store. Each is read by itself, and its answers
become one part file, written atomically; so a unit that is done twice, after a machine failed, leaves one
part, and every input has exactly one output.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from inktex.bulk.results import lock_output, row_of
from inktex.files import FileLock, write_atomically
from inktex.ink import Ink, InkError, Limits
from inktex.ink.errors import printable
from inktex.ink.limits import DEFAULT_LIMITS
from inktex.ink.sources import folder_files
from inktex.reading import Executor, Model, ModelFile, find_model, read_model
from inktex.reading.opening import read_folder
from inktex.recognizer import RecognizeOptions, Recognizer
from inktex.store.row import StoreRow
from inktex.store.sources import ink_of, is_store, rows_in

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
        return self.folder / f"part-{number:07d}.{'parquet' if self.parquet else 'jsonl'}"

    def lock(self) -> FileLock:
        """Make the folder and keep others from writing to it; a folder of something else is refused."""
        if self.folder.exists() and not (self.folder / PLAN).exists():
            if not self.folder.is_dir():
                raise ValueError(f"{self.folder}: a file; name a folder")
            if any(file.name != LOCK for file in self.folder.iterdir()):
                raise ValueError(f"{self.folder}: the folder is not empty; choose another")
        return lock_output(self.folder / LOCK, self.folder, "folder")

    def open(self, settings: dict[str, Any], *, fresh: bool = False) -> list[int]:
        """Make the folder ready and give the units that are still to do, changed ones included."""
        inputs = hashlib.sha256()
        for unit in self.units:
            inputs.update(json.dumps(asdict(unit)).encode())
        about = {"format": FORMAT, "units": len(self.units), "inputs": inputs.hexdigest()}
        said = {**about, "settings": settings}
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


@dataclass(frozen=True)
class PartCount:
    inks: int
    failures: int


def recognize_in_parts(
    sources: Sequence[str],
    out: Path,
    *,
    model: str | None,
    beam: int,
    options: RecognizeOptions,
    executor: Executor,
    fresh: bool,
    limits: Limits,
    advance: Callable[[int], None],
) -> PartCount:
    """Recognise all sources into part files in `out`; what is there from a run before is not done again."""
    path = find_model(model)
    file = read_folder(path) if path.is_dir() else read_model(path)
    plan = Plan(tuple(units_of(sources)), out.absolute(), parquet=out.suffix.casefold() == ".parquet")
    with plan.lock():
        settings = {"model": file.sha256, "beam": beam, **asdict(options), **asdict(limits)}
        remaining = plan.open(settings, fresh=fresh)
        done = sorted(set(range(len(plan.units))) - set(remaining))
        counts = [count_part(plan.part(number)) for number in done]
        advance(sum(each.inks for each in counts))
        if remaining:
            name = path.name if path.is_dir() else path.stem
            # The model's content is sent along, so the machines of a cluster need no copy of it.
            make = partial(_unit_worker, file, name, beam, options, limits, os.getcwd())
            work = [(plan.units[number], plan.part(number)) for number in remaining]
            for count in executor.map(make, work):
                counts.append(count)
                advance(count.inks)
        lost = [plan.part(number).name for number in remaining if not plan.part(number).exists()]
        if lost:
            raise OSError(
                f"{out}: {len(lost)} parts did not arrive here ({lost[0]} is the first); "
                "name a folder that all machines of the cluster share"
            )
        plan.finish()
    return PartCount(sum(each.inks for each in counts), sum(each.failures for each in counts))


def _unit_worker(
    file: ModelFile, name: str, beam: int, options: RecognizeOptions, limits: Limits, folder: str
) -> Callable[[tuple[Unit, Path]], PartCount]:
    """In a worker: load the model and give what does a unit."""
    if os.path.isdir(folder):  # that of the command: sources may be relative to it
        os.chdir(folder)
    recognizer = Recognizer(Model.of_file(file, name), beam=beam)
    return lambda work: do_unit(*work, recognizer, options, limits)


def do_unit(
    unit: Unit, part: Path, recognizer: Recognizer, options: RecognizeOptions, limits: Limits = DEFAULT_LIMITS
) -> PartCount:
    """Make the part of a unit, or count it if it is there already."""
    if part.exists():
        return count_part(part)
    items = list(unit_inks(unit, limits))
    rows = [StoreRow(name, None if isinstance(item, InkError) else item) for name, item in items]
    for place, answer in recognizer.stream([item for _, item in items], options, jobs=1):
        if isinstance(answer, InkError):
            rows[place] = replace(rows[place], error=str(answer.inside(source=rows[place].source)))
        else:
            rows[place] = replace(rows[place], recognition=answer.to_json())
    if part.suffix == ".parquet":
        from inktex.store.files import write_store

        write_store(part, rows)
    else:
        write_atomically(part, "".join(json.dumps(row_of(row), ensure_ascii=False) + "\n" for row in rows))
    return PartCount(len(rows), sum(row.error is not None for row in rows))


def unit_inks(unit: Unit, limits: Limits = DEFAULT_LIMITS) -> Iterator[tuple[str, Ink | InkError]]:
    if unit.group is None:
        for file in unit.files:
            for row, problem in rows_in(file, named=unit.named, limits=limits):
                yield row.source, ink_of(row, problem)
        return
    from inktex.store.files import read_group

    try:
        for row, problem in read_group(Path(unit.files[0]), unit.group):
            yield row.source, ink_of(row, problem)
    except InkError as error:
        yield printable(f"{unit.files[0]}#group{unit.group}"), error


def count_part(part: Path) -> PartCount:
    if part.suffix == ".parquet":
        import pyarrow.parquet as pq

        column = pq.read_table(part, columns=["error"]).column("error")
        return PartCount(len(column), len(column) - column.null_count)
    rows = [json.loads(line) for line in part.read_text(encoding="utf-8").splitlines()]
    return PartCount(len(rows), sum("error" in row for row in rows))
