"""A page of several expressions becomes a list of them, in reading order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inktex.ink import Ink
from inktex.ink.lines import find_lines, split_page


def shape(kind, x, y, size=20.0):
    """Strokes of a simple symbol in a box of this size, its top left corner at (x, y)."""
    symbols = {
        "x": [[(0, 0), (1, 1)], [(1, 0), (0, 1)]],
        "+": [[(0, 0.5), (1, 0.5)], [(0.5, 0), (0.5, 1)]],
        "1": [[(0.3, 0.2), (0.5, 0), (0.5, 1)]],
        "=": [[(0, 0.35), (1, 0.35)], [(0, 0.65), (1, 0.65)]],
        ".": [[(0.5, 0.95), (0.52, 0.97)]],
        "bar": [[(0, 0), (3, 0.02)]],
    }
    return [[(x + size * a, y + size * b) for a, b in stroke] for stroke in symbols[kind]]


def line(text, x, y, size=20.0, gap=0.5):
    strokes = []
    for symbol in text:
        strokes += shape(symbol, x, y, size)
        x += size * (1 + gap)
    return strokes


def fraction(x, y, size=20.0):
    over = line("x+1", x, y, size * 0.8, 0.2)
    return over + shape("bar", x, y + 1.25 * size, size) + line("1.x", x, y + 1.6 * size, size * 0.8, 0.2)


def pages(parts, **options):
    """Split all strokes together; give back which part each found expression consists of."""
    owners = [number for number, part in enumerate(parts) for _ in part]
    ink = Ink.from_strokes([stroke for part in parts for stroke in part])
    starts = {tuple(stroke[0]): owner for stroke, owner in zip(ink.strokes, owners, strict=True)}
    return [{starts[tuple(stroke[0])] for stroke in found.strokes} for found in split_page(ink)]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e300, 1.5e304])
@pytest.mark.parametrize("rows", [["=", "x+1"], ["x"], ["x+1=x"] * 3])
def test_huge_coordinates_do_not_overflow(scale, rows):
    strokes = [stroke for n, row in enumerate(rows) for stroke in line(row, -60, 60 * n - 60)]
    small = Ink.from_strokes(strokes)
    assert find_lines(small.replace(points=small.points * scale)) == find_lines(small)
    huge = [[(1.7e308, 0), (-1.7e308, 0)], [(0, 1.7e308), (0, -1.7e308)]]
    assert find_lines(Ink.from_strokes(huge)) == [(0, 1)]


@pytest.mark.parametrize("gap", [0.3, 0.8, 1.3])
@pytest.mark.parametrize("order", ["over, bar, under", "bar, over, under"])
def test_a_simple_fraction_is_one_line_however_far_its_parts_are_apart(gap, order):
    over, bar = shape("1", 20, 0), shape("bar", 0, 20 + 20 * gap)
    under = shape("x", 20, 20 + 40 * gap)
    parts = [over, bar, under] if order.startswith("over") else [bar, over, under]
    assert len(pages([[stroke for part in parts for stroke in part]])) == 1
    below = line("x+1=x", 0, 120 + 40 * gap)  # and what comes next is another line
    assert pages([[stroke for part in parts for stroke in part], below]) == [{0}, {1}]


def test_a_line_after_a_fraction_whose_bar_was_drawn_last_begins_below_it():
    written = shape("1", 20, 0) + shape("x", 20, 40) + shape("bar", 0, 30)
    assert pages([written, line("x1", 10, 100)]) == [{0}, {1}]


def test_a_line_begins_below_a_letter_with_a_bar_across_it():
    crossed = [[(0, 60), (20, 60), (0, 84), (20, 84)], [(-4, 74), (24, 70)]]  # a z whose bar was drawn last
    above = shape("1", 8, 0) + shape("bar", -10, 45) + crossed
    assert pages([above, line("x1", 0, 100)]) == [{0}, {1}]


@pytest.mark.parametrize("place", [(400, 0), (30, 300), (-300, -200)])
def test_a_speck_far_away_is_no_line(place):
    speck = [[place, (place[0] + 0.5, place[1])]]
    assert pages([speck + line("x+1=x", 0, 0)]) == [{0}]


def test_dots_alone_are_what_they_are():
    dots = [[(30 * n, 0), (30 * n, 0.1)] for n in range(3)]
    assert pages([dots]) == [{0}]


def test_a_wide_gap_is_no_column_yet():
    assert len(pages([line("x+1", 0, 0) + line("=1", 200, 0)])) == 1
    assert len(pages([line("x+1", 0, 0), line("x=1", 320, 0)])) == 2


def test_lines_below_each_other_are_expressions():
    assert pages([line("x+1=x", 0, 60 * n) for n in range(5)]) == [{n} for n in range(5)]


def test_reading_goes_from_top_to_bottom_and_left_to_right():
    parts = [line("x+1", x, y) for y in (0, 70) for x in (0, 260)]
    assert pages(parts) == [{0}, {1}, {2}, {3}]
    assert pages(parts[::-1]) == [{3}, {2}, {1}, {0}]


def test_a_fraction_stays_whole():
    parts = [fraction(0, 0), line("x=1", 0, 110), fraction(0, 180)]
    assert pages(parts) == [{0}, {1}, {2}]


def test_dots_and_scripts_stay_with_their_line():
    superscript = line("x", 0, 0) + line("1", 24, -10, 10) + line("+.x", 45, 0)
    assert pages([superscript, line("1=1", 0, 60)]) == [{0}, {1}]


def test_one_expression_and_no_ink():
    assert pages([line("x+1=x", 0, 0)]) == [{0}]
    assert split_page(Ink.from_strokes([])) == []
    assert len(split_page(Ink.from_strokes([[(1, 1)]]))) == 1


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=4),
        min_size=1,
        max_size=25,
    )
)
def test_no_stroke_is_lost_or_doubled(strokes):
    ink = Ink.from_strokes(strokes)
    parts = split_page(ink)
    assert sum(len(part) for part in parts) == len(ink)
    assert sorted(point for part in parts for point in part.points.tolist()) == sorted(ink.points.tolist())


def test_thousands_of_strokes_are_split_quickly():
    rng = np.random.default_rng(0)
    strokes = [stroke for n in range(40) for stroke in line("x+1=x+1=x+1=x+1", 0, 60 * n)]
    ink = Ink.from_strokes(strokes).translate(*rng.normal(size=2))
    assert len(split_page(ink)) == 40


@pytest.mark.crohme
def test_pages_of_real_expressions_come_apart():
    from inktex.corpus import load_split, locate

    if locate() is None:
        pytest.skip("the CROHME data are not here (INKTEX_DATA)")
    examples = list(load_split("test2013"))
    right = total = 0
    for first in range(0, 200, 4):
        parts, y = [], 0.0
        for example in examples[first : first + 4]:
            ink = example.ink
            heights = [stroke[:, 1].max() - stroke[:, 1].min() for stroke in ink.strokes]
            ink = ink.scale(30.0 / max(float(np.median(sorted(heights)[len(heights) // 2 :])), 1e-9))
            left, top, _, bottom = ink.bounds
            parts.append(ink.translate(-left, y - top))
            y += bottom - top + 40.0
        found = split_page(sum(parts[1:], parts[0]))
        total += len(parts)
        wanted = [{tuple(point) for point in part.points.tolist()} for part in parts]
        right += sum({tuple(point) for point in each.points.tolist()} in wanted for each in found)
    assert right / total > 0.95, f"{right} of {total}"


@pytest.mark.parametrize(
    "strokes",
    [
        [[(0, 0), (20, 0)], [(0, 9), (20, 10)]],  # =
        [[(0, 0), (20, 1)], [(0, 9), (20, 10)], [(0, 19), (20, 20)]],  # ≡
        [[(20, 0), (0, 8), (20, 16)], [(0, 24), (20, 25)]],  # ≤
        [[(0, 0), (0, 40)], [(0, 55), (1, 56)]],  # !
        [[(0, 0), (1, 1)], [(0, 30), (1, 31)]],  # :
        [[(0, 0), (1, 1)], [(0, 20), (1, 21)], [(10, 5), (30, 5)], [(10, 15), (30, 15)]],  # :=
    ],
)
def test_a_symbol_of_bars_and_dots_alone_is_one_line(strokes):
    assert find_lines(Ink.from_strokes(strokes)) == [tuple(range(len(strokes)))]


def test_a_fraction_and_the_first_digit_below_it_are_two_lines():
    six, three = [[(10, 0), (0, 15), (8, 20), (10, 12)]], [[(0, 30), (10, 35), (2, 40), (10, 48), (0, 50)]]
    ink = Ink.from_strokes([*six, [(-10, 25), (22, 25)], *three, [(5, 100), (5, 122)]])
    assert find_lines(ink) == [(0, 1, 2), (3,)]


def test_two_numbers_below_each_other_are_two_lines():
    ones = [[(0, 0), (5, -5), (5, 30)], [(0, 100), (5, 95), (5, 130)]]
    assert len(find_lines(Ink.from_strokes(ones))) == 2


def test_a_line_that_was_there_stays_where_it_is_nearly_one_anyway():
    above, below = line("x+1=x", 0, 0), line("x+1=x", 40, 22)
    ink = Ink.from_strokes(above + below)
    assert len(find_lines(ink)) == 1
    assert find_lines(ink, favoured={9: 1.5}) == [tuple(range(9)), tuple(range(9, 18))]


def brace(top, bottom, x=-14.0):
    """A left brace of this height, its ends at x."""
    shape = ((0, 0), (-4, 0.03), (-6, 0.4), (-12, 0.5), (-6, 0.6), (-4, 0.97), (0, 1))
    return [(x + dx, top + part * (bottom - top)) for dx, part in shape]


def in_parts(stroke):
    middle = len(stroke) // 2 + 1
    return [stroke[:middle], stroke[middle - 1 :]]


@pytest.mark.parametrize("parts", [lambda stroke: [stroke], in_parts])
@pytest.mark.parametrize("before", ["", "x="])
def test_a_brace_drawn_after_its_rows_stands_before_them(parts, before):
    name = line(before, -100, 30) if before else []
    rows = [stroke for n in range(3) for stroke in line("x+1", 0, 34 * n)]
    drawn = parts(brace(-4, 92))
    below = line("x=1", -20, 140)
    found = find_lines(Ink.from_strokes([*name, *rows, *drawn, *below]))
    first = len(name)
    last = first + len(rows)
    opened = (*range(first), *range(last, last + len(drawn)), *range(first, last))
    assert found == [opened, tuple(range(last + len(drawn), last + len(drawn) + len(below)))]


def test_a_tall_stroke_before_one_row_stays_in_its_order():
    strokes = [*line("x+1=x", 0, 0), brace(-20, 40)]
    assert find_lines(Ink.from_strokes(strokes)) == [tuple(range(len(strokes)))]
