"""What belongs together in a row of the layout tree: the digits of a number, brackets with their partners.

Brackets and bars are paired by place (opening, closing), properly nested. A bar may open or close: it closes
the last open bar, unless it follows something that needs an operand, such as an operator or an opening
bracket.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .layout import Node, Row
from .symbols import Role, symbol

WANTS_MORE = {Role.OPEN, Role.BINARY, Role.RELATION, Role.PUNCTUATION, Role.OPERATOR, Role.FUNCTION}
_PARTNERS = {
    "(": (")", "]"),
    "[": ("]", ")"),
    r"\{": (r"\}",),
    r"\langle": (r"\rangle",),
    r"\lfloor": (r"\rfloor",),
    r"\lceil": (r"\rceil",),
    r"\llbracket": (r"\rrbracket",),
}


class Piece(NamedTuple):
    """A symbol, the symbols of one number, or a pair of brackets with what stands between them."""

    nodes: Row  # of brackets: both of them
    inner: "tuple[Piece, ...] | None" = None  # of brackets only


def pieces(row: Row, *, numbers: bool = True) -> tuple[Piece, ...]:
    """The row in its pieces; without `numbers` each digit is one."""
    return _pieces(row, 0, len(row), _fence_pairs(row), numbers)


def _pieces(row: Row, start: int, end: int, fences: dict[int, int], numbers: bool) -> tuple[Piece, ...]:
    found: list[Piece] = []
    while start < end:
        length = max(_number_length(row[start:end]), 1) if numbers else 1
        if length == 1 and start in fences:
            closing = fences[start]
            inner = _pieces(row, start + 1, closing, fences, numbers)
            found.append(Piece((row[start], row[closing]), inner))
            start = closing + 1
        else:
            found.append(Piece(row[start : start + length]))
            start += length
    return tuple(found)


def _fence_pairs(row: Row) -> dict[int, int]:
    """Opening place -> closing place of every pair in the row; half-open intervals are pairs too."""
    pairs: dict[int, int] = {}
    waiting: list[int] = []  # places of what is open
    wants_more = True
    for place, node in enumerate(row):
        role = symbol(node.label).role
        open_bar = bool(waiting) and row[waiting[-1]].label == node.label
        if role is Role.OPEN or (role is Role.BAR and (wants_more or not open_bar)):
            waiting.append(place)
            wants_more = True
            continue
        if role in (Role.CLOSE, Role.BAR):
            partner = _partner(row, waiting, node.label)
            if partner is not None:
                del waiting[waiting.index(partner) :]
                pairs[partner] = place
        wants_more = role in WANTS_MORE
    return pairs


def _partner(row: Sequence[Node], waiting: list[int], closing: str) -> int | None:
    """The innermost open place that this closes; bars left open in between are given up."""
    for place in reversed(waiting):
        opening = row[place].label
        if opening == closing or closing in _PARTNERS.get(opening, ()):
            return place
        if symbol(opening).role is not Role.BAR:
            return None
    return None


def _number_length(nodes: Row) -> int:
    """How many symbols, from the first on, are one number like `1 . 5`, which scripts end; 0 if none is."""
    for place, node in enumerate(nodes):
        after = nodes[place + 1].label if place + 1 < len(nodes) else ""
        is_point = place > 0 and node == Node(".") and after.isdigit()
        if not node.label.isdigit() and not is_point:
            return place
        if node.sub or node.sup:
            return place + 1
    return len(nodes)
