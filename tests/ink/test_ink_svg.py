"""An ink draws itself, in a notebook and in a file."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ink_samples import INK

from inktex.ink import Ink, InkError

SVG = "{http://www.w3.org/2000/svg}"
numbers = st.floats(allow_nan=False, allow_infinity=False)


def size(svg: str) -> tuple[float, float]:
    root = ET.fromstring(svg)
    return float(root.get("width")), float(root.get("height"))


def test_every_stroke_is_drawn_once():
    root = ET.fromstring(INK._repr_svg_())
    paths = root.findall(f".//{SVG}path")
    assert [path.get("data-stroke") for path in paths] == [str(n) for n in range(len(INK))]
    assert root.get("aria-label") == INK.truth


def test_the_drawing_has_the_size_asked_for_whatever_the_scale_of_the_ink():
    assert size(INK.to_svg(height=100)) == size(INK.scale(1000).translate(5e6, -3).to_svg(height=100))
    width, height = size(INK.to_svg(height=100))
    assert height == 100
    assert width == pytest.approx(8 + 84 / 50 * 100, rel=0.1)
    wide, low = size(INK.scale(100, 1).to_svg(height=100, max_width=300))
    assert wide == 300
    assert low < 30


def test_a_dot_is_visible():
    svg = Ink.from_strokes([[(3, 4)]]).to_svg()
    assert 'd="M4 4L4 4"' in svg
    assert 'stroke-linecap="round"' in svg


def test_symbols_are_told_apart_and_named():
    svg = INK.to_svg(labels=True)
    root = ET.fromstring(svg)
    assert [text.text for text in root.iter(f"{SVG}text")] == ["x", "2", "+", "i"]
    colors = [path.get("stroke") for path in root.iter(f"{SVG}path")]
    assert colors[0] == colors[1] != colors[2]


def test_colours_can_be_chosen():
    assert INK.to_svg(color="red").count('stroke="red"') == len(INK)
    assert 'stroke="#112233"' in INK.to_svg(color=["black"] * 6 + ["#112233"])
    assert 'fill="white"' in INK.to_svg(background="white")
    with pytest.raises(InkError, match="2 colours for 7 strokes"):
        INK.to_svg(color=["red", "blue"])
    with pytest.raises(InkError, match="positive"):
        INK.to_svg(height=0)


@settings(deadline=None)
@given(st.lists(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=4), max_size=4), st.text())
def test_any_ink_gives_a_well_formed_drawing_of_bounded_size(strokes, truth):
    svg = Ink.from_strokes(strokes, truth=truth).to_svg(height=120, max_width=900)
    width, height = size(svg)
    assert 0 < width <= 901
    assert 0 < height <= 121
    assert "nan" not in svg
    assert "inf" not in svg
