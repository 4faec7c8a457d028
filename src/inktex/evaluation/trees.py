"""Differences between two expressions as layout trees: which signs and which relations are wrong.

Comes in: tokens of the truth and of an answer. Goes out: counts. The order in which scripts are written,
braces and `\\limits` play no part here.

What counts as one error: a sign with the wrong label, a sign that is missing, a sign that is extra, and a
sign that hangs on another sign or in another relation than it should. Signs of both trees are aligned in
the order of canonical tokens at the least cost; a sign that is missing or extra is taken out of its tree
and what hung on it hangs on its parent instead, so that one forgotten sign is one error and not two. Trees
without errors are equal.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from inktex.latex import Layout, parse_layout

START = "start"  # relation of the first sign of an expression

_ERROR = 10_000  # weight of an error against a right label, which only decides between equals


@dataclass(frozen=True)
class SymbolTree:
    """Signs in the order of canonical tokens; a parent always comes before its children."""

    labels: tuple[str, ...]
    parents: tuple[int, ...]  # -1 for the first sign
    relations: tuple[str, ...]  # to the parent


@dataclass(frozen=True)
class TreeDifference:
    """An answer against the truth, sign by sign."""

    errors: int  # wrong labels + missing + extra + wrong relations
    truth_symbols: int
    answer_symbols: int
    right_symbols: int
    labels: tuple[
        tuple[str, str], ...
    ]  # (true, answered) of every wrong label; "" for a missing or extra one
    relations: tuple[tuple[str, str], ...]  # (true, answered) of every relation whose two signs were found
    relation_right: tuple[bool, ...]  # for each of `relations`: same relation to the same sign
    truth_relations: tuple[str, ...]  # all relations of the truth


def symbol_tree(layout: Layout) -> SymbolTree:
    """Flatten a layout that `parse_layout` made."""
    symbols = list(layout.symbols())
    places = {node.token: place for place, node in enumerate(symbols)}
    parents = [-1] * len(symbols)
    relations = [START] * len(symbols)
    for parent, child, relation in layout.relations():
        parents[places[child.token]] = places[parent.token]
        relations[places[child.token]] = relation
    return SymbolTree(tuple(node.label for node in symbols), tuple(parents), tuple(relations))


def tree_difference(truth: Sequence[str], answer: Sequence[str]) -> TreeDifference:
    """Compare two token sequences by their layout; LatexError if one of them is no caption form."""
    true_layout, answer_layout = parse_layout(truth), parse_layout(answer)
    true, other = symbol_tree(true_layout), symbol_tree(answer_layout)
    if true_layout == answer_layout:
        pairs = [(place, place) for place in range(len(true.labels))]
        return _count(true, other, pairs, least=0)
    return _count(true, other, align(true, other), least=1)


def align(true: SymbolTree, other: SymbolTree) -> list[tuple[int, int]]:
    """Pair up signs with the fewest wrong labels, wrong relations and gaps; -1 stands for no partner.

    Among equals, the alignment with the most right labels is taken, then the one with the fewest gaps: a sign
    that was both misread and misplaced is still one sign.
    """
    rows, columns = len(true.labels), len(other.labels)

    def pair_cost(i: int, j: int) -> int:
        wrong_label = true.labels[i] != other.labels[j]
        return _ERROR * (wrong_label + (true.relations[i] != other.relations[j])) - (not wrong_label)

    cost = [[_ERROR * (i + j) for j in range(columns + 1)] for i in range(rows + 1)]
    for i in range(1, rows + 1):
        above, current = cost[i - 1], cost[i]
        for j in range(1, columns + 1):
            gap = min(above[j], current[j - 1]) + _ERROR
            current[j] = min(above[j - 1] + pair_cost(i - 1, j - 1), gap)
    pairs: list[tuple[int, int]] = []
    i, j = rows, columns
    while i or j:
        if i and j and cost[i][j] == cost[i - 1][j - 1] + pair_cost(i - 1, j - 1):
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif i and cost[i][j] == cost[i - 1][j] + _ERROR:
            i -= 1
            pairs.append((i, -1))
        else:
            j -= 1
            pairs.append((-1, j))
    return pairs[::-1]


def _count(
    true: SymbolTree, other: SymbolTree, pairs: list[tuple[int, int]], *, least: int
) -> TreeDifference:
    partner = {i: j for i, j in pairs if i >= 0 and j >= 0}
    found = {j: i for i, j in partner.items()}
    labels = tuple(
        (true.labels[i] if i >= 0 else "", other.labels[j] if j >= 0 else "")
        for i, j in pairs
        if i < 0 or j < 0 or true.labels[i] != other.labels[j]
    )
    moved = sum(
        _hangs_on(true, i, partner) != _translated(_hangs_on(other, j, found), found)
        for i, j in partner.items()
    )
    judged = [(i, j) for i, j in partner.items() if true.parents[i] in partner]
    return TreeDifference(
        errors=max(len(labels) + moved, least),
        truth_symbols=len(true.labels),
        answer_symbols=len(other.labels),
        right_symbols=sum(true.labels[i] == other.labels[j] for i, j in partner.items()),
        labels=labels,
        relations=tuple((true.relations[i], other.relations[j]) for i, j in judged),
        relation_right=tuple(
            true.relations[i] == other.relations[j] and partner[true.parents[i]] == other.parents[j]
            for i, j in judged
        ),
        truth_relations=tuple(relation for relation in true.relations if relation != START),
    )


def _hangs_on(tree: SymbolTree, sign: int, kept: dict[int, int]) -> tuple[int, str]:
    """Parent and relation of a sign once all signs outside `kept` are taken out."""
    parent, relation = tree.parents[sign], tree.relations[sign]
    while parent >= 0 and parent not in kept:
        if relation == "right":
            relation = tree.relations[parent]
        parent = tree.parents[parent]
    return parent, relation


def _translated(hanging: tuple[int, str], found: dict[int, int]) -> tuple[int, str]:
    parent, relation = hanging
    return (found[parent] if parent >= 0 else -1), relation


# The paper speaks of five spatial relationships (section III-B); the tree tells above from below.
SPATIAL = {
    "right": "horizontal",
    "above": "vertical",
    "below": "vertical",
    "sub": "subscript",
    "sup": "superscript",
    "inside": "inside",
}


def spatial_relations(relations: Sequence[str]) -> Counter[str]:
    """How often each of the paper's five relationships occurs."""
    return Counter(SPATIAL[relation] for relation in relations)
