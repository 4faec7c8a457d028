"""The columns of an ink store (docs/ink-store.md): one row per ink, with stable names and types.

Coordinates are lists of lists, one inner list per stroke, so that any tool that reads Parquet sees strokes
without knowing inktex. Readers ignore additional columns.
"""

import pyarrow as pa

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
