"""The layout tree of an expression: which sign stands where to which other.

Comes in: tokens in caption form (`parse_layout`) or, from `mathml_layout.py`, the annotation of an ink file.
Goes out: a tree of signs that can be compared, written as tokens, and asked for its signs and relations.

Each sign has up to five rows of signs around it: above, below, inside, sub and sup. The bar of a fraction has
its numerator above and its denominator below, a radical its radicand inside and its index above. Scripts of
all signs are kept as sub and sup, so that neither their order nor `\\limits` makes a difference.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from . import words as known
from .tokens import MAX_DEPTH, LatexError, excerpt, join

Relation = Literal["right", "above", "below", "sup", "sub", "inside"]
Row = tuple["Node", ...]


@dataclass(frozen=True)
class Node:
    """One sign and the rows around it; where it was written (strokes, token) is not part of what it is."""

    label: str  # "" for the missing base of a script
    above: Row = ()
    inside: Row = ()
    below: Row = ()
    sub: Row = ()
    sup: Row = ()
    strokes: tuple[int, ...] = field(default=(), compare=False)
    token: int | None = field(default=None, compare=False)  # place of the sign in the token sequence

    def rows(self) -> Iterator[tuple[Relation, Row]]:
        """The rows around the sign that are not empty, in the order of canonical tokens."""
        stacked = self.label in known.STACKED_OPERATORS
        places: tuple[tuple[Relation, Row], ...] = (
            ("above", self.above),
            ("inside", self.inside),
            ("below", self.below),
            ("below" if stacked else "sub", self.sub),
            ("above" if stacked else "sup", self.sup),
        )
        return ((relation, row) for relation, row in places if row)


@dataclass(frozen=True)
class Layout:
    """A whole expression. Layouts are equal when the same signs stand in the same places."""

    row: Row

    def tokens(self) -> tuple[str, ...]:
        """The expression as canonical tokens."""
        return tuple(token for token, _ in _written(self.row))

    def token_strokes(self) -> tuple[tuple[int, ...], ...]:
        """For each of `tokens()` the strokes it was written with, () for braces and script marks."""
        return tuple(() if node is None else node.strokes for _, node in _written(self.row))

    def numbered(self) -> "Layout":
        """The same layout, its signs numbered by their places in `tokens()`."""
        places = iter([place for place, (_, node) in enumerate(_written(self.row)) if node is not None])
        return self.changed(lambda node: replace(node, token=next(places) if node.label else None))

    def renamed(self, names: Mapping[str, str]) -> "Layout":
        """The same layout with other labels, for comparing under a coarser set of classes."""
        return self.changed(lambda node: replace(node, label=names.get(node.label, node.label)))

    def changed(self, change: Callable[[Node], Node]) -> "Layout":
        """The layout with every sign changed, from the outside in and in the order of canonical tokens."""
        return Layout(_changed(self.row, change))

    def symbols(self) -> Iterator[Node]:
        """All signs, in the order of canonical tokens."""
        return (node for _, node in _written(self.row) if node is not None)

    def relations(self) -> Iterator[tuple[Node, Node, Relation]]:
        """Each sign but the first with the sign it hangs on: (parent, child, relation)."""
        pending: list[tuple[Node | None, Relation, Row]] = [(None, "right", self.row)]
        while pending:
            parent, relation, row = pending.pop()
            around: list[tuple[Node | None, Relation, Row]] = []
            for node in row:
                if node.label:
                    if parent is not None:
                        yield parent, node, relation
                    parent, relation = node, "right"
                around += [(node if node.label else None, *place) for place in node.rows()]
            pending += reversed(around)

    def __str__(self) -> str:
        return join(self.tokens())


def parse_layout(tokens: Sequence[str]) -> Layout:
    """The layout of tokens in caption form; each sign remembers its place among the tokens.

    LatexError if they are not in that form; `normalize` brings any LaTeX into it.
    """
    parser = _Parser(tokens)
    row = parser.row(None, 0)
    return Layout(row)


class _Parser:
    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tokens
        self.place = 0

    def error(self, reason: str) -> LatexError:
        return LatexError(f"{excerpt(join(self.tokens))}: {reason} (token {self.place})")

    def peek(self) -> str | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def take(self, expected: str) -> None:
        if self.peek() != expected:
            raise self.error(f"expected {expected}, found {self.peek() or 'the end'}")
        self.place += 1

    def group(self, opening: str, closing: str, depth: int) -> Row:
        self.take(opening)
        row = self.row(closing, depth + 1)
        self.take(closing)
        return row

    def row(self, closing: str | None, depth: int) -> Row:
        if depth > MAX_DEPTH:
            raise self.error(f"groups are nested more than {MAX_DEPTH} deep")
        nodes: list[Node] = []
        while (sign := self.peek()) is not None and sign != closing:
            if sign in ("{", "}"):
                raise self.error(f"{sign} out of place")
            if sign in ("_", "^"):
                if nodes:
                    raise self.error(f"a second {sign} on one sign")
                nodes.append(self.with_scripts(Node(""), depth))
            else:
                nodes.append(self.with_scripts(self.sign(sign, depth), depth))
        return tuple(nodes)

    def sign(self, label: str, depth: int) -> Node:
        node = Node(label, token=self.place)
        self.place += 1
        arguments = known.argument_count(label)
        if label == r"\sqrt" and self.peek() == "[":
            node = replace(node, above=self.group("[", "]", depth))
        if arguments == 2:
            above = self.group("{", "}", depth)
            return replace(node, above=above, below=self.group("{", "}", depth))
        return replace(node, inside=self.group("{", "}", depth)) if arguments else node

    def with_scripts(self, node: Node, depth: int) -> Node:
        if self.peek() == r"\limits":
            self.place += 1
        while (mark := self.peek()) in ("_", "^"):
            if node.sub if mark == "_" else node.sup:
                raise self.error(f"a second {mark} on one sign")
            self.place += 1
            row = self.group("{", "}", depth)
            node = replace(node, sub=row) if mark == "_" else replace(node, sup=row)
        return node


def _written(row: Row) -> Iterator[tuple[str, Node | None]]:
    """Canonical tokens, each with the sign it is, or None for braces and script marks."""
    for node in row:
        if node.label:
            yield node.label, node
        arguments = known.argument_count(node.label)
        if node.label == r"\sqrt" and node.above:
            yield from _group("[", node.above, "]")
        if arguments == 2:
            yield from _group("{", node.above, "}")
            yield from _group("{", node.below, "}")
        elif arguments == 1:
            yield from _group("{", node.inside, "}")
        for mark, script in (("_", node.sub), ("^", node.sup)):
            if script:
                yield mark, None
                yield from _group("{", script, "}")


def _group(opening: str, row: Row, closing: str) -> Iterator[tuple[str, Node | None]]:
    yield opening, None
    yield from _written(row)
    yield closing, None


def _changed(row: Row, change: Callable[[Node], Node]) -> Row:
    return tuple(
        replace(
            node,
            above=_changed(node.above, change),
            inside=_changed(node.inside, change),
            below=_changed(node.below, change),
            sub=_changed(node.sub, change),
            sup=_changed(node.sup, change),
        )
        for node in map(change, row)
    )
