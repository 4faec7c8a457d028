r"""Lone symbols: how often drawings are read right, and what is said about symbols that no model knows.

Takes what a system answered about each drawing, twice: by reading it as an expression (`texts`, as everyone
gets it) and as a single symbol (`guesses`). Symbols that look the same alone (`symbols.look_alike`) count as
one. For drawings of unknown symbols no answer is right; what counts is how sure it seems to be.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inktex.latex import symbols

from .bootstrap import bootstrap_intervals
from .provenance import Provenance
from .results import Confusion, Rate, most_frequent, plain

FIRST = 5  # answers among which the truth is looked for
SURE = 0.8  # confidence from which an answer seems sure
# The symbols that people try first.
USUAL = frozenset("x()|,.=0123456789")
_CONFUSIONS = 20


@dataclass(frozen=True)
class LoneAnswer:
    """What a system says about one drawing."""

    texts: tuple[str, ...]  # read as an expression
    others: tuple[tuple[str, ...], ...]  # the next best readings
    score: float  # confidence of the reading
    known: bool  # whether it takes the symbol for one that it knows
    guesses: tuple[str, ...]  # read as a single symbol, the likeliest first
    probability: float  # of the first of these


@dataclass(frozen=True)
class Hits:
    """How often the truth was the first answer, and how often one of the first five."""

    drawings: int
    first: Rate
    five: Rate


@dataclass(frozen=True)
class LoneEvaluation:
    """One system on drawings of symbols that it could know."""

    system: str
    data: str
    symbol: Hits  # as a single symbol
    reading: Hits  # as an expression
    usual_symbol: Hits  # of `USUAL` alone
    usual_reading: Hits
    sources: dict[str, Hits]  # as a single symbol, by collection
    sure: Rate  # readings that seem sure
    sure_right: Rate  # of these, right
    unknown: Rate  # said to be outside the symbols
    symbols: dict[str, dict[str, int]]  # per token: read right as a single symbol, of how many
    confusions: tuple[Confusion, ...]  # of the single symbol, look-alikes merged
    seconds: float

    def lines(self) -> list[str]:
        """For people."""
        return [
            f"{self.system} on {self.data}: {self.symbol.drawings} drawings, look-alikes merged",
            _hits("as a single symbol", self.symbol),
            _hits("as an expression", self.reading),
            _hits("x ( ) | , . = and digits, single", self.usual_symbol),
            _hits("x ( ) | , . = and digits, expression", self.usual_reading),
            *(_hits(f"single, {name}", hits) for name, hits in self.sources.items()),
            f"  readings of over {SURE:.0%} confidence: {self.sure.text()}, "
            f"right of these {self.sure_right.text()}",
            f"  said to be outside the symbols: {self.unknown.text()}",
            "  most frequent mistakes: "
            + ", ".join(f"{each.truth} as {each.answer} {each.count}" for each in self.confusions[:12]),
        ]


@dataclass(frozen=True)
class UnknownEvaluation:
    """One system on drawings of symbols that no model knows."""

    system: str
    data: str
    drawings: int
    sure: Rate  # readings that seem sure
    sure_single: Rate  # the same as a single symbol
    found_out: Rate  # said to be outside the symbols
    answers: tuple[Confusion, ...]  # what seemed sure
    seconds: float

    def lines(self) -> list[str]:
        """For people."""
        return [
            f"{self.system} on {self.data}: {self.drawings} drawings of symbols that no model knows",
            f"  readings of over {SURE:.0%} confidence: {self.sure.text()}",
            f"  single symbols of over {SURE:.0%} probability: {self.sure_single.text()}",
            f"  said to be outside the symbols: {self.found_out.text()}",
            "  sure and wrong: "
            + ", ".join(f"{each.truth} as {each.answer} {each.count}" for each in self.answers[:12]),
        ]


def evaluate_lone(
    system: str, data: str, truths: Sequence[str], folders: Sequence[str], answers: Sequence[LoneAnswer]
) -> LoneEvaluation:
    """Measure answers to drawings of known symbols."""
    pairs = list(zip(truths, answers, strict=True))
    by_symbol = [_place(truth, [(each,) for each in answer.guesses]) for truth, answer in pairs]
    by_reading = [_place(truth, [answer.texts, *answer.others]) for truth, answer in pairs]
    usual = [truth in USUAL for truth in truths]
    counts: dict[str, dict[str, int]] = {}
    wrong: list[tuple[str, str]] = []
    for truth, answer, place in zip(truths, answers, by_symbol, strict=True):
        count = counts.setdefault(truth, {"right": 0, "of": 0})
        count["of"] += 1
        count["right"] += place == 0
        if place != 0:
            wrong.append((symbols.look_alike(truth), symbols.look_alike(answer.guesses[0])))
    sure = np.array([answer.score > SURE for answer in answers])
    right = np.array([place == 0 for place in by_reading])
    return LoneEvaluation(
        system=system,
        data=data,
        symbol=_hits_of(by_symbol),
        reading=_hits_of(by_reading),
        usual_symbol=_hits_of([place for place, one in zip(by_symbol, usual, strict=True) if one]),
        usual_reading=_hits_of([place for place, one in zip(by_reading, usual, strict=True) if one]),
        sources={
            name: _hits_of(
                [place for place, folder in zip(by_symbol, folders, strict=True) if folder == name]
            )
            for name in sorted(set(folders))
        },
        sure=rate_of(sure),
        sure_right=rate_of(right[sure]),
        unknown=rate_of(np.array([not answer.known for answer in answers])),
        symbols={token: counts[token] for token in sorted(counts)},
        confusions=most_frequent(wrong, _CONFUSIONS),
        seconds=0.0,
    )


def evaluate_unknown(
    system: str, data: str, truths: Sequence[str], answers: Sequence[LoneAnswer]
) -> UnknownEvaluation:
    """Measure answers to drawings of unknown symbols."""
    sure = [answer.score > SURE for answer in answers]
    seemed = [
        (truth, " ".join(answer.texts))
        for truth, answer in zip(truths, answers, strict=True)
        if answer.score > SURE
    ]
    return UnknownEvaluation(
        system=system,
        data=data,
        drawings=len(answers),
        sure=rate_of(np.array(sure)),
        sure_single=rate_of(np.array([answer.probability > SURE for answer in answers])),
        found_out=rate_of(np.array([not answer.known for answer in answers])),
        answers=most_frequent(seemed, _CONFUSIONS),
        seconds=0.0,
    )


@dataclass(frozen=True)
class LoneReport:
    """All systems of one command."""

    data: str
    evaluations: tuple[LoneEvaluation | UnknownEvaluation, ...]
    provenance: Provenance
    whole: bool  # False for a part of the set

    def text(self) -> str:
        """For people."""
        part = [] if self.whole else [f"only a part of {self.data}"]
        lines = [line for each in self.evaluations for line in (*each.lines(), "")]
        return "\n".join([*part, *lines, self.provenance.line(), ""])

    def to_json(self) -> dict[str, Any]:
        """For a results file."""
        return {
            "data": self.data,
            "whole": self.whole,
            "made": plain(self.provenance),
            "systems": [plain(each) for each in self.evaluations],
        }


def rate_of(hits: "np.ndarray[Any, np.dtype[np.bool_]]") -> Rate:
    """The share of hits in percent, with its interval."""
    if not len(hits):
        return Rate(float("nan"), float("nan"), float("nan"))
    column = hits.astype(np.float64)[:, None]
    low, high = 100 * bootstrap_intervals(column, np.ones_like(column))[0]
    return Rate(100.0 * float(hits.mean()), float(low), float(high))


def _place(truth: str, answers: Sequence[tuple[str, ...]]) -> int | None:
    """The place of the truth or its look-alike among the first answers; equal answers count once."""
    merged = dict.fromkeys(tuple(map(symbols.look_alike, answer)) for answer in answers)
    for place, answer in enumerate(list(merged)[:FIRST]):
        if answer == (symbols.look_alike(truth),):
            return place
    return None


def _hits_of(places: Sequence[int | None]) -> Hits:
    return Hits(
        len(places),
        rate_of(np.array([place == 0 for place in places], np.bool_)),
        rate_of(np.array([place is not None for place in places], np.bool_)),
    )


def _hits(name: str, hits: Hits) -> str:
    return f"  {name} ({hits.drawings}): first {hits.first.text()}, first {FIRST} {hits.five.text()}"
