r"""One expression to learn from: ink, its tokens, and which strokes each token was written with.

An `Example` is built from a file and its caption, in the canonical order of scripts (`_` before `^`, no
`\limits`), with the strokes moved along with their tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from inktex.ink import Ink

StrokesOf = tuple[tuple[int, ...], ...]

STRUCTURE = frozenset({"{", "}", "_", "^", r"\limits"})  # tokens that are never written


@dataclass(frozen=True)
class Example:
    ink: Ink
    tokens: tuple[str, ...]
    strokes_of: StrokesOf  # per token the strokes (0-based) it was written with, () where there is no ink
    stem: str  # file name without folder and ending
    folder: str  # the folder (the collection, in CROHME) it came from


def canonical_order(tokens: Sequence[str]) -> tuple[int, ...]:
    r"""Give the positions of `tokens` in canonical order: every `_ {…}` before its `^ {…}`, no `\limits`.

    It is a permutation, so that whatever belongs to the tokens can be moved with them.
    """
    order, end = _ordered_row(tokens, 0)
    if end != len(tokens):
        raise ValueError(f"token {end}: unexpected }} in {' '.join(tokens)}")
    return tuple(order)


def _ordered_row(tokens: Sequence[str], start: int) -> tuple[list[int], int]:
    """Order one row up to its closing brace or the end; return the positions and where it ended."""
    order: list[int] = []
    scripts: list[tuple[str, list[int]]] = []

    def flush() -> None:
        # Sorting is stable, so scripts of one kind, should there be several, keep their order.
        for _, part in sorted(scripts, key=lambda script: script[0] == "^"):
            order.extend(part)
        scripts.clear()

    position = start
    while position < len(tokens) and tokens[position] != "}":
        word = tokens[position]
        if word == r"\limits":
            position += 1
        elif word in ("_", "^") and position + 1 < len(tokens) and tokens[position + 1] == "{":
            inner, end = _ordered_group(tokens, position + 1)
            scripts.append((word, [position, *inner]))
            position = end
        elif word == "{":
            flush()
            inner, position = _ordered_group(tokens, position)
            order.extend(inner)
        else:
            flush()
            order.append(position)
            position += 1
    flush()
    return order, position


def _ordered_group(tokens: Sequence[str], start: int) -> tuple[list[int], int]:
    """Order the group that opens at `start`; return its positions, braces included, and the one after."""
    inner, end = _ordered_row(tokens, start + 1)
    if end == len(tokens):
        raise ValueError(f"token {start}: {{ is never closed in {' '.join(tokens)}")
    return [start, *inner, end], end + 1
