"""Lets a system read many expressions on several cores, with the default search or another one."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inktex.decoding import SearchOptions
from inktex.ink import Ink, InkError
from inktex.reading import Model, Reader, Reading, open_model
from inktex.reading.opening import short_name
from inktex.reading.reader import BATCH

from .labelgraphs import own_strokes

Tokens = tuple[str, ...]


@dataclass(frozen=True)
class System:
    """What is measured: one model, or several that answer together."""

    name: str
    models: tuple[str, ...]  # as for `open_model`

    def open(self) -> Model:
        """The model of the system."""
        return open_model(*self.models)


@dataclass(frozen=True)
class Answers:
    """All answers of a system, in the order of the inks; None where the ink cannot be read."""

    tokens: tuple[Tokens | None, ...]
    strokes: tuple[tuple[tuple[int, ...], ...], ...]  # per token the strokes that belong to it alone
    others: tuple[tuple[Tokens, ...], ...]  # the other hypotheses, where the search keeps several
    vocabulary: tuple[str, ...]
    seconds: float  # wall time


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
    answers: list[_Answer | None] = [None] * len(inks)
    # The longest first: none of several workers is left alone with the longest at the end.
    order = sorted(range(len(inks)), key=lambda place: -len(inks[place].points))
    for number, found in reader.map(_answer, (inks[place] for place in order), jobs=jobs, processes=True):
        answers[order[number]] = None if isinstance(found, InkError) else found
        if progress is not None:
            progress(1)
    return Answers(
        tokens=tuple(None if each is None else each.tokens for each in answers),
        strokes=tuple(() if each is None else each.strokes for each in answers),
        others=tuple(() if each is None else each.others for each in answers),
        vocabulary=model.info.vocabulary.tokens,
        seconds=time.perf_counter() - begin,
    )


@dataclass(frozen=True)
class _Answer:
    """What is kept of a reading."""

    tokens: Tokens
    strokes: tuple[tuple[int, ...], ...]
    others: tuple[Tokens, ...]


def _answer(reading: Reading) -> _Answer:
    others = (reading.vocabulary.decode(each.tokens) for each in reading.hypotheses[1:])
    strokes = own_strokes(reading.alignment.token_of_stroke, len(reading.tokens))
    return _Answer(reading.tokens, strokes, tuple(others))
