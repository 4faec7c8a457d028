"""Processes one unit of work: reads its inks, recognizes them, and writes one part file atomically."""

import json
import os
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inktex.bulk.units import Unit
from inktex.files import WriteError
from inktex.ink import Ink, InkError, Limits
from inktex.ink.errors import printable
from inktex.ink.limits import DEFAULT_LIMITS
from inktex.recognizer import RecognizeOptions, Recognizer
from inktex.recognizer.answer import SCHEMA
from inktex.store.row import StoreRow
from inktex.store.sources import ink_of, rows_in


@dataclass(frozen=True)
class PartCount:
    """What a part holds."""

    inks: int
    failures: int


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
    _write(part, rows)
    return PartCount(len(rows), sum(row.error is not None for row in rows))


def unit_inks(unit: Unit, limits: Limits = DEFAULT_LIMITS) -> Iterator[tuple[str, Ink | InkError]]:
    """Names and inks of a unit."""
    if unit.group is not None:
        yield from _group_inks(unit.files[0], unit.group)
        return
    for file in unit.files:
        for row, problem in rows_in(file, named=unit.named, limits=limits):
            yield row.source, ink_of(row, problem)


def _group_inks(file: str, group: int) -> Iterator[tuple[str, Ink | InkError]]:
    from inktex.store.files import read_group

    try:
        for row, problem in read_group(Path(file), group):
            yield row.source, ink_of(row, problem)
    except InkError as error:
        yield printable(f"{file}#group{group}"), error


def count_part(part: Path) -> PartCount:
    """Rows and failures of a part."""
    if part.suffix == ".parquet":
        import pyarrow.parquet as pq

        column = pq.read_table(part, columns=["error"]).column("error")
        return PartCount(len(column), len(column) - column.null_count)
    rows = [json.loads(line) for line in part.read_text(encoding="utf-8").splitlines()]
    return PartCount(len(rows), sum("error" in row for row in rows))


def _result(row: StoreRow) -> dict[str, Any]:
    if row.recognition is None:
        return {"schema": SCHEMA, "source": row.source, "latex": None, "score": None, "error": row.error}
    return {"schema": SCHEMA, "source": row.source, **row.recognition}


def _write(part: Path, rows: Sequence[StoreRow]) -> None:
    # A name of its own for every attempt: where a lost machine comes back, two may write at once.
    temporary = part.with_name(f".{part.stem}.{uuid.uuid4().hex}{part.suffix}")
    try:
        if part.suffix == ".parquet":
            from inktex.store.files import write_store

            write_store(temporary, rows)
        else:
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                for row in rows:
                    file.write(json.dumps(_result(row), ensure_ascii=False) + "\n")
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, part)
    except OSError as error:
        raise WriteError.of(part, error) from error
    finally:
        temporary.unlink(missing_ok=True)
