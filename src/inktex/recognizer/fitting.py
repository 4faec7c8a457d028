"""Fit what a model file says about searching and confidence: a model and expressions with truth come in.

Goes out: the best way to rank answers of different lengths, the two maps of the calibration, and their error.

Every error is measured by cross-validation: each expression is judged by maps that never saw it.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inktex.decoding import decode_batches
from inktex.edits import edit_distance, edits
from inktex.explain import stroke_attention
from inktex.ink import Ink, InkError
from inktex.runtime import Model

from .assembling import Reading
from .calibration import (
    Calibration,
    Floats,
    Logistic,
    answer_evidence,
    calibration_error,
    neglected,
    token_evidence,
)
from .core import PRUNE, READINGS, Recognizer

Bools = NDArray[np.bool_]

_FOLDS = 10
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
    """One searched expression and what of its best answer is right."""

    reading: Reading
    neglect: float
    right: bool
    tokens_right: Bools


@dataclass(frozen=True)
class Reliability:
    """How confidence and accuracy compare, over bins of equal width."""

    error: float  # expected calibration error
    uncalibrated: float  # the same for the model's own probabilities
    curve: tuple[tuple[float, float, int], ...]  # mean confidence, accuracy, count of each bin in use

    @classmethod
    def of(cls, confidence: Floats, own: Floats, right: Bools, bins: int = 10) -> "Reliability":
        number = np.minimum((confidence * bins).astype(int), bins - 1)
        curve = tuple(
            (float(confidence[number == each].mean()), float(right[number == each].mean()), int(count))
            for each, count in enumerate(np.bincount(number, minlength=bins))
            if count
        )
        return cls(calibration_error(confidence, right, bins), calibration_error(own, right, bins), curve)


@dataclass(frozen=True)
class Fitted:
    """The calibration and what it is worth."""

    calibration: Calibration
    answers: Reliability
    tokens: Reliability
    expressions: int
    right: float  # share of answers that are right

    def to_json(self) -> dict[str, Any]:
        """For the model's card."""
        return {
            **self.calibration.to_json(),
            "expressions": self.expressions,
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
    model: Model, examples: Sequence[tuple[Ink, Sequence[str]]], *, beam: int = 10
) -> list[RuleTried]:
    """Search with each of the usual rules, the best first; the plain sum wins where nothing is better."""
    stepper, vocabulary = model.stepper(), model.info.vocabulary
    arrays = [made.arrays for made in model.inputs([ink for ink, _ in examples])]
    total = sum(len(truth) for _, truth in examples)
    tried = []
    for rule in LENGTH_RULES:
        options = replace(model.search, beam=beam, top=READINGS, prune=PRUNE, **rule)
        right = wrong = 0
        for place, found in decode_batches(stepper, arrays, options, scorer=model.scorer):
            texts, truth = vocabulary.decode(found[0].tokens), tuple(examples[place][1])
            right += texts == truth
            wrong += edit_distance(texts, truth)
        tried.append(RuleTried(dict(rule), right / len(examples), wrong / max(total, 1)))
    return sorted(tried, key=lambda each: (-each.right, each.error))


def judge(
    recognizer: Recognizer,
    examples: Iterable[tuple[Ink, Sequence[str]]],
    *,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> list[Judged]:
    """Search expressions and compare with their truth; ink that cannot be read is left out."""

    def one(example: tuple[Ink, Sequence[str]]) -> Judged | None:
        ink, truth = example
        try:
            prepared = recognizer.prepare(ink)
        except InkError:
            return None
        reading = recognizer.search(ink, prepared, recognizer.options(prepared))
        if progress is not None:
            progress(1)
        best = reading.hypotheses[0]
        texts = recognizer.model.info.vocabulary.decode(best.tokens)
        stride = recognizer.model.info.stride
        on_strokes = stroke_attention(best.attention, reading.features, stride, len(ink))
        kept = np.ones(len(texts), np.bool_)
        for edit in edits(texts, tuple(truth)):
            if edit.tag != "insert":
                kept[edit.source] = False
        return Judged(reading, neglected(on_strokes), texts == tuple(truth), kept)

    with ThreadPoolExecutor(jobs) as pool:
        return [judged for judged in pool.map(one, examples) if judged is not None]


def fit(judged: Sequence[Judged]) -> Fitted:
    """Fit both maps, and measure them on folds that they were not fitted on."""
    if len(judged) < 2 * _FOLDS or len({each.right for each in judged}) < 2:
        raise ValueError(f"calibration needs right and wrong answers to {2 * _FOLDS} expressions or more")
    evidence = np.array([answer_evidence(each.reading.hypotheses, each.neglect) for each in judged])
    right = np.array([each.right for each in judged])
    fold = np.arange(len(judged)) % _FOLDS
    scores = np.zeros(len(judged))
    token_scores = [np.zeros(0)] * len(judged)
    for number in range(_FOLDS):
        inside, outside = fold != number, fold == number
        answer = Logistic.fit(evidence[inside], right[inside])
        token = _fit_tokens(judged, inside, answer(evidence))
        scores[outside] = answer(evidence[outside])
        for place in np.flatnonzero(outside).tolist():
            rows = token_evidence(judged[place].reading.hypotheses[0], float(scores[place]))
            token_scores[place] = np.maximum(token(rows), scores[place])
    everything = np.ones(len(judged), np.bool_)
    answer = Logistic.fit(evidence, right)
    token = _fit_tokens(judged, everything, answer(evidence))
    best = [each.reading.hypotheses[0] for each in judged]
    return Fitted(
        calibration=Calibration(answer, token),
        answers=Reliability.of(scores, np.exp([each.log_prob for each in best]), right),
        tokens=Reliability.of(
            np.concatenate(token_scores),
            np.clip(np.exp(np.concatenate([each.token_log_probs[:-1] for each in best])), 0.0, 1.0),
            np.concatenate([each.tokens_right for each in judged]),
        ),
        expressions=len(judged),
        right=float(right.mean()),
    )


def _fit_tokens(judged: Sequence[Judged], wanted: Bools, scores: Floats) -> Logistic:
    places = np.flatnonzero(wanted).tolist()
    rows = [token_evidence(judged[place].reading.hypotheses[0], float(scores[place])) for place in places]
    return Logistic.fit(
        np.concatenate(rows), np.concatenate([judged[place].tokens_right for place in places])
    )
