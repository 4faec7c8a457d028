"""Two readers together: every hypothesis gets both scores, and only well-formed ones come back."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_steppers import FORMULAS, RnnStepper, TableStepper, log_softmax, random_features

from inktex.decoding import SearchOptions, beam_search
from inktex.decoding.directions import contenders, rank_by_copies, score_sequences, search_both_ways
from inktex.latex import Grammar, Vocabulary

TINY = Vocabulary(("<eol>", "x", "{", "}", "^"))
seeds = st.integers(0, 10**6)


@given(seeds, st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_scored_sequences_get_what_the_search_gave_them(seed: int, count: int) -> None:
    model, [features] = RnnStepper(seed), random_features(seed, 1)
    options = SearchOptions(beam=6, top=count, max_length=12, length_handling="reward", length_weight=0.2)
    [answers] = beam_search(model, [features], options)
    scored = score_sequences(model, features, [answer.tokens for answer in answers], options)
    for answer, again in zip(answers, scored, strict=True):
        assert again.tokens == answer.tokens
        assert again.log_prob == pytest.approx(answer.log_prob, abs=1e-4)
        assert again.score == pytest.approx(answer.score, abs=1e-4)
        np.testing.assert_allclose(again.token_log_probs, answer.token_log_probs, atol=1e-5)
        np.testing.assert_allclose(again.attention, answer.attention, atol=1e-5)


def total(table: np.ndarray, tokens: tuple[int, ...]) -> float:
    return sum(float(table[a, b]) for a, b in itertools.pairwise((0, *tokens, 0)))


@given(seeds, st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=30, deadline=None)
def test_the_best_sum_of_both_wins(seed: int, weight: float) -> None:
    random = np.random.default_rng(seed)
    tables = log_softmax(2.0 * random.normal(size=(2, 1, TINY.size, TINY.size)))
    forward, backward = TableStepper(tables[0], TINY), TableStepper(tables[1], TINY)
    # Wide enough to hold every sequence, so that the search is exact.
    options = SearchOptions(beam=400, top=3, max_length=4, backward_weight=weight)
    array = np.zeros((1, 4))
    answers = search_both_ways(forward, backward, (array, array), options)
    grammar = Grammar(TINY)
    every = [
        (total(tables[0, 0], tokens) + weight * total(tables[1, 0], tokens[::-1]), tokens)
        for length in range(1, 5)
        for tokens in itertools.product(range(1, TINY.size), repeat=length)
        if grammar.accepts(TINY.decode(tokens))
    ]
    expected = sorted(every, reverse=True)[:3]
    assert [answer.score for answer in answers] == pytest.approx([score for score, _ in expected], abs=1e-4)
    for answer in answers:
        assert answer.log_prob == pytest.approx(total(tables[0, 0], answer.tokens), abs=1e-4)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_answers_are_well_formed_and_each_is_there_once(seed: int) -> None:
    forward, backward = RnnStepper(seed), RnnStepper(seed + 1, sharpness=4.0)
    [features] = random_features(seed, 1)
    options = SearchOptions(beam=4, top=8, max_length=15, backward_weight=0.7)
    grammar = Grammar(FORMULAS)
    answers = search_both_ways(forward, backward, (features, features), options)
    tokens = [answer.tokens for answer in answers]
    assert len(set(tokens)) == len(tokens)
    assert all(grammar.accepts(FORMULAS.decode(each)) for each in tokens)
    scores = [answer.score for answer in answers]
    assert scores == sorted(scores, reverse=True)


def test_a_hypothesis_that_only_the_backward_reader_finds_can_win() -> None:
    tokens = Vocabulary(("<eol>", "x", "1", "2"))
    forward = np.log(
        np.array([[0.01, 0.5, 0.26, 0.23], [0.97, 0.01, 0.01, 0.01]] + [[0.97] + [0.01] * 3] * 2)
    )
    backward = np.log(np.array([[0.001, 0.001, 0.001, 0.997]] + [[0.97] + [0.01] * 3] * 3))
    options = SearchOptions(beam=1, top=1, max_length=3)
    array = np.zeros((1, 4))
    models = TableStepper(forward[None], tokens), TableStepper(backward[None], tokens)
    [alone] = search_both_ways(*models, (array, array), replace(options, backward_weight=0.0))
    [together] = search_both_ways(*models, (array, array), replace(options, backward_weight=1.0))
    assert tokens.decode(alone.tokens) == ("x",)
    assert tokens.decode(together.tokens) == ("2",)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_a_backward_reader_without_a_beam_only_scores(seed: int) -> None:
    forward, backward = RnnStepper(seed), RnnStepper(seed + 1)
    [features] = random_features(seed, 1)
    options = SearchOptions(beam=4, top=60, max_length=12, backward_weight=0.7)

    def both(beam: int | None) -> dict[tuple[int, ...], float]:
        narrowed = replace(options, backward_beam=beam)
        found = search_both_ways(forward, backward, (features, features), narrowed)
        return {each.tokens: each.score for each in found}

    [own] = beam_search(forward, [features], options)
    assert set(both(0)) == {each.tokens for each in own}
    scores = both(None)
    assert both(0) == pytest.approx({tokens: scores[tokens] for tokens in both(0)}, abs=1e-4)
    assert both(4) == both(9) == both(None)  # never wider than the other's


@given(seeds, st.booleans())
@settings(max_examples=20, deadline=None)
def test_copies_decide_between_contenders_by_the_mean_score_on_them(seed: int, both: bool) -> None:
    forward, backward = RnnStepper(seed, sharpness=1.0), RnnStepper(seed + 1) if both else None
    [ink, *copies] = random_features(seed, 3)
    options = SearchOptions(beam=9, top=9, max_length=10, backward_weight=0.7, copy_weight=2.0)
    [found] = beam_search(forward, [ink], options)
    near = contenders(found)
    means = []
    for hypothesis in near:
        scores = []
        for copy in copies:
            (own,) = score_sequences(forward, copy, [hypothesis.tokens], options)
            other = 0.0
            if backward is not None:
                other = score_sequences(backward, copy, [hypothesis.tokens[::-1]], options)[0].score
            scores.append(own.score + 0.7 * other)
        means.append(sum(scores) / 2)
    expected = {each.tokens: each.score for each in found}
    for hypothesis, mean in zip(near, means, strict=True):
        expected[hypothesis.tokens] += 2.0 * (mean - max(means))
    ranked = rank_by_copies(forward, backward, [(copy, copy) for copy in copies], found, options)
    assert {each.tokens: each.score for each in ranked} == pytest.approx(expected, abs=1e-3)
    assert [each.score for each in ranked] == sorted((each.score for each in ranked), reverse=True)
    assert 1 <= len(near) <= 4
    assert min(each.score for each in near) > found[0].score - 3.0
