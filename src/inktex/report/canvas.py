"""Prepares ink for drawing: in pixels, without invisible points, and lit by attention.

Takes ink and the space for it, then the intensity of one token at the canvas' points; returns `Line`s. Lit
ink goes from dark red to light red on a dark background, as in the paper's figures, and becomes wider, so
that it can also be seen without colour.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from inktex.features import PointBatch, resample, simplify
from inktex.ink import Ink
from inktex.reading.attention import Floats

from .picture import Line, Points

GROUND = "#16130f"
PANEL = "#211d19"
UNLIT = "#6b625c"
LEVELS = 12  # steps of brightness
FAINTEST_FULL = 0.08  # a token whose attention is spread so evenly that none exceeds this is drawn dimmer
_RAMP = (
    (0.0, (0x6B, 0x2A, 0x22)),
    (0.35, (0xB3, 0x24, 0x1B)),
    (0.7, (0xFF, 0x4D, 0x2E)),
    (1.0, (0xFF, 0xD2, 0xB8)),
)


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
        if not len(ink):
            return cls(np.zeros((0, 2)), np.zeros(0, np.int64), np.zeros(0), 2 * margin, 2 * margin)
        left, top, right, bottom = ink.bounds
        # Halves first: the span of extreme coordinates can overflow.
        center = np.array([left / 2 + right / 2, top / 2 + bottom / 2])
        half = np.array([right / 2 - left / 2, bottom / 2 - top / 2])
        room = np.maximum(np.array([width, height]) - 2 * margin, 1.0)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            scale = float(np.min(np.where(half > 0, room / 2 / half, np.inf)))
            scale = scale if np.isfinite(scale) else 1.0
            xy = np.nan_to_num((ink.points - center) * scale + half * scale + margin)
        batch = PointBatch(
            xy, ink.stroke_of_point, np.arange(len(xy), dtype=np.float64), np.array([0, len(ink)])
        )
        batch = simplify(batch, np.full(len(xy), 0.3))
        batch = resample(batch, np.full(len(batch.xy), spacing), keep_corners=True)
        size = 2 * (half * scale + margin)
        return cls(batch.xy, batch.stroke, batch.point, float(size[0]), float(size[1]))

    def lines(self, color: str = UNLIT, width: float = 2.0) -> list[Line]:
        """All strokes in one colour."""
        return [
            Line(self.xy[start:end], color, width, marks={"stroke": str(self.stroke[start])})
            for start, end in self._spans()
        ]

    def _spans(self) -> list[tuple[int, int]]:
        starts = np.flatnonzero(np.diff(self.stroke, prepend=-1)).tolist()
        return list(zip(starts, [*starts[1:], len(self.stroke)], strict=True))

    def lit(self, intensity: Floats, width: float = 2.0) -> list[Line]:
        """The lit pieces of strokes, (M,) intensity between 0 and 1, dimmer ones first."""
        pieces: list[tuple[int, Line]] = []
        for start, end in self._spans():
            inside = intensity[start:end]
            middle = inside if end - start == 1 else (inside[1:] + inside[:-1]) / 2
            levels = np.rint(np.clip(middle, 0.0, 1.0) * LEVELS).astype(np.int64)
            cuts = [0, *(np.flatnonzero(np.diff(levels)) + 1).tolist(), len(levels)]
            for begin, stop in pairwise(cuts):
                level = int(levels[begin])
                if level:
                    part = self.xy[start + begin : start + stop + (end - start > 1)]
                    pieces.append((level, _lit_line(part, level, width, int(self.stroke[start]))))
        return [line for _, line in sorted(pieces, key=lambda piece: piece[0])]


def _lit_line(points: Points, level: int, width: float, stroke: int) -> Line:
    share = level / LEVELS
    marks = {"stroke": str(stroke), "level": f"{share:.2f}"}
    return Line(points, heat(share), width * (1.0 + 0.9 * share), marks=marks)


def glow(lines: list[Line]) -> list[Line]:
    """A soft light around lit lines, to be drawn under them."""
    return [Line(line.points, line.color, 3.2 * line.width, 0.16) for line in lines]


def heat(share: float) -> str:
    """Colour of attention, from 0 (dark) to 1 (light)."""
    (low, start), (high, end) = _RAMP[0], _RAMP[-1]
    for (before, first), (after, second) in pairwise(_RAMP):
        if before <= share <= after:
            (low, start), (high, end) = (before, first), (after, second)
            break
    part = min(max((share - low) / (high - low), 0.0), 1.0)
    mixed = (round(a + part * (b - a)) for a, b in zip(start, end, strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)


def brightness(intensity: Floats) -> Floats:
    """Intensity of tokens (T+1, M) as light between 0 and 1: full where a token looks most."""
    peak = intensity.max(axis=1, keepdims=True, initial=0.0)
    shares: Floats = intensity / np.maximum(peak, FAINTEST_FULL)
    return shares
