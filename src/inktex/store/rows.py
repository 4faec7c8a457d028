"""Rows of an ink store (docs/ink-store.md): the columns, and rows as an Arrow batch and back.

Coordinates are lists of lists, one inner list per stroke, so that any tool that reads Parquet sees strokes
without knowing inktex. Points go into Arrow as whole arrays, never number by number, and come back as the
same float64 numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from inktex.ink import Ink, InkError, Symbol
from inktex.ink.errors import printable
from inktex.store.row import StoreError, StoreRow

Floats = NDArray[np.float64]

_TEXTS = ("truth", "mathml", "writer")  # of an ink, under the same names
VERSION = "inktex.ink-store/1"
VERSION_KEY = b"inktex.schema"

_TEXT, _NUMBER = pa.string(), pa.float64()
_PER_POINT = pa.list_(pa.list_(_NUMBER))
_STROKES = pa.list_(pa.int32())
_TOKEN = pa.struct([("text", _TEXT), ("confidence", _NUMBER), ("strokes", _STROKES)])
_READ = pa.struct([("latex", _TEXT), ("strokes", _STROKES), ("confidence", _NUMBER), ("token", pa.int32())])
_LABELLED = pa.struct([("label", _TEXT), ("strokes", _STROKES), ("id", _TEXT)])

RECOGNITION = pa.struct(
    [
        ("latex", _TEXT),
        ("score", _NUMBER),
        ("tokens", pa.list_(_TOKEN)),
        ("symbols", pa.list_(_READ)),
        ("alternatives", pa.list_(pa.struct([("latex", _TEXT), ("score", _NUMBER)]))),
        ("mathml", _TEXT),
        ("typst", _TEXT),
        ("unread", _STROKES),
        ("reread", _STROKES),
        ("complete", pa.bool_()),
        ("model", _TEXT),
        ("elapsed", _NUMBER),
    ]
)

SCHEMA = pa.schema(
    [
        pa.field("source", _TEXT, nullable=False),
        ("x", _PER_POINT),
        ("y", _PER_POINT),
        ("time", _PER_POINT),
        ("pressure", _PER_POINT),
        ("truth", _TEXT),
        ("symbols", pa.list_(_LABELLED)),
        ("mathml", _TEXT),
        ("writer", _TEXT),
        ("recognition", RECOGNITION),
        ("error", _TEXT),
    ],
    metadata={VERSION_KEY: VERSION.encode()},
)


def batch_of(rows: Sequence[StoreRow]) -> pa.RecordBatch:
    """Rows as an Arrow batch with the columns of `SCHEMA`."""
    inks = [row.ink for row in rows]
    known = [field.name for field in RECOGNITION]
    columns = {
        "source": [printable(row.source) for row in rows],
        "x": _nested(inks, lambda ink: ink.points[:, 0]),
        "y": _nested(inks, lambda ink: ink.points[:, 1]),
        "time": _nested(inks, lambda ink: ink.time),
        "pressure": _nested(inks, lambda ink: ink.pressure),
        "symbols": [list(map(asdict, ink.symbols)) or None if ink else None for ink in inks],
        "recognition": [
            row.recognition and {name: row.recognition.get(name) for name in known} for row in rows
        ],
        "error": [None if row.error is None else printable(row.error) for row in rows],
    }
    columns |= {name: [getattr(ink, name, None) for ink in inks] for name in _TEXTS}
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
            for field in (*_TEXTS, "symbols", "recognition", "error")
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
    strokes = [
        np.empty(0, np.int64) if ink is None or value is None else np.diff(ink.offsets)
        for ink, value in zip(inks, values, strict=True)
    ]
    numbers = np.concatenate([np.empty(0), *(value for value in values if value is not None)])
    lists = pa.ListArray.from_arrays(
        _places(np.concatenate([[0], *strokes])), pa.array(numbers, pa.float64())
    )
    missing = pa.array([value is None for value in values], pa.bool_())
    return pa.ListArray.from_arrays(_places([0, *map(len, strokes)]), lists, mask=missing)


def _places(lengths: ArrayLike) -> pa.Array:
    """Where lists of these lengths begin, and the last ends; the first length is 0."""
    return pa.array(np.cumsum(lengths).astype(np.int32))


def _ink(row: dict[str, Any], plain: dict[str, Any], source: str) -> Ink:
    given = [name for name in ("time", "pressure") if name in row and row[name].is_valid]
    numbers: dict[str, Floats] = {}
    numbers["x"], lengths = _channel(row["x"], "x")
    for name in ("y", *given):
        numbers[name], own = _channel(row[name], name)
        if not np.array_equal(lengths, own):
            what = "x and y do not have the same strokes"
            raise InkError(what if name == "y" else f"{name} does not have the same strokes as x and y")
    try:
        symbols = tuple(
            Symbol(each["label"], tuple(each["strokes"] or ()), each.get("id"))
            for each in plain.get("symbols") or ()
        )
    except (KeyError, TypeError, AttributeError):
        raise InkError("its symbols are not lists of label, strokes and id") from None
    return Ink(
        points=np.stack([numbers["x"], numbers["y"]], axis=1),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        time=numbers.get("time"),
        pressure=numbers.get("pressure"),
        symbols=symbols,
        source=source,
        **{name: plain.get(name) for name in _TEXTS},
    )


def _channel(value: Any, name: str) -> tuple[Floats, NDArray[np.int64]]:
    """All numbers of one ink's channel, and how many each stroke has."""
    if not value.is_valid:
        raise InkError(f"{name} is missing")
    try:
        strokes = value.values
        numbers = strokes.flatten().to_numpy(zero_copy_only=False).astype(np.float64)
        lengths = strokes.value_lengths().to_numpy(zero_copy_only=False)
    except (AttributeError, TypeError, ValueError):
        raise InkError(f"{name} is not a list of strokes, each a list of numbers") from None
    if strokes.null_count:
        raise InkError(f"{name} has a stroke that is null")
    return numbers, lengths.astype(np.int64)
