"""MyScript: recognition requests ("strokeGroups", "events") and JIIX exports.

JIIX is a tree of blocks (expressions, words, elements, …). Its strokes are in "items" (version 2 and
later) or "strokes" (version 1) of the block they were read as. If every such block is one symbol, that
is the segmentation.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from inktex.ink.core import Ink, Symbol
from inktex.ink.errors import InkError
from inktex.ink.jsonvalues import stroke_of_columns, strokes_of
from inktex.ink.limits import MAX_STROKES
from inktex.ink.pointers import is_pointer_events, read_pointer_events
from inktex.ink.strokes import Stroke, build_ink, read_strokes, written

_JIIX_MEMBERS = ("items", "expressions", "elements", "words", "chars", "children", "operands", "strokes")
_NAMED_SYMBOLS = {
    "fraction": "-",
    "square root": r"\sqrt",
    "root": r"\sqrt",
}  # block types whose own ink is a symbol


def is_myscript(data: Mapping[str, Any]) -> bool:
    """Tell a request by its members, a JIIX document by its type and blocks."""
    if isinstance(data.get("strokeGroups"), list) or isinstance(data.get("events"), list):
        return True
    return isinstance(data.get("type"), str) and any(
        isinstance(data.get(name), list) for name in _JIIX_MEMBERS
    )


def read_myscript(data: Mapping[str, Any]) -> Ink:
    """Read a request or a JIIX document."""
    if isinstance(data.get("strokeGroups"), list):
        return _read_groups(data["strokeGroups"])
    events = data.get("events")
    if isinstance(events, list):
        if events and is_pointer_events(events[0]):
            return read_pointer_events(events)
        return _ink(_written(events), "events")
    return _read_jiix(data)


def _read_groups(groups: Sequence[Any]) -> Ink:
    entries: list[Any] = []
    for number, group in enumerate(groups):
        if not isinstance(group, Mapping) or not isinstance(group.get("strokes"), list):
            raise InkError('must be an object with a list of "strokes"', place=f"stroke group {number + 1}")
        entries.extend(group["strokes"])
    return _ink(_written(entries), "strokes")


def _written(entries: Sequence[Any]) -> list[Any]:
    """Leave out what the eraser did."""
    return [
        e for e in entries if not (isinstance(e, Mapping) and str(e.get("pointerType")).upper() == "ERASER")
    ]


def _ink(entries: list[Any], what: str) -> Ink:
    return build_ink(written(strokes_of(entries, what)))


def _read_jiix(data: Mapping[str, Any]) -> Ink:
    found = list(islice(_jiix_strokes(data), MAX_STROKES + 1))
    strokes = read_strokes(
        ((f"stroke {number}", entry) for number, (entry, _, _) in enumerate(found, start=1)),
        stroke_of_columns,
    )
    read: list[
        tuple[str, int, Stroke, int, str | None]
    ] = []  # timestamp, number, stroke, block and its label
    for number, (stroke, (entry, block, label)) in enumerate(zip(strokes, found, strict=True)):
        if stroke is not None:
            timestamp = entry.get("timestamp")
            read.append((timestamp if isinstance(timestamp, str) else "", number, stroke, block, label))
    if not read:
        raise InkError("no strokes in this JIIX (export it with strokes: export.jiix.strokes)")
    if all(entry[0] for entry in read):
        read.sort(key=lambda entry: entry[:2])  # blocks come in reading order; people write in another
    return build_ink([entry[2] for entry in read], symbols=_jiix_symbols([entry[3:] for entry in read]))


def _jiix_strokes(root: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], int, str | None]]:
    """Walk the blocks in document order; yield each stroke with its block and the label of that."""
    waiting: list[tuple[Any, int, str | None]] = [(root, 0, None)]
    blocks = 0
    while waiting:
        value, block, label = waiting.pop()
        if isinstance(value, list):
            waiting.extend((entry, block, label) for entry in reversed(value))
        elif isinstance(value, Mapping):
            if _is_stroke(value):
                yield value, block, label
                continue
            blocks += 1
            inner = (blocks, _label(value))
            # Only lists and objects can hold strokes; the rest would only lengthen the walk.
            waiting.extend(
                (v, *inner) for v in reversed(list(value.values())) if isinstance(v, list | Mapping)
            )


def _is_stroke(value: Mapping[str, Any]) -> bool:
    has_columns = any(name in value for name in ("X", "x")) and any(name in value for name in ("Y", "y"))
    return value.get("type") == "stroke" or (has_columns and any(isinstance(v, list) for v in value.values()))


def _label(block: Mapping[str, Any]) -> str | None:
    """The symbol that a block's own strokes draw, None if they may be more than one."""
    label, block_type = block.get("label"), block.get("type")
    if isinstance(label, str) and len(label.strip()) == 1:
        return label
    if isinstance(block_type, str) and label is None:
        return block_type if len(block_type) == 1 else _NAMED_SYMBOLS.get(block_type)
    return None


def _jiix_symbols(origins: Sequence[tuple[int, str | None]]) -> list[Symbol]:
    strokes_of_block: dict[tuple[int, str | None], list[int]] = {}
    for position, origin in enumerate(origins):
        strokes_of_block.setdefault(origin, []).append(position)
    if any(label is None for _, label in strokes_of_block):
        return []
    return [Symbol(label or "", tuple(strokes)) for (_, label), strokes in strokes_of_block.items()]
