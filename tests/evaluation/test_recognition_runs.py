"""Reading many expressions with several workers gives the same answers as with one."""

import multiprocessing
import os

import numpy as np
import pytest

from inktex.decoding import SearchOptions, StepOutput
from inktex.evaluation.runner import LoadedModel, System, recognise
from inktex.features import FeatureOptions, extract_many
from inktex.ink import Ink
from inktex.latex import Vocabulary

VOCABULARY = Vocabulary(("<eol>", "x", "+", "1", "{", "}", "^"))
OPTIONS = SearchOptions(beam=3, max_length=12)


class EndsStepper:
    """Log probabilities that depend on both ends of an expression's features and on the previous token."""

    vocabulary = VOCABULARY

    def __init__(self, seed: int) -> None:
        self._weights = 9 * np.random.default_rng(seed).normal(size=(VOCABULARY.size, 8, VOCABULARY.size))

    def start(self, features):
        return np.stack([array[0] + array[-1] for array in features])

    def step(self, state, tokens):
        logits = np.einsum("rf,rfk->rk", state, self._weights[tokens])
        log_probs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return StepOutput(log_probs.astype(np.float32), np.ones((len(state), 1), np.float32), state)

    def select(self, state, rows):
        return state[rows]

    def lengths(self, state):
        return np.ones(len(state), np.int64)


def load_toy(spec: str) -> LoadedModel:
    """Open `toy:SEED` or `dense:SEED`."""
    kind, _, seed = spec.partition(":")
    options = FeatureOptions.paper() if kind == "dense" else FeatureOptions.polyline()
    return LoadedModel(EndsStepper(int(seed)), options)


def some_inks(count: int) -> list[Ink]:
    random = np.random.default_rng(7)
    return [
        Ink.from_strokes([np.cumsum(random.normal(size=(12, 2)), axis=0) for _ in range(1 + number % 4)])
        for number in range(count)
    ]


def test_two_workers_give_the_answers_of_one_in_the_same_order(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    inks, done = some_inks(9), []
    system = System("toy", ("toy:1",))
    alone = recognise(system, inks, load_toy, OPTIONS, jobs=1, batch=4)
    together = recognise(system, inks, load_toy, OPTIONS, jobs=2, batch=2, progress=done.append)
    assert [answer.tokens for answer in alone.answers] == [answer.tokens for answer in together.answers]
    assert len({answer.tokens for answer in alone.answers}) > 1
    assert sum(done) == len(inks)
    assert together.vocabulary == VOCABULARY.tokens
    assert os.environ["OMP_NUM_THREADS"] == "3"


def test_a_model_that_cannot_be_opened_is_reported_as_such():
    with pytest.raises(ValueError, match="invalid literal"):
        recognise(System("toy", ("toy:none",)), some_inks(2), load_toy, OPTIONS)


def test_models_with_different_features_can_answer_together():
    inks = some_inks(4)
    single = recognise(System("one", ("toy:1",)), inks, load_toy, OPTIONS)
    twice = recognise(System("same", ("toy:1", "toy:1")), inks, load_toy, OPTIONS)
    mixed = recognise(System("mixed", ("toy:1", "dense:2")), inks, load_toy, OPTIONS)
    assert [answer.tokens for answer in single.answers] == [answer.tokens for answer in twice.answers]
    rows = [len(features.rows) for features in extract_many(inks, FeatureOptions.paper())]
    assert rows != [len(features.rows) for features in extract_many(inks, FeatureOptions.polyline())]
    assert len(mixed.answers) == len(inks)


def load_and_die(spec: str) -> LoadedModel:
    """Open the model here, but be killed in a worker, as the system does when memory runs out."""
    if multiprocessing.parent_process() is not None:
        os._exit(9)
    return load_toy(spec)


def test_a_worker_that_is_killed_is_an_error_for_people():
    with pytest.raises(OSError, match="a worker process was killed"):
        recognise(System("toy", ("toy:1",)), some_inks(4), load_and_die, OPTIONS, jobs=2, batch=2)
