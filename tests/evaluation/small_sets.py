"""Expressions with truth, made from a line of LaTeX each."""

from dataclasses import dataclass, replace

from inktex.ink import Ink
from inktex.latex import normalize, parse_layout

NO_INK = Ink.from_strokes([])


@dataclass(frozen=True)
class Sample:
    stem: str
    folder: str
    tokens: tuple[str, ...]
    strokes_of: tuple[tuple[int, ...], ...] = ()
    ink: Ink = NO_INK


def samples(*latex: str, folder: str = "A") -> list[Sample]:
    return [Sample(f"{folder}{number}", folder, normalize(text)) for number, text in enumerate(latex)]


def one_stroke_each(sample: Sample) -> Sample:
    """The sample with every symbol written as one stroke, in the order of its tokens."""
    symbols = {node.token for node in parse_layout(sample.tokens).symbols()}
    numbers = iter(range(len(symbols)))
    strokes = tuple((next(numbers),) if place in symbols else () for place in range(len(sample.tokens)))
    return replace(sample, strokes_of=strokes)
