"""Draws ink as a standalone SVG image, for notebooks, the web page and contact sheets.

Coordinates are scaled to pixels and rounded, so that a drawing is small whatever the scale of the ink.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from inktex.ink.errors import InkError

if TYPE_CHECKING:
    from inktex.ink.checks import Floats
    from inktex.ink.core import Ink

# Told apart by people with any colour vision (Okabe and Ito), dark enough on white.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f5f00", "#000000")
LABEL_SIZE = 11.0


def draw_svg(
    ink: Ink,
    *,
    height: float = 120.0,
    max_width: float = 900.0,
    line_width: float = 2.0,
    color: str | Sequence[str] | None = None,
    labels: bool = False,
    background: str | None = None,
) -> str:
    """Draw the ink as a standalone SVG image, at most `height` pixels high and `max_width` wide.

    `color` is one colour or one per stroke; by default the text colour of the page. With `labels` every
    symbol of the segmentation has its own colour and its label above it.
    """
    if not (height > 0 and max_width > 0 and line_width > 0):
        raise InkError("a drawing needs a positive height, width and line width")
    margin = 2.0 * line_width + (LABEL_SIZE + 2.0 if labels else 0.0)
    points, width, full_height = in_pixels(ink, max_width, height, margin)
    strokes = [points[a:b] for a, b in pairwise(ink.offsets.tolist())]
    colors = _stroke_colors(len(ink), color, ink if labels else None)
    title = clean(ink.truth) if ink.truth else f"{len(ink)} strokes"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{px(width)}" height="{px(full_height)}" '
        f'viewBox="0 0 {px(width)} {px(full_height)}" role="img" aria-label={quoteattr(title)}>'
    ]
    if background is not None:
        parts.append(f'<rect width="100%" height="100%" fill={quoteattr(background)}/>')
    parts.append(
        f'<g fill="none" stroke-width="{px(line_width)}" stroke-linecap="round" stroke-linejoin="round">'
    )
    for number, (stroke, stroke_color) in enumerate(zip(strokes, colors, strict=True)):
        parts.append(f'<path data-stroke="{number}" stroke={quoteattr(stroke_color)} d="{path_of(stroke)}"/>')
    parts.append("</g>")
    if labels:
        parts.extend(_labels(ink, strokes, colors))
    parts.append("</svg>")
    return "\n".join(parts)


def in_pixels(ink: Ink, max_width: float, max_height: float, margin: float) -> tuple[Floats, float, float]:
    """The points in a box of at most this size, with its width and height; proportions are kept."""
    if not len(ink):
        return np.zeros((0, 2)), 2 * margin, 2 * margin
    left, top, right, bottom = ink.bounds
    # Halves first: the span of extreme coordinates can overflow.
    center = np.array([left / 2 + right / 2, top / 2 + bottom / 2])
    half = np.array([right / 2 - left / 2, bottom / 2 - top / 2])
    room = np.maximum(np.array([max_width, max_height]) - 2 * margin, 1.0)
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        scale = float(np.min(np.where(half > 0, room / 2 / half, np.inf)))
        scale = scale if np.isfinite(scale) else 1.0
        middle = half * scale + margin
        points = np.nan_to_num((ink.points - center) * scale + middle)
    width, height = (2 * middle).tolist()
    return points, width, height


def path_of(points: Floats) -> str:
    """A path of short numbers; a single point becomes a dot (a line of no length with round ends)."""
    rows = [f"{px(x)} {px(y)}" for x, y in points.tolist()]
    return f"M{rows[0]}L{' '.join(rows[1:] or rows)}"


def _stroke_colors(count: int, color: str | Sequence[str] | None, segmented: Ink | None) -> list[str]:
    if isinstance(color, str):
        return [color] * count
    if color is not None:
        if len(color) != count:
            raise InkError(f"{len(color)} colours for {count} strokes")
        return list(color)
    colors = ["currentColor"] * count
    if segmented is not None:
        for number, symbol in enumerate(segmented.symbols):
            for stroke in symbol.strokes:
                colors[stroke] = PALETTE[number % len(PALETTE)]
    return colors


def _labels(ink: Ink, strokes: list[Floats], colors: list[str]) -> list[str]:
    parts = [f'<g font-family="sans-serif" font-size="{px(LABEL_SIZE)}" text-anchor="middle">']
    for symbol in ink.symbols:
        points = np.concatenate([strokes[stroke] for stroke in symbol.strokes])
        x = (points[:, 0].min() + points[:, 0].max()) / 2
        y = points[:, 1].min() - 4.0
        fill = quoteattr(colors[symbol.strokes[0]])
        parts.append(f'<text x="{px(x)}" y="{px(y)}" fill={fill}>{escape(clean(symbol.label))}</text>')
    parts.append("</g>")
    return parts


def clean(text: str) -> str:
    """Leave out what no XML file may contain."""
    return "".join(c for c in text if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF)


def px(value: float) -> str:
    """A number of pixels, no longer than needed."""
    return f"{value:.1f}".removesuffix(".0")
