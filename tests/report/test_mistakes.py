"""Every wrong answer is one of four kinds of mistakes, told apart by layout and attention."""

from dataclasses import replace

import pytest

from inktex.latex import normalize
from inktex.report.figures import Case, case_picture, clearest_case
from inktex.report.mistakes import Kind, diagnose, rereadings
from inktex.report.tally import markdown_table, tally
from known_readings import looking_at, read_rightly, written


def read_as(example, latex: str, looks):
    """The ink read as other LaTeX; `looks` lists the true symbols (by number) that each token looked at."""
    symbols = [strokes for strokes in example.strokes_of if strokes]
    strokes = [tuple(s for symbol in each for s in symbols[symbol]) for each in looks]
    return looking_at(example.ink, normalize(latex), strokes)


def test_a_symbol_that_is_read_again_is_over_translation():
    example = written("g+1")
    reading = read_as(example, "gg+1", [[0], [0], [1], [2]])
    diagnosis = diagnose(example, reading)
    assert diagnosis.main is Kind.OVER
    (mistake,) = diagnosis.mistakes
    assert mistake.seen
    assert set(mistake.strokes) <= set(example.strokes_of[0])
    assert {mistake.partner, mistake.answer_token} == {0, 1}


def test_a_symbol_split_into_two_is_over_translation_that_attention_does_not_show():
    example = written("x+1")
    first, second = example.strokes_of[0]
    looks = [(first,), (second,), example.strokes_of[1], example.strokes_of[2]]
    reading = looking_at(example.ink, normalize(")(+1"), looks)
    diagnosis = diagnose(example, reading)
    assert diagnosis.main is Kind.OVER
    assert not diagnosis.shows(Kind.OVER)


def test_ink_that_was_never_read_is_under_translation():
    example = written("-x+1")
    reading = read_as(example, "x+1", [[1], [2], [3]])
    diagnosis = diagnose(example, reading)
    assert diagnosis.main is Kind.UNDER
    (mistake,) = diagnosis.mistakes
    assert mistake.seen
    assert mistake.strokes == example.strokes_of[0]


def test_a_symbol_swallowed_by_its_neighbour_is_under_translation_that_attention_does_not_show():
    example = written("13+x")
    reading = read_as(example, "B+x", [[0, 1], [2], [3]])
    diagnosis = diagnose(example, reading)
    assert diagnosis.main is Kind.UNDER
    assert not diagnosis.shows(Kind.UNDER)


def test_a_wrong_name_is_symbol_confusion():
    example = written("x+1")
    diagnosis = diagnose(example, read_as(example, r"\times+1", [[0], [1], [2]]))
    assert diagnosis.main is Kind.CONFUSION
    assert [mistake.text for mistake in diagnosis.mistakes] == [r"x was read as \times"]


@pytest.mark.parametrize(("truth", "answer"), [("x^2", "x2"), ("x2", "x_2"), ("x^2", "x_2")])
def test_right_symbols_in_wrong_places_are_a_structure_error(truth, answer):
    example = written(truth)
    tokens = normalize(answer)
    symbols = iter(strokes for strokes in example.strokes_of if strokes)
    looks = [next(symbols) if token in "x2" else () for token in tokens]
    diagnosis = diagnose(example, looking_at(example.ink, tokens, looks))
    assert diagnosis.main is Kind.STRUCTURE


def test_a_symbol_read_in_the_place_of_another_is_both_over_and_under_translation():
    example = written("1+3")
    reading = read_as(example, "1+1", [[0], [1], [0]])
    diagnosis = diagnose(example, reading)
    assert diagnosis.shows(Kind.OVER)
    assert diagnosis.shows(Kind.UNDER)


def test_without_segmentation_the_layout_alone_decides():
    example = written("x+1")
    diagnosis = diagnose(replace(example, strokes_of=((),) * 3), read_as(example, "x+", [[0], [1]]))
    assert diagnosis.main is Kind.UNDER


def test_right_answers_have_no_diagnosis():
    example = written("x+1")
    assert diagnose(example, read_rightly(example)) is None


def test_rightly_read_ink_is_never_called_read_twice():
    for latex in (r"e^x+18x+12", r"\frac{a}{b}=\sqrt{2}", r"\sum_{i=1}^{n}a_i", "111"):
        reading = read_rightly(written(latex))
        assert rereadings(reading) == ()


def cases():
    example = written("g+1")
    again = read_as(example, "gg+1", [[0], [0], [1], [2]])
    confused = read_as(example, "9+1", [[0], [1], [2]])
    return [
        Case(name, example.tokens, reading, diagnose(example, reading))
        for name, reading in (("again", again), ("confused", confused))
    ]


def test_mistakes_of_two_systems_are_counted_side_by_side():
    again, confused = (case.diagnosis for case in cases())
    table = tally({"p1": [again, again, confused, None], "p2": [None, confused, None, None]})
    assert table.wrong == (3, 1)
    assert table.main == {
        "over-translation": (2, 0),
        "under-translation": (0, 0),
        "symbol confusion": (1, 1),
        "structure error": (0, 0),
    }
    assert table.seen == {
        "ink read twice": (2, 0),
        "ink never read": (0, 0),
    }
    assert table.p_value == pytest.approx(0.5)  # two expressions, both for one side
    assert "| over-translation | 2 | 0 |" in markdown_table(table)


def test_systems_on_different_data_cannot_be_counted_together():
    with pytest.raises(ValueError, match="same expressions"):
        tally({"p1": [None], "p2": [None, None]})


def test_the_figure_of_a_case_numbers_all_strokes_and_marks_those_in_question():
    case = clearest_case(cases(), Kind.OVER)
    assert case is not None
    assert case.name == "again"
    svg = case_picture(case).to_svg()
    for number in range(len(case.reading.ink)):
        assert f">{number}</text>" in svg
    (mistake,) = case.diagnosis.mistakes
    assert f'data-stroke="{mistake.strokes[0]}" data-marked="yes"' in svg
    assert 'data-step="0"' in svg  # both readings of the ink are shown
    assert 'data-step="1"' in svg
    assert clearest_case(cases(), Kind.STRUCTURE) is None
