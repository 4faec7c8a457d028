"""The figures of the CROHME protocol, on sets small enough to count by hand."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_sets import Sample, samples

from inktex.corpus import annotated_layout, load_split, locate
from inktex.evaluation import Answers, evaluate
from inktex.evaluation.metrics import SPATIAL_NAMES
from inktex.evaluation.results import Draws, compare, mcnemar_p_value
from inktex.latex import normalize


def test_rates_count_expressions_by_their_token_edits():
    truths = samples("x+1", "x+1", "x+1", "x+1", "x^2")
    answers = [normalize(text) for text in ("x+1", "x+2", "y-1", "a b c d", "x")]
    found = evaluate("s", "d", truths, Answers(answers))
    rates = found.tokens
    assert rates.exact.percent == pytest.approx(20)
    assert rates.within_1.percent == pytest.approx(40)
    assert rates.within_2.percent == pytest.approx(60)
    assert rates.within_3.percent == pytest.approx(60)  # "x ^ { 2 }" to "x" takes 4 edits
    edits, tokens = 0 + 1 + 2 + 4 + 4, 4 * 3 + 5
    assert rates.wer.percent == pytest.approx(100 * edits / tokens)
    assert found.right == (True, False, False, False, False)


def test_the_order_of_scripts_counts_for_tokens_and_not_for_the_label_graph():
    truths = [Sample("a", "A", ("x", "_", "{", "1", "}", "^", "{", "2", "}"))]
    found = evaluate("s", "d", truths, Answers([("x", "^", "{", "2", "}", "_", "{", "1", "}")]))
    assert found.tokens.exact.percent == 0
    assert found.label_graph.exact.percent == 100


def test_label_graph_rates_count_labels_that_differ():
    truths = samples("x+1", "x+1", "x+1", "x^2", r"\sqrt{x}")
    answers = [normalize(text) for text in ("x+1", "y+1", "y-1", "x_2", "x")]  # 0, 1, 2, 4, 3 labels
    rates = evaluate("s", "d", truths, Answers(answers)).label_graph
    found = [
        rate.percent
        for rate in (rates.exact, rates.within_1, rates.within_2, rates.within_3, rates.structure)
    ]
    assert found == pytest.approx([20, 40, 60, 80, 60])


def test_an_answer_without_a_layout_is_an_empty_label_graph():
    truths = samples("x", "xy")
    rates = evaluate("s", "d", truths, Answers([None, ("{", "x")])).label_graph
    assert (rates.exact.percent, rates.within_1.percent, rates.within_3.percent) == (0, 50, 100)


def test_the_truth_may_be_among_the_other_hypotheses():
    truths = samples("x", "y", "z")
    others = [[], [("y",), ("v",)], [("2",)]]
    rates = evaluate("s", "d", truths, Answers([("x",), ("v",), ("z", "z")], others=others)).tokens
    assert rates.among is not None
    assert (rates.exact.percent, rates.among.percent) == pytest.approx((100 / 3, 200 / 3))
    assert evaluate("s", "d", truths, Answers([("x",)] * 3)).tokens.among is None


def test_breakdowns_by_length_folder_and_relation():
    truths = samples("x", "x^2") + samples(r"\frac{1}{2}+\sqrt{x}", folder="B")
    found = evaluate("s", "d", truths, Answers([truth.tokens for truth in truths[:2]] + [("x",)]))
    assert {group.name: group.expressions for group in found.by_folder} == {"A": 2, "B": 1}
    assert {group.name: group.exact.percent for group in found.by_folder} == {"A": 100, "B": 0}
    assert {group.name: group.expressions for group in found.by_length} == {"under 10": 2, "10–19": 1}
    relations = {group.name: group.expressions for group in found.by_relation}
    assert relations == {"horizontal": 1, "vertical": 1, "superscript": 1, "inside": 1}


def test_answers_that_are_missing_or_no_latex_are_wrong_and_counted():
    truths = samples("x", "y", "z")
    found = evaluate("s", "d", truths, Answers([None, ("{", "y"), ("z",)]))
    assert found.tokens.exact.percent == pytest.approx(100 / 3)
    assert found.label_graph.exact.percent == pytest.approx(100 / 3)
    assert (found.unanswered, found.malformed) == (1, 1)


def test_truth_that_the_system_cannot_write_is_counted():
    truths = samples(r"\alpha+\alpha", "x")
    found = evaluate("s", "d", truths, Answers([("x",), ("x",)], vocabulary=frozenset({"x", "+"})))
    assert found.unknown_tokens == {r"\alpha": 2}
    assert found.unknown_expressions == 1


def test_confusions_come_most_frequent_first():
    truths = samples("X+1", "X", "2")
    found = evaluate("s", "d", truths, Answers([normalize("x+1"), ("x",), ("z",)]))
    assert [(c.truth, c.answer, c.count) for c in found.symbol_confusions] == [("X", "x", 2), ("2", "z", 1)]


def test_figures_are_stored_as_json_without_single_expressions():
    truths = samples("x", "y")
    stored = json.loads(
        json.dumps(evaluate("s", "d", truths, Answers([("x",), ("x",)])).to_json(), allow_nan=False)
    )
    assert stored["tokens"]["exact"]["percent"] == 50
    assert "right" not in stored


@pytest.mark.crohme
def test_the_truth_itself_is_read_perfectly():
    if locate() is None:
        pytest.skip("the CROHME data are not here: set INKTEX_DATA")
    truths = list(load_split("test2013"))
    answers, strokes = [truth.tokens for truth in truths], [truth.strokes_of for truth in truths]
    annotated = [truth for truth in truths if annotated_layout(truth.ink) is not None]
    found = evaluate("truth", "test2013", truths, Answers(answers, strokes=strokes))
    assert found.expressions == 671
    assert found.malformed == 0
    assert found.tokens.exact.percent == found.label_graph.exact.percent == 100
    assert found.tokens.wer.percent == 0
    graph = found.stroke_graph
    assert graph is not None
    assert len(annotated) == 6  # files whose LaTeX and segmentation contradict each other
    assert graph.expressions == 671
    assert graph.exact.percent == pytest.approx(100 * 665 / 671)
    assert [group.name for group in found.by_relation] == list(SPATIAL_NAMES)


def test_nothing_to_measure_on_is_an_error():
    with pytest.raises(ValueError, match="no expressions"):
        evaluate("s", "test2014", [], Answers([]))


class TestIntervals:
    @given(st.lists(st.booleans(), min_size=1, max_size=60))
    @settings(max_examples=40, deadline=None)
    def test_a_rate_lies_in_its_interval(self, right):
        rate = Draws(len(right), draws=400).rate(right, np.ones(len(right)))
        assert rate.percent == pytest.approx(100 * sum(right) / len(right))
        assert 0 <= rate.low <= rate.percent + 1e-10
        assert rate.percent - 1e-10 <= rate.high <= 100

    def test_they_agree_with_the_normal_approximation_on_many_expressions(self):
        rate = Draws(1000).rate(np.arange(1000) < 530, np.ones(1000))
        half = 196 * math.sqrt(0.53 * 0.47 / 1000)
        assert rate.low == pytest.approx(53 - half, abs=0.4)
        assert rate.high == pytest.approx(53 + half, abs=0.4)

    def test_the_same_seed_gives_the_same_interval(self):
        values = np.random.default_rng(1).integers(0, 3, 50)
        first, again, other = (Draws(50, draws=300, seed=s).rate(values, values + 1) for s in (1, 1, 2))
        assert first == again
        assert first != other

    def test_a_rate_of_nothing_has_no_interval(self):
        for expressions in (5, 0):
            rate = Draws(expressions, draws=50).rate(np.zeros(expressions), np.zeros(expressions))
            assert np.isnan([rate.percent, rate.low, rate.high]).all()


class TestMcNemar:
    @pytest.mark.parametrize(
        ("only_first", "only_second", "p"), [(0, 0, 1.0), (4, 4, 1.0), (0, 5, 0.0625), (1, 9, 22 / 1024)]
    )
    def test_known_values(self, only_first, only_second, p):
        assert mcnemar_p_value(only_first, only_second) == pytest.approx(p)

    @given(st.integers(0, 400), st.integers(0, 400))
    @settings(max_examples=50)
    def test_it_is_a_probability_and_does_not_care_which_system_comes_first(self, first, second):
        assert 0 < mcnemar_p_value(first, second) <= 1
        assert mcnemar_p_value(first, second) == mcnemar_p_value(second, first)

    def test_only_expressions_that_one_system_reads_count(self):
        found = compare("a", [True, True, False, False], "b", [True, False, True, False])
        assert (found.both, found.only_first, found.only_second, found.p_value) == (1, 1, 1, 1.0)

    def test_systems_measured_on_different_expressions_cannot_be_compared(self):
        with pytest.raises(ValueError, match="different expressions"):
            compare("a", [True], "b", [True, False])
