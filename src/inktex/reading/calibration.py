"""Calibrated confidence: turns what a search knows about an answer into the probability that it is right.

A sum of log probabilities says which answer is better, not how often such answers are right. Two small
logistic maps, fitted on the validation set and stored in the model's card, do that: one for the whole
answer, one for each token. Without them the model's own probabilities are given. A third map, if the card
has it, distinguishes ink of symbols that the model knows from other ink.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inktex.checked import checked
from inktex.decoding import Hypothesis
from inktex.latex.symbols import look_alike

from .result import Reading

Floats: TypeAlias = NDArray[np.float64]

_FLOOR = 3e-3  # probabilities are kept this far from 0 and 1, or an answer without rivals stands alone


@dataclass(frozen=True)
class Logistic:
    """p = σ(w·x + b)."""

    weights: tuple[float, ...]
    bias: float

    def __call__(self, evidence: Floats) -> Floats:
        """Probabilities (n,) of rows of evidence (n, d); a map with fewer weights uses the first columns."""
        sums = evidence[:, : len(self.weights)] @ np.array(self.weights) + self.bias
        result: Floats = 1.0 / (1.0 + np.exp(-np.clip(sums, -30, 30)))
        return result


@dataclass(frozen=True)
class Calibration:
    """The maps of a model."""

    answer: Logistic
    token: Logistic
    known: Logistic | None = None  # whether a token's ink is a symbol of the vocabulary at all

    def to_json(self) -> dict[str, Any]:
        return {name: each for name, each in asdict(self).items() if each is not None}

    @classmethod
    def from_card(cls, card: dict[str, Any]) -> "Calibration | None":
        """The calibration of a model, if it has one that this version understands."""
        try:
            given = card["calibration"].items()
            maps = {name: checked(Logistic, each, name) for name, each in given if name in _SIZES}
        except (AttributeError, LookupError, TypeError, ValueError):
            return None
        fitting = {name: each for name, each in maps.items() if len(each.weights) in _SIZES[name]}
        return cls(**fitting) if {"answer", "token"} <= fitting.keys() else None


ANSWER_EVIDENCE = 7
TOKEN_EVIDENCE = 3
KNOWN_EVIDENCE = 6
# How many weights a map may have; 4 are of models that were calibrated by earlier versions.
_SIZES = {"answer": (ANSWER_EVIDENCE, 4), "token": (TOKEN_EVIDENCE,), "known": (KNOWN_EVIDENCE,)}
KNOWN_FROM = 0.5  # a symbol is said to be known from this probability on


def answer_evidence(reading: Reading) -> Floats:
    """(ANSWER_EVIDENCE,) about the best answer of a reading.

    Its probability, its share among the hypotheses, its weakest token, and the share of strokes that no token
    looked at; then what a decoder that writes backwards says, how short the answer is, since a drawing of an
    unknown symbol is read as a short answer, and the share of its rank among those of the hypotheses.
    """
    best, attention = reading.best, reading.strokes  # (T+1, S)
    neglected = float((attention[:-1].sum(axis=0) < 0.1).mean()) if attention.size else 0.0
    probabilities = [math.exp(each.log_prob) for each in reading.hypotheses]
    share = probabilities[0] / max(sum(probabilities), 1e-300)
    weakest = math.exp(reading.token_log_probs.min())
    ahead = math.exp(best.score - _log_sum([each.score for each in reading.hypotheses]))
    return np.array(
        [
            _logit(probabilities[0]),
            _logit(share),
            _logit(weakest),
            neglected,
            _backward(best.score - best.log_prob, len(best.tokens)),
            1.0 / max(len(best.tokens), 1),
            _logit(ahead),
        ]
    )


def _backward(beyond: float, tokens: int) -> float:
    """What the rank has beyond the probability, per token: the score of a decoder that writes backwards."""
    return max(beyond / (tokens + 1), -5.0)


def token_evidence(best: Hypothesis, score: float) -> Floats:
    """(T, TOKEN_EVIDENCE) about the tokens of an answer whose calibrated score is known."""
    evidence = np.empty((len(best.tokens), TOKEN_EVIDENCE))
    evidence[:, 0] = _logit(np.exp(best.token_log_probs[:-1].astype(np.float64)))
    evidence[:, 1] = _logit(score)
    evidence[:, 2] = _logit(math.exp(best.token_log_probs.min()))
    return evidence


def known_evidence(reading: Reading) -> Floats:
    """(T, KNOWN_EVIDENCE) about whether the tokens of the best answer are what the ink shows.

    Readings that look the same (x and X alone) count together: a symbol is not unknown because two readings
    of it look the same. The evidence is the probability of the token, of the answer and of the weakest token,
    how far the answer is ahead of the others, what a decoder that writes backwards says, and how short the
    answer is, since a symbol is surer among others.
    """
    best = reading.best
    looks = [tuple(map(look_alike, reading.vocabulary.decode(each.tokens))) for each in reading.hypotheses]
    alike = [each for each, look in zip(reading.hypotheses, looks, strict=True) if look == looks[0]]
    together = _log_sum([each.log_prob for each in alike])
    tokens = best.token_log_probs[:-1].astype(np.float64) + (together - best.log_prob)
    evidence = np.empty((len(best.tokens), KNOWN_EVIDENCE))
    evidence[:, 0] = _logit(np.exp(tokens))
    evidence[:, 1] = _logit(math.exp(together))
    evidence[:, 2] = evidence[:, 0].min(initial=float(_logit(1.0)))
    evidence[:, 3] = _logit(math.exp(together - _log_sum([each.log_prob for each in reading.hypotheses])))
    evidence[:, 4] = _backward(_log_sum([each.score for each in alike]) - together, len(best.tokens))
    evidence[:, 5] = 1.0 / max(len(best.tokens), 1)
    return evidence


def _log_sum(values: list[float]) -> float:
    return float(np.logaddexp.reduce(values))


def _logit(probability: ArrayLike) -> Floats:
    kept = np.clip(probability, _FLOOR, 1.0 - _FLOOR)
    logits: Floats = np.log(kept) - np.log1p(-kept)
    return logits
