"""What is written reads back equal, and a file is written whole or not at all."""

import json
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ink_samples import BARE, FILES, INK

from inktex.ink import Ink, InkError, Symbol, read, save, write_inkml, write_json

numbers = st.floats(allow_nan=False, allow_infinity=False)
texts = st.none() | st.text(max_size=12)


@st.composite
def inks(draw) -> Ink:
    strokes = draw(
        st.lists(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5), min_size=1, max_size=4)
    )
    count = sum(map(len, strokes))
    channel = st.none() | st.lists(numbers, min_size=count, max_size=count)
    labels = st.text(min_size=1, max_size=5).map(str.strip).filter(lambda t: symbol_or_none(t) is not None)
    symbols = draw(
        st.lists(
            st.builds(
                Symbol, labels, st.lists(st.integers(0, len(strokes) - 1), min_size=1).map(tuple), texts
            ),
            max_size=3,
        )
    )
    ink = Ink.from_strokes(strokes, truth=draw(texts), symbols=symbols, writer=draw(texts))
    mathml = draw(st.sampled_from([None, INK.mathml]))
    return ink.replace(time=draw(channel), pressure=draw(channel), mathml=mathml)


def symbol_or_none(label: str) -> Symbol | None:
    try:
        return Symbol(label, (0,))
    except InkError:
        return None


@settings(deadline=None)
@given(inks())
def test_inkml_reads_back_equal(ink):
    assert read(write_inkml(ink).encode()) == ink


@settings(deadline=None)
@given(inks())
def test_json_reads_back_equal(ink):
    assert read(write_json(ink).encode()) == ink


@pytest.mark.parametrize("name", FILES)
def test_every_format_can_be_turned_into_ours(name):
    ink = read(FILES[name])
    assert read(write_inkml(ink).encode()) == ink
    assert read(write_json(ink).encode()) == ink


def test_what_is_written_is_what_other_programs_expect():
    root = ET.fromstring(write_inkml(INK))
    assert root.tag == "{http://www.w3.org/2003/InkML}ink"
    assert root.find("{*}trace").text.startswith("10 40, 14.8 46, ")
    assert root.find("{*}annotation[@type='truth']").text == INK.truth
    assert json.loads(write_json(Ink.from_strokes([[(1, 2), (3.5, 4)]]))) == {"strokes": [[[1, 2], [3.5, 4]]]}


def test_saving_chooses_the_format_by_the_suffix(tmp_path):
    for name in ("a.inkml", "a.JSON"):
        save(INK, tmp_path / name)
        assert read(tmp_path / name) == INK
    save(INK, str(tmp_path / "a.svg"))
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    with pytest.raises(InkError, match=r"use \.json, \.inkml, \.xopp, \.excalidraw, \.svg"):
        save(INK, tmp_path / "a.docx")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.JSON", "a.inkml", "a.svg"]


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    save(BARE, path)
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        save(INK, path)
    assert read(path) == BARE
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]


def test_there_must_be_something_to_write():
    nothing = INK.select([])
    for write in (write_inkml, write_json):
        with pytest.raises(InkError, match="without strokes"):
            write(nothing)
    with pytest.raises(InkError, match="MathML of this ink is not well-formed"):
        write_inkml(BARE.replace(mathml="<math><mi>x</math>"))


def test_mathml_of_any_writing_becomes_the_plain_form_once():
    prefixed = '<m:math xmlns:m="http://www.w3.org/1998/Math/MathML" display="block"> <m:mi id="a"> x </m:mi>'
    prefixed += "\n</m:math>"
    once = read(write_inkml(BARE.replace(mathml=prefixed)).encode())
    assert once.mathml == (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mi xml:id="a">x</mi></math>'
    )
    assert read(write_inkml(once).encode()) == once
    assert np.array_equal(once.points, BARE.points)


@pytest.mark.parametrize("ending", ["xopp", "excalidraw"])
@pytest.mark.parametrize("size", [1e-4, 1.0, 1e6])
def test_drawings_of_other_programs_read_back_as_the_same_ink(tmp_path, ending, size) -> None:
    pen = [[(0, 0), (30, 40), (60, 10)], [(5, 5)]]
    ink = Ink.from_strokes(pen, truth="x<1\x00").scale(size).replace(pressure=[10.0, 100.0, 200.0, 50.0])
    save(ink, tmp_path / f"ink.{ending}")
    back = read(tmp_path / f"ink.{ending}")
    assert len(back) == 2
    factor = np.ptp(back.strokes[0][:, 0]) / 60
    assert 20 <= 60 * factor <= 5000  # a size that can be seen
    shape = (back.strokes[0] - back.strokes[0][0]) / factor
    assert shape == pytest.approx(np.array(pen[0], dtype=float), abs=0.1)
    assert back.strokes[1][0] - back.strokes[0][0] == pytest.approx(np.array([5, 5]) * factor, abs=0.1)
    assert back.pressure[1] > back.pressure[0]


def test_ink_that_no_page_can_hold_is_refused(tmp_path) -> None:
    with pytest.raises(InkError, match="too large to be drawn"):
        save(Ink.from_strokes([[(-1e308, 0), (1e308, 0)]]), tmp_path / "ink.xopp")
    with pytest.raises(InkError, match="without strokes"):
        save(Ink.from_strokes([]), tmp_path / "ink.excalidraw")
