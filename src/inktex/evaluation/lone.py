r"""Lone symbols: how often drawings are read right, and what is said about symbols that no model knows.

Takes what a system answered about each drawing, twice: by reading it as an expression (`texts`, as everyone
gets it) and as a single symbol (`guesses`). Symbols that look the same alone (`symbols.look_alike`) count as
one. For drawings of unknown symbols no answer is right; what counts is how sure it seems to be.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inktex.latex import symbols

from .provenance import Provenance
from .results import Confusion, Rate, most_frequent, plain, rate_of

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

    @classmethod
    def of(cls, places: Sequence[int | None]) -> "Hits":
        """Sum up the places of the truth among the answers."""
        first, five = [place == 0 for place in places], [place is not None for place in places]
        return cls(len(places), rate_of(first), rate_of(five))

    def line(self, name: str) -> str:
        return f"  {name} ({self.drawings}): first {self.first.text()}, first {FIRST} {self.five.text()}"


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
        return [
            f"{self.system} on {self.data}: {self.symbol.drawings} drawings, look-alikes merged",
            self.symbol.line("as a single symbol"),
            self.reading.line("as an expression"),
            self.usual_symbol.line("x ( ) | , . = and digits, single"),
            self.usual_reading.line("x ( ) | , . = and digits, expression"),
            *(hits.line(f"single, {name}") for name, hits in self.sources.items()),
            f"  readings of over {SURE:.0%} confidence: {self.sure.text()}, "
            f"right of these {self.sure_right.text()}",
            f"  said to be outside the symbols: {self.unknown.text()}",
            f"  most frequent mistakes: {_listed(self.confusions)}",
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
        return [
            f"{self.system} on {self.data}: {self.drawings} drawings of symbols that no model knows",
            f"  readings of over {SURE:.0%} confidence: {self.sure.text()}",
            f"  single symbols of over {SURE:.0%} probability: {self.sure_single.text()}",
            f"  said to be outside the symbols: {self.found_out.text()}",
            f"  sure and wrong: {_listed(self.answers)}",
        ]


def _listed(confusions: Sequence[Confusion]) -> str:
    return ", ".join(f"{each.truth} as {each.answer} {each.count}" for each in confusions[:12])


def evaluate_lone(
    system: str, data: str, truths: Sequence[str], folders: Sequence[str], answers: Sequence[LoneAnswer]
) -> LoneEvaluation:
    pairs = list(zip(truths, answers, strict=True))
    by_symbol = [_place(truth, [(each,) for each in answer.guesses]) for truth, answer in pairs]
    by_reading = [_place(truth, [answer.texts, *answer.others]) for truth, answer in pairs]
    usual = [number for number, truth in enumerate(truths) if truth in USUAL]
    of = Counter(truths)
    right = Counter(truth for truth, place in zip(truths, by_symbol, strict=True) if place == 0)
    wrong = (
        (symbols.look_alike(truth), symbols.look_alike(answer.guesses[0]))
        for (truth, answer), place in zip(pairs, by_symbol, strict=True)
        if place != 0
    )
    return LoneEvaluation(
        system=system,
        data=data,
        symbol=Hits.of(by_symbol),
        reading=Hits.of(by_reading),
        usual_symbol=Hits.of([by_symbol[number] for number in usual]),
        usual_reading=Hits.of([by_reading[number] for number in usual]),
        sources={
            name: Hits.of([by_symbol[number] for number, folder in enumerate(folders) if folder == name])
            for name in sorted(set(folders))
        },
        sure=rate_of([answer.score > SURE for answer in answers]),
        sure_right=rate_of(
            [place == 0 for place, answer in zip(by_reading, answers, strict=True) if answer.score > SURE]
        ),
        unknown=rate_of([not answer.known for answer in answers]),
        symbols={token: {"right": right[token], "of": of[token]} for token in sorted(of)},
        confusions=most_frequent(wrong, _CONFUSIONS),
        seconds=0.0,
    )


def evaluate_unknown(
    system: str, data: str, truths: Sequence[str], answers: Sequence[LoneAnswer]
) -> UnknownEvaluation:
    pairs = zip(truths, answers, strict=True)
    seemed = [(truth, " ".join(answer.texts)) for truth, answer in pairs if answer.score > SURE]
    return UnknownEvaluation(
        system=system,
        data=data,
        drawings=len(answers),
        sure=rate_of([answer.score > SURE for answer in answers]),
        sure_single=rate_of([answer.probability > SURE for answer in answers]),
        found_out=rate_of([not answer.known for answer in answers]),
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
        part = [] if self.whole else [f"only a part of {self.data}"]
        lines = [line for each in self.evaluations for line in (*each.lines(), "")]
        return "\n".join([*part, *lines, self.provenance.line(), ""])

    def to_json(self) -> dict[str, Any]:
        return {
            "data": self.data,
            "whole": self.whole,
            "made": plain(self.provenance),
            "systems": [plain(each) for each in self.evaluations],
        }


def _place(truth: str, answers: Sequence[tuple[str, ...]]) -> int | None:
    """The place of the truth or its look-alike among the first answers; equal answers count once."""
    merged = dict.fromkeys(tuple(map(symbols.look_alike, answer)) for answer in answers)
    first, wanted = list(merged)[:FIRST], (symbols.look_alike(truth),)
    return first.index(wanted) if wanted in first else None
