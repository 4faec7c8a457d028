"""What an `Ink` promises to whoever holds one."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ink_samples import BARE, INK, STROKES, SYMBOLS

from inktex.ink import MAX_POINTS, MAX_STROKES, Ink, InkError, Symbol

coordinates = st.floats(-1e6, 1e6, allow_nan=False)
stroke_lists = st.lists(
    st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=6), min_size=1, max_size=5
)


def test_strokes_are_those_given():
    assert len(INK) == len(STROKES)
    assert [stroke.tolist() for stroke in INK] == [[list(point) for point in stroke] for stroke in STROKES]
    assert INK[2].shape == (len(STROKES[2]), 2)
    assert INK[-1].tolist() == [[104.0, 42.0]]
    assert INK.stroke_of_point.tolist() == [n for n, stroke in enumerate(STROKES) for _ in stroke]
    assert INK.bounds == (10.0, 20.0, pytest.approx(109.6, abs=0.1), 70.0)


def test_ink_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        INK.points[0, 0] = 7.0
    with pytest.raises(ValueError, match="read-only"):
        INK[0][0, 0] = 7.0
    with pytest.raises(AttributeError):
        INK.truth = "y"  # type: ignore[misc]


def test_ink_does_not_change_with_the_array_it_was_made_of():
    points = np.zeros((2, 2))
    offsets = np.array([0, 2])
    ink = Ink(points, offsets)
    points[0, 0] = 5.0
    assert ink.points[0, 0] == 0.0
    assert points.flags.writeable


def test_slices_are_views_with_the_symbols_that_are_whole():
    part = INK[2:6]
    assert len(part) == 4
    assert np.shares_memory(part.points, INK.points)
    assert part.symbols == (Symbol("2", (0,)), Symbol("+", (1, 2)))  # of the i, only a part is there
    assert part.truth is None
    assert part.mathml is None
    assert part.writer == "ada"


def test_all_strokes_in_another_order_still_are_the_expression():
    order = [5, 6, 0, 1, 2, 3, 4]
    turned = INK.select(order)
    assert turned.truth == INK.truth
    assert turned.mathml == INK.mathml
    assert [turned[turned.symbols[0].strokes[0]].tolist()] == [INK[0].tolist()]
    assert turned.select(np.argsort(order)) == INK
    assert INK.select([]).points.shape == (0, 2)
    with pytest.raises(IndexError):
        INK.select([7])


@settings(deadline=None)
@given(stroke_lists, st.tuples(coordinates, coordinates), st.floats(0.01, 100))
def test_moving_and_scaling_can_be_undone(strokes, shift, factor):
    ink = Ink.from_strokes(strokes)
    moved = ink.translate(*shift).scale(factor)
    back = moved.scale(1 / factor).translate(-shift[0], -shift[1])
    np.testing.assert_allclose(back.points, ink.points, rtol=1e-9, atol=1e-6)
    assert np.array_equal(back.offsets, ink.offsets)


def test_affine_maps_are_applied_to_every_point():
    turned = INK.transform([[0, -1], [1, 0]], (100, 0))
    np.testing.assert_allclose(turned.points, np.stack([100 - INK.points[:, 1], INK.points[:, 0]], axis=1))
    assert turned.symbols == INK.symbols
    np.testing.assert_allclose(INK.scale(2, 3).points, INK.points * (2, 3))
    with pytest.raises(InkError, match="2x2"):
        INK.transform([[1, 0, 0], [0, 1, 0]])


def test_too_much_scaling_is_an_error_and_not_infinity():
    with pytest.raises(InkError, match="finite"), np.errstate(over="ignore"):
        INK.scale(1e308)


def test_concatenation_writes_one_after_the_other():
    both = INK + BARE.translate(120, 0)
    assert len(both) == 14
    assert both.symbols == tuple(Symbol(s.label, s.strokes) for s in SYMBOLS)
    assert both.truth is None
    twice = INK + INK
    assert twice.symbols[4].strokes == (7, 8)
    assert twice.writer == "ada"
    nothing = INK.select([])
    assert nothing + INK == INK
    assert INK + nothing == INK


def test_time_and_pressure_follow_their_points():
    ink = Ink.from_strokes([[(0, 0), (1, 1)], [(5, 5)]], time=[[1, 2], [3]], pressure=[[0.1, 0.2], [0.3]])
    assert ink.select([1, 0]).time.tolist() == [3, 1, 2]
    assert ink[1:].pressure.tolist() == [0.3]
    assert (ink + ink).time.tolist() == [1, 2, 3, 1, 2, 3]
    assert (ink + Ink.from_strokes([[(0, 0)]])).time is None


def test_inks_are_equal_when_what_they_say_is_equal():
    again = Ink.from_strokes(
        STROKES, truth=f"  {INK.truth} ", symbols=SYMBOLS, mathml=INK.mathml, writer="ada"
    )
    assert again == INK
    assert hash(again) == hash(INK)
    assert again.replace(source="elsewhere.inkml") == INK
    assert INK != BARE
    assert INK.translate(1, 0) != INK
    assert INK.replace(truth=None) != INK
    assert INK != "ink"
    zero, minus_zero = Ink.from_strokes([[(0.0, 1.0)]]), Ink.from_strokes([[(-0.0, 1.0)]])
    assert zero == minus_zero
    assert hash(zero) == hash(minus_zero)


def test_ink_survives_pickling_and_stays_unchangeable():
    copy = pickle.loads(pickle.dumps(INK))
    assert copy == INK
    assert not copy.points.flags.writeable
    error = pickle.loads(pickle.dumps(InkError("bad", "trace 3", "a.inkml")))
    assert str(error) == "a.inkml: trace 3: bad"


@pytest.mark.parametrize(
    ("points", "offsets", "words"),
    [
        ([[0, 0, 0]], [0, 1], "shape"),
        ([[0, float("nan")]], [0, 1], "finite"),
        ([[0, float("inf")]], [0, 1], "finite"),
        ([["a", "b"]], [0, 1], "numbers"),
        ([[0, 0]], [0, 2], "offsets"),
        ([[0, 0]], [1, 1], "offsets"),
        ([[0, 0]], [0, 0, 1], "at least one point"),
        ([[0, 0]], [0.0, 1.0], "whole"),
        ([[0, 0]], [], "offsets"),
    ],
)
def test_arrays_that_are_no_ink_are_refused(points, offsets, words):
    with pytest.raises(InkError, match=words):
        Ink(points, offsets)


def test_fields_that_do_not_fit_are_refused():
    with pytest.raises(InkError, match="one number per point"):
        BARE.replace(time=[1, 2, 3])
    with pytest.raises(InkError, match="not there"):
        BARE.replace(symbols=[Symbol("x", (7,))])
    with pytest.raises(InkError, match="text"):
        BARE.replace(truth=3)
    with pytest.raises(InkError, match="Symbol"):
        BARE.replace(symbols=["x"])
    with pytest.raises(InkError, match="no strokes"):
        Symbol("x", ())
    with pytest.raises(InkError, match="label"):
        Symbol(" ", (1,))
    with pytest.raises(InkError, match="stroke 1"):
        Ink.from_strokes([[(0, 0)], [(0, 0, 0)]])
    with pytest.raises(InkError, match="limit"):
        Ink(np.zeros((MAX_POINTS + 1, 2)), [0, MAX_POINTS + 1])
    with pytest.raises(InkError, match="limit"):
        Ink(np.zeros((MAX_STROKES + 1, 2)), np.arange(MAX_STROKES + 2))


def test_texts_keep_only_what_files_can_hold():
    ink = BARE.replace(truth="\x00 a\ud800\x1bb\uffff \n")
    assert ink.truth == "ab"
    assert BARE.replace(truth=" \t").truth is None
