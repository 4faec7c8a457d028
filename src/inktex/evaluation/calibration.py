"""Fits what a model file says about searching and confidence, on expressions whose truth is known.

It chooses how answers of different lengths are ranked and fits the maps of the calibration. The error of the
maps is measured by cross-validation: each expression is judged by maps that never saw it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inktex.edits import edits
from inktex.ink import Ink, InkError
from inktex.reading import Model, Reader, Reading, symbol_places, whole
from inktex.reading.calibration import (
    KNOWN_FROM,
    Calibration,
    Floats,
    Logistic,
    answer_evidence,
    known_evidence,
    token_evidence,
)

Bools = NDArray[np.bool_]

_FOLDS = 10
_BINS = 10  # of equal width, for the reliability
_RIDGE = 1e-2
DOUBTED = 0.05  # share of known symbols, drawn alone, that may be taken for unknown ones
LENGTH_RULES: tuple[dict[str, Any], ...] = (
    {"length_handling": "none"},
    {"length_handling": "normalise", "length_weight": 0.5},
    {"length_handling": "normalise", "length_weight": 1.0},
    {"length_handling": "reward", "length_weight": 0.2},
    {"length_handling": "reward", "length_weight": 0.4},
    {"length_handling": "reward", "length_weight": 0.6},
)


@dataclass(frozen=True)
class Judged:
    """One expression that was read, and what is right in its best answer."""

    reading: Reading
    right: bool
    tokens_right: Bools
    known: bool = True  # False for ink of a symbol that the model does not know


@dataclass(frozen=True)
class Reliability:
    """How confidence and accuracy compare, over bins of equal width."""

    error: float  # expected calibration error
    uncalibrated: float  # the same for the model's own probabilities
    curve: tuple[tuple[float, float, int], ...]  # mean confidence, accuracy, count of each bin in use

    @classmethod
    def of(cls, confidence: Floats, own: Floats, right: Bools) -> "Reliability":
        (curve, error), (_, uncalibrated) = (_curve(told, right) for told in (confidence, own))
        return cls(error, uncalibrated, curve)


def _curve(confidence: Floats, right: Bools) -> tuple[tuple[tuple[float, float, int], ...], float]:
    """The bins in use, and |confidence - accuracy| averaged over them."""
    number = np.minimum((confidence * _BINS).astype(np.int64), _BINS - 1)
    curve = tuple(
        (float(confidence[number == each].mean()), float(right[number == each].mean()), int(count))
        for each, count in enumerate(np.bincount(number))
        if count
    )
    return curve, sum(count * abs(mean - share) for mean, share, count in curve) / max(len(right), 1)


@dataclass(frozen=True)
class Fitted:
    calibration: Calibration
    answers: Reliability
    tokens: Reliability
    expressions: int
    right: float  # share of answers that are right
    found_out: float | None = None  # share of unknown symbols recognised as such, where there were any
    doubted: float | None = None  # share of known symbols that are taken for unknown ones

    def to_json(self) -> dict[str, Any]:
        unknown = {name: round(getattr(self, name) or 0.0, 4) for name in ("found_out", "doubted")}
        return {
            **self.calibration.to_json(),
            "expressions": self.expressions,
            **({} if self.found_out is None else {"unknown": unknown}),
            "error": {"answer": round(self.answers.error, 4), "token": round(self.tokens.error, 4)},
            "curve": {
                name: [[round(mean, 4), round(accuracy, 4), count] for mean, accuracy, count in part.curve]
                for name, part in (("answer", self.answers), ("token", self.tokens))
            },
        }


@dataclass(frozen=True)
class RuleTried:
    """How one way of ranking answers of different lengths did."""

    search: dict[str, Any]  # fields of `SearchOptions`
    right: float  # share of answers that are right
    error: float  # token edits per token of the truth


def try_length_rules(
    model: Model, examples: Sequence[tuple[Ink, Sequence[str]]], *, beam: int = 10, jobs: int = 1
) -> list[RuleTried]:
    """Read with each of the usual rules, the best first; the plain sum wins where nothing is better."""
    inks, total = [ink for ink, _ in examples], sum(len(truth) for _, truth in examples)
    tried = []
    for rule in LENGTH_RULES:
        reader = Reader(model, replace(model.search, beam=beam, **rule))
        right = wrong = 0
        for place, tokens in reader.map(attrgetter("tokens"), inks, jobs=jobs, processes=True):
            truth = tuple(examples[place][1])
            answer = () if isinstance(tokens, InkError) else tokens
            right += answer == truth
            wrong += len(edits(answer, truth))
        tried.append(RuleTried(dict(rule), right / len(examples), wrong / max(total, 1)))
    return sorted(tried, key=lambda each: (-each.right, each.error))


def judge(
    reader: Reader,
    examples: Sequence[tuple[Ink, Sequence[str]]],
    *,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> list[Judged]:
    """Read expressions and compare with their truth; ink that cannot be read is left out."""
    judged: dict[int, Judged] = {}
    for place, reading in reader.map(whole, [ink for ink, _ in examples], jobs=jobs):
        if progress is not None:
            progress(1)
        if isinstance(reading, InkError):
            continue
        truth = tuple(examples[place][1])
        kept = np.ones(len(reading.tokens), np.bool_)
        kept[[edit.source for edit in edits(reading.tokens, truth) if edit.tag != "insert"]] = False
        # A lone symbol outside the vocabulary; expressions with one rare token say nothing about the others.
        known = len(truth) != 1 or not reading.vocabulary.unknown(truth)
        judged[place] = Judged(reading, reading.tokens == truth, kept, known)
    return [judged[place] for place in sorted(judged)]


def fit(judged: Sequence[Judged]) -> Fitted:
    """Fit both maps, and measure them on folds that they were not fitted on."""
    if len(judged) < 2 * _FOLDS or len({each.right for each in judged}) < 2:
        raise ValueError(f"calibration needs right and wrong answers to {2 * _FOLDS} expressions or more")
    evidence = np.array([answer_evidence(each.reading) for each in judged])
    right = np.array([each.right for each in judged])
    best = [each.reading.best for each in judged]
    fold = np.arange(len(judged)) % _FOLDS

    def fit_both(places: list[int]) -> tuple[Logistic, Logistic]:
        answer = fit_logistic(evidence[places], right[places])
        scores = answer(evidence).tolist()
        rows = np.concatenate([token_evidence(best[place], scores[place]) for place in places])
        return answer, fit_logistic(rows, np.concatenate([judged[place].tokens_right for place in places]))

    scores = np.zeros(len(judged))
    token_scores = [np.zeros(0)] * len(judged)
    for number in range(_FOLDS):
        answer, token = fit_both(np.flatnonzero(fold != number).tolist())
        outside = np.flatnonzero(fold == number)
        scores[outside] = answer(evidence[outside])
        for place in outside.tolist():
            rows = token_evidence(best[place], float(scores[place]))
            token_scores[place] = np.maximum(token(rows), scores[place])
    answer, token = fit_both(list(range(len(judged))))
    known, found_out, doubted = _fit_known(judged, fold)
    return Fitted(
        calibration=Calibration(answer, token, known),
        answers=Reliability.of(scores, np.exp([each.log_prob for each in best]), right),
        tokens=Reliability.of(
            np.concatenate(token_scores),
            np.clip(np.exp(np.concatenate([each.token_log_probs[:-1] for each in best])), 0.0, 1.0),
            np.concatenate([each.tokens_right for each in judged]),
        ),
        expressions=len(judged),
        right=float(right.mean()),
        found_out=found_out,
        doubted=doubted,
    )


def _fit_known(
    judged: Sequence[Judged], fold: NDArray[np.int_]
) -> tuple[Logistic | None, float | None, float | None]:
    """The map that tells known symbols from others, and what it says in folds that it was not fitted on.

    Its threshold is set so that a share of `DOUBTED` of the known symbols, drawn alone, is doubted. Known
    symbols that are read wrong are left out: the answer is about another symbol than the ink.
    """
    if sum(not each.known for each in judged) < _FOLDS:
        return None, None, None
    chosen = [
        [
            number
            for number in symbol_places(each.reading.tokens)
            if each.tokens_right[number] or not each.known
        ]
        for each in judged
    ]
    counts = np.array([len(places) for places in chosen])
    evidence = np.concatenate(
        [known_evidence(each.reading)[places] for each, places in zip(judged, chosen, strict=True)]
    )
    known, of_fold = np.repeat([each.known for each in judged], counts), np.repeat(fold, counts)
    weight = np.repeat(
        1.0 / np.maximum(counts, 1), counts
    )  # inks weigh alike, however many symbols they have
    told = np.zeros(len(known))
    for number in range(_FOLDS):
        inside = of_fold != number
        told[~inside] = _known_map(evidence[inside], known[inside], weight[inside])(evidence[~inside])
    doubts = told < KNOWN_FROM
    found_out, doubted = (float(np.average(doubts[kind], weights=weight[kind])) for kind in (~known, known))
    return _known_map(evidence, known, weight), found_out, doubted


def _known_map(evidence: Floats, known: Bools, weight: Floats) -> Logistic:
    balance = np.where(known, weight / weight[known].sum(), weight / weight[~known].sum())
    found = fit_logistic(evidence, known, weights=balance * len(known) / 2)
    # Symbols among others are hardly ever doubted: the share is that of symbols alone, where there are any.
    alone = known & (evidence[:, -1] == 1.0)
    judged = alone if alone.any() else known
    order = np.argsort(found(evidence[judged]))
    told = found(evidence[judged])[order]
    passed = np.cumsum(weight[judged][order]) / weight[judged].sum()
    limit = float(told[min(int(np.searchsorted(passed, DOUBTED)), len(told) - 1)])
    limit = min(max(limit, 1e-6), 1.0 - 1e-6)
    return Logistic(found.weights, found.bias - float(np.log(limit) - np.log1p(-limit)))


def fit_logistic(evidence: Floats, right: Bools, weights: Floats | None = None) -> Logistic:
    """Maximum likelihood by Newton's method, with a small penalty that keeps weights finite."""
    counts = np.ones(len(evidence)) if weights is None else weights
    rows = np.column_stack([evidence, np.ones(len(evidence))])
    spread = rows.std(axis=0)
    spread[spread < 1e-9] = 1.0  # the last column, and evidence that is the same everywhere
    rows = rows / spread
    penalty = np.diag([_RIDGE] * evidence.shape[1] + [0.0]) * len(rows)
    solution = np.zeros(rows.shape[1])
    for _ in range(60):
        p = 1.0 / (1.0 + np.exp(-np.clip(rows @ solution, -30, 30)))
        gradient = rows.T @ (counts * (p - right)) + penalty @ solution
        curvature = (rows * (counts * p * (1 - p))[:, None]).T @ rows + penalty
        step = np.linalg.solve(curvature + 1e-9 * np.eye(len(solution)), gradient)
        solution = solution - step
        if np.abs(step).max() < 1e-8:
            break
    solution = solution / spread
    return Logistic(tuple(solution[:-1].tolist()), float(solution[-1]))
