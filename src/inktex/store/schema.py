"""The columns of an ink store (docs/ink-store.md): one row per ink, with stable names and types.

Coordinates are lists of lists, one inner list per stroke, so that any tool that reads Parquet sees strokes
without knowing inktex. Readers ignore additional columns.
"""

import pyarrow as pa

VERSION = "inktex.ink-store/1"
VERSION_KEY = b"inktex.schema"

_PER_POINT = pa.list_(pa.list_(pa.float64()))
_STROKES = pa.list_(pa.int32())

RECOGNITION = pa.struct(
    [
        pa.field("latex", pa.string()),
        pa.field("score", pa.float64()),
        pa.field(
            "tokens",
            pa.list_(pa.struct([("text", pa.string()), ("confidence", pa.float64()), ("strokes", _STROKES)])),
        ),
        pa.field(
            "symbols",
            pa.list_(
                pa.struct(
                    [
                        ("latex", pa.string()),
                        ("strokes", _STROKES),
                        ("confidence", pa.float64()),
                        ("token", pa.int32()),
                    ]
                )
            ),
        ),
        pa.field("alternatives", pa.list_(pa.struct([("latex", pa.string()), ("score", pa.float64())]))),
        pa.field("mathml", pa.string()),
        pa.field("typst", pa.string()),
        pa.field("unread", _STROKES),
        pa.field("reread", _STROKES),
        pa.field("complete", pa.bool_()),
        pa.field("model", pa.string()),
        pa.field("elapsed", pa.float64()),
    ]
)

SCHEMA = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("x", _PER_POINT),
        pa.field("y", _PER_POINT),
        pa.field("time", _PER_POINT),
        pa.field("pressure", _PER_POINT),
        pa.field("truth", pa.string()),
        pa.field(
            "symbols",
            pa.list_(pa.struct([("label", pa.string()), ("strokes", _STROKES), ("id", pa.string())])),
        ),
        pa.field("mathml", pa.string()),
        pa.field("writer", pa.string()),
        pa.field("recognition", RECOGNITION),
        pa.field("error", pa.string()),
    ],
    metadata={VERSION_KEY: VERSION.encode()},
)
