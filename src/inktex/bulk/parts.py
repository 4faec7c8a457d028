"""One unit of work done: its inks are read, recognised, and written as one part file, whole or not at all."""

import json
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inktex.bulk.asking import Asking
from inktex.bulk.units import Unit
from inktex.ink import Ink, InkError, read_all
from inktex.recognizer import Recognizer


@dataclass(frozen=True)
class PartCount:
    """What a part holds."""

    inks: int
    failures: int


def do_unit(unit: Unit, part: Path, recognizer: Recognizer, asking: Asking) -> PartCount:
    """Make the part of a unit, or count it if it is there already."""
    if part.exists():
        return count_part(part)
    names: list[str] = []
    inks: list[Ink | None] = []
    answers: list[dict[str, Any] | None] = []
    errors: list[str | None] = []
    for name, item in unit_inks(unit):
        names.append(name)
        answers.append(None)
        failed = isinstance(item, InkError)
        inks.append(None if isinstance(item, InkError) else item)
        errors.append(str(item.inside(source=name)) if failed and isinstance(item, InkError) else None)
    readable = [place for place, ink in enumerate(inks) if ink is not None]
    stream = recognizer.stream(
        (inks[place] for place in readable),  # type: ignore[misc]
        jobs=1,
        symbols=asking.symbols,
        top=asking.top,
        timeout=asking.timeout,
    )
    for number, answer in stream:
        place = readable[number]
        if isinstance(answer, InkError):
            errors[place] = str(answer.inside(source=names[place]))
        else:
            answers[place] = answer.to_json()
    _write(part, names, inks, answers, errors)
    return PartCount(len(names), sum(error is not None for error in errors))


def unit_inks(unit: Unit) -> Iterator[tuple[str, Ink | InkError]]:
    """Names and inks of a unit."""
    if unit.group is not None:
        yield from _group_inks(unit.files[0], unit.group)
        return
    for file in unit.files:
        found = False
        for item in read_all(file, named=unit.named):
            found = True
            yield item
        if unit.named and not found:
            yield file, InkError("holds no ink", source=file)


def _group_inks(file: str, group: int) -> Iterator[tuple[str, Ink | InkError]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from inktex.store.rows import rows_of

    try:
        with pq.ParquetFile(file) as store:
            batches = store.read_row_group(group).combine_chunks().to_batches()
    except (pa.ArrowInvalid, OSError) as error:
        yield f"{file}#group{group}", InkError(f"damaged ({error}); make it again", source=file)
        return
    for batch in batches:
        for row, problem in rows_of(batch, file):
            missing = InkError(row.error or "has no strokes", source=row.source)
            yield row.source, problem or row.ink or missing


def count_part(part: Path) -> PartCount:
    """Rows and failures of a part."""
    if part.suffix == ".parquet":
        import pyarrow.parquet as pq

        column = pq.read_table(part, columns=["error"]).column("error")
        return PartCount(len(column), len(column) - column.null_count)
    rows = [json.loads(line) for line in part.read_text(encoding="utf-8").splitlines()]
    return PartCount(len(rows), sum("error" in row for row in rows))


def _write(
    part: Path,
    names: list[str],
    inks: list[Ink | None],
    answers: list[dict[str, Any] | None],
    errors: list[str | None],
) -> None:
    # A name of its own for every attempt: where a lost machine comes back, two may write at once.
    temporary = part.with_name(f".{part.stem}.{uuid.uuid4().hex}{part.suffix}")
    try:
        if part.suffix == ".parquet":
            from inktex.store.files import write_store
            from inktex.store.row import StoreRow

            columns = zip(names, inks, answers, errors, strict=True)
            write_store(temporary, (StoreRow(*row) for row in columns))
        else:
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                for name, answer, error in zip(names, answers, errors, strict=True):
                    row: dict[str, Any] = {"source": name}
                    row |= answer if answer is not None else {"latex": None, "score": None, "error": error}
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, part)
    except OSError as error:
        said = (
            f"{part}: could not be written ({error.strerror or error}); free space or choose another folder"
        )
        known = "could not be written" in str(error)  # the store's own words, about the temporary file
        raise OSError(str(error).replace(str(temporary), str(part)) if known else said) from error
    finally:
        temporary.unlink(missing_ok=True)
