"""Plain JSON: `[[[x, y], …], …]` or an object with "strokes" and other fields.

This is also what `write_json` writes: {"strokes", "time", "pressure", "truth", "symbols": [{"label",
"strokes", "id"}], "mathml", "writer"}.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inktex.ink.core import Ink, Symbol
from inktex.ink.errors import InkError
from inktex.ink.jsonvalues import kind, numbers, strokes_of, text_of
from inktex.ink.strokes import Stroke, build_ink


def read_plain(data: Any) -> Ink:
    """Read a list of strokes, or an object that holds one as "strokes"."""
    if isinstance(data, list):
        return build_ink(strokes_of(data))
    strokes = strokes_of(data["strokes"])
    for name in ("time", "pressure"):
        strokes = _with_channel(strokes, data.get(name), name)
    return build_ink(strokes).replace(
        truth=text_of(data, "truth", "latex", "label"),
        symbols=_symbols(data.get("symbols"), strokes),
        mathml=text_of(data, "mathml"),
        writer=text_of(data, "writer"),
    )


def _with_channel(strokes: list[Stroke | None], channel: Any, name: str) -> list[Stroke | None]:
    """Put time or pressure, if given as one list per stroke, to the strokes they belong to."""
    if channel is None:
        return strokes
    if not isinstance(channel, list):
        raise InkError(f"must be a list per stroke, not {kind(channel)}", place=repr(name))
    result = list(strokes)
    for number, stroke in enumerate(strokes):
        if stroke is None:
            continue
        values = numbers(channel[number] if number < len(channel) else None, f"{name} of stroke {number + 1}")
        if len(values) != len(stroke.points):
            raise InkError(
                f"{len(values)} values for {len(stroke.points)} points", place=f"{name}, stroke {number + 1}"
            )
        result[number] = replace(stroke, **{name: values})
    return result


def _symbols(value: Any, strokes: list[Stroke | None]) -> list[Symbol]:
    """Read the segmentation; a symbol all of whose strokes were empty is left out with them."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InkError(f"must be a list, not {kind(value)}", place="'symbols'")
    drawn = (number for number, stroke in enumerate(strokes) if stroke is not None)
    position_of = {old: new for new, old in enumerate(drawn)}
    symbols = []
    for number, entry in enumerate(value):
        place = f"symbol {number + 1}"
        if not isinstance(entry, Mapping):
            raise InkError(f"must be an object, not {kind(entry)}", place=place)
        label, own = text_of(entry, "label"), entry.get("strokes")
        if label is None or not isinstance(own, list):
            raise InkError('needs a "label" and a list of "strokes"', place=place)
        if not all(type(stroke) is int and 0 <= stroke < len(strokes) for stroke in own):
            raise InkError(f"its strokes must be numbers from 0 to {len(strokes) - 1}", place=place)
        kept = tuple(position_of[stroke] for stroke in own if stroke in position_of)
        if kept:
            symbols.append(Symbol(label, kept, text_of(entry, "id")))
    return symbols
