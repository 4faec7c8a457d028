"""Converts rows of an ink store to an Arrow batch and back.

Points go into Arrow as whole arrays, never number by number, and come back as the same float64 numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from inktex.ink import Ink, InkError, Symbol
from inktex.ink.errors import printable
from inktex.store.row import StoreError, StoreRow
from inktex.store.schema import RECOGNITION, SCHEMA

Floats = NDArray[np.float64]
_RECOGNITION_FIELDS = tuple(field.name for field in RECOGNITION)


def batch_of(rows: Sequence[StoreRow]) -> pa.RecordBatch:
    """Rows as an Arrow batch with the columns of `SCHEMA`."""
    inks = [row.ink for row in rows]
    columns = {
        "source": [printable(row.source) for row in rows],
        "x": _nested(inks, lambda ink: ink.points[:, 0]),
        "y": _nested(inks, lambda ink: ink.points[:, 1]),
        "time": _nested(inks, lambda ink: ink.time),
        "pressure": _nested(inks, lambda ink: ink.pressure),
        "symbols": [_symbols(ink) for ink in inks],
        "recognition": [_known(row.recognition) for row in rows],
        "error": [None if row.error is None else printable(row.error) for row in rows],
    }
    columns |= {name: [getattr(ink, name, None) for ink in inks] for name in ("truth", "mathml", "writer")}
    arrays = [pa.array(columns[field.name], field.type) for field in SCHEMA]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def rows_of(batch: pa.RecordBatch, name: str = "ink store") -> Iterator[tuple[StoreRow, InkError | None]]:
    """The rows of a batch; one whose strokes are not valid ink has no ink and comes with the error."""
    names = set(batch.schema.names)
    if not {"source", "x", "y"} <= names:
        raise StoreError(
            "not an ink store, which needs the columns source, x and y; `inktex convert` makes one",
            source=name,
        )
    columns = {field: batch.column(field) for field in SCHEMA.names if field in names}
    for number in range(batch.num_rows):
        row = {field: column[number] for field, column in columns.items()}
        source = row["source"].as_py() or f"{name}#{number + 1}"
        plain = {
            field: row[field].as_py()
            for field in ("truth", "symbols", "mathml", "writer", "recognition", "error")
            if field in row
        }
        ink = problem = None
        if row["x"].is_valid or row["y"].is_valid:
            try:
                ink = _ink(row, plain, source)
            except InkError as error:
                problem = error.inside(source=source)
        yield StoreRow(source, ink, plain.get("recognition"), plain.get("error")), problem


def _nested(inks: Sequence[Ink | None], channel: Callable[[Ink], Floats | None]) -> pa.Array:
    """A column of lists (inks) of lists (strokes) of numbers; null where an ink has no such channel."""
    values = [None if ink is None else channel(ink) for ink in inks]
    present = [ink for ink, value in zip(inks, values, strict=True) if ink is not None and value is not None]
    numbers = np.concatenate([np.empty(0), *(value for value in values if value is not None)])
    lengths = np.concatenate([[0], *(np.diff(ink.offsets) for ink in present)])
    strokes = pa.ListArray.from_arrays(_places(lengths), pa.array(numbers, pa.float64()))
    counts = [
        0 if ink is None or value is None else len(ink) for ink, value in zip(inks, values, strict=True)
    ]
    missing = pa.array([value is None for value in values], pa.bool_())
    return pa.ListArray.from_arrays(_places([0, *counts]), strokes, mask=missing)


def _places(lengths: ArrayLike) -> pa.Array:
    """Where lists of these lengths begin, and the last ends; the first length is 0."""
    return pa.array(np.cumsum(lengths).astype(np.int32))


def _symbols(ink: Ink | None) -> list[dict[str, Any]] | None:
    if ink is None or not ink.symbols:
        return None
    return [{"label": each.label, "strokes": list(each.strokes), "id": each.id} for each in ink.symbols]


def _known(recognition: dict[str, Any] | None) -> dict[str, Any] | None:
    """The fields that the store keeps."""
    if recognition is None:
        return None
    return {name: recognition.get(name) for name in _RECOGNITION_FIELDS}


def _ink(row: dict[str, Any], plain: dict[str, Any], source: str) -> Ink:
    x, lengths = _channel(row["x"], "x")
    y, lengths_y = _channel(row["y"], "y")
    if not np.array_equal(lengths, lengths_y):
        raise InkError("x and y do not have the same strokes")
    others: dict[str, Floats | None] = {}
    for name in ("time", "pressure"):
        others[name] = None
        if name in row and row[name].is_valid:
            others[name], found = _channel(row[name], name)
            if not np.array_equal(lengths, found):
                raise InkError(f"{name} does not have the same strokes as x and y")
    try:
        symbols = tuple(
            Symbol(each["label"], tuple(each["strokes"] or ()), each.get("id"))
            for each in plain.get("symbols") or ()
        )
    except (KeyError, TypeError, AttributeError):
        raise InkError("its symbols are not lists of label, strokes and id") from None
    return Ink(
        points=np.stack([x, y], axis=1),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        time=others["time"],
        pressure=others["pressure"],
        truth=plain.get("truth"),
        symbols=symbols,
        mathml=plain.get("mathml"),
        writer=plain.get("writer"),
        source=source,
    )


def _channel(value: Any, name: str) -> tuple[Floats, NDArray[np.int64]]:
    """All numbers of one ink's channel, and how many each stroke has."""
    try:
        strokes = value.values
        if strokes is None:
            raise InkError(f"{name} is missing")
        numbers = strokes.flatten().to_numpy(zero_copy_only=False).astype(np.float64)
        lengths = strokes.value_lengths().to_numpy(zero_copy_only=False)
        if strokes.null_count:
            raise InkError(f"{name} has a stroke that is null")
    except (AttributeError, TypeError, ValueError, pa.ArrowInvalid) as error:
        if isinstance(error, InkError):
            raise
        raise InkError(f"{name} is not a list of strokes, each a list of numbers") from None
    return numbers, lengths.astype(np.int64)
