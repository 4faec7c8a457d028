"""Live writing: ask at any time, corrections stick, a newer request stops an older one."""

import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inktex.ink import InkError
from inktex.recognizer import SearchCancelled
from inktex.recognizer.pins import changed_part, is_whole


@pytest.fixture
def session(recognizer, strokes):
    session = recognizer.session()
    for stroke in strokes:
        session.add(stroke)
    return session


def contains(texts, piece):
    piece = tuple(piece.split())
    return any(texts[at : at + len(piece)] == piece for at in range(len(texts)))


def test_the_answer_is_that_of_the_ink_at_any_time(recognizer, strokes):
    session = recognizer.session()
    with pytest.raises(InkError, match="no strokes"):
        session.answer()
    ids = []
    for count, stroke in enumerate(strokes, 1):
        ids.append(session.add(stroke))
        assert session.answer().latex == recognizer.recognize(strokes[:count]).latex
    session.remove(ids[1])
    assert session.answer().latex == recognizer.recognize(strokes[:1] + strokes[2:]).latex
    session.replace(ids[0], strokes[1])
    assert session.stroke_ids == (0, 2, 3, 4)
    assert session.answer().latex == recognizer.recognize([strokes[1], *strokes[2:]]).latex
    assert len(session.ink) == len(session) == 4
    session.clear()
    assert len(session) == 0
    with pytest.raises(ValueError, match="no stroke 3"):
        session.remove(3)


def test_asking_again_costs_nothing(session):
    first = session.answer()
    assert session.answer() is first
    number = session.add([(80, 0), (90, 9)])
    second = session.answer()
    assert second is not first
    session.remove(number)
    assert session.answer().latex == first.latex


def test_a_newer_request_stops_an_older_one(recognizer, strokes, monkeypatch):
    session = recognizer.session()
    session.add(strokes[0])
    stepper = recognizer.model.stepper()
    running, go_on = threading.Event(), threading.Event()
    step = type(stepper).step

    def slow_step(self, state, tokens):
        if threading.current_thread().name == "older":
            running.set()
            go_on.wait(5)
        return step(self, state, tokens)

    monkeypatch.setattr(type(stepper), "step", slow_step)
    outcome = []

    def older():
        try:
            outcome.append(session.answer())
        except SearchCancelled as error:
            outcome.append(error)

    thread = threading.Thread(target=older, name="older")
    thread.start()
    assert running.wait(5)
    session.add(strokes[1])
    newer = session.answer()
    go_on.set()
    thread.join(5)
    assert isinstance(outcome[0], SearchCancelled)
    assert session.answer() is newer


PIECES = ["y", "x ^ { 2 }", r"\frac { a } { z }", "1 2", r"\sqrt { x + y }", r"\Omega", r"\Gamma ^ { 2 }"]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(piece=st.sampled_from(PIECES), at=st.integers(0, 4), width=st.integers(1, 3))
def test_pinned_strokes_say_what_was_decided(recognizer, strokes, piece, at, width):
    session = recognizer.session()
    ids = [session.add(stroke) for stroke in strokes]
    pinned = ids[at : at + width]
    session.pin(pinned, piece)
    answer = session.answer()
    assert contains(answer.texts, piece)
    session.add([(100, 0), (110, 12), (120, 0)])
    assert contains(session.answer().texts, piece)
    session.remove(pinned[0])
    assert session.pins == {}


def test_two_pins_hold_at_once(session):
    ids = session.stroke_ids
    session.pin(ids[:2], "a ^ { 2 }")
    session.pin(ids[4:], r"\Delta")
    answer = session.answer()
    assert contains(answer.texts, "a ^ { 2 }")
    assert contains(answer.texts, r"\Delta")
    for symbol in answer.symbols:
        if symbol.latex == r"\Delta":
            assert symbol.strokes
    session.unpin(ids[4:])
    assert set(session.pins) == {frozenset(ids[:2])}


def test_a_later_pin_replaces_one_on_the_same_strokes(session):
    ids = session.stroke_ids
    session.pin(ids[:2], "a")
    session.pin(ids[1:3], "z")
    assert session.pins == {frozenset(ids[1:3]): "z"}


def test_choosing_another_reading_makes_it_the_answer(session):
    other = session.answer().alternatives[1]
    chosen = session.choose(other)
    assert chosen.latex == other.latex
    assert session.answer() is chosen
    pinned = next(iter(session.pins.values()))
    session.add([(100, 0), (110, 12), (120, 0)])
    assert contains(session.answer().texts, pinned)


def test_an_edit_by_hand_makes_it_the_answer(session):
    assert session.choose(r"\frac{x}{2} + \Omega").latex == r"\frac{x}{2}+\Omega"
    session.add([(100, 0), (110, 12), (120, 0)])
    assert r"\Omega" in session.answer().latex


def test_a_choice_made_while_the_ink_changes_is_refused(session, monkeypatch):
    """Another thread may remove a stroke between the reading and the choice."""
    ids = session.stroke_ids

    def meanwhile(*given):
        session.remove(ids[-1])
        return changed_part(*given)

    monkeypatch.setattr("inktex.recognizer.session.changed_part", meanwhile)
    with pytest.raises(ValueError, match="the ink changed while another reading was chosen"):
        session.choose("a + b")
    assert session.pins == {}
    assert session.answer().latex


@pytest.mark.parametrize("latex", ["", "x ^", "{", "^ { 2 }"])
def test_what_cannot_be_pinned_is_explained(session, latex):
    with pytest.raises(ValueError, match=r"pin|lacks|closed|brace"):
        session.pin(session.stroke_ids[:1], latex)
    with pytest.raises(ValueError, match="stroke 77"):
        session.pin([77], "x")


def test_the_pinned_part_is_the_part_that_changed(recognizer, strokes):
    answer = recognizer.session()
    for stroke in strokes:
        answer.add(stroke)
    present = answer.choose(r"x + \frac { 1 } { 2 } = y")
    for chosen, piece in [
        (r"z + \frac { 1 } { 2 } = y", "z"),
        (r"x - \frac { 1 } { 2 } = y", "-"),
        (r"x + \frac { 1 } { y } = y", "y"),
        (r"x + 1 = y", "1"),
        (r"x ^ { 2 } + \frac { 1 } { 2 } = y", "x ^ { 2 }"),
    ]:
        strokes_of, texts = changed_part(present, chosen.split())
        assert strokes_of
        assert is_whole(texts)
        assert set(piece.split()) <= set(texts)
        assert len(texts) <= len(piece.split()) + 2
