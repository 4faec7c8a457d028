"""What belongs together in a row of the layout tree: the digits of a number, brackets with their partners.

Brackets and bars are paired by place (opening, closing), properly nested. A bar may open or close: it closes
the last open bar, unless it follows something that needs an operand, such as an operator or an opening
bracket.
"""

from collections.abc import Sequence

from .layout import Node
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


def fence_pairs(row: Sequence[Node]) -> dict[int, int]:
    """Opening place -> closing place of every pair in the row; half-open intervals are pairs too."""
    pairs: dict[int, int] = {}
    waiting: list[int] = []  # places of what is open
    wants_more = True
    for place, node in enumerate(row):
        role = symbol(node.label).role
        if role is Role.OPEN or (
            role is Role.BAR and (wants_more or not _open_bar(row, waiting, node.label))
        ):
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


def _open_bar(row: Sequence[Node], waiting: list[int], label: str) -> bool:
    return bool(waiting) and row[waiting[-1]].label == label


def _partner(row: Sequence[Node], waiting: list[int], closing: str) -> int | None:
    """The innermost open place that this closes; bars left open in between are given up."""
    for place in reversed(waiting):
        opening = row[place].label
        if opening == closing or closing in _PARTNERS.get(opening, ()):
            return place
        if symbol(opening).role is not Role.BAR:
            return None
    return None


def number_length(nodes: Sequence[Node]) -> int:
    """How many symbols, from the first on, are one number like `1 . 5`, which scripts end; 0 if none is."""
    for place, node in enumerate(nodes):
        is_point = (
            node == Node(".")
            and place > 0
            and any(after.label.isdigit() for after in nodes[place + 1 : place + 2])
        )
        if not node.label.isdigit() and not is_point:
            return place
        if node.sub or node.sup:
            return place + 1
    return len(nodes)
