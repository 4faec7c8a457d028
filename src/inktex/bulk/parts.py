"""Recognizes large collections in parts, on this machine or on a cluster of Ray.

Each unit of work is read by itself, and its answers become one part file, written atomically. A unit may be
done twice after a machine failed; every input still has exactly one output.
"""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from inktex.bulk.results import row_of
from inktex.bulk.units import Plan, Unit, units_of
from inktex.files import write_atomically
from inktex.ink import Ink, InkError, Limits
from inktex.ink.errors import printable
from inktex.ink.limits import DEFAULT_LIMITS
from inktex.reading import Executor, Model, ModelFile, find_model, read_model
from inktex.reading.opening import read_folder
from inktex.recognizer import RecognizeOptions, Recognizer
from inktex.store.row import StoreRow
from inktex.store.sources import ink_of, rows_in


@dataclass(frozen=True)
class PartCount:
    """What a part holds."""

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
        remaining = plan.open(
            {"model": file.sha256, "beam": beam, **asdict(options), **asdict(limits)}, fresh=fresh
        )
        done = sorted(set(range(len(plan.units))) - set(remaining))
        counts = [count_part(plan.part(number)) for number in done]
        advance(sum(each.inks for each in counts))
        if remaining:
            name = path.name if path.is_dir() else path.stem
            # The model's content is sent along, so the machines of a cluster need no copy of it.
            make = partial(_unit_worker, file, name, beam, options, limits, os.getcwd())
            for count in executor.map(
                make, [(plan.units[number], plan.part(number)) for number in remaining]
            ):
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
    """Names and inks of a unit."""
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
    """Rows and failures of a part."""
    if part.suffix == ".parquet":
        import pyarrow.parquet as pq

        column = pq.read_table(part, columns=["error"]).column("error")
        return PartCount(len(column), len(column) - column.null_count)
    rows = [json.loads(line) for line in part.read_text(encoding="utf-8").splitlines()]
    return PartCount(len(rows), sum("error" in row for row in rows))
