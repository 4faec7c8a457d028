"""Errors by label graph, as the organisers of CROHME count them.

For symbols: how many labels differ between the graphs of two token sequences. For strokes, where the strokes
of each symbol are known both in the truth and in the answer: also how many symbols have exactly their
strokes, how many of those the right class, and how many relations between such symbols are right.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from inktex.corpus import Example, annotated_layout
from inktex.files import write_atomically
from inktex.latex import LatexError, parse_layout
from inktex.latex.labelgraph import (
    GraphDifference,
    LabelGraph,
    SymbolGraph,
    graph_difference,
    stroke_graph,
    symbol_graph,
    to_lg,
    written_graph,
)


class Found(NamedTuple):
    """How many there are in the truth and in the answer, and how many of the answer's are right."""

    expected: int
    answered: int
    right: int

    @classmethod
    def of(cls, truth: Set[object], answer: Set[object]) -> "Found":
        return cls(len(truth), len(answer), len(truth & answer))


@dataclass(frozen=True)
class StrokeCounts:
    """One answer against its truth, stroke by stroke."""

    labels: int  # labels that differ, over strokes and ordered pairs of strokes
    segments: Found  # symbols with exactly their strokes
    classes: Found  # the same with the right class
    relations: Found  # between two symbols that have exactly their strokes


# Without a known segmentation an expression counts neither for nor against.
NO_STROKES = StrokeCounts(0, Found(0, 0, 0), Found(0, 0, 0), Found(0, 0, 0))


def symbol_errors(truth: Sequence[str], answer: Sequence[str]) -> GraphDifference:
    """Compare two token sequences; one that has no layout counts as an empty graph."""
    return graph_difference(_symbol_graph(truth), _symbol_graph(answer))


def _symbol_graph(tokens: Sequence[str]) -> LabelGraph[str]:
    try:
        return symbol_graph(parse_layout(tokens))
    except LatexError:
        return LabelGraph({}, {})


def graph_of(tokens: Sequence[str], strokes_of: Sequence[Sequence[int]]) -> SymbolGraph:
    """Symbols with their strokes, and the relations between them; no stroke may belong to two tokens."""
    try:
        layout = parse_layout(tokens)
    except LatexError:
        return SymbolGraph({}, {})
    return written_graph(
        layout.changed(
            lambda node: node if node.token is None else replace(node, strokes=tuple(strokes_of[node.token]))
        )
    )


def truth_graph(truth: Example) -> SymbolGraph | None:
    """The graph of a truth, from its file's annotation where the strokes of its tokens are unknown."""
    if any(truth.strokes_of):
        return graph_of(truth.tokens, truth.strokes_of)
    annotated = annotated_layout(truth.ink)
    return None if annotated is None else written_graph(annotated)


def own_strokes(token_of_stroke: Sequence[int | None], tokens: int) -> tuple[tuple[int, ...], ...]:
    """Per token the strokes that belong to it alone."""
    strokes: list[list[int]] = [[] for _ in range(tokens)]
    for stroke, token in enumerate(token_of_stroke):
        if token is not None:
            strokes[token].append(stroke)
    return tuple(map(tuple, strokes))


def stroke_counts(truth: SymbolGraph, answer: SymbolGraph) -> StrokeCounts:
    """Count what is right and the labels that differ."""
    return StrokeCounts(
        labels=graph_difference(stroke_graph(truth), stroke_graph(answer)).labels,
        segments=Found.of(truth.symbols.keys(), answer.symbols.keys()),
        classes=Found.of(truth.symbols.items(), answer.symbols.items()),
        relations=Found.of(truth.relations.items(), answer.relations.items()),
    )


def write_graphs(folder: Path, graphs: Mapping[str, SymbolGraph]) -> None:
    """Write one .lg file per expression, by its stem, for the organisers' tool."""
    folder.mkdir(parents=True, exist_ok=True)
    for stem, graph in graphs.items():
        write_atomically(folder / f"{stem}.lg", to_lg(graph, stem))
