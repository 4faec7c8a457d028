"""Predictions as a text file, one expression per line: `stem<TAB>LaTeX`.

Reads such a file of any system into token sequences by stem, in the caption form of the truth, so that
spacing, optional braces and synonyms of commands make no difference. Text that cannot be read as LaTeX is
kept as the words it consists of: it counts as an answer, and as a wrong one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inktex.files import write_atomically
from inktex.latex import LatexError, join, normalize


class PredictionError(ValueError):
    """A file of predictions that cannot be used."""


@dataclass(frozen=True)
class Predictions:
    """What a system answered."""

    tokens: Mapping[str, tuple[str, ...]]  # by stem
    malformed: frozenset[str]  # stems whose LaTeX could not be read


def read_predictions(path: Path) -> Predictions:
    """Read a file; the first line that is not `stem<TAB>LaTeX`, or that repeats a stem, is an error."""
    tokens: dict[str, tuple[str, ...]] = {}
    malformed: set[str] = set()
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise PredictionError(
            f"{path}: not a text file in UTF-8 ({error.reason} at byte {error.start})"
        ) from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        stem, tab, latex = line.partition("\t")
        stem = stem.strip().removesuffix(".inkml")
        if not tab or not stem:
            raise PredictionError(f"{path}: line {number}: expected stem, a tab and LaTeX")
        if stem in tokens:
            raise PredictionError(f"{path}: line {number}: a second prediction for {stem}")
        try:
            tokens[stem] = normalize(latex)
        except LatexError:
            tokens[stem] = tuple(latex.split())
            malformed.add(stem)
    if not tokens:
        raise PredictionError(f"{path}: no predictions in it")
    return Predictions(tokens, frozenset(malformed))


def write_predictions(path: Path, stems: Sequence[str], tokens: Sequence[Sequence[str]]) -> None:
    """Write predictions in the order given, for `read_predictions` and for other people's tools."""
    lines = [f"{stem}\t{join(answer)}\n" for stem, answer in zip(stems, tokens, strict=True)]
    write_atomically(path, "".join(lines))
