"""Control over a running search: restrictions, cancelling, deadlines, and models that misbehave."""

import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_steppers import FORMULAS, RnnStepper, TableStepper, log_softmax, random_features

from inktex.decoding import (
    DecodingError,
    EncodedStepper,
    EnsembleStepper,
    SearchCancelled,
    SearchOptions,
    beam_search,
    greedy,
)
from inktex.latex import Grammar, Vocabulary

GRAMMAR = Grammar(FORMULAS)
STRUCTURE = {"{", "}", "^", "_", r"\frac", r"\sqrt", r"\limits"}


@given(st.integers(0, 10**6), st.sets(st.sampled_from(["x", "y", "1", "+", "(", "[", r"\sum"]), min_size=1))
@settings(max_examples=40, deadline=None)
def test_only_the_allowed_symbols_are_written(seed, wanted):
    if wanted <= {"["}:
        wanted = wanted | {"x"}
    ids = frozenset(FORMULAS.encode(sorted(wanted)))
    model, features = RnnStepper(seed, sharpness=1.0), random_features(seed, 2)
    options = SearchOptions(beam=4, top=3, max_length=15, symbols=ids)
    written = [hypothesis for answers in beam_search(model, features, options) for hypothesis in answers]
    for answer in [*written, *greedy(model, features, options)]:
        tokens = FORMULAS.decode(answer.tokens)
        assert GRAMMAR.accepts(tokens)
        assert set(tokens) <= wanted | STRUCTURE | ({"]"} if "[" in wanted else set())


@pytest.mark.parametrize("symbols", [frozenset(), frozenset([FORMULAS.id("'")]), frozenset([999])])
def test_a_restriction_that_leaves_nothing_to_write_is_an_error(symbols):
    with pytest.raises(DecodingError, match="symbols"):
        beam_search(RnnStepper(0), random_features(0, 1), SearchOptions(symbols=symbols))


def test_a_cancelled_search_stops_at_the_next_step():
    model = RnnStepper(1)
    asked = iter([False, False, True])
    with pytest.raises(SearchCancelled):
        beam_search(model, random_features(1, 2), SearchOptions(), cancelled=lambda: next(asked))
    assert model.steps == 2


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_past_its_deadline_a_search_ends_in_the_few_steps_that_closing_needs(seed):
    model, features = RnnStepper(seed, sharpness=0.3), random_features(seed, 4)
    answers = beam_search(model, features, SearchOptions(beam=6), deadline=time.monotonic() - 1)
    assert model.steps <= 2  # one symbol, one end mark
    for [answer] in answers:
        assert GRAMMAR.accepts(FORMULAS.decode(answer.tokens))


def test_a_deadline_in_the_middle_closes_what_is_open():
    class Slow(RnnStepper):
        def step(self, state, tokens):
            time.sleep(0.01)
            return super().step(state, tokens)

    logits = np.zeros((1, FORMULAS.size, FORMULAS.size))
    logits[:, :, FORMULAS.id(r"\frac")] = 20
    opening = TableStepper(log_softmax(logits), FORMULAS)
    for model, features in [(Slow(3, sharpness=0.2), random_features(3, 3)), (opening, [np.zeros((1, 1))])]:
        for answers in beam_search(model, features, SearchOptions(beam=4), deadline=time.monotonic() + 0.03):
            assert GRAMMAR.accepts(FORMULAS.decode(answers[0].tokens))


@pytest.mark.parametrize("steps", range(1, 12))
def test_a_deadline_never_asks_the_model_about_nothing(monkeypatch, steps):
    class Strict(RnnStepper):
        def step(self, state, tokens):
            assert len(tokens) > 0
            return super().step(state, tokens)

    model, features = Strict(5, sharpness=0.5), random_features(5, 2)
    monkeypatch.setattr(time, "monotonic", lambda: float(model.steps))
    for each in ([features[0]], features):
        model.steps = 0
        assert all(beam_search(model, each, SearchOptions(beam=4, top=3), deadline=float(steps)))


def test_tokens_without_any_probability_are_written_only_where_nothing_else_is_possible():
    table = np.full((1, FORMULAS.size, FORMULAS.size), -np.inf, np.float32)
    table[0, 0, FORMULAS.id(r"\sqrt")] = 0
    model = TableStepper(table, FORMULAS)
    [[answer]] = beam_search(model, [np.zeros((1, 1))], SearchOptions(beam=2, max_length=6))
    assert GRAMMAR.accepts(FORMULAS.decode(answer.tokens))


def test_a_model_that_gives_no_numbers_is_an_error():
    model = TableStepper(np.full((1, FORMULAS.size, FORMULAS.size), np.nan, np.float32), FORMULAS)
    for search in (beam_search, greedy):
        with pytest.raises(DecodingError, match="not numbers"):
            search(model, [np.zeros((1, 1))])


def test_nothing_to_read_gives_no_answers():
    assert beam_search(RnnStepper(0), []) == []
    assert greedy(RnnStepper(0), []) == []


@pytest.mark.parametrize(
    "wrong", [{"beam": 0}, {"top": 0}, {"max_length": 0}, {"length_handling": "long"}, {"prune": -1.0}]
)
def test_senseless_options_are_refused(wrong):
    with pytest.raises(DecodingError):
        SearchOptions(**wrong)


def test_searches_in_several_threads_do_not_disturb_each_other():
    unseen = Vocabulary((*FORMULAS.tokens, "z"))  # its grammar states are first met by the threads
    models = [RnnStepper(seed, sharpness=1.0, vocabulary=unseen) for seed in range(6)]
    inputs = [random_features(seed, 3) for seed in range(6)]
    options = SearchOptions(beam=6, top=3, max_length=40)
    found: dict[int, list] = {}

    def work(number: int) -> None:
        for _ in range(3):
            found[number] = beam_search(models[number], inputs[number], options)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, together in found.items():
        alone = beam_search(models[number], inputs[number], options)
        assert [[h.tokens for h in best] for best in together] == [[h.tokens for h in best] for best in alone]


def test_expressions_that_are_encoded_together_are_found_by_their_places():
    model, features = RnnStepper(4), random_features(4, 7)
    options = SearchOptions(beam=3, max_length=20)
    direct = beam_search(model, features, options)
    together = EncodedStepper(model, features)
    found = [beam_search(together, [place], options)[0] for place in range(7)]
    assert [answers[0].tokens for answers in found] == [answers[0].tokens for answers in direct]


class TestEnsemble:
    def test_a_model_with_itself_is_the_model(self):
        model, features = RnnStepper(5), random_features(5, 3)
        pair = EnsembleStepper([model, model])
        for one, other in zip(beam_search(model, features), beam_search(pair, features), strict=True):
            assert one[0].tokens == other[0].tokens
            assert one[0].log_prob == pytest.approx(other[0].log_prob, abs=1e-4)
            np.testing.assert_allclose(one[0].attention, other[0].attention, atol=1e-5)

    @given(st.integers(0, 10**6), st.floats(0.1, 10))
    @settings(max_examples=20, deadline=None)
    def test_probabilities_are_averaged_not_their_logarithms(self, seed, weight):
        random = np.random.default_rng(seed)
        first, second = log_softmax(random.normal(size=(2, 1, FORMULAS.size, FORMULAS.size)) * 40)
        ensemble = EnsembleStepper(
            [TableStepper(first, FORMULAS), TableStepper(second, FORMULAS)], weights=[weight, 1.0]
        )
        output = ensemble.step(ensemble.start([np.zeros((1, 1))]), np.array([0]))
        shares = weight * np.exp(first[0, 0].astype(float)), np.exp(second[0, 0].astype(float))
        mean = (shares[0] + shares[1]) / (weight + 1)
        np.testing.assert_allclose(np.exp(output.log_probs[0]), mean, atol=1e-5)
        assert np.isfinite(output.log_probs).all()

    def test_members_may_read_different_features(self):
        near, far = RnnStepper(1), RnnStepper(2)
        features = list(zip(random_features(1, 3), random_features(9, 3), strict=True))
        ensemble = EnsembleStepper([near, far], views=[0, 1])
        for (first, _), [answer] in zip(features, beam_search(ensemble, features), strict=True):
            assert answer.attention.shape[1] == len(first)
            np.testing.assert_allclose(answer.attention.sum(axis=1), 1, atol=1e-4)

    def test_models_of_different_vocabularies_are_refused(self):
        with pytest.raises(DecodingError, match="vocabulary"):
            EnsembleStepper([RnnStepper(1), RnnStepper(1, vocabulary=Vocabulary(("<eol>", "x", "{", "}")))])
