"""Answers to measure: of a model that reads many expressions on several cores, or from a file.

A file of predictions has one expression per line, `stem<TAB>LaTeX`, from any system. It becomes tokens in the
caption form of the truth, so that spacing, optional braces and synonyms of commands make no difference. Text
that cannot be read as LaTeX is kept as the words it consists of: it counts as an answer, and as a wrong one.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inktex.decoding import SearchOptions
from inktex.files import write_atomically
from inktex.ink import Ink, InkError
from inktex.latex import LatexError, join, normalize
from inktex.reading import Model, Reader, Reading, open_model
from inktex.reading.opening import short_name
from inktex.reading.reader import BATCH

from .labelgraphs import own_strokes

Tokens = tuple[str, ...]
StrokesOf = Sequence[Sequence[int]]  # per token the strokes that belong to it alone
_Answer = tuple[Tokens | None, tuple[tuple[int, ...], ...], tuple[Tokens, ...]]


@dataclass(frozen=True)
class System:
    """What is measured: one model, or several that answer together."""

    name: str
    models: tuple[str, ...]  # as for `open_model`

    def open(self) -> Model:
        return open_model(*self.models)


@dataclass(frozen=True)
class Answers:
    """All answers of a system, in the order of the expressions, and what is known about them."""

    tokens: Sequence[Sequence[str] | None]  # None where there is no answer
    strokes: Sequence[StrokesOf] | None = None
    others: Sequence[Sequence[Sequence[str]]] | None = None  # the other hypotheses, if a search kept several
    vocabulary: frozenset[str] | None = None  # which tokens the system can write at all
    seconds: float | None = None  # wall time
    malformed: frozenset[str] = frozenset()  # stems of answers that could not be read as LaTeX


def systems_of(models: Sequence[str], *, together: bool) -> list[System]:
    """One system per model, or one of all, with names that tell them apart."""
    if together and models:
        return [System(f"ensemble of {len(models)}", tuple(models))]
    short = [short_name(model) for model in models]
    names = [name if short.count(name) == 1 else model for name, model in zip(short, models, strict=True)]
    return [System(name, (model,)) for name, model in zip(names, models, strict=True)]


def read_answers(
    model: Model,
    inks: Sequence[Ink],
    options: SearchOptions | None = None,
    *,
    jobs: int = 1,
    batch: int = BATCH,
    progress: Callable[[int], None] | None = None,
) -> Answers:
    """Read all inks, by default as users do; `progress` is called with the number of inks just done."""
    begin = time.perf_counter()
    reader = Reader(model, options, batch=batch)
    answers: list[_Answer] = [(None, (), ())] * len(inks)
    # The longest first: none of several workers is left alone with the longest at the end.
    order = sorted(range(len(inks)), key=lambda place: -len(inks[place].points))
    for number, found in reader.map(_answer, (inks[place] for place in order), jobs=jobs, processes=True):
        if not isinstance(found, InkError):
            answers[order[number]] = found
        if progress is not None:
            progress(1)
    tokens, strokes, others = zip(*answers, strict=True) if answers else ((), (), ())
    vocabulary, seconds = frozenset(model.info.vocabulary.tokens), time.perf_counter() - begin
    return Answers(tokens, strokes, others if reader.options.top > 1 else None, vocabulary, seconds)


def _answer(reading: Reading) -> _Answer:
    """What is kept of a reading: tokens, their strokes, the other hypotheses."""
    others = (reading.vocabulary.decode(each.tokens) for each in reading.hypotheses[1:])
    strokes = own_strokes(reading.alignment.token_of_stroke, len(reading.tokens))
    return reading.tokens, strokes, tuple(others)


class PredictionError(ValueError):
    """A file of predictions that cannot be used."""


@dataclass(frozen=True)
class Predictions:
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
