"""The rates of the competition, which judge the segmentation into symbols, too; and files for its tool."""

from dataclasses import replace

import pytest
from small_sets import one_stroke_each, samples

from inktex.evaluation import Answers, evaluate
from inktex.evaluation.labelgraphs import Found, graph_of, own_strokes, stroke_counts, write_graphs
from inktex.ink import Ink, Symbol
from inktex.latex import normalize

X_PLUS = (normalize("x+y"), [(0, 1), (2, 3), (4,)])


def counts(latex: str, strokes_of: list[tuple[int, ...]]):
    return stroke_counts(graph_of(*X_PLUS), graph_of(normalize(latex), strokes_of))


def test_a_right_answer_has_no_differing_label():
    found = counts("x+y", [(0, 1), (2, 3), (4,)])
    assert found.labels == 0
    assert found.segments == found.classes == Found(3, 3, 3)
    assert found.relations == Found(2, 2, 2)


def test_a_wrong_class_leaves_segments_and_relations_right():
    found = counts("x-y", [(0, 1), (2, 3), (4,)])
    assert found.segments == Found(3, 3, 3)
    assert found.classes == Found(3, 3, 2)
    assert found.relations == Found(2, 2, 2)
    assert found.labels == 2 + 2  # both strokes of the plus, and the pair in both directions


def test_a_stroke_with_the_wrong_symbol_spoils_two_segments_and_their_relations():
    found = counts("x+y", [(0,), (1, 2, 3), (4,)])
    assert found.segments == found.classes == Found(3, 3, 1)
    assert found.relations == Found(2, 2, 0)


def test_a_wrong_relation_counts_once_per_pair_of_strokes():
    found = counts("x^+y", [(0, 1), (), (), (2, 3), (), (4,)])
    assert found.classes == Found(3, 3, 3)
    assert found.relations == Found(2, 2, 0)
    assert found.labels == 4 + 2 + 2  # x to +: another label; + to y: gone; x to y: new


def test_strokes_that_nobody_read_are_errors():
    found = counts("xy", [(0, 1), (4,)])
    assert found.segments == Found(3, 2, 2)
    assert found.labels == 2 + 2 + 4 + 2 + 2


def test_every_stroke_belongs_to_one_token():
    assert own_strokes([0, None, 2, 0], 4) == ((0, 3), (), (2,), ())


def test_rates_sum_up_over_expressions_and_leave_out_those_without_a_segmentation():
    first, second, third = (one_stroke_each(truth) for truth in samples("x+y", "ab", "1"))
    truths = [first, second, replace(third, strokes_of=((),))]
    answers = [normalize("x+y"), normalize("ac"), ("1",)]
    rates = evaluate(
        "s", "d", truths, Answers(answers, strokes=[first.strokes_of, second.strokes_of, ((0,),)])
    )
    graph = rates.stroke_graph
    assert graph is not None
    assert graph.expressions == 2
    assert (graph.exact.percent, graph.within_1.percent) == (50, 100)
    assert graph.segments.recall.percent == 100
    assert graph.classes.recall.percent == graph.classes.precision.percent == pytest.approx(80)
    assert graph.relations.recall.percent == 100


def test_where_latex_and_segmentation_disagree_the_annotation_of_the_file_counts():
    leaves = '<mi xml:id="a">x</mi><mo xml:id="b">+</mo><mi xml:id="c">z</mi>'
    ink = Ink.from_strokes(
        [[(place, 0)] for place in range(3)],
        symbols=[
            Symbol(label, (place,), name)
            for place, (label, name) in enumerate(zip("x+z", "abc", strict=True))
        ],
        mathml=f"<math><mrow>{leaves}</mrow></math>",
    )
    [truth] = samples("x+y")
    truth = replace(truth, strokes_of=((),) * 3, ink=ink)
    found = [
        evaluate("s", "d", [truth], Answers([normalize(answer)], strokes=[((0,), (1,), (2,))]))
        for answer in ("x+y", "x+z")
    ]
    assert [each.stroke_graph.exact.percent for each in found if each.stroke_graph] == [0, 100]


def test_without_strokes_there_are_no_such_rates():
    assert evaluate("s", "d", samples("x"), Answers([("x",)])).stroke_graph is None


def test_one_file_per_expression_is_written(tmp_path):
    write_graphs(tmp_path / "answers", {"a": graph_of(*X_PLUS), "b": graph_of(("{",), [()])})
    assert sorted(path.name for path in (tmp_path / "answers").iterdir()) == ["a.lg", "b.lg"]
    assert "R, sym0, sym1, Right, 1.0" in (tmp_path / "answers" / "a.lg").read_text()
