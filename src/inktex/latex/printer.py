r"""Prints tokens as the LaTeX that people write: `x^{2}+\frac{a}{b}`, with spaces only where TeX needs them.

A space stands between a command and the letter after it (`\alpha x`, `\sin x`), and before a bracket that
TeX would otherwise take for an option (`\\ [x]`). `tokenize` gives the same tokens again.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from .layout import parse_layout
from .symbols import CELL, NEW_ROW, Role, symbol
from .tokens import join

Style = Literal["plain", "spaced", "inline", "display", "markdown"]
_WRAPPERS: dict[Style, tuple[str, str]] = {
    "plain": ("", ""),
    "spaced": ("", ""),
    "inline": ("$", "$"),
    "display": (r"\[", r"\]"),
    "markdown": ("$$", "$$"),
}


def print_latex(tokens: Sequence[str], style: Style = "plain") -> str:
    r"""The tokens as LaTeX: plain, or between `$…$` (inline), `\[…\]` (display) or `$$…$$` (markdown).

    "spaced" separates all tokens by spaces, as captions have them.
    """
    before, after = _WRAPPERS[style]
    if style == "spaced":
        return before + join(tokens) + after
    apart = (" " * _must_be_apart(*pair) + pair[1] for pair in pairwise(("", *tokens)))
    return before + "".join(apart) + after


def _must_be_apart(before: str, after: str) -> bool:
    if before[:1] == "\\" and before[-1:].isalpha():
        return after[:1].isalpha()
    return after in ("[", "*") and (before == NEW_ROW or before.startswith(r"\begin{"))


def in_lines(
    lines: Sequence[Sequence[str]], environment: Literal["aligned", "cases"] = "aligned"
) -> tuple[str, ...]:
    """Several expressions, one below the other, as the tokens of one; a single one stays as it is.

    Aligned lines have their first relations one below the other if each has one, and else their beginnings.
    """
    filled = [tuple(line) for line in lines if line]
    if len(filled) <= 1 and environment == "aligned":
        return filled[0] if filled else ()
    relations = [_first_relation(line) for line in filled]
    tokens = [rf"\begin{{{environment}}}"]
    for number, (line, relation) in enumerate(zip(filled, relations, strict=True)):
        place = (0 if None in relations else relation) if environment == "aligned" else None
        tokens += [NEW_ROW] if number else []
        tokens += line if place is None else (*line[:place], CELL, *line[place:])
    return (*tokens, rf"\end{{{environment}}}")


def _first_relation(line: Sequence[str]) -> int | None:
    """The place of the first relation that stands in no group."""
    for node in parse_layout(line).row:
        if symbol(node.label).role is Role.RELATION and node.label != ":":
            return node.token
    return None
