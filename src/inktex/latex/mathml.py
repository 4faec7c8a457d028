"""LaTeX to MathML that browsers render: turns tokens in caption form into a `<math>` element.

Written for MathML Core, which browsers draw by themselves: brackets grow with their content only (each pair
is a row of its own), limits of sums stand above and below in display, functions are kept apart from their
arguments by thin spaces, and a minus before a number is not spaced like one between numbers.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from . import words as known
from .layout import Node, Row, parse_layout
from .rows import WANTS_MORE, Piece, pieces
from .symbols import MATRICES, Role, symbol

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_THIN_SPACE = '<mspace width="0.1667em"/>'
_BRACKETS = MATRICES | {"cases": ("{", "")}
_COLUMNS = {"cases": ("left", "left"), "aligned": ("right", "left")}
_BELOW = {r"\underline", r"\underbrace"}
_UPRIGHT = "ΓΔΘΛΞΠΣΥΦΨΩ∞∂∇∅°"
_APPLY = "<mo>\N{FUNCTION APPLICATION}</mo>"
_SPACED = {"lspace": "0.1667em", "rspace": "0.1667em"}
_TIGHT = {"stretchy": "false", "lspace": "0em", "rspace": "0em"}
_OPERATORS: dict[Role, dict[str, str]] = {
    Role.BINARY: {},
    Role.RELATION: {},
    Role.OPERATOR: {"form": "prefix"},
    Role.PUNCTUATION: {"separator": "true"},
    Role.OPEN: {"form": "prefix", "stretchy": "false"},
    Role.CLOSE: {"form": "postfix", "stretchy": "false"},
    Role.BAR: _TIGHT,
    Role.PRIME: _TIGHT,
}
_ADJACENT = {Role.STRUCTURE, Role.ORDINARY, Role.NUMBER, Role.FUNCTION, Role.BAR, Role.PRIME, Role.CLOSE}


class _Item(NamedTuple):
    """One element of a row, and what it is to its neighbour on either side."""

    xml: str
    left: Role
    right: Role


def to_mathml(
    tokens: Sequence[str], *, ids: bool = False, display: Literal["block", "inline"] = "block"
) -> str:
    """The expression as one `<math>` element; LatexError if the tokens are not in caption form.

    With `ids`, the element of each symbol carries `data-token`, the place of its token, so that a page can
    link the formula with the ink.
    """
    row = parse_layout(tokens).row
    return f'<math xmlns="{NAMESPACE}" display="{display}">{_Writer(ids).row(row)}</math>'


class _Writer:
    def __init__(self, ids: bool) -> None:
        self.ids = ids

    def row(self, row: Row) -> str:
        """A row as exactly one element: numbers in one piece, each pair of brackets a row of its own."""
        items = list(self.items(pieces(row, numbers=not self.ids)))
        return items[0].xml if len(items) == 1 else _grouped(items)

    def items(self, row: Sequence[Piece]) -> Iterator[_Item]:
        before = Role.OPEN
        for nodes, inner in row:
            last = nodes[-1]
            if inner is not None:
                # A script on the closing bracket belongs to the whole.
                opening = self.scripted(nodes[0], self.fence(nodes[0], "prefix"))
                items = [
                    _Item(opening, Role.OPEN, Role.OPEN),
                    *self.items(inner),
                    _Item(self.fence(last, "postfix"), Role.CLOSE, Role.CLOSE),
                ]
                item = _Item(self.scripted(last, _grouped(items)), Role.OPEN, Role.CLOSE)
            elif len(nodes) > 1:
                number = _element("mn", "".join(digit.label for digit in nodes))
                item = _Item(self.scripted(last, number), Role.NUMBER, Role.NUMBER)
            else:
                role = symbol(last.label).role
                item = _Item(self.scripted(last, self.base(last, before)), role, role)
            yield item
            before = item.right

    def fence(self, node: Node, form: str) -> str:
        return self.leaf("mo", node, form=form, stretchy="true")

    def leaf(self, tag: str, node: Node, **attributes: str) -> str:
        return _element(tag, escape(symbol(node.label).character), {**attributes, **self.mark(node)})

    def mark(self, node: Node) -> dict[str, str]:
        return {"data-token": str(node.token)} if self.ids and node.token is not None else {}

    def base(self, node: Node, before: Role) -> str:
        """A symbol without its scripts."""
        label, mark = node.label, self.mark(node)
        above = self.row(node.above) if node.above else ""
        if label == r"\frac":
            return _element("mfrac", above + self.row(node.below), mark)
        if label == r"\sqrt":
            inside = self.row(node.inside)
            return _element("mroot" if node.above else "msqrt", inside + above, mark)
        if label == r"\binom":
            stack = _element("mfrac", above + self.row(node.below), {"linethickness": "0", **mark})
            return _element("mrow", f"<mo>(</mo>{stack}<mo>)</mo>")
        if label in known.TWO_ARGUMENTS:
            tag = "munder" if label == r"\underset" else "mover"
            return _element(tag, self.row(node.below) + above, mark)
        if label in known.ONE_ARGUMENT:
            return self.accented(node)
        if node.cells:
            return self.environment(node)
        return self.symbol(node, before) if label else _element("mrow", "")

    def environment(self, node: Node) -> str:
        """A table of the cells, with the brackets of a matrix or the brace of `cases` around it."""
        name = node.environment
        opening, closing = _BRACKETS.get(name, ("", ""))
        align = _COLUMNS.get(name, ())
        lines = (
            "".join(
                _element("mtd", self.row(cell), {"columnalign": align[column]} if column < len(align) else {})
                for column, cell in enumerate(line)
            )
            for line in node.cells
        )
        table = "".join(_element("mtr", line) for line in lines)
        mark = self.mark(node)
        if not opening:
            return _element("mtable", table, ({"displaystyle": "true"} if name == "aligned" else {}) | mark)
        before = _element("mo", opening, {"form": "prefix", "stretchy": "true"})
        after = _element("mo", closing, {"form": "postfix", "stretchy": "true"}) if closing else ""
        return _element("mrow", before + _element("mtable", table) + after, mark)

    def accented(self, node: Node) -> str:
        row, mark = self.row(node.inside), self.mark(node)
        shown = symbol(node.label)
        if shown.role is not Role.STRUCTURE:
            return _element("mrow", row, mark)
        stretchy = "false" if node.label in known.SMALL_ACCENTS else "true"
        accent = _element("mo", shown.character, {"stretchy": stretchy, **mark})
        if node.label in _BELOW:
            return _element("munder", row + accent, {"accentunder": "true"})
        return _element("mover", row + accent, {"accent": "true"})

    def symbol(self, node: Node, before: Role) -> str:
        """A symbol that stands alone, as identifier, number or operator, with the spacing of TeX."""
        shown = symbol(node.label)
        role, character = shown.role, shown.character
        if role is Role.BINARY and before in WANTS_MORE:
            return self.leaf("mo", node, form="prefix")
        if role is Role.OPERATOR and character.isalpha():
            return self.leaf("mo", node, form="prefix", movablelimits="true", **_SPACED)
        if role in _OPERATORS:
            return self.leaf("mo", node, **_OPERATORS[role])
        if character in "./!?%" and role is not Role.NUMBER:
            return self.leaf("mo", node, **_TIGHT)
        if character in "∀∃∄¬":
            return self.leaf("mo", node, form="prefix", lspace="0em", rspace="0em")
        if character in _UPRIGHT:
            return self.leaf("mi", node, mathvariant="normal")
        if role is Role.NUMBER:
            return self.leaf("mn", node)
        return self.leaf("mi" if role is Role.FUNCTION or len(character) == 1 else "mtext", node)

    def scripted(self, node: Node, base: str) -> str:
        if not (node.sub or node.sup):
            return base
        scripts = "".join(self.row(script) for script in (node.sub, node.sup) if script)
        low, high = ("under", "over") if node.label in known.STACKED else ("sub", "sup")
        return _element("m" + low * bool(node.sub) + high * bool(node.sup), base + scripts)


def _grouped(items: Sequence[_Item]) -> str:
    """A row of elements, with the thin spaces that keep the names of functions apart from others."""
    parts: list[str] = []
    for place, item in enumerate(items):
        if place:
            sides = items[place - 1].right, item.left
            if sides[0] is Role.FUNCTION:
                parts.append(_APPLY)
            if Role.FUNCTION in sides and _ADJACENT.issuperset(sides):
                parts.append(_THIN_SPACE)
        parts.append(item.xml)
    return _element("mrow", "".join(parts))


def _element(tag: str, content: str, attributes: Mapping[str, str] | None = None) -> str:
    written = "".join(f" {name}={quoteattr(value)}" for name, value in (attributes or {}).items())
    return f"<{tag}{written}>{content}</{tag}>"
