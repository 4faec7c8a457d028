"""LaTeX to Typst math: turns tokens in caption form into the text between Typst's dollar signs.

Everything is set apart by spaces, since Typst would read `ab` as one name, `->` as an arrow and `f(x)` as a
call. Brackets that lack a partner, and commas inside of calls, are escaped.
"""

from collections.abc import Iterator, Sequence

from . import words as known
from .layout import Node, Row, parse_layout
from .rows import Piece, pieces
from .symbols import MATRICES, Role, symbol

_SAME_KIND = {"(": ")", "[": "]", r"\{": r"\}"}
_NOTHING = '""'
_SPLITS_CALLS = {",", ";", ":"}
_CALLS = {r"\frac": "frac", r"\binom": "binom", r"\cancel": "cancel"}
_ALIGNED = r"\begin{aligned}"


def to_typst(tokens: Sequence[str]) -> str:
    """The expression as Typst math, without dollar signs; LatexError if they are not in caption form."""
    row = parse_layout(tokens).row
    if len(row) == 1 and row[0].label == _ALIGNED and not (row[0].sub or row[0].sup):
        return _lines(row[0], in_call=False)
    return _row(row, in_call=False)


def _row(row: Row, in_call: bool) -> str:
    return " ".join(_parts(pieces(row), in_call))


def _parts(row: Sequence[Piece], in_call: bool) -> Iterator[str]:
    for nodes, inner in row:
        first, last = nodes[0], nodes[-1]
        if inner is None:
            base = _base(last, in_call) if len(nodes) == 1 else "".join(digit.label for digit in nodes)
            yield _scripted(last, base, in_call)
        elif not _grows(first, last):
            yield _scripted(first, _base(first, in_call), in_call)
            yield from _parts(inner, in_call)
            yield _scripted(last, _base(last, in_call), in_call)
        else:
            is_bar = symbol(first.label).role is Role.BAR
            content = " ".join(_parts(inner, in_call or is_bar))
            fenced = f"{symbol(first.label).typst} {content} {symbol(last.label).typst}"
            yield _scripted(last, f"lr({fenced})" if is_bar else fenced, in_call)


def _grows(opening: Node, closing: Node) -> bool:
    """Typst pairs brackets of one kind, and only if the opening one has no script."""
    alike = _SAME_KIND.get(opening.label) == closing.label or opening.label == closing.label
    return alike and not (opening.sub or opening.sup)


def _base(node: Node, in_call: bool) -> str:
    label = node.label
    if not label:
        return _NOTHING
    if label == r"\sqrt":
        inside = _argument(node.inside)
        return f"root({_argument(node.above)}, {inside})" if node.above else f"sqrt({inside})"
    if label in (r"\overset", r"\underset"):
        mark = "_" if label == r"\underset" else "^"
        return f"limits({_argument(node.below)}){mark}({_row(node.above, in_call)})"
    if label in known.TWO_ARGUMENTS:
        return f"{_CALLS[label]}({_argument(node.above)}, {_argument(node.below)})"
    if label in known.ONE_ARGUMENT:
        return f"{_CALLS.get(label) or symbol(label).typst or 'limits'}({_argument(node.inside)})"
    if node.cells:
        return _environment(node)
    shown = symbol(label)
    if shown.role in (Role.OPEN, Role.CLOSE) or (in_call and shown.typst in _SPLITS_CALLS):
        return "\\" + shown.typst
    return shown.typst


def _environment(node: Node) -> str:
    name = node.environment
    if name == "cases":
        return f"cases({_lines(node, in_call=True, parted_by=', ')})"
    bracket = MATRICES.get(name, ("", ""))[0]
    delimiter = f'"{bracket}"' if bracket else "#none"
    lines = (", ".join(_argument(cell) for cell in line) for line in node.cells)
    return f"mat(delim: {delimiter}, {'; '.join(lines)})"


def _lines(node: Node, *, in_call: bool, parted_by: str = " \\ ") -> str:
    return parted_by.join(" & ".join(_row(cell, in_call) for cell in line) for line in node.cells)


def _argument(row: Row) -> str:
    return _row(row, in_call=True) or _NOTHING


def _scripted(node: Node, base: str, in_call: bool) -> str:
    sub, sup = node.sub, node.sup
    if node.label == r"\overbrace" and sup:
        base, sup = f"overbrace({_argument(node.inside)}, {_argument(sup)})", ()
    elif node.label == r"\underbrace" and sub:
        base, sub = f"underbrace({_argument(node.inside)}, {_argument(sub)})", ()
    elif all(symbol(prime.label).role is Role.PRIME and not (prime.sub or prime.sup) for prime in sup):
        base, sup = base + "'" * len(sup), ()
    return base + _script("_", sub, in_call) + _script("^", sup, in_call)


def _script(mark: str, row: Row, in_call: bool) -> str:
    written = _row(row, in_call)
    if not written:
        return ""
    return mark + (written if len(written) == 1 and written.isalnum() else f"({written})")
