"""Every stroke goes to the symbol that read it: what highlighting on the page and in the API relies on."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inktex.ink import Ink
from inktex.latex import tokenize
from inktex.reading import symbol_places
from inktex.reading.alignment import align_strokes
from inktex.reading.stroke_runs import cheapest_assignment
from inktex.report.tally import alignment_accuracy
from known_readings import looking_at, read_rightly, written

EXPRESSIONS = (
    "x+1",
    r"e^x+18x+12",
    r"\frac{a}{b}=\sqrt{2}",
    r"\sum_{i=1}^{n}a_i",
    r"\sin x+\pi",
    r"EHF",
    r"\sqrt[3]{x}",
)


@pytest.mark.parametrize("latex", EXPRESSIONS)
@pytest.mark.parametrize("stride", [1, 2])
def test_strokes_are_given_to_the_symbols_that_looked_at_them(latex, stride):
    example = written(latex)
    reading = read_rightly(example, stride=stride)
    assert [set(strokes) for strokes in reading.alignment.strokes_of] == [set(s) for s in example.strokes_of]
    assert reading.alignment.unread == ()
    assert reading.alignment.reread == ()


def test_a_symbol_gets_all_its_strokes_although_the_decoder_looked_at_one_of_them():
    example = written("E+H")
    first_strokes = [strokes[:1] for strokes in example.strokes_of]
    reading = looking_at(example.ink, example.tokens, first_strokes)
    assert [set(strokes) for strokes in reading.alignment.strokes_of] == [set(s) for s in example.strokes_of]


def test_the_dot_that_was_put_on_an_i_later_belongs_to_the_i():
    example = written("i+2")
    stem, dot = example.strokes_of[0]
    order = [stem, *(s for s in range(len(example.ink)) if s not in (stem, dot)), dot]
    ink = example.ink.select(order)
    looks = [tuple(order.index(stroke) for stroke in strokes) for strokes in example.strokes_of]
    alignment = looking_at(ink, example.tokens, looks).alignment
    assert set(alignment.strokes_of[0]) == {0, len(order) - 1}


def test_ink_that_no_symbol_looked_at_is_unread():
    example = written("x+y")
    looks = [example.strokes_of[0], example.strokes_of[1]]
    alignment = looking_at(example.ink, ("x", "+"), looks).alignment
    assert set(alignment.unread) == set(example.strokes_of[2])
    assert all(alignment.token_of_stroke[stroke] is None for stroke in alignment.unread)


def test_two_symbols_read_from_one_stroke_share_it():
    example = written("1+2")
    one, plus, two = example.strokes_of
    alignment = looking_at(example.ink, ("1", "1", "+", "2"), [one, one, plus, two]).alignment
    assert alignment.strokes_of[0] == alignment.strokes_of[1] == one
    assert alignment.reread == one
    assert alignment.unread == ()


def test_braces_scripts_and_the_brackets_of_a_root_have_no_ink():
    tokens = tokenize(r"\sqrt[3]{x^{2}}[1]")
    assert [tokens[place] for place in symbol_places(tokens)] == [r"\sqrt", "3", "x", "2", "[", "1", "]"]


def test_tokens_without_layout_are_still_aligned():
    ink = Ink.from_strokes([[(0, 0), (5, 5)], [(10, 0), (10, 9)]])
    alignment = looking_at(ink, ("x", "{", "1"), [(0,), (), (1,)]).alignment
    assert alignment.strokes_of == ((0,), (), (1,))


def test_an_empty_answer_leaves_all_ink_unread():
    ink = written("x+1").ink
    alignment = looking_at(ink, (), []).alignment
    assert alignment.strokes_of == ()
    assert alignment.unread == tuple(range(len(ink)))


tokens = st.lists(st.sampled_from(["x", "E", "1", "+", r"\pi", "="]), min_size=0, max_size=7)


@settings(max_examples=80, deadline=None)
@given(tokens, st.integers(1, 9), st.integers(0, 2**32 - 1), st.booleans())
def test_whatever_the_attention_the_alignment_is_consistent(symbols, strokes, seed, near):
    random = np.random.default_rng(seed)
    attention = random.dirichlet(np.full(strokes, 0.3), size=len(symbols) + 1)
    joins = random.normal(size=strokes - 1) if near else np.zeros(strokes - 1)
    alignment = align_strokes(symbols, attention, joins)
    assert len(alignment.strokes_of) == len(symbols)
    assert all(own for own in alignment.strokes_of)  # every symbol was read from something
    for stroke, token in enumerate(alignment.token_of_stroke):
        assert token is None or stroke in alignment.strokes_of[token]
    readers = [sum(stroke in own for own in alignment.strokes_of) for stroke in range(strokes)]
    assert alignment.unread == tuple(stroke for stroke, count in enumerate(readers) if count == 0)
    assert alignment.reread == tuple(stroke for stroke, count in enumerate(readers) if count > 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.integers(0, 2), st.integers(0, 2**32 - 1))
def test_the_cheapest_assignment_is_the_cheapest(rows, more, seed):
    cost = np.random.default_rng(seed).normal(size=(rows, rows + more))
    chosen = cheapest_assignment(cost)
    assert len(set(chosen.tolist())) == rows
    best = min(cost[range(rows), list(columns)].sum() for columns in permutations(range(rows + more), rows))
    assert cost[np.arange(rows), chosen].sum() == pytest.approx(best)


def test_accuracy_counts_strokes_and_symbols_of_correct_readings_only():
    example, other = written("x+1"), written("E+H")
    swapped = list(example.strokes_of)
    swapped[0], swapped[2] = swapped[2], swapped[0]
    wrong = looking_at(other.ink, ("x",), [(0,)])
    accuracy = alignment_accuracy([(other, read_rightly(other)), (other, wrong)])
    assert accuracy.expressions == 1
    assert accuracy.stroke_share == accuracy.symbol_share == 1.0
    worse = alignment_accuracy([(example, looking_at(example.ink, example.tokens, swapped))])
    assert worse.stroke_share < 1.0
    assert worse.right_symbols < worse.symbols
    unsegmented = replace(example, strokes_of=((),) * len(example.tokens))
    nothing = alignment_accuracy([(unsegmented, read_rightly(example))])
    assert str(nothing) == "1 expressions read correctly, none with a segmentation to compare with"
