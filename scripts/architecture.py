"""The paper's figure 1: ink at the bottom, then the encoder, attention, the decoder, and LaTeX at the top.

Made from a `Reading`: the ink and the lit panels are real, the number of cells is symbolic. Frames in three
colours mark symbols in the ink and the step that writes each of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from inktex.reading import Reading
from inktex.report.canvas import ACCENT, GROUND, LABEL, PANEL, Canvas, brightness
from inktex.report.picture import Box, Element, Layer, Line, Picture, Text
from inktex.report.steps import END, ink_panel

WIDTH = 1180.0
LEFT = 210.0  # room for the names of the rows
COLORS = ("#5fc27e", "#5b9dff", "#b98cff")  # the first three symbols
SOFT = "#a79c92"
EDGE = "#574e47"
_MARGIN = 20.0


@dataclass(frozen=True)
class _Cells:
    """A row of equal cells."""

    count: int
    y: float
    height: float

    def centres(self) -> list[float]:
        room = WIDTH - LEFT - _MARGIN
        return [LEFT + room * (number + 0.5) / self.count for number in range(self.count)]

    def boxes(self, labels: Sequence[str], outline: str = EDGE) -> list[Element]:
        size = min(0.82 * (WIDTH - LEFT - _MARGIN) / self.count, 74.0)
        drawn: list[Element] = []
        for centre, label in zip(self.centres(), labels, strict=True):
            drawn.append(Box(centre - size / 2, self.y, size, self.height, PANEL, outline, 5.0))
            if label:
                drawn.append(Text(centre, self.y + self.height / 2 + 4.5, label, 12.0, LABEL, "middle"))
        return drawn


def architecture_picture(reading: Reading) -> Picture:
    """The whole figure."""
    labels = [*reading.tokens, END]
    symbols = [place for place, strokes in enumerate(reading.alignment.strokes_of) if strokes][: len(COLORS)]
    steps = len(labels)
    column = (WIDTH - LEFT - _MARGIN) / steps
    panels: list[Element] = []
    colors = dict(zip(symbols, COLORS, strict=False))
    states = _Cells(steps, 166.0, 34.0)
    for step, centre in enumerate(states.centres()):
        width = min(column - 8.0, 140.0)
        small = Canvas.fit(reading.ink, width - 8.0, 64.0, margin=6.0)
        lit = small.lit(brightness(reading.intensity(small.position))[step], 1.8)
        panels.append(
            Layer(
                ink_panel(small, lit, labels[step], width, 100.0),
                x=centre - width / 2,
                y=_MARGIN,
                marks={"step": str(step)},
            )
        )
        if step in colors:
            panels.append(Box(centre - width / 2, _MARGIN, width, 100.0, None, colors[step], 6.0))
        panels += _arrow(centre, 166.0, centre, 124.0)
    elements = [
        *_name("LaTeX, token by token", "y₁ … y_C; eq. 10", 74.0),
        *panels,
        *_decoder(states),
        *_attention(states),
        *_encoder(),
        *_ink(reading, colors),
    ]
    return Picture(WIDTH, 760.0, GROUND, tuple(elements), "The encoder, the attention and the decoder")


def _name(title: str, note: str, y: float) -> list[Element]:
    return [
        Text(LEFT - 18.0, y - 2.0, title, 12.5, LABEL, "end", bold=True),
        Text(LEFT - 18.0, y + 14.0, note, 11.0, SOFT, "end"),
    ]


def _arrow(x: float, y: float, to_x: float, to_y: float, color: str = SOFT) -> list[Element]:
    start, end = np.array([x, y]), np.array([to_x, to_y])
    along = (end - start) / max(float(np.hypot(*(end - start))), 1e-9)
    across = np.array([-along[1], along[0]])
    head = np.array([end - 6.0 * along + 3.5 * across, end, end - 6.0 * along - 3.5 * across])
    return [Line(np.array([start, end]), color, 1.3), Line(head, color, 1.3)]


def _decoder(states: _Cells) -> list[Element]:
    """s_1 … s_C, each from the one before, the token before and the context."""
    drawn = states.boxes([f"s{_lower(step + 1)}" for step in range(states.count)], ACCENT)
    centres, middle = states.centres(), states.y + states.height / 2
    half = min(0.41 * (centres[1] - centres[0]), 37.0) if len(centres) > 1 else 37.0
    for before, after in pairwise(centres):
        drawn += _arrow(before + half, middle, after - half, middle)
    return [*_name("Decoder GRU", "sₜ from sₜ₋₁, yₜ₋₁, cₜ; eq. 11–14", middle), *drawn]


def _attention(states: _Cells) -> list[Element]:
    """One bar for all steps: what it takes and gives."""
    room = WIDTH - LEFT - _MARGIN
    drawn: list[Element] = [Box(LEFT + 8.0, 246.0, room - 16.0, 66.0, PANEL, ACCENT, 8.0)]
    middle = LEFT + room / 2
    drawn += [
        Text(middle, 272.0, "αₜ = softmax of vᵀ tanh(W sₜ₋₁ + U aᵢ + U_f fᵢ)", 14.0, LABEL, "middle"),
        Text(middle, 296.0, "coverage: F = Q ∗ βₜ,  βₜ = sum of all past attention", 13.0, SOFT, "middle"),
    ]
    for number, centre in enumerate(states.centres(), start=1):
        drawn += _arrow(centre, 246.0, centre, 204.0, ACCENT)
        drawn.append(Text(centre + 6.0, 232.0, f"c{_lower(number)}", 11.5, ACCENT))
    return [*_name("Attention", "eq. 15–17", 266.0), *_name("with coverage", "eq. 18–20", 302.0), *drawn]


def _encoder() -> list[Element]:
    """Annotations, four layers with two poolings, and the features."""
    layers = [(4, 8), (3, 16), (2, 16), (1, 16)]  # the layer and how many cells of it are drawn, from the top
    drawn: list[Element] = []
    top = _Cells(4, 352.0, 30.0)
    drawn += [*_name("Annotations", "a₁ … a_L, L = N / 4; eq. 9", 368.0)]
    drawn += top.boxes([f"a{_lower(number)}" for number in (1, 2, 3)] + ["a_L"])
    for centre in top.centres():
        drawn += _arrow(centre, 352.0, centre, 316.0)
    y, above = 412.0, top
    for layer, count in layers:
        row = _Cells(count, y, 28.0)
        drawn += row.boxes(["⇄"] * count)
        share = count // above.count
        for number, centre in enumerate(row.centres()):
            drawn += _arrow(centre, y, above.centres()[number // share], above.y + above.height + 2.0)
        pooled = ", then pooled by 2" if layer > 2 else ""
        drawn += _name(f"Bidirectional GRU {layer}", f"250 + 250 units{pooled or '; eq. 4–7'}", y + 15.0)
        y, above = y + 54.0, row
    for centre in above.centres():
        drawn += _arrow(centre, 648.0, centre, above.y + above.height + 2.0)
    return drawn


def _ink(reading: Reading, colors: dict[int, str]) -> list[Element]:
    """The trajectory, its points, and frames around symbols."""
    canvas = Canvas.fit(reading.ink, 420.0, 88.0, margin=10.0, spacing=9.0)
    left = LEFT + (WIDTH - LEFT - _MARGIN - canvas.width) / 2
    parts: list[Element] = [*canvas.lines(LABEL, 2.0)]
    parts += [Line(point[None], ACCENT, 4.0) for point in canvas.xy]
    for place, color in colors.items():
        inside = np.isin(canvas.stroke, reading.alignment.strokes_of[place])
        low, high = canvas.xy[inside].min(axis=0) - 6.0, canvas.xy[inside].max(axis=0) + 6.0
        width, height = (high - low).tolist()
        parts.append(Box(float(low[0]), float(low[1]), width, height, None, color, 4.0))
    return [
        *_name("Ink", "x, y and stroke; eq. 1", 704.0),
        *_name("8 features per point", "x₁ … x_N; eq. 2", 650.0),
        Layer(tuple(parts), x=left, y=656.0),
    ]


def _lower(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
