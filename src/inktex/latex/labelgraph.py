r"""The label graph of an expression, as the organisers of CROHME count errors (Mouchère et al., ICFHR 2014).

`symbol_graph` needs no ink: a node is one symbol, named by its path from the first one (`O`, `OR`, `ORSub`,
`OBelowRInside`, …), and its label is the symbol. `stroke_graph` needs the strokes of every symbol: a node is
one stroke, labelled by its symbol. Edges are directed and labelled by the relation; strokes of one symbol are
joined in both directions by its label. The error count is the number of labels that differ over the nodes and
the ordered pairs of both graphs.

Three habits of the organisers' tools are followed, since the counts depend on them. The bar of a fraction is
a `-`. The radicand of a root without an index hangs on the root with its first *and* its second symbol,
because their MathML cuts a row into a first part and the rest. Scripts of `\sum` or `\lim` are Sub and Sup if
the graph is made from LaTeX, where nothing says that they stand above and below.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from .layout import Layout, Node, Row

NodeName = TypeVar("NodeName")  # paths or stroke numbers

# The 101 classes of CROHME do not tell these apart, though captions do.
CROHME_CLASSES = {r"\cdot": ".", r"\cdots": r"\ldots", "'": r"\prime"}
_STROKE_CLASSES = {**CROHME_CLASSES, r"\frac": "-", "<": r"\lt", ">": r"\gt"}


@dataclass(frozen=True)
class LabelGraph(Generic[NodeName]):
    """Labelled nodes and labelled, directed edges."""

    nodes: Mapping[NodeName, str]
    edges: Mapping[tuple[NodeName, NodeName], str]


@dataclass(frozen=True)
class GraphDifference:
    """Labels in which two graphs differ; a node or an edge that only one of them has counts as one."""

    nodes: int
    edges: int
    same_structure: bool  # the same nodes and the same edges, whatever the symbols are

    @property
    def labels(self) -> int:
        """All of them: the organisers' error count."""
        return self.nodes + self.edges


@dataclass(frozen=True)
class SymbolGraph:
    """Symbols as sets of strokes with a class, and the relations between them: what an .lg file holds."""

    symbols: Mapping[frozenset[int], str]
    relations: Mapping[tuple[frozenset[int], frozenset[int]], str]


def graph_difference(truth: LabelGraph[NodeName], answer: LabelGraph[NodeName]) -> GraphDifference:
    return GraphDifference(
        nodes=sum(truth.nodes.get(key) != answer.nodes.get(key) for key in {*truth.nodes, *answer.nodes}),
        edges=sum(truth.edges.get(key) != answer.edges.get(key) for key in {*truth.edges, *answer.edges}),
        same_structure=truth.nodes.keys() == answer.nodes.keys() and truth.edges == answer.edges,
    )


def symbol_graph(layout: Layout) -> LabelGraph[str]:
    """The graph whose nodes are named by their path from the first symbol."""
    nodes: dict[str, str] = {}
    edges: dict[tuple[str, str], str] = {}
    waiting: list[tuple[Row, str, str | None, str]] = [(layout.row, "O", None, "")]
    while waiting:
        row, name, parent, relation = waiting.pop()
        for node in row:
            if node.label:
                nodes[name] = "-" if node.label == r"\frac" else node.label
                if parent is not None:
                    edges[parent, name] = relation
                parent, relation = name, "Right"
            waiting += [(part, name + place, parent, place) for place, part in _rows(node) if part]
            if _hangs_twice(node):
                edges[name, f"{name}InsideR"] = "Inside"
            name += "R"
    return LabelGraph(nodes, edges)


def _rows(node: Node) -> Iterator[tuple[str, Row]]:
    for place in ("above", "inside", "below", "sub", "sup"):
        yield place.capitalize(), getattr(node, place)
    for line, cells in enumerate(node.cells, 1):
        # The organisers have no matrices; a cell is named by its line and column.
        yield from ((f"Cell{line}.{column}", row) for column, row in enumerate(cells, 1))


def _hangs_twice(node: Node) -> bool:
    return node.label == r"\sqrt" and len(node.inside) > 1 and not node.above


def written_graph(layout: Layout) -> SymbolGraph:
    """Symbols and relations of a layout whose nodes know their strokes; a symbol without any is left out."""
    symbols = {
        frozenset(node.strokes): _STROKE_CLASSES.get(node.label, node.label)
        for node in layout.symbols()
        if node.strokes
    }
    pairs = [(parent, child, relation.capitalize()) for parent, child, relation in layout.relations()]
    pairs += [(node, node.inside[1], "Inside") for node in layout.symbols() if _hangs_twice(node)]
    relations = {
        (frozenset(parent.strokes), frozenset(child.strokes)): relation
        for parent, child, relation in pairs
        if parent.strokes and child.strokes
    }
    return SymbolGraph(symbols, relations)


def stroke_graph(graph: SymbolGraph) -> LabelGraph[int]:
    """The same with strokes for nodes: every stroke of a symbol is related as the symbol is."""
    nodes = {stroke: label for strokes, label in graph.symbols.items() for stroke in strokes}
    edges = {
        (one, other): label
        for strokes, label in graph.symbols.items()
        for one in strokes
        for other in strokes
        if one != other
    }
    for (parents, children), relation in graph.relations.items():
        edges |= {(one, other): relation for one in parents for other in children}
    return LabelGraph(nodes, edges)


def to_lg(graph: SymbolGraph, name: str) -> str:
    """The text of an .lg file, by objects and relations, for the organisers' tool LgEval."""
    numbers = {strokes: f"sym{number}" for number, strokes in enumerate(sorted(graph.symbols, key=min))}
    lines = [f"# IUD, {name}", f"# Objects({len(numbers)}):"]
    for strokes, number in numbers.items():
        # A comma would end the field.
        label = graph.symbols[strokes].replace(",", "COMMA")
        lines.append(", ".join(["O", number, label, "1.0", *map(str, sorted(strokes))]))
    lines += ["", "# Relations from SRT:"]
    lines += [
        f"R, {numbers[parent]}, {numbers[child]}, {relation}, 1.0"
        for (parent, child), relation in graph.relations.items()
    ]
    return "\n".join(lines) + "\n"
