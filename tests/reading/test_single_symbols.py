"""A drawing of one symbol: all symbols of the vocabulary by probability, from one step of each decoder."""

from dataclasses import replace

import numpy as np
import pytest

from inktex.ink import Ink, InkError
from inktex.latex import Vocabulary, wide_vocabulary
from inktex.reading import Model, guess_symbols
from inktex.reading.single import IN_ORDER, drawn_alone, in_usual_order, symbol_probabilities
from inktex.training.export import export_network
from small_networks import SMALL, random_network

CROSS = Ink.from_strokes([[(0, 0), (10, 12), (20, 20)], [(20, 0), (9, 11), (0, 20)]])
ONE = Ink.from_strokes([[(60, 5), (64, 0), (64, 20)]])


@pytest.fixture(scope="module")
def both_ways() -> Model:
    network = random_network(replace(SMALL, direction="both"), seed=4)
    return Model.of_file(export_network(network, "both"), "both")


def test_every_symbol_has_a_probability_and_structure_has_none(small_model_file):
    model = Model.of_file(small_model_file, "small")
    (guesses,) = guess_symbols(model, [CROSS])
    assert {guess.latex for guess in guesses} == set("+-12=axyz")
    assert sum(guess.probability for guess in guesses) == pytest.approx(1.0)
    assert [guess.probability for guess in guesses] == sorted(
        (guess.probability for guess in guesses), reverse=True
    )


@pytest.fixture(scope="module")
def with_commas() -> Model:
    tokens = tuple("," if token == "z" else token for token in SMALL.vocabulary)
    network = random_network(replace(SMALL, vocabulary=tokens), seed=4)
    return Model.of_file(export_network(network, "commas"), "commas")


def test_a_comma_is_favoured(with_commas, monkeypatch):
    comma, plus = (with_commas.info.vocabulary.id(token) for token in ",+")
    favoured = symbol_probabilities(with_commas, [ONE])[0]
    monkeypatch.setattr("inktex.reading.single.FAVOUR", 0.0)
    plain = symbol_probabilities(with_commas, [ONE])[0]
    gain = np.log(favoured[comma] / favoured[plus]) - np.log(plain[comma] / plain[plus])
    assert gain == pytest.approx(1.5, abs=1e-6)


def test_both_decoders_count_alike(both_ways):
    given = both_ways.inputs([CROSS])[0]
    first = []
    for stepper, arrays in (
        (both_ways.stepper(), given.arrays),
        (both_ways.backward_stepper(), given.backward),
    ):
        first.append(stepper.step(stepper.start([arrays]), np.zeros(1, np.int64)).log_probs[0])
    alone = drawn_alone(both_ways.info.vocabulary)
    product = np.exp((first[0] + first[1]) / 2) * alone
    expected = product / product.sum()
    np.testing.assert_allclose(symbol_probabilities(both_ways, [CROSS])[0], expected, atol=1e-5)


def test_the_usual_order_is_from_left_to_right_downwards_and_rightwards():
    upwards, leftwards, right = [(0, 9), (0, 0)], [(8, 5), (1, 5)], [(20, 0), (20, 9)]
    ordered = in_usual_order(Ink.from_strokes([right, leftwards, upwards]))
    assert [stroke.tolist() for stroke in ordered] == [[[0, 0], [0, 9]], [[1, 5], [8, 5]], [[20, 0], [20, 9]]]


def test_a_drawing_counts_twice_as_much_as_itself_in_the_usual_order(both_ways):
    upwards = Ink.from_strokes([stroke[::-1] for stroke in reversed(list(CROSS))])
    usual = in_usual_order(upwards)
    assert {tuple(map(tuple, stroke)) for stroke in usual} == {tuple(map(tuple, stroke)) for stroke in CROSS}
    alone = drawn_alone(both_ways.info.vocabulary)
    given = both_ways.inputs([upwards, usual])
    total = np.zeros(len(alone))
    for each, share in zip(given, (1 - IN_ORDER, IN_ORDER), strict=True):
        for stepper, arrays in (
            (both_ways.stepper(), each.arrays),
            (both_ways.backward_stepper(), each.backward),
        ):
            total += share / 2 * stepper.step(stepper.start([arrays]), np.zeros(1, np.int64)).log_probs[0]
    expected = np.exp(total) * alone
    np.testing.assert_allclose(
        symbol_probabilities(both_ways, [upwards])[0], expected / expected.sum(), atol=1e-5
    )


def test_drawings_do_not_depend_on_their_company(both_ways):
    together = symbol_probabilities(both_ways, [CROSS, ONE, CROSS], batch=2)
    alone = symbol_probabilities(both_ways, [ONE])
    np.testing.assert_allclose(together[1], alone[0], atol=1e-5)
    np.testing.assert_allclose(together[0], together[2], atol=1e-5)


def test_ink_without_strokes_is_refused(both_ways):
    with pytest.raises(InkError, match="nothing to read"):
        guess_symbols(both_ways, [Ink.from_strokes([])])


def test_what_can_be_drawn_alone():
    vocabulary = wide_vocabulary()
    alone = {token for token, can in zip(vocabulary.tokens, drawn_alone(vocabulary), strict=True) if can}
    assert {"x", "(", ")", r"\sum", r"\mathbb{R}", "|", r"\sin"} <= alone
    assert not alone & {"{", "^", r"\frac", r"\hat", r"\begin{pmatrix}", "&", "<eol>"}
    assert not drawn_alone(Vocabulary(("<eol>", "x")))[0]
