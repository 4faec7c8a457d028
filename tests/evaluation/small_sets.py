"""Expressions with truth, made from a line of LaTeX each."""

from dataclasses import dataclass

from inktex.latex import normalize


@dataclass(frozen=True)
class Sample:
    stem: str
    folder: str
    tokens: tuple[str, ...]


def samples(*latex: str, folder: str = "A") -> list[Sample]:
    return [Sample(f"{folder}{number}", folder, normalize(text)) for number, text in enumerate(latex)]
