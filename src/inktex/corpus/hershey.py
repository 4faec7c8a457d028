"""The built-in symbol bank: public-domain Hershey glyphs, redrawn as if by hand. Needs no download.

From a seed it makes a bank with every symbol of the CROHME vocabulary and more, written by a number of
invented writers, each with their own slant, wobble and ways of writing. The glyphs come from the package
`Hershey-Fonts`; `ways.toml` says how their strokes are written, and draws what the fonts lack.
"""

import tomllib
from collections.abc import Container, Mapping, Sequence
from importlib.resources import files
from itertools import pairwise

import numpy as np

from inktex.corpus.bank import Glyph, Points, SymbolBank

STEP = 0.9  # spacing of the points of a stroke, in font units (a small letter is 14 high)
_CORNER = np.cos(np.radians(48.0))  # a sharper turn is a corner, a softer one a bend of a curve
_DAB = 0.6  # strokes shorter than this are dots

_SMALL_GAP = 5.0  # the script fonts lift the pen over less than this where a hand would draw on

FontStrokes = dict[str, dict[str, list[Points]]]


# A glyph of a Hershey font (font, character, plan of its strokes), or the path of a drawing of our own.
Way = tuple[str, str, str] | str


def _read_ways() -> tuple[dict[str, list[Way]], dict[str, list[Way]]]:
    """The usual ways to write each symbol, and these with more that fonts do not show."""
    tables = tomllib.loads(files("inktex.corpus").joinpath("ways.toml").read_text("utf-8"))
    usual: dict[str, list[Way]] = {}
    for font in ("futural", "scripts", "greeks"):
        for label, text in tables[font].items():
            character, *plans = text.split() if font == "greeks" else (label, *text.split())
            usual.setdefault(label, []).extend((font, character, plan) for plan in plans)
    for label, paths in tables["drawn"].items():
        usual.setdefault(label, []).extend(paths)
    more = {label: [*usual.get(label, ()), *paths] for label, paths in tables["more"].items()}
    return usual, more | {label: ways for label, ways in usual.items() if label not in more}


WAYS, MORE_WAYS = _read_ways()


class Hand:
    """What makes an invented writer's symbols alike; lengths are in font units."""

    def __init__(self, rng: np.random.Generator, wobble: float) -> None:
        self.slant = rng.normal(0.1, 0.12)
        self.aspect = np.exp(rng.normal(0.0, 0.1))
        self.wobble = wobble * rng.uniform(0.25, 1.0)  # size of the slow deviations from the ideal line
        self.rounding = int(rng.integers(1, 5))  # how often corners are smoothed
        self.loose = rng.uniform(0.2, 0.8)  # how far strokes end from where they should


def hershey_bank(
    writers: int = 24,
    repeats: int = 2,
    seed: int = 0,
    without: Container[str] = (),
    ways_of: Mapping[str, Sequence[Way]] = WAYS,
    wobble: float = 1.0,
) -> SymbolBank:
    """Draw the bank, each symbol `repeats` times by each writer, except the labels in `without`.

    With a smaller `wobble` the hands are steadier. Equal arguments give equal glyphs, and a glyph does not
    depend on which others are drawn.
    """
    fonts = _load_fonts()
    hands = [Hand(np.random.default_rng((seed, number)), wobble) for number in range(writers)]
    glyphs = []
    for place, (label, ways) in enumerate(ways_of.items()):
        if label in without:
            continue
        outlines = [_outline(way, fonts) for way in ways]
        for number, hand in enumerate(hands):
            rng = np.random.default_rng((seed, number, place))
            outline = outlines[int(rng.integers(len(outlines)))]
            drawings = [_by_hand(outline, hand, rng) for _ in range(repeats)]
            glyphs += [Glyph.from_strokes(label, strokes, f"hershey-{number}") for strokes in drawings]
    return SymbolBank("hershey", glyphs)


def _load_fonts() -> FontStrokes:
    try:
        from HersheyFonts import HersheyFonts
    except ImportError as error:
        raise ImportError(
            "the built-in symbol bank needs the package Hershey-Fonts: pip install 'inktex[train]'"
        ) from error
    fonts: FontStrokes = {}
    for name in ("futural", "greeks", "scripts"):
        font = HersheyFonts()
        font.load_default_font(name)
        fonts[name] = {
            character: [np.array(list(stroke), dtype=np.float64) for stroke in glyph.strokes]
            for character, glyph in font.all_glyphs.items()
        }
    return fonts


def _outline(way: Way, fonts: FontStrokes) -> list[Points]:
    """Give the strokes of a way of writing as dense, exact lines."""
    if isinstance(way, str):
        return [_dense(*_parse(stroke)) for stroke in way.split(";")]
    font, character, plan = way
    strokes = fonts[font][character]
    if plan in ("all", "joined"):
        plan = _plan_as_drawn(strokes, joined=plan == "joined")
    outlines = []
    for lifted in plan.split(","):
        parts = ((int(part.lstrip("-")), -1 if part[0] == "-" else 1) for part in lifted.split("+"))
        vertices = np.concatenate([strokes[number][::direction] for number, direction in parts])
        repeated = (vertices[1:] == vertices[:-1]).all(axis=1)
        vertices = vertices[~np.append(False, repeated)]
        outlines.append(_dense(vertices, _corners(vertices)))
    return outlines


def _plan_as_drawn(strokes: Sequence[Points], joined: bool) -> str:
    """Write the plan that takes the strokes as they come, drawing on over small gaps if `joined`."""
    plan = "0"
    for number, (stroke, following) in enumerate(pairwise(strokes), 1):
        gap = float(np.hypot(*(following[0] - stroke[-1])))
        plan += f"{'+' if joined and gap < _SMALL_GAP else ','}{number}"
    return plan


def _parse(stroke: str) -> tuple[Points, np.ndarray]:
    words = stroke.split()
    vertices = np.array([[float(number) for number in word.rstrip("!").split(",")] for word in words])
    return vertices, np.array([word.endswith("!") for word in words])


def _corners(vertices: Points) -> np.ndarray:
    """Mark the vertices where the direction turns sharply."""
    corners = np.zeros(len(vertices), dtype=bool)
    steps = np.diff(vertices, axis=0)
    lengths = np.maximum(np.hypot(steps[:, 0], steps[:, 1]), 1e-9)
    cosines = (steps[1:] * steps[:-1]).sum(axis=1) / (lengths[1:] * lengths[:-1])
    corners[1:-1] = cosines < _CORNER
    return corners


def _dense(vertices: Points, corners: np.ndarray) -> Points:
    """Run a smooth curve through the vertices (a Catmull–Rom spline), broken at corners, in small steps."""
    if len(vertices) == 1:
        return vertices
    cuts = [0, *(np.flatnonzero(corners[1:-1]) + 1).tolist(), len(vertices) - 1]
    pieces = [_spline(vertices[a : b + 1]) for a, b in pairwise(cuts)]
    return np.concatenate([piece if number == 0 else piece[1:] for number, piece in enumerate(pieces)])


def _spline(vertices: Points) -> Points:
    padded = np.concatenate([2 * vertices[:1] - vertices[1:2], vertices, 2 * vertices[-1:] - vertices[-2:-1]])
    pieces = []
    for before, start, end, after in zip(padded[:-3], padded[1:-2], padded[2:-1], padded[3:], strict=True):
        count = max(1, round(float(np.hypot(*(end - start))) / (STEP / 2)))
        t = np.linspace(0.0, 1.0, count, endpoint=False)[:, None]
        square, cube = 2 * before - 5 * start + 4 * end - after, 3 * start - before - 3 * end + after
        pieces.append(0.5 * (2 * start + (end - before) * t + square * t**2 + cube * t**3))
    return np.concatenate([*pieces, vertices[-1:]])


def _by_hand(outlines: Sequence[Points], hand: Hand, rng: np.random.Generator) -> list[Points]:
    """Redraw exact strokes with the inexactness of a hand."""
    waves = rng.normal(0.0, 0.16, (3, 2))  # slow waves over the whole symbol bend straight lines a little
    phases = rng.uniform(0.0, 2 * np.pi, 3)
    directions = rng.normal(0.0, hand.wobble / 1.7, (3, 2))
    tilt = rng.normal(0.0, 0.05)
    shape = np.array(
        [[hand.aspect * np.exp(rng.normal(0, 0.06)), -hand.slant + rng.normal(0, 0.03)], [tilt, 1.0]]
    )
    strokes = []
    for outline in outlines:
        line = outline + rng.normal(0.0, hand.loose * 0.6, 2)
        if len(line) > 1:
            line = _loose_ends(line, hand, rng)
            for _ in range(hand.rounding):
                line = np.concatenate([line[:1], (line[:-2] + 2 * line[1:-1] + line[2:]) / 4, line[-1:]])
        else:
            # A dot is what a pen makes of it: a point or a very short line.
            line = line + np.outer([0.0, 0.5, 1.0], rng.normal(0.0, _DAB, 2))
        line = line + np.sin(line @ waves.T + phases) @ directions
        strokes.append(_even(line @ shape.T, STEP * rng.uniform(0.8, 1.4)))
    return strokes


def _loose_ends(line: Points, hand: Hand, rng: np.random.Generator) -> Points:
    """Start and stop a little early or late."""
    for _ in range(2):
        line = line[::-1]
        direction = line[-1] - line[max(0, len(line) - 4)]
        length = float(np.hypot(*direction))
        reach = float(rng.normal(0.0, hand.loose))
        if reach > 0 and length > 0:
            line = np.concatenate([line, line[-1:] + direction / length * reach])
        elif len(line) > 8:
            line = line[: len(line) - min(3, round(-reach / STEP * 2))]
    return line


def _even(line: Points, step: float) -> Points:
    """Space the points of a line evenly."""
    lengths = np.hypot(*np.diff(line, axis=0).T)
    travelled = np.concatenate([[0.0], np.cumsum(lengths)])
    count = max(2, round(float(travelled[-1]) / step) + 1)
    places = np.linspace(0.0, travelled[-1], count)
    return np.stack([np.interp(places, travelled, line[:, axis]) for axis in (0, 1)], axis=1)
