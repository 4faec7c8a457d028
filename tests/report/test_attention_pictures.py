"""Pictures of attention, checked as data: which strokes are lit for which token."""

import io
from collections import defaultdict
from xml.etree import ElementTree

import numpy as np
import pytest

from inktex.ink import Ink
from inktex.report.canvas import Canvas, heat
from inktex.report.steps import animated_picture, animation_frames, steps_picture
from known_readings import looking_at, read_rightly, written

SVG = "{http://www.w3.org/2000/svg}"


def lit_strokes(svg: str, brighter_than: float = 0.5) -> dict[int, set[int]]:
    """For every step of a picture the strokes that are lit."""
    lit: dict[int, set[int]] = defaultdict(set)
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        if "data-step" in group.attrib:
            step = int(group.attrib["data-step"])
            lit[step] |= {
                int(path.attrib["data-stroke"])
                for path in group.iter(f"{SVG}path")
                if float(path.attrib.get("data-level", 0)) > brighter_than
            }
    return lit


@pytest.mark.parametrize("draw", [steps_picture, animated_picture])
@pytest.mark.parametrize("latex", [r"e^x+18x+12", r"\frac{1}{\sqrt{2}}", "x_1"])
def test_each_token_lights_the_strokes_it_was_read_from(draw, latex):
    example = written(latex)
    lit = lit_strokes(draw(read_rightly(example)).to_svg())
    for step, strokes in enumerate(example.strokes_of):
        if strokes:
            assert lit[step] == set(strokes), example.tokens[step]


def test_under_each_panel_stands_its_token():
    reading = read_rightly(written("x^2"))
    root = ElementTree.fromstring(steps_picture(reading).to_svg())
    panels = [group for group in root.iter(f"{SVG}g") if "data-step" in group.attrib]
    texts = [[text.text for text in panel.iter(f"{SVG}text")] for panel in panels]
    assert texts == [["x"], ["^"], ["{"], ["2"], ["}"], ["(end)"]]


def test_some_steps_can_be_picked():
    reading = read_rightly(written("x^2"))
    root = ElementTree.fromstring(steps_picture(reading, only=[0, 3]).to_svg())
    shown = [group.attrib["data-token"] for group in root.iter(f"{SVG}g") if "data-step" in group.attrib]
    assert shown == ["x", "2"]


def test_the_moving_picture_writes_the_latex_token_by_token():
    reading = read_rightly(written("x+1"))
    frames = animation_frames(reading)
    assert len(frames) == 4
    assert len({(frame.width, frame.height) for frame in frames}) == 1
    texts = [[t.text for t in ElementTree.fromstring(f.to_svg()).iter(f"{SVG}text")] for f in frames]
    assert texts == [["x"], ["x", "+"], ["x", "+", "1"], ["x", "+", "1", "(end)"]]
    assert "animation" in animated_picture(reading).to_svg()


def test_more_attention_is_lighter():
    def luminance(color: str) -> int:
        return sum(bytes.fromhex(color[1:]))

    shades = [luminance(heat(share)) for share in np.linspace(0, 1, 20)]
    assert shades == sorted(shades)


@pytest.mark.parametrize(
    "strokes",
    [
        [[(3.0, 4.0)]],
        [[(0.0, 0.0), (0.0, 0.0)]],
        [[(0.0, 5.0), (100.0, 5.0)]],
        [[(-1e90, 0.0), (1e90, 1.0)]],
        [[(0.0, 0.0)], [(1e-300, 1e-300)]],
    ],
    ids=["a dot", "a dot twice", "a flat line", "huge", "tiny"],
)
def test_any_ink_fits_into_the_picture(strokes):
    ink = Ink.from_strokes(strokes)
    canvas = Canvas.fit(ink, 300, 100)
    assert np.isfinite(canvas.xy).all()
    assert canvas.width <= 300.5
    assert canvas.height <= 100.5
    assert set(canvas.stroke.tolist()) == set(range(len(ink)))
    ElementTree.fromstring(steps_picture(looking_at(ink, ("1",), [(0,)])).to_svg())


def test_png_shows_what_the_svg_shows():
    pytest.importorskip("matplotlib", reason="PNG and GIF need inktex[figures]")
    from matplotlib.image import imread

    from inktex.report.picture import to_png

    example = written("x+1")
    picture = steps_picture(read_rightly(example), only=[0])
    image = imread(io.BytesIO(to_png(picture, scale=2.0)))
    assert image.shape[:2] == pytest.approx((2 * picture.height, 2 * picture.width), abs=1.5)
    red = image[..., 0] - image[..., 2] > 0.4
    canvas = Canvas.fit(example.ink, 226.0, 110.0)
    right_of_x = canvas.xy[np.isin(canvas.stroke, example.strokes_of[0])][:, 0].max()
    columns = np.flatnonzero(red.any(axis=0)) / 2 - 10.0
    assert len(columns)
    assert columns.max() < right_of_x + 6  # nothing to the right of the x is lit


def test_gif_has_a_frame_per_token_and_repeats():
    pytest.importorskip("matplotlib", reason="PNG and GIF need inktex[figures]")
    from PIL import Image

    from inktex.report.picture import to_gif

    frames = animation_frames(read_rightly(written("x+1")), width=300)
    image = Image.open(io.BytesIO(to_gif(frames, seconds=0.5)))
    assert image.n_frames == len(frames)
    assert image.info["loop"] == 0
    assert image.info["duration"] == 500
