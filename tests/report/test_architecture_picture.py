"""The paper's Fig. 1, made from a reading."""

from xml.etree import ElementTree

from architecture import COLORS, architecture_picture
from test_attention_pictures import SVG, lit_strokes

from known_readings import read_rightly, written


def test_every_token_has_a_panel_that_lights_its_strokes():
    example = written("x^2+1")
    svg = architecture_picture(read_rightly(example)).to_svg()
    lit = lit_strokes(svg)
    assert sorted(lit) == list(range(len(example.tokens) + 1))
    for step, strokes in enumerate(example.strokes_of):
        if strokes:
            assert lit[step] == set(strokes)


def test_three_symbols_are_framed_in_the_ink_and_at_the_step_that_writes_them():
    svg = architecture_picture(read_rightly(written("x^2+1"))).to_svg()
    outlines = [box.get("stroke") for box in ElementTree.fromstring(svg).iter(f"{SVG}rect")]
    assert [outlines.count(color) for color in COLORS] == [2, 2, 2]


def test_all_equations_are_named():
    svg = architecture_picture(read_rightly(written("x"))).to_svg()
    texts = " ".join(text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text"))
    for numbers in ("eq. 1", "eq. 2", "eq. 4–7", "eq. 9", "eq. 10", "eq. 11–14", "eq. 15–17", "eq. 18–20"):
        assert numbers in texts
