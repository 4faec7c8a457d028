"""Draws ink as a standalone SVG image, for notebooks, the web page and contact sheets.

Coordinates are scaled to pixels and rounded, so that a drawing is small whatever the scale of the ink.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    strokes, width, full_height = _in_pixels(ink, height, max_width, margin)
    colors = _stroke_colors(len(ink), color, ink if labels else None)
    title = _clean(ink.truth) if ink.truth else f"{len(ink)} strokes"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_px(width)}" height="{_px(full_height)}" '
        f'viewBox="0 0 {_px(width)} {_px(full_height)}" role="img" aria-label={quoteattr(title)}>'
    ]
    if background is not None:
        parts.append(f'<rect width="100%" height="100%" fill={quoteattr(background)}/>')
    parts.append(
        f'<g fill="none" stroke-width="{_px(line_width)}" stroke-linecap="round" stroke-linejoin="round">'
    )
    for number, (stroke, stroke_color) in enumerate(zip(strokes, colors, strict=True)):
        parts.append(f'<path data-stroke="{number}" stroke={quoteattr(stroke_color)} d="{_path(stroke)}"/>')
    parts.append("</g>")
    if labels:
        parts.extend(_labels(ink, strokes, colors))
    parts.append("</svg>")
    return "\n".join(parts)


def _in_pixels(ink: Ink, height: float, max_width: float, margin: float) -> tuple[list[Floats], float, float]:
    if not len(ink):
        return [], 2 * margin, 2 * margin
    left, top, right, bottom = ink.bounds
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        # Half the spans first: the full span of extreme coordinates can overflow.
        half_width, half_height = right / 2 - left / 2, bottom / 2 - top / 2
        inner = max(height - 2 * margin, 1.0)
        inner_width = max(max_width - 2 * margin, 1.0)
        scales = [
            space / 2 / half for space, half in ((inner, half_height), (inner_width, half_width)) if half > 0
        ]
        scale = min(filter(np.isfinite, scales), default=1.0)
        center = np.array([left / 2 + right / 2, top / 2 + bottom / 2])
        middle = np.array([half_width, half_height]) * scale + margin
        strokes = [np.nan_to_num((stroke - center) * scale + middle) for stroke in ink.strokes]
    return strokes, 2 * float(middle[0]), 2 * float(middle[1])


def _path(stroke: Floats) -> str:
    """A path of short numbers; a single point becomes a dot (a line of no length with round ends)."""
    rows = [f"{_px(x)} {_px(y)}" for x, y in stroke.tolist()]
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
    parts = [f'<g font-family="sans-serif" font-size="{_px(LABEL_SIZE)}" text-anchor="middle">']
    for symbol in ink.symbols:
        points = np.concatenate([strokes[stroke] for stroke in symbol.strokes])
        x = (points[:, 0].min() + points[:, 0].max()) / 2
        y = points[:, 1].min() - 4.0
        fill = quoteattr(colors[symbol.strokes[0]])
        parts.append(f'<text x="{_px(x)}" y="{_px(y)}" fill={fill}>{escape(_clean(symbol.label))}</text>')
    parts.append("</g>")
    return parts


def _clean(text: str) -> str:
    """Leave out what no XML file may contain."""
    return "".join(c for c in text if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF)


def _px(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
