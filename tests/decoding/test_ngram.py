"""The language model of formulas gives probabilities, prefers what it has seen, and helps the beam choose."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inktex.decoding.ngram import NgramModel, NgramScorer

sequences = st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=8), min_size=1, max_size=12)


@given(seen=sequences, context=st.lists(st.integers(0, 5), max_size=4))
def test_probabilities_add_up_to_one_and_nothing_is_impossible(
    seen: list[list[int]], context: list[int]
) -> None:
    model = NgramModel.fit(seen, size=6, order=4)
    probabilities = model.probabilities(tuple(context))
    assert abs(probabilities.sum() - 1.0) < 1e-9
    assert (probabilities > 0).all()


def test_what_was_seen_is_more_probable() -> None:
    model = NgramModel.fit([[1, 2, 3], [1, 2, 3], [1, 2, 4]], size=6, order=3)
    after = model.probabilities((1, 2))
    assert after[3] > after[4] > after[5]
    assert model.probabilities((2, 3)).argmax() == 0  # the end mark


def test_scorer_follows_each_hypothesis() -> None:
    model = NgramModel.fit([[1, 2, 3], [4, 5, 1]], size=6, order=3)
    scorer = NgramScorer(model)
    first, state = scorer.step(scorer.start(2), np.array([0, 0]))
    np.testing.assert_allclose(first[0], np.log(model.probabilities((0, 0))))
    second, state = scorer.step(scorer.select(state, np.array([1, 0])), np.array([1, 4]))
    np.testing.assert_allclose(second, np.log([model.probabilities((0, 1)), model.probabilities((0, 4))]))


def test_counts_survive_being_stored() -> None:
    model = NgramModel.fit([[1, 2, 3], [1, 2]], size=6, order=4)
    again = NgramModel(model.grams.copy(), model.counts.copy(), 6)
    np.testing.assert_array_equal(again.probabilities((1, 2)), model.probabilities((1, 2)))
