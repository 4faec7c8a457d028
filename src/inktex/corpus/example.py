r"""One expression to learn from: ink, its tokens, and which strokes each token was written with.

The tokens are in canonical order: `_` before `^`, no `\limits`.
"""

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
