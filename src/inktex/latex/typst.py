"""LaTeX to Typst math: tokens in caption form come in, the text between Typst's dollar signs goes out.

Everything is set apart by spaces, since Typst would read `ab` as one name, `->` as an arrow and `f(x)` as a
call. Brackets that lack a partner, and commas inside of calls, are escaped.
"""

from collections.abc import Iterator, Sequence

from . import words as known
from .layout import Node, Row, parse_layout
from .rows import fence_pairs, number_length
from .signs import Role, pairs, sign

_SAME_KIND = {"(": ")", "[": "]", r"\{": r"\}"}
_NOTHING = '""'
_SPLITS_CALLS = {",", ";", ":"}
_CALLS = pairs(
    r"""\frac frac \binom binom \overline overline \underline underline \overbrace overbrace
    \underbrace underbrace \hat hat \widehat hat \bar macron \vec arrow \overrightarrow arrow
    \overleftarrow arrow.l \overleftrightarrow arrow.l.r \dot dot \ddot dot.double \tilde tilde
    \widetilde tilde \check caron \acute acute \grave grave \mathring circle \mathbb bb \mathcal cal
    \mathscr cal \mathfrak frak \cancel cancel"""
)


def to_typst(tokens: Sequence[str]) -> str:
    """The expression as Typst math, without dollar signs; LatexError if they are not in caption form."""
    return _row(parse_layout(tokens).row, in_call=False)


def _row(row: Row, in_call: bool) -> str:
    return " ".join(_parts(row, 0, len(row), fence_pairs(row), in_call))


def _parts(row: Row, start: int, end: int, fences: dict[int, int], in_call: bool) -> Iterator[str]:
    place = start
    while place < end:
        node = row[place]
        digits = number_length(row[place:end])
        if digits > 1:
            number = "".join(digit.label for digit in row[place : place + digits])
            yield _scripted(row[place + digits - 1], number, in_call)
            place += digits
        elif place in fences and _grows(node, row[fences[place]]):
            closing = fences[place]
            is_bar = sign(node.label).role is Role.BAR
            inner = " ".join(_parts(row, place + 1, closing, fences, in_call or is_bar))
            opening_mark, closing_mark = sign(node.label).typst, sign(row[closing].label).typst
            fenced = f"{opening_mark} {inner} {closing_mark}"
            yield _scripted(row[closing], f"lr({fenced})" if is_bar else fenced, in_call)
            place = closing + 1
        else:
            yield _scripted(node, _base(node, in_call), in_call)
            place += 1


def _grows(opening: Node, closing: Node) -> bool:
    """Typst pairs brackets of one kind, and only if the opening one has no script."""
    alike = _SAME_KIND.get(opening.label) == closing.label or opening.label == closing.label
    return alike and not (opening.sub or opening.sup)


def _base(node: Node, in_call: bool) -> str:
    label = node.label
    if not label:
        return _NOTHING
    if label == r"\sqrt":
        return (
            f"root({_argument(node.above)}, {_argument(node.inside)})"
            if node.above
            else f"sqrt({_argument(node.inside)})"
        )
    if label in (r"\overset", r"\stackrel", r"\underset"):
        mark = "_" if label == r"\underset" else "^"
        return f"limits({_argument(node.below)}){mark}({_row(node.above, in_call)})"
    if label in known.TWO_ARGUMENTS:
        return f"{_CALLS[label]}({_argument(node.above)}, {_argument(node.below)})"
    if label in known.ONE_ARGUMENT:
        return f"{_CALLS.get(label, 'limits')}({_argument(node.inside)})"
    shown = sign(label)
    if shown.role in (Role.OPEN, Role.CLOSE) or (in_call and shown.typst in _SPLITS_CALLS):
        return "\\" + shown.typst
    return shown.typst


def _argument(row: Row) -> str:
    return _row(row, in_call=True) or _NOTHING


def _scripted(node: Node, base: str, in_call: bool) -> str:
    if node.sup and all(
        sign(prime.label).role is Role.PRIME and not (prime.sub or prime.sup) for prime in node.sup
    ):
        return base + "'" * len(node.sup) + _script("_", node.sub, in_call)
    return base + _script("_", node.sub, in_call) + _script("^", node.sup, in_call)


def _script(mark: str, row: Row, in_call: bool) -> str:
    written = _row(row, in_call)
    if not written:
        return ""
    return mark + (written if len(written) == 1 and written.isalnum() else f"({written})")
