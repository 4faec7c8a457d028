r"""The kind of a wrong answer, from its tokens alone.

A wrong answer has one of five kinds. If braces, scripts and the commands with arguments (`\frac`, `\sqrt`)
are the same and every symbol is where one is in the truth, symbols were substituted: one, several, or all of
them only by the same letter in the other case. If only the number of symbols differs, some are missing or
added. Everything else is a structure error.

`inktex errors` says more where the attention is known: which ink was read twice, which was never read.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum

from inktex.latex import LatexError, parse_layout
from inktex.latex.words import argument_count


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
        "" if place in symbols and not argument_count(token) else token for place, token in enumerate(tokens)
    ]


def count_kinds(pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> dict[ErrorKind, int]:
    """How many answers, of pairs of truth and answer, have an error of each kind."""
    counted = Counter(error_kind(truth, answer) for truth, answer in pairs)
    return {kind: counted[kind] for kind in ErrorKind}
