"""Symbols of truth and answer paired up: what was read as what."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inktex.evaluation.trees import find_confusions, symbol_tree
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


expressions = st.integers(0, 10**6).map(random_expression)


@pytest.mark.parametrize(
    ("truth", "answer", "labels", "relations"),
    [
        ("x^2", "x^2", [], []),
        ("x_1^2", "x^2_1", [], []),
        ("x^2", "x_2", [], [("sup", "sub")]),
        ("x^2", "y^2", [("x", "y")], []),
        ("x + y", "x y", [("+", "")], []),  # a missing symbol does not make its neighbour wrong
        ("x y", "x + y", [("", "+")], []),
        (r"\frac{a b}{c}", r"\frac{b}{c}", [("a", "")], []),
        ("x^{2 n}", "x^{2} n", [], []),  # it only hangs on another symbol
    ],
)
def test_symbols_are_paired_as_people_would(truth, answer, labels, relations):
    found = find_confusions(normalize(truth), normalize(answer))
    assert (list(found.labels), list(found.relations)) == (labels, relations)


@given(expressions, st.data())
@settings(max_examples=100, deadline=None)
def test_one_wrong_symbol_is_one_confusion(truth, data):
    places = [place for place, token in enumerate(truth) if token in ("x", "y", "1", "+")]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    answer = list(truth)
    answer[place] = "x" if truth[place] != "x" else "y"
    found = find_confusions(truth, answer)
    assert found.labels == ((truth[place], answer[place]),)
    assert not found.relations


@given(expressions, expressions)
@settings(max_examples=100, deadline=None)
def test_missing_and_extra_symbols_account_for_the_difference_in_number(truth, answer):
    found = find_confusions(truth, answer)
    missing = sum(answered == "" for _, answered in found.labels)
    extra = sum(true == "" for true, _ in found.labels)
    counts = [len(symbol_tree(parse_layout(tokens)).labels) for tokens in (truth, answer)]
    assert counts[0] - missing == counts[1] - extra


def test_tokens_without_a_layout_are_an_error_of_the_caller():
    with pytest.raises(LatexError):
        find_confusions(("x",), ("{", "x"))
