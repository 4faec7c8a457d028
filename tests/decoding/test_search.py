"""What the search promises about its answers, on models small enough to know the truth."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_steppers import FORMULAS, RnnStepper, TableStepper, log_softmax, random_features

from inktex.decoding import DecodingError, Hypothesis, SearchOptions, beam_search, greedy
from inktex.decoding.masks import token_table
from inktex.latex import Grammar, Vocabulary

TINY = Vocabulary(("<eol>", "x", "{", "}", "^"))
GRAMMAR = Grammar(FORMULAS)
seeds = st.integers(0, 10**6)
sharpness = st.sampled_from([0.3, 1.0, 2.0, 5.0])
length_rules = st.sampled_from(
    [("none", 1.0), ("normalise", 0.5), ("normalise", 1.0), ("reward", 0.4), ("reward", -0.3)]
)


def same(first: Hypothesis, second: Hypothesis) -> None:
    assert first.tokens == second.tokens
    assert first.score == pytest.approx(second.score, abs=1e-4)
    assert first.log_prob == pytest.approx(second.log_prob, abs=1e-4)
    np.testing.assert_allclose(first.token_log_probs, second.token_log_probs, atol=1e-5)
    np.testing.assert_allclose(first.attention, second.attention, atol=1e-5)


def tiny_model(seed: int, expressions: int = 1, scale: float = 1.0) -> TableStepper:
    random = np.random.default_rng(seed)
    return TableStepper(log_softmax(scale * random.normal(size=(expressions, TINY.size, TINY.size))), TINY)


def every_answer(table: np.ndarray, options: SearchOptions) -> list[tuple[float, tuple[int, ...]]]:
    """All well-formed sequences with their scores, best first: brute force."""
    grammar = Grammar(TINY)
    found = []
    for length in range(1, options.max_length + 1):
        for tokens in itertools.product(range(1, TINY.size), repeat=length):
            if options.grammar and not grammar.accepts(TINY.decode(tokens)):
                continue
            path = (0, *tokens, 0)
            total = sum(float(table[a, b]) for a, b in itertools.pairwise(path))
            found.append((float(options.score(np.float64(total), length + 1)), tokens))
    if not options.grammar:
        found.append((float(options.score(np.float64(table[0, 0]), 1)), ()))
    return sorted(found, reverse=True)


@given(seeds, sharpness, length_rules, st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_beam_of_one_is_greedy_search(seed, sharp, rule, grammar):
    model, features = RnnStepper(seed, sharpness=sharp), random_features(seed, 4)
    options = SearchOptions(
        beam=1, max_length=30, length_handling=rule[0], length_weight=rule[1], grammar=grammar
    )
    found = beam_search(model, features, options)
    for answers, alone in zip(found, greedy(model, features, options), strict=True):
        assert len(answers) == 1
        same(answers[0], alone)


@given(seeds, sharpness, length_rules, st.integers(2, 5), st.sampled_from([None, 0.5, 3.0]))
@settings(max_examples=80, deadline=None)
def test_the_answer_never_scores_below_the_greedy_one(seed, sharp, rule, beam, prune):
    model, features = RnnStepper(seed, sharpness=sharp), random_features(seed, 3)
    options = SearchOptions(
        beam=beam, max_length=25, length_handling=rule[0], length_weight=rule[1], prune=prune, horizon=2
    )
    found = beam_search(model, features, options)
    for answers, alone in zip(found, greedy(model, features, options), strict=True):
        assert answers[0].score >= alone.score - 1e-5


@given(seeds, st.sampled_from([0.5, 1.0, 3.0]), length_rules, st.booleans())
@settings(max_examples=40, deadline=None)
def test_a_wide_beam_finds_the_same_answers_as_brute_force(seed, scale, rule, grammar):
    rules = {"length_handling": rule[0], "length_weight": rule[1], "horizon": 5}
    options = SearchOptions(beam=2000, top=4, max_length=5, grammar=grammar, **rules)
    model = tiny_model(seed, scale=scale)
    truth = every_answer(model.tables[0], options)
    [answers] = beam_search(model, [np.zeros((1, 1))], options)
    assert [answer.score for answer in answers] == pytest.approx([score for score, _ in truth[:4]], abs=1e-4)
    assert answers[0].tokens in [tokens for score, tokens in truth if score > truth[0][0] - 1e-4]


@given(seeds, st.integers(1, 8), st.integers(1, 4), length_rules)
@settings(max_examples=40, deadline=None)
def test_an_expression_gets_the_same_answers_alone_and_in_a_batch(seed, beam, top, rule):
    model, features = RnnStepper(seed), random_features(seed, 5)
    options = SearchOptions(beam=beam, top=top, max_length=20, length_handling=rule[0], length_weight=rule[1])
    together = beam_search(model, features, options)
    for array, answers in zip(features, together, strict=True):
        [alone] = beam_search(model, [array], options)
        assert len(alone) == len(answers)
        for one, other in zip(answers, alone, strict=True):
            if one.tokens == other.tokens:
                same(one, other)
            else:  # equally good answers stand in any order
                assert one.score == pytest.approx(other.score, abs=1e-6)


@given(seeds, sharpness, st.integers(1, 15), st.integers(1, 6), st.integers(1, 5))
@settings(max_examples=80, deadline=None)
def test_every_answer_is_well_formed_and_no_longer_than_allowed(seed, sharp, max_length, beam, top):
    model, features = RnnStepper(seed, sharpness=sharp), random_features(seed, 3)
    options = SearchOptions(beam=beam, top=top, max_length=max_length)
    for answer in itertools.chain(*beam_search(model, features, options), greedy(model, features, options)):
        assert 1 <= len(answer.tokens) <= max_length
        assert GRAMMAR.accepts(FORMULAS.decode(answer.tokens))


def test_only_tokens_that_keep_an_answer_well_formed_may_follow():
    table = token_table(FORMULAS)
    after_frac = table.advance(np.array([table.start]), np.array([FORMULAS.id(r"\frac")]))
    [may_follow] = table.allowed(after_frac, remaining=20)
    assert {FORMULAS.tokens[number] for number in np.flatnonzero(may_follow)} == {"{"}
    [at_the_limit] = table.allowed(np.array([table.start]), remaining=1)
    assert not at_the_limit[FORMULAS.id(r"\frac")], "a fraction cannot be finished in one token"


@pytest.mark.parametrize("grammar", [True, False])
def test_a_model_that_never_ends_is_ended_at_the_limit(grammar):
    logits = np.zeros((1, FORMULAS.size, FORMULAS.size))
    logits[:, :, 0] = -30
    model, features = TableStepper(log_softmax(logits), FORMULAS), [np.zeros((1, 1))]
    options = SearchOptions(beam=3, max_length=12, grammar=grammar)
    [[found]], [alone] = beam_search(model, features, options), greedy(model, features, options)
    assert len(found.tokens) == len(alone.tokens) == 12
    with pytest.raises(DecodingError, match="longer than its limit"):
        token_table(FORMULAS, grammar=grammar).allowed(np.array([0]), remaining=-1)


def test_open_groups_are_closed_in_time_by_a_model_that_only_ever_opens_them():
    logits = np.zeros((1, FORMULAS.size, FORMULAS.size))
    logits[:, :, [FORMULAS.id(r"\frac"), FORMULAS.id("{"), FORMULAS.id("^"), FORMULAS.id(r"\sqrt")]] = 30
    model = TableStepper(log_softmax(logits), FORMULAS)
    for max_length in range(1, 40):
        options = SearchOptions(beam=3, max_length=max_length)
        [[answer]] = beam_search(model, [np.zeros((1, 1))], options)
        assert GRAMMAR.accepts(FORMULAS.decode(answer.tokens))
        assert len(answer.tokens) <= max_length


@given(seeds, st.integers(1, 6), st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_answers_come_best_first_without_repetition(seed, beam, top):
    model, features = RnnStepper(seed, sharpness=1.0), random_features(seed, 3)
    for answers in beam_search(model, features, SearchOptions(beam=beam, top=top, max_length=15)):
        assert 1 <= len(answers) <= top
        scores = [answer.score for answer in answers]
        assert scores == sorted(scores, reverse=True)
        assert len({answer.tokens for answer in answers}) == len(answers)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_log_probabilities_and_attention_are_those_of_the_model_along_the_answer(seed):
    model, features = RnnStepper(seed), random_features(seed, 3)
    found = beam_search(model, features, SearchOptions(beam=5, top=3, max_length=25))
    for array, answers in zip(features, found, strict=True):
        for answer in answers:
            state, previous = model.start([array]), 0
            assert answer.attention.shape == (len(answer.tokens) + 1, len(array))
            assert answer.log_prob == pytest.approx(float(answer.token_log_probs.sum()), rel=1e-5)
            for position, token in enumerate((*answer.tokens, 0)):
                output = model.step(state, np.array([previous]))
                np.testing.assert_allclose(answer.attention[position], output.attention[0], atol=1e-5)
                assert answer.token_log_probs[position] == pytest.approx(output.log_probs[0, token], abs=1e-5)
                state, previous = output.state, token


def test_length_handling_can_prefer_the_longer_answer():
    # "x" alone has probability 0.5 * 0.5; "x x" 0.5 * 0.5 * 0.5: shorter wins unless length is made up for.
    table = np.full((TINY.size, TINY.size), -20.0, np.float32)
    table[0, 1] = table[1, 0] = table[1, 1] = np.log(0.5)
    model = TableStepper(table[None], TINY)
    features = [np.zeros((1, 1))]
    [[plain]] = beam_search(model, features, SearchOptions(max_length=3))
    assert TINY.decode(plain.tokens) == ("x",)
    rewarded = SearchOptions(max_length=3, length_handling="reward", length_weight=1.0)
    [[longer]] = beam_search(model, features, rewarded)
    assert TINY.decode(longer.tokens) == ("x", "x", "x")
    assert longer.cut
    assert not plain.cut
