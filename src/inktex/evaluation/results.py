"""The figures of an evaluation, as plain data that can be stored: `Evaluation` and its parts.

All rates are percentages with their 95 % percentile interval, from resampled test sets: expressions are drawn
with replacement, and every rate is recomputed for all draws by a matrix product. The same seed gives the same
bounds. Token edits and label-graph errors count different things, so they have names of their own and
never share a column. Two systems are compared by McNemar's exact test: if both are equally good, each
expression that only one of them read correctly is a fair coin.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_CHUNK = 500  # draws per matrix product: bounds the memory


@dataclass(frozen=True)
class Rate:
    """A percentage with its 95 % interval over test sets of this kind."""

    percent: float
    low: float
    high: float

    def text(self) -> str:
        """For people: `52.1 % [49.0, 55.2]`."""
        return f"{self.percent:.1f} % [{self.low:.1f}, {self.high:.1f}]"


@dataclass(frozen=True)
class Within:
    """Expressions that are right, and those with at most one, two and three errors of some kind."""

    exact: Rate
    within_1: Rate
    within_2: Rate
    within_3: Rate


@dataclass(frozen=True)
class TokenRates(Within):
    """By LaTeX tokens: ExpRate, and token edits."""

    wer: Rate  # token edits per token of the truth
    among: Rate | None = None  # the truth is the answer or one of the other hypotheses; None if not asked for


@dataclass(frozen=True)
class GraphRates(Within):
    """By label graph of symbols, from the LaTeX alone (`inktex.latex.labelgraph`): labels that differ."""

    structure: Rate  # the same nodes and edges, whatever the symbols are


@dataclass(frozen=True)
class RecallPrecision:
    """What was found of the truth, and what is right of the answers."""

    recall: Rate
    precision: Rate


@dataclass(frozen=True)
class StrokeRates(Within):
    """By label graph of strokes, as the competition scored: labels of strokes and of pairs of strokes."""

    expressions: int  # those whose segmentation is known
    segments: RecallPrecision  # symbols with exactly their strokes
    classes: RecallPrecision  # the same with the right class
    relations: RecallPrecision  # between two symbols with exactly their strokes


@dataclass(frozen=True)
class Subset:
    name: str
    expressions: int
    exact: Rate  # by tokens
    wer: Rate


@dataclass(frozen=True)
class Confusion:
    """A mistake that was made `count` times; an empty side stands for a missing or an extra symbol."""

    truth: str
    answer: str
    count: int


def most_frequent(pairs: Iterable[tuple[str, str]], limit: int) -> tuple[Confusion, ...]:
    """Count pairs of truth and answer; the most frequent ones first."""
    found = sorted(Counter(pairs).items(), key=lambda item: (-item[1], item[0]))
    return tuple(Confusion(truth, answer, count) for (truth, answer), count in found[:limit])


@dataclass(frozen=True)
class Evaluation:
    system: str
    data: str
    expressions: int
    tokens: TokenRates
    label_graph: GraphRates
    stroke_graph: StrokeRates | None  # None where the strokes of truth or answers are not known
    errors_by_kind: dict[str, int]  # wrong expressions, by `ErrorKind`
    by_length: tuple[Subset, ...]
    by_folder: tuple[Subset, ...]
    by_relation: tuple[Subset, ...]  # expressions that contain each of the five spatial relationships
    symbol_confusions: tuple[Confusion, ...]
    relation_confusions: tuple[Confusion, ...]
    unanswered: int  # expressions without an answer
    malformed: int  # answers that cannot be read as LaTeX
    unknown_tokens: dict[str, int]  # tokens of the truth that the system's vocabulary lacks
    unknown_expressions: int  # expressions that therefore cannot be read correctly
    seconds: float | None  # wall time of the recognition
    right: tuple[bool, ...]  # per expression: token for token; kept for comparisons

    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON file, without the list of single expressions."""
        data = plain(self)
        del data["right"]
        return dict(data)


def plain(value: Any) -> Any:
    """Dataclasses as dictionaries, rounded to what the figures mean; JSON knows no nan, so that is null."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    return value


class Draws:
    """Resampled test sets: expressions drawn with replacement, the same draws for every rate."""

    def __init__(self, expressions: int, *, draws: int = 5000, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self._times: list[NDArray[np.uint8]] = []  # how often each expression was drawn
        for start in range(0, draws if expressions else 0, _CHUNK):
            size = min(_CHUNK, draws - start)
            picked = random.integers(0, expressions, (size, expressions))
            picked += np.arange(size)[:, None] * expressions
            times = np.bincount(picked.ravel(), minlength=size * expressions)
            self._times.append(times.astype(np.uint8).reshape(size, expressions))

    def rate(self, numerators: ArrayLike, denominators: ArrayLike) -> Rate:
        """The ratio of two sums over the expressions; nan if nothing counts."""
        columns = np.stack([numerators, denominators], axis=1).astype(np.float64)  # (expressions, 2)
        above, below = columns.sum(axis=0).tolist()
        if not below:
            return Rate(math.nan, math.nan, math.nan)
        sums = np.concatenate([times @ columns for times in self._times])
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios = sums[:, 0] / sums[:, 1]
        low, high = 100 * np.percentile(ratios[np.isfinite(ratios)], [2.5, 97.5])
        return Rate(100 * (above / below), float(low), float(high))


def rate_of(hits: Sequence[bool]) -> Rate:
    """The share of hits, with its interval."""
    return Draws(len(hits)).rate(hits, np.ones(len(hits)))


@dataclass(frozen=True)
class Comparison:
    first: str
    second: str
    expressions: int
    both: int  # right in both
    only_first: int
    only_second: int
    p_value: float


def mcnemar_p_value(only_first: int, only_second: int) -> float:
    """Probability of a split at least as uneven as this one if both systems were equally good."""
    discordant = only_first + only_second
    tail = sum(math.comb(discordant, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, float(Fraction(2 * tail, 2**discordant)))


def compare(first: str, first_right: Sequence[bool], second: str, second_right: Sequence[bool]) -> Comparison:
    """Compare two named systems, given in the same order of expressions."""
    if len(first_right) != len(second_right):
        raise ValueError(f"{first} and {second} were measured on different expressions")
    both = Counter(zip(first_right, second_right, strict=True))
    only_first, only_second = both[True, False], both[False, True]
    p_value = mcnemar_p_value(only_first, only_second)
    return Comparison(first, second, len(first_right), both[True, True], only_first, only_second, p_value)
