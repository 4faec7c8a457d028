"""Prepares ink and tokens for drawing: ink in pixels, without invisible points, and lit by attention.

Lit ink goes from dark red to light red on a dark background, as in the paper's figures, and becomes wider,
so that it can also be seen without colour.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inktex.features import PointBatch, resample, simplify, stroke_starts
from inktex.ink import Ink
from inktex.ink.svg import in_pixels
from inktex.reading.attention import Floats

from .picture import MONOSPACE_WIDTH, Line, Picture, Points, Text, to_png

GROUND = "#16130f"
PANEL = "#211d19"
UNLIT = "#6b625c"
LABEL = "#f3ece4"
ACCENT = "#ff7a55"
LEVELS = 12  # steps of brightness
FAINTEST_FULL = 0.08  # a token whose attention is spread so evenly that none exceeds this is drawn dimmer
_RAMP = (0.0, 0.35, 0.7, 1.0)
_RED, _GREEN, _BLUE = (0x6B, 0xB3, 0xFF, 0xFF), (0x2A, 0x24, 0x4D, 0xD2), (0x22, 0x1B, 0x2E, 0xB8)


@dataclass(frozen=True, eq=False)
class Canvas:
    """Drawn points of an ink; `position` is where each lies among the points of the ink."""

    xy: Points  # (M, 2)
    stroke: NDArray[np.int64]  # (M,)
    position: NDArray[np.float64]  # (M,)
    width: float
    height: float

    @classmethod
    def fit(
        cls, ink: Ink, width: float, height: float, *, margin: float = 10.0, spacing: float = 5.0
    ) -> "Canvas":
        """Scale ink into a box of at most this size, keeping its proportions."""
        xy, *size = in_pixels(ink, width, height, margin)
        if not len(ink):
            return cls(xy, np.zeros(0, np.int64), np.zeros(0), *size)
        batch = PointBatch(
            xy, ink.stroke_of_point, np.arange(len(xy), dtype=np.float64), np.array([0, len(ink)])
        )
        batch = simplify(batch, np.full(len(xy), 0.3))
        batch = resample(batch, np.full(len(batch.xy), spacing), keep_corners=True)
        return cls(batch.xy, batch.stroke, batch.point, *size)

    def lines(self, color: str = UNLIT, width: float = 2.0) -> list[Line]:
        return [
            Line(self.xy[start:end], color, width, marks={"stroke": str(self.stroke[start])})
            for start, end in self._spans()
        ]

    def _spans(self) -> list[tuple[int, int]]:
        starts = stroke_starts(self.stroke).tolist()
        return list(zip(starts, [*starts[1:], len(self.stroke)], strict=True))

    def lit(self, intensity: Floats, width: float = 2.0) -> list[Line]:
        """The lit pieces of strokes, (M,) intensity between 0 and 1, dimmer ones first, on a soft glow."""
        lines: list[Line] = []
        for start, end in self._spans():
            inside = intensity[start:end]
            middle = inside if end - start == 1 else (inside[1:] + inside[:-1]) / 2
            levels = np.rint(np.clip(middle, 0.0, 1.0) * LEVELS).astype(np.int64)
            cuts = [0, *(np.flatnonzero(np.diff(levels)) + 1).tolist(), len(levels)]
            for begin, stop in pairwise(cuts):
                level = int(levels[begin])
                if level:
                    share = level / LEVELS
                    part = self.xy[start + begin : start + stop + (end - start > 1)]
                    marks = {"stroke": str(self.stroke[start]), "level": f"{share:.2f}"}
                    lines.append(Line(part, heat(share), width * (1.0 + 0.9 * share), marks=marks))
        lines.sort(key=lambda line: line.width)  # which grows with the light
        return [*(Line(line.points, line.color, 3.2 * line.width, 0.16) for line in lines), *lines]

    def to_json(self) -> dict[str, Any]:
        """Size and strokes for the viewers of pages, coordinates in tenths of pixels."""
        strokes = np.split(self.xy, [start for start, _ in self._spans()][1:])
        return {
            "width": round(self.width, 1),
            "height": round(self.height, 1),
            "strokes": [np.rint(stroke * 10).astype(int).ravel().tolist() for stroke in strokes],
        }


def ink_png(ink: Ink) -> bytes:
    """Ink as a PNG: dark on white."""
    canvas = Canvas.fit(ink, 900.0, 240.0)
    lines = tuple(canvas.lines("#1c2438", 2.0))
    return to_png(Picture(canvas.width, canvas.height, "#ffffff", lines, ink.truth or f"{len(ink)} strokes"))


def token_texts(
    tokens: Sequence[str],
    accented: Container[int],
    x: float,
    y: float,
    size: float,
    *,
    right: float = inf,
    leading: float = 0.0,
    space: float = 0.0,
) -> list[Text]:
    """Tokens side by side from (x, y), in lines that end before `right`; some in the accent colour."""
    left, texts = x, []
    for place, token in enumerate(tokens):
        advance = (len(token) + (not space)) * size * MONOSPACE_WIDTH + space  # usually one character apart
        if x + advance > right and x > left:
            x, y = left, y + leading
        now = place in accented
        texts.append(Text(x, y, token, size, ACCENT if now else LABEL, monospace=True, bold=now))
        x += advance
    return texts


def heat(share: float) -> str:
    """Colour of attention, from 0 (dark) to 1 (light)."""
    return "#" + "".join(f"{round(np.interp(share, _RAMP, part)):02x}" for part in (_RED, _GREEN, _BLUE))


def brightness(intensity: Floats) -> Floats:
    """Intensity of tokens (T+1, M) as light between 0 and 1: full where a token looks most."""
    peak = intensity.max(axis=1, keepdims=True, initial=0.0)
    shares: Floats = intensity / np.maximum(peak, FAINTEST_FULL)
    return shares
