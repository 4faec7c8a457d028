"""The layout tree of an expression: which symbol stands where to which other.

`parse_layout` builds it from tokens in caption form, `mathml_layout.py` from the annotation of an ink file.
The tree can be compared, written as tokens, and asked for its symbols and relations.

Each symbol has up to five rows of symbols around it: above, below, inside, sub and sup. The bar of a fraction
has its numerator above and its denominator below, a radical its radicand inside and its index above. Scripts
of all symbols are kept as sub and sup, so that neither their order nor `\\limits` makes a difference. An
environment is one symbol, named by its head, with rows of cells.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from . import words as known
from .symbols import CELL, NEW_ROW
from .tokens import MAX_DEPTH, LatexError, excerpt, join

Relation = Literal["right", "above", "below", "sup", "sub", "inside"]
Row = tuple["Node", ...]

_HEAD, _TAIL = r"\begin", r"\end"
_NEVER_SYMBOLS = frozenset({"{", "}", CELL, NEW_ROW})


@dataclass(frozen=True)
class Node:
    """One symbol and the rows around it; where and how it was written is not part of what it is."""

    label: str  # "" for the missing base of a script
    above: Row = ()
    inside: Row = ()
    below: Row = ()
    sub: Row = ()
    sup: Row = ()
    cells: tuple[tuple[Row, ...], ...] = ()  # of an environment: lines of cells, each a row of symbols
    strokes: tuple[int, ...] = field(default=(), compare=False)
    token: int | None = field(default=None, compare=False)  # place of the symbol in the token sequence
    limits: bool = field(default=False, compare=False, repr=False)  # followed by `\limits`
    sup_first: bool = field(default=False, compare=False, repr=False)  # its sup was written before its sub

    @property
    def environment(self) -> str:
        """The name of an environment, "" for other symbols."""
        return self.label[len(_HEAD) + 1 : -1] if self.cells else ""

    def with_rows(self, change: Callable[[Row], Row]) -> "Node":
        """The same symbol with all rows around it changed, in the order of canonical tokens."""
        if not (self.above or self.inside or self.below or self.cells or self.sub or self.sup):
            return self
        return replace(
            self,
            above=self.above and change(self.above),
            inside=self.inside and change(self.inside),
            below=self.below and change(self.below),
            cells=tuple(tuple(cell and change(cell) for cell in line) for line in self.cells),
            sub=self.sub and change(self.sub),
            sup=self.sup and change(self.sup),
        )

    def with_arguments(self, argument: Callable[[], Row]) -> "Node":
        """The same symbol with the arguments that its command takes, each a call of `argument`."""
        rows: dict[str, Any] = {place: argument() for place in known.argument_places(self.label)}
        return replace(self, **rows) if rows else self

    def with_script(self, kind: Literal["sub", "sup"], script: Row) -> "Node":
        """The same symbol with a script that was written after those it has."""
        if kind == "sub":
            return replace(self, sub=script)
        return replace(self, sup=script, sup_first=bool(script) and (self.sup_first or not self.sub))

    def rows(self) -> Iterator[tuple[Relation, Row]]:
        """The rows around the symbol that are not empty, in the order of canonical tokens."""
        stacked = self.label in known.STACKED
        places: tuple[tuple[Relation, Row], ...] = (
            ("above", self.above),
            ("inside", self.inside),
            ("below", self.below),
            *(("inside", cell) for line in self.cells for cell in line),
            ("below" if stacked else "sub", self.sub),
            ("above" if stacked else "sup", self.sup),
        )
        return ((relation, row) for relation, row in places if row)


@dataclass(frozen=True)
class Layout:
    """A whole expression. Layouts are equal when the same symbols stand in the same places."""

    row: Row

    def tokens(self, *, canonical: bool = True) -> tuple[str, ...]:
        """The tokens; if not canonical, with `\\limits` and the scripts in the order they were written."""
        return tuple(token for token, _ in _written(self.row, canonical))

    def token_strokes(self) -> tuple[tuple[int, ...], ...]:
        """For each of `tokens()` the strokes it was written with, () for braces and script marks."""
        return tuple(() if node is None else node.strokes for _, node in _written(self.row))

    def numbered(self) -> "Layout":
        """The same layout, its symbols numbered by their places in `tokens()`."""
        places = iter([place for place, (_, node) in enumerate(_written(self.row)) if node is not None])
        return self.changed(lambda node: replace(node, token=next(places) if node.label else None))

    def renamed(self, names: Mapping[str, str]) -> "Layout":
        """The same layout with other labels, for comparing under a coarser set of classes."""
        return self.changed(lambda node: replace(node, label=names.get(node.label, node.label)))

    def changed(self, change: Callable[[Node], Node]) -> "Layout":
        """The layout with every symbol changed, from the outside in and in the order of canonical tokens."""

        def changed(row: Row) -> Row:
            return tuple(change(node).with_rows(changed) for node in row)

        return Layout(changed(self.row))

    def symbols(self) -> Iterator[Node]:
        """All symbols, in the order of canonical tokens."""
        return (node for _, node in _written(self.row) if node is not None)

    def relations(self) -> Iterator[tuple[Node, Node, Relation]]:
        """Each symbol but the first with the symbol it hangs on: (parent, child, relation)."""
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
    """The layout of tokens in caption form; each symbol remembers its place among the tokens.

    LatexError if they are not in that form; `normalize` brings any LaTeX into it.
    """
    return Layout(_Parser(tokens).row((), 0))


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
        row = self.row((closing,), depth + 1)
        self.take(closing)
        return row

    def row(self, closings: Collection[str], depth: int) -> Row:
        if depth > MAX_DEPTH:
            raise self.error(f"groups are nested more than {MAX_DEPTH} deep")
        nodes: list[Node] = []
        while (label := self.peek()) is not None and label not in closings:
            if label in _NEVER_SYMBOLS or label.startswith(_TAIL):
                raise self.error(f"{label} out of place")
            if label in ("_", "^"):
                if nodes:
                    raise self.error(f"a second {label} on one symbol")
                nodes.append(self.with_scripts(Node(""), depth))
            else:
                nodes.append(self.with_scripts(self.symbol(label, depth), depth))
        return tuple(nodes)

    def symbol(self, label: str, depth: int) -> Node:
        node = Node(label, token=self.place)
        self.place += 1
        if label.startswith(_HEAD):
            return replace(node, cells=self.cells(tail_of(label), depth + 1))
        if label == r"\sqrt" and self.peek() == "[":
            node = replace(node, above=self.group("[", "]", depth))
        return node.with_arguments(lambda: self.group("{", "}", depth))

    def cells(self, tail: str, depth: int) -> tuple[tuple[Row, ...], ...]:
        lines: list[list[Row]] = [[]]
        while True:
            lines[-1].append(self.row((CELL, NEW_ROW, tail), depth))
            ended = self.peek()
            self.take(ended or tail)
            if ended == tail:
                return tuple(map(tuple, lines))
            if ended == NEW_ROW:
                lines.append([])

    def with_scripts(self, node: Node, depth: int) -> Node:
        if self.peek() == r"\limits":
            self.place += 1
            node = replace(node, limits=True)
        while (mark := self.peek()) in ("_", "^"):
            if node.sub if mark == "_" else node.sup:
                raise self.error(f"a second {mark} on one symbol")
            self.place += 1
            node = node.with_script("sub" if mark == "_" else "sup", self.group("{", "}", depth))
        return node


def tail_of(head: str) -> str:
    r"""The tail of an environment by its head: `\end{matrix}` for `\begin{matrix}`."""
    return _TAIL + head.removeprefix(_HEAD)


def _written(row: Row, canonical: bool = True) -> Iterator[tuple[str, Node | None]]:
    """Canonical tokens, each with the symbol it is, or None for braces, script marks and what parts cells."""
    for node in row:
        if node.label:
            yield node.label, node
        if node.label == r"\sqrt" and node.above:
            yield from _group("[", node.above, "]", canonical)
        for place in known.argument_places(node.label):
            yield from _group("{", getattr(node, place), "}", canonical)
        for number, line in enumerate(node.cells):
            if number:
                yield NEW_ROW, None
            for column, cell in enumerate(line):
                if column:
                    yield CELL, None
                yield from _written(cell, canonical)
        if node.cells:
            yield tail_of(node.label), None
        if node.limits and not canonical:
            yield r"\limits", None
        scripts = (("_", node.sub), ("^", node.sup))
        for mark, script in reversed(scripts) if node.sup_first and not canonical else scripts:
            if script:
                yield mark, None
                yield from _group("{", script, "}", canonical)


def _group(opening: str, row: Row, closing: str, canonical: bool) -> Iterator[tuple[str, Node | None]]:
    yield opening, None
    yield from _written(row, canonical)
    yield closing, None
