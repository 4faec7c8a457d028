"""What is wrong with an answer, in five kinds."""

import pytest
from small_sets import samples

from inktex.evaluation import Answers, evaluate
from inktex.evaluation.trees import ErrorKind, error_kind
from inktex.latex import normalize


@pytest.mark.parametrize(
    ("truth", "answer", "kind"),
    [
        ("x+1", "x+1", None),
        ("x+1", "y+1", ErrorKind.ONE),
        ("x+1", "y-1", ErrorKind.SEVERAL),
        ("X+Y", "x+y", ErrorKind.CASE),
        ("X+Y", "x+z", ErrorKind.SEVERAL),
        ("1000", "10", ErrorKind.COUNT),
        (r"\sqrt{2}x", r"\sqrt{2}", ErrorKind.COUNT),
        ("x^2", "x_2", ErrorKind.STRUCTURE),
        ("x_{1}y", "x_{1y}", ErrorKind.STRUCTURE),  # no symbol is missing, one moved
        (r"\frac{a}{b}", "ab", ErrorKind.STRUCTURE),
        (r"\Delta", r"\delta", ErrorKind.CASE),
    ],
)
def test_each_wrong_answer_has_one_kind(truth, answer, kind):
    assert error_kind(normalize(truth), normalize(answer)) is kind


def test_an_answer_that_cannot_be_read_is_an_error_of_structure():
    assert error_kind(("x",), ("{", "x")) is ErrorKind.STRUCTURE


def test_counts_name_every_kind_and_leave_out_right_answers():
    counted = evaluate(
        "ours", "made", samples("x", "x", "x"), Answers([("x",), ("y",), ("X",)])
    ).errors_by_kind
    assert counted == dict.fromkeys(ErrorKind, 0) | {ErrorKind.ONE: 1, ErrorKind.CASE: 1}
