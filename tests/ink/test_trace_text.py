"""The text of a trace: plain numbers, and the whole of the InkML standard."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inktex.ink import InkError
from inktex.ink.traces import parse_trace


def test_plain_points():
    assert parse_trace("\n10 0, 9 14, 8.5 -28 ,1e2 +4\n", 2).tolist() == [
        [10, 0],
        [9, 14],
        [8.5, -28],
        [100, 4],
    ]
    assert parse_trace("1 2,3 4,", 2).tolist() == [[1, 2], [3, 4]]
    assert parse_trace("  \n ", 2).shape == (0, 2)


def test_differences_as_in_the_standard():
    # The first point is explicit, the second gives velocities, the third accelerations, which stay in force.
    points = parse_trace("""1125 18432,'23'43,"7"-8,3-5,7 -3,6 2,6 8""", 2)
    assert points.tolist() == [
        [1125, 18432],
        [1148, 18475],
        [1178, 18510],
        [1211, 18540],
        [1251, 18567],
        [1297, 18596],
        [1349, 18633],
    ]
    assert parse_trace("1 1,'2'2,!7!8,9 9", 2).tolist() == [[1, 1], [3, 3], [7, 8], [9, 9]]


def test_values_of_the_standard_that_are_not_decimal_numbers():
    assert parse_trace("#A -#10,*T,* F", 2).tolist() == [[10, -16], [10, 1], [10, 0]]
    assert np.isnan(parse_trace("1 2 ?, 3 4 5", 2)[0, 2])
    assert parse_trace("5 5,'1'1,* *,* *", 2).tolist() == [[5, 5], [6, 6], [7, 7], [8, 8]]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-999, 999), st.integers(-999, 999)), min_size=1, max_size=20))
def test_differences_and_plain_numbers_say_the_same(points):
    plain = ",".join(f"{x} {y}" for x, y in points)
    moves = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)]
    first = [f"{points[0][0]} {points[0][1]}"]
    deltas = ",".join(first + [f"'{x}'{y}" if n == 0 else f"{x} {y}" for n, (x, y) in enumerate(moves)])
    assert (
        parse_trace(deltas, 2).tolist()
        == parse_trace(plain, 2).tolist()
        == [list(map(float, p)) for p in points]
    )


def test_points_may_lack_only_intermittent_channels():
    assert parse_trace("1 2 3, 4 5, 6 7 8", 2).tolist() == [[1, 2], [4, 5], [6, 7]]
    with pytest.raises(InkError, match="point 2: 2 values where other points have 3"):
        parse_trace("1 2 3, 4 5, 6 7 8", 3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1, 2, 3", "point 1: one value, but a point needs x and y"),
        ("1 2,,3 4", "point 2: no value"),
        ("1 2, a b", "point 2: 'a b' is not a number"),
        ("1 2; 3 4", "point 1: '; 3 4' is not a number"),
        ("nan nan", "is not a number"),
        ("1_0 2", "is not a number"),
        ("١ ٢", "is not a number"),
        ("'1 2", "a difference in channel 1 before any value"),
        ("* 2", "'[*]' in channel 1 before any value"),
        ("1 " * 5000, "separated by commas"),
        ("- 2", "one value|not a number"),
    ],
)
def test_what_is_no_list_of_points_is_named(text, words):
    with pytest.raises(InkError, match=words):
        parse_trace(text, 2)


def test_more_points_than_the_limit_are_refused():
    with pytest.raises(InkError, match="limit of 1000000"):
        parse_trace("1 2," * 1_000_001, 2)
