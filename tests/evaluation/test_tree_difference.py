"""Errors counted on the layout tree: one mistake of the hand or of the reader is one error."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inktex.evaluation.trees import tree_difference
from inktex.latex import Grammar, LatexError, Vocabulary, normalize, parse_layout

VOCABULARY = Vocabulary(
    ["<eol>", "x", "y", "1", "+", "(", ")", "{", "}", "^", "_", r"\frac", r"\sqrt", r"\sum"]
)
GRAMMAR = Grammar(VOCABULARY)


def random_expression(seed: int, longest: int = 24) -> tuple[str, ...]:
    """A random walk through the grammar, ended in time."""
    choose = random.Random(seed)
    state, tokens = GRAMMAR.start, []
    while True:
        mask = GRAMMAR.mask_within(state, longest - len(tokens))
        token = choose.choice([index for index, allowed in enumerate(mask) if allowed])
        if token == 0:
            return VOCABULARY.decode(tokens)
        tokens.append(token)
        state = GRAMMAR.advance(state, token)


def errors(truth: str, answer: str) -> int:
    return tree_difference(normalize(truth), normalize(answer)).errors


expressions = st.integers(0, 10**6).map(random_expression)


@pytest.mark.parametrize(
    ("truth", "answer", "count"),
    [
        ("x^2", "x^2", 0),
        ("x_1^2", "x^2_1", 0),
        (r"\sum\limits_{i}^{n} i", r"\sum^{n}_{i} i", 0),
        ("x^2", "x_2", 1),  # one relation
        ("x^2", "y^2", 1),  # one label
        ("x^2 + 1", "x^2", 2),  # two signs are missing
        ("x + y", "x y", 1),  # a missing sign does not make its neighbour wrong
        ("x y", "x + y", 1),
        (r"\frac{a b}{c}", r"\frac{b}{c}", 1),
        ("x y^2", "x^2", 1),  # what hung on a missing sign hangs on its parent
        (r"\sqrt{x}", "x", 2),  # the radical is missing, and so x is not inside it
        ("x^{2 n}", "x^{2} n", 1),
        ("a", "b", 1),
    ],
)
def test_mistakes_are_counted_as_people_count_them(truth, answer, count):
    assert errors(truth, answer) == count


@given(expressions, expressions)
@settings(max_examples=150, deadline=None)
def test_there_are_no_errors_exactly_when_the_layouts_are_equal(truth, answer):
    difference = tree_difference(truth, answer)
    assert (difference.errors == 0) == (parse_layout(truth) == parse_layout(answer))
    assert tree_difference(answer, truth).errors >= (difference.errors > 0)
    assert tree_difference(truth, truth).errors == 0


@given(expressions, st.data())
@settings(max_examples=100, deadline=None)
def test_one_wrong_symbol_is_one_error(truth, data):
    places = [place for place, token in enumerate(truth) if token in ("x", "y", "1", "+")]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    answer = list(truth)
    answer[place] = "x" if truth[place] != "x" else "y"
    difference = tree_difference(truth, answer)
    assert difference.errors == 1
    assert difference.labels == ((truth[place], answer[place]),)
    assert difference.truth_symbols == difference.answer_symbols == difference.right_symbols + 1


@given(expressions, expressions)
@settings(max_examples=100, deadline=None)
def test_counts_fit_together(truth, answer):
    difference = tree_difference(truth, answer)
    assert difference.right_symbols <= min(difference.truth_symbols, difference.answer_symbols)
    missing = sum(answered == "" for _, answered in difference.labels)
    extra = sum(true == "" for true, _ in difference.labels)
    assert difference.truth_symbols - missing == difference.answer_symbols - extra
    assert len(difference.relations) == len(difference.relation_right) <= len(difference.truth_relations)


def test_confusions_name_the_true_and_the_read_sign():
    difference = tree_difference(normalize("x^2 + z"), normalize("x_2 z 1"))
    assert set(difference.labels) == {("+", ""), ("", "1")}
    assert ("sup", "sub") in difference.relations


def test_tokens_without_a_layout_are_an_error_of_the_caller():
    with pytest.raises(LatexError):
        tree_difference(("x",), ("{", "x"))
