"""Confidence that means what it says: what a search knows about an answer in, probabilities out.

A sum of log probabilities says which answer is better, not how often such answers are right. Two small
logistic maps, fitted on the validation set and stored in the model's card, turn it into that: one for the
whole answer, one for each token. Without them the model's own probabilities are given.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inktex.decoding import Hypothesis

Floats: TypeAlias = NDArray[np.float64]

_FLOOR = 3e-3  # probabilities are kept this far from 0 and 1, or an answer without rivals stands alone


@dataclass(frozen=True)
class Logistic:
    """p = σ(w·x + b)."""

    weights: tuple[float, ...]
    bias: float

    def __call__(self, evidence: Floats) -> Floats:
        """Probabilities (n,) of rows of evidence (n, d)."""
        result: Floats = 1.0 / (
            1.0 + np.exp(-np.clip(evidence @ np.array(self.weights) + self.bias, -30, 30))
        )
        return result

    @classmethod
    def fit(cls, evidence: Floats, right: NDArray[np.bool_], ridge: float = 1e-2) -> "Logistic":
        """Maximum likelihood by Newton's method, with a small penalty that keeps weights finite."""
        rows = np.column_stack([evidence, np.ones(len(evidence))])
        spread = np.maximum(rows.std(axis=0), 1e-9)
        spread[-1] = 1.0
        rows = rows / spread
        penalty = np.diag([ridge] * evidence.shape[1] + [0.0]) * len(rows)
        solution = np.zeros(rows.shape[1])
        for _ in range(60):
            p = 1.0 / (1.0 + np.exp(-np.clip(rows @ solution, -30, 30)))
            gradient = rows.T @ (p - right) + penalty @ solution
            curvature = (rows * (p * (1 - p))[:, None]).T @ rows + penalty
            step = np.linalg.solve(curvature + 1e-9 * np.eye(len(solution)), gradient)
            solution = solution - step
            if np.abs(step).max() < 1e-8:
                break
        solution = solution / spread
        return cls(tuple(solution[:-1].tolist()), float(solution[-1]))


@dataclass(frozen=True)
class Calibration:
    """The two maps of a model."""

    answer: Logistic
    token: Logistic

    def to_json(self) -> dict[str, Any]:
        """As stored in a model's card."""
        return {
            name: {"weights": list(part.weights), "bias": part.bias}
            for name, part in (("answer", self.answer), ("token", self.token))
        }

    @classmethod
    def from_card(cls, card: dict[str, Any]) -> "Calibration | None":
        """The calibration of a model, if it has one that this version understands."""
        data = card.get("calibration")
        if not isinstance(data, dict):
            return None
        try:
            answer, token = (
                Logistic(tuple(map(float, data[name]["weights"])), float(data[name]["bias"]))
                for name in ("answer", "token")
            )
        except (KeyError, TypeError, ValueError):
            return None
        if len(answer.weights) != ANSWER_EVIDENCE or len(token.weights) != TOKEN_EVIDENCE:
            return None
        return cls(answer, token)


ANSWER_EVIDENCE = 4
TOKEN_EVIDENCE = 3


def neglected(attention: NDArray[np.floating[Any]]) -> float:
    """Share of the strokes that all tokens together hardly looked at; `attention` is (T+1, S)."""
    return float((attention[:-1].sum(axis=0) < 0.1).mean()) if attention.size else 0.0


def answer_evidence(answers: Sequence[Hypothesis], neglect: float) -> Floats:
    """(ANSWER_EVIDENCE,) about the best of some answers; `neglect` is the share of `neglected` strokes."""
    best = answers[0]
    probabilities = [math.exp(each.log_prob) for each in answers]
    share = probabilities[0] / max(sum(probabilities), 1e-300)
    weakest = math.exp(best.token_log_probs.min())
    return np.array([_logit(probabilities[0]), _logit(share), _logit(weakest), neglect])


def token_evidence(best: Hypothesis, score: float) -> Floats:
    """(T, TOKEN_EVIDENCE) about the tokens of an answer whose calibrated score is known."""
    own = np.clip(np.exp(best.token_log_probs[:-1].astype(np.float64)), _FLOOR, 1.0 - _FLOOR)
    evidence = np.empty((len(own), TOKEN_EVIDENCE))
    evidence[:, 0] = np.log(own) - np.log1p(-own)
    evidence[:, 1] = _logit(score)
    evidence[:, 2] = _logit(math.exp(best.token_log_probs.min()))
    return evidence


def _logit(probability: float) -> float:
    kept = min(max(probability, _FLOOR), 1.0 - _FLOOR)
    return math.log(kept) - math.log1p(-kept)


def calibration_error(confidence: Floats, right: NDArray[np.bool_], bins: int = 10) -> float:
    """Expected calibration error: |confidence - accuracy| averaged over bins of equal width."""
    number = np.minimum((confidence * bins).astype(int), bins - 1)
    total = 0.0
    for each in range(bins):
        inside = number == each
        if inside.any():
            total += inside.sum() * abs(confidence[inside].mean() - right[inside].mean())
    return total / max(len(confidence), 1)
