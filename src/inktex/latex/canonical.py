r"""The rules that give one form to what looks the same on paper.

Letters that spell a function are that function. In the canonical form also `\overline` over one symbol is
`\bar`, brackets around a matrix belong to it, a matrix of one cell is just that cell, and a raised ring is
`\degree`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress, zip_longest

from . import words as known
from .layout import Node, Row
from .symbols import MATRICES

_BRACKETED = {brackets: name for name, brackets in MATRICES.items() if all(brackets)}


def joined(rows: Iterable[Iterable[Node]]) -> list[Node]:
    """Several rows, one after the other, as one row."""
    nodes: list[Node] = []
    for row in rows:
        extend(nodes, row)
    return nodes


def extend(nodes: list[Node], following: Iterable[Node]) -> None:
    r"""Add symbols to a row, as if their words followed those of the row.

    Scripts without a base go to the last symbol, `\not` changes what follows, and what follows a radical with
    nothing under it, `\sqrt{} 3`, is what was written under it.
    """
    for node in following:
        last = nodes[-1] if nodes else None
        if last is None:
            nodes.append(node)
        elif not node.label:
            sub, sup = (tuple(joined(scripts)) for scripts in ((last.sub, node.sub), (last.sup, node.sup)))
            sup_first = (last if last.sub or last.sup else node).sup_first
            nodes[-1] = replace(last, sub=sub, sup=sup, sup_first=sup_first)
        elif last == Node(r"\not") and node.label in known.NEGATED:
            nodes[-1] = replace(node, label=known.NEGATED[node.label])
        elif last.label == r"\sqrt" and not (last.inside or last.sub or last.sup):
            inside = (replace(node, sub=(), sup=()),)
            nodes[-1] = replace(last, inside=inside, sub=node.sub, sup=node.sup, sup_first=node.sup_first)
        else:
            nodes.append(node)


def grid(environment: str, cells: Iterable[Sequence[Iterable[Node]]]) -> list[Node]:
    """An environment of these cells, without lines that are empty and with the columns it may have."""
    lines = [line for line in ([tuple(cell) for cell in line] for line in cells) if any(line)]
    if environment in MATRICES:
        width = max(map(len, lines), default=0)
        lines = [[*line, *[()] * (width - len(line))] for line in lines]
    else:
        lines = [[line[0], tuple(joined(line[1:]))] for line in lines]
        lines = [line if line[1] else line[:1] for line in lines]
    return [Node(rf"\begin{{{environment}}}", cells=tuple(map(tuple, lines)))] if lines else []


def make_canonical(row: Sequence[Node]) -> Row:
    """Apply the rules of the canonical form to a row whose functions are joined, from the inside out."""
    nodes = joined(_opened(_without_empty_columns(node.with_rows(make_canonical))) for node in row)
    _join_spelt(nodes)
    _join_brackets(nodes)
    return tuple(_with_degrees(map(_with_accent, nodes)))


def join_spelt(row: Sequence[Node]) -> Row:
    r"""Put `\sin` for the letters `s i n`, if what the function is taken of follows; `\ldots` for `...`.

    `a_{tan}` is left alone (a word, nothing follows), and so are longer names: `sinh`, `arctan`, `sinc`.
    """
    nodes = [node.with_rows(join_spelt) for node in row]
    _join_spelt(nodes)
    return tuple(nodes)


def _join_spelt(nodes: list[Node]) -> None:
    letters = "".join(node.label if len(node.label) == 1 else " " for node in nodes)
    for match in reversed([*known.SPELT_SYMBOL.finditer(letters)]):
        *before, last = nodes[slice(*match.span())]
        has_operand = bool(last.sub or last.sup) or match.end() < len(nodes)
        plain = not any(node.sub or node.sup for node in before)
        if plain and (has_operand or match.group() == "..."):
            nodes[slice(*match.span())] = [replace(last, label=known.SPELT[match.group()])]


def _with_accent(node: Node) -> Node:
    """A short accent over one symbol, a long one over several: the ink shows no other difference."""
    content = node.inside
    plain = len(content) == 1 and content[0] == Node(content[0].label)
    single = plain and not known.argument_places(content[0].label)
    name = (known.SHORT_ACCENTS if single else known.LONG_ACCENTS).get(node.label)
    return replace(node, label=name) if name else node


def _with_degrees(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        if node.label and node.sup == (Node(r"\circ"),) and not node.sub:
            yield from (replace(node, sup=()), Node(r"\degree"))
        else:
            yield node


def _without_empty_columns(node: Node) -> Node:
    used = [any(column) for column in zip_longest(*node.cells)]
    return (
        node if all(used) else replace(node, cells=tuple(tuple(compress(line, used)) for line in node.cells))
    )


def _opened(node: Node) -> Sequence[Node]:
    """A matrix of one cell, and one aligned line, are what stands in them."""
    if len(node.cells) != 1 or (node.environment != "aligned" and len(node.cells[0]) > 1):
        return [node]
    content = joined(node.cells[0])
    opening, closing = (
        (r"\{", "") if node.environment == "cases" else MATRICES.get(node.environment, ("", ""))
    )
    if closing:
        return [Node(opening), *content, Node(closing, sub=node.sub, sup=node.sup)]
    if node.sub or node.sup:
        return [node]
    return [Node(opening), *content] if opening else content


def _join_brackets(nodes: list[Node]) -> None:
    """Brackets right around a matrix become part of it; a brace that never closes makes `cases` of it."""
    for place in reversed(range(1, len(nodes))):
        before, node, *after = nodes[place - 1 :]
        if node.environment not in ("matrix", "aligned") or before.sub or before.sup or node.sub or node.sup:
            continue
        name = _BRACKETED.get((before.label, after[0].label)) if after else None
        if name and node.environment == "matrix":
            bracketed = Node(rf"\begin{{{name}}}", cells=node.cells, sub=after[0].sub, sup=after[0].sup)
            nodes[place - 1 : place + 2] = [bracketed]
            continue
        closed = any(each.label == r"\}" for each in after)
        if before.label == r"\{" and not closed and all(len(line) <= 2 for line in node.cells):
            in_columns = node.environment == "matrix"
            cells = node.cells if in_columns else [[joined(line)] for line in node.cells]
            nodes[place - 1 : place + 1] = grid("cases", cells)
