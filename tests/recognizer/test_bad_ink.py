"""Whatever comes in: a clear error or an answer, within the time limit; never a crash or a hang."""

import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inktex.ink import Ink, InkError
from inktex.reading.reader import MAX_ROWS
from inktex.recognizer import TIMEOUT, Recognition

numbers = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.integers(-5, 5).map(float),
    st.sampled_from([0.0, -0.0, 1e30, -1e30, 1e308, -1e308, 5e-324, 1e-300, np.nan, np.inf]),
)
any_strokes = st.lists(st.lists(st.tuples(numbers, numbers), max_size=12), max_size=8)


def outcome(recognizer, strokes, **options):
    try:
        return recognizer.recognize(strokes, **options)
    except InkError as error:
        result = error
    assert str(result).strip()
    assert "\n" not in str(result)
    return result


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(strokes=any_strokes)
def test_any_numbers_give_an_answer_or_a_clear_error(recognizer, strokes):
    result = outcome(recognizer, strokes)
    finite = all(np.isfinite(point).all() for stroke in strokes for point in stroke)
    if not finite or not strokes or not all(strokes):
        assert isinstance(result, InkError)
    elif isinstance(result, Recognition):
        assert 0.0 <= result.score <= 1.0
        assert np.isfinite([token.confidence for token in result.tokens]).all()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(strokes=any_strokes)
def test_many_never_fail_because_of_one(recognizer, strokes):
    good = [[(0, 0), (5, 9)], [(5, 0), (0, 9)]]
    results = recognizer.recognize_many([good, strokes, good, [good[0]]], jobs=2)
    assert [type(results[place]) for place in (0, 2, 3)] == [Recognition] * 3
    assert results[0].latex == results[2].latex


JUNK = [
    None,
    3,
    "",
    "no/such/file",
    b"",
    b"\x00" * 100,
    [None],
    [[None]],
    [[("a", "b")]],
    [[[]]],
    [{}],
    {},
    object(),
]


@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: repr(junk).split(" at ")[0])
def test_junk_is_refused_with_a_reason(recognizer, junk):
    assert isinstance(outcome(recognizer, junk), InkError)


def test_empty_ink_and_one_dot(recognizer):
    assert "no strokes" in str(outcome(recognizer, []))
    for dot in ([[(3, 4)]], [[(3, 4)] * 50], [[(0, 0)], [(0, 0)], [(0, 0)]]):
        assert isinstance(outcome(recognizer, dot), Recognition)


def test_repeated_points_change_nothing(recognizer, strokes):
    doubled = [[point for point in stroke for _ in range(3)] for stroke in strokes]
    assert recognizer.recognize(doubled).latex == recognizer.recognize(strokes).latex


@pytest.mark.parametrize("count", [2000, 10_000])
def test_far_too_many_strokes_are_refused_at_once(recognizer, count):
    rng = np.random.default_rng(0)
    places = rng.uniform(0, 1000, (count, 1, 2))
    begin = time.monotonic()
    result = outcome(recognizer, list(places + rng.normal(size=(count, 6, 2)) * 10))
    assert "--page" in str(result)
    assert time.monotonic() - begin < TIMEOUT


def test_a_million_points_of_scribble_end_in_time(recognizer):
    rng = np.random.default_rng(0)
    scribble = np.cumsum(rng.normal(size=(1_000_000, 2)), axis=0)
    begin = time.monotonic()
    outcome(recognizer, [scribble])
    assert time.monotonic() - begin < 2 * TIMEOUT


def test_the_largest_ink_that_is_taken_ends_in_time(recognizer):
    zigzag = [
        [(10 * n, 0), (10 * n + 5, 20), (10 * n + 8, 3), (10 * n + 9, 18)] for n in range(MAX_ROWS // 7)
    ]
    begin = time.monotonic()
    result = outcome(recognizer, zigzag, timeout=1.0)
    assert isinstance(result, Recognition)
    assert time.monotonic() - begin < 1.0 + TIMEOUT


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    strokes=st.lists(
        st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=6),
        min_size=1,
        max_size=5,
    ),
    factor=st.sampled_from([1e-30, 1e30, 1e250]),
)
def test_the_size_of_the_numbers_does_not_matter(recognizer, strokes, factor):
    ink = Ink.from_strokes(strokes)
    plain, scaled = outcome(recognizer, ink), outcome(recognizer, ink.scale(factor))
    assert type(plain) is type(scaled)
