r"""What is wrong with an answer: its kind of error, and which symbols and relations were taken for which.

A wrong answer has one of five kinds. If braces, scripts and the commands with arguments (`\frac`, `\sqrt`)
are the same and every symbol is where one is in the truth, symbols were substituted: one, several, or all of
them only by the same letter in the other case. If only the number of symbols differs, some are missing or
added. Everything else is a structure error. `inktex errors` says more where the attention is known.

To find confusions, the symbols of both layout trees are aligned in the order of canonical tokens at the least
cost: a wrong label, a wrong relation and a symbol without a partner cost the same. The rates of an evaluation
do not depend on this; its tables of confusions, and the explanations of `inktex errors`, do.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from inktex.edits import aligned
from inktex.latex import LatexError, Layout, parse_layout
from inktex.latex.words import argument_places

START = "start"  # relation of the first symbol of an expression

_ERROR = 10_000  # weight of an error against a right label, which only decides between equals


@dataclass(frozen=True)
class SymbolTree:
    """Symbols in the order of canonical tokens; a parent always comes before its children."""

    labels: tuple[str, ...]
    parents: tuple[int, ...]  # -1 for the first symbol
    relations: tuple[str, ...]  # to the parent


@dataclass(frozen=True)
class Confusions:
    """What was read as what, symbol by symbol."""

    # (true, answered) of every wrong label; "" for a missing or extra one
    labels: tuple[tuple[str, str], ...]
    # (true, answered) of every wrong relation to a parent that was found
    relations: tuple[tuple[str, str], ...]


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


def find_confusions(truth: Sequence[str], answer: Sequence[str]) -> Confusions:
    """Compare two token sequences; LatexError if one of them is not in caption form."""
    true, other = symbol_tree(parse_layout(truth)), symbol_tree(parse_layout(answer))
    pairs = align(true, other)
    partner = {i: j for i, j in pairs if i >= 0 and j >= 0}
    labels = ((true.labels[i] if i >= 0 else "", other.labels[j] if j >= 0 else "") for i, j in pairs)
    relations = (
        (true.relations[i], other.relations[j]) for i, j in partner.items() if true.parents[i] in partner
    )
    return Confusions(
        tuple(pair for pair in labels if pair[0] != pair[1]),
        tuple(pair for pair in relations if pair[0] != pair[1]),
    )


def align(true: SymbolTree, other: SymbolTree) -> list[tuple[int, int]]:
    """Pair up symbols with the fewest wrong labels, wrong relations and gaps; -1 stands for no partner.

    Among equals, the alignment with the most right labels is taken, then the one with the fewest gaps: a
    symbol that was both misread and misplaced is still one symbol.
    """

    def cost(i: int, j: int) -> int:
        wrong_label = true.labels[i] != other.labels[j]
        return _ERROR * (wrong_label + (true.relations[i] != other.relations[j])) - (not wrong_label)

    return aligned(len(true.labels), len(other.labels), cost, _ERROR)


# The paper speaks of five spatial relationships (section III-B); the tree tells above from below.
SPATIAL = {
    "right": "horizontal",
    "above": "vertical",
    "below": "vertical",
    "sub": "subscript",
    "sup": "superscript",
    "inside": "inside",
}


def spatial_relations(tokens: Sequence[str]) -> Counter[str]:
    """How often each of the paper's five relationships occurs; LatexError if the tokens have no layout."""
    return Counter(SPATIAL[relation] for _, _, relation in parse_layout(tokens).relations())


class ErrorKind(StrEnum):
    """How a wrong answer differs from the truth."""

    STRUCTURE = "structure"
    ONE = "one substituted symbol"
    COUNT = "symbols missing or added"
    SEVERAL = "several substitutions"
    CASE = "only upper/lower case"


def error_kind(truth: Sequence[str], answer: Sequence[str]) -> ErrorKind | None:
    """The kind of an answer's error, None if it is right."""
    if tuple(truth) == tuple(answer):
        return None
    try:
        expected, found = _structure(truth), _structure(answer)
    except LatexError:
        return ErrorKind.STRUCTURE
    if expected == found:
        pairs = [(one, other) for one, other in zip(truth, answer, strict=True) if one != other]
        if all(one.lower() == other.lower() for one, other in pairs):
            return ErrorKind.CASE
        return ErrorKind.ONE if len(pairs) == 1 else ErrorKind.SEVERAL
    same_words = [word for word in expected if word] == [word for word in found if word]
    return ErrorKind.COUNT if same_words and len(expected) != len(found) else ErrorKind.STRUCTURE


def _structure(tokens: Sequence[str]) -> list[str]:
    """The tokens with "" for every symbol that may be exchanged for another."""
    symbols = {node.token for node in parse_layout(tokens).symbols()}
    return [
        "" if place in symbols and not argument_places(token) else token for place, token in enumerate(tokens)
    ]
