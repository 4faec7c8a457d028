"""The paper's figure 3: one panel per token, the ink lit where the decoder looked, the token under it.

Turns a `Reading` into a `Picture`, still (`steps_picture`) or animated (`animated_picture`, in which the
LaTeX grows under the ink), or into the frames of an animation (`animation_frames`, for GIF).
"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from inktex.latex import END_MARK, print_latex
from inktex.reading import Reading

from .canvas import GROUND, LABEL, PANEL, Canvas, brightness, token_texts
from .picture import MONOSPACE_WIDTH, Box, Element, Layer, Line, Picture, Text

_GAP = 10.0
_SIZE = 17.0  # of the tokens under moving ink
END = "(end)"  # stands for the end mark


def steps_picture(reading: Reading, *, width: float = 1200.0, only: Sequence[int] | None = None) -> Picture:
    """All steps (or `only` some) in a grid, in reading order."""
    labels = [*reading.tokens, END]
    wanted = list(range(len(labels))) if only is None else list(only)
    canvas = Canvas.fit(reading.ink, 226.0, 110.0)
    panel_height = max(canvas.height, 40.0) + 30.0
    panel = max(canvas.width, MONOSPACE_WIDTH * 15.0 * max(len(labels[step]) for step in wanted) + 12.0, 70.0)
    # As many columns as fit, but rows filled evenly.
    rows = ceil(len(wanted) / max(1, int((width - _GAP) // (panel + _GAP))))
    columns = ceil(len(wanted) / rows)
    light = brightness(reading.intensity(canvas.position))
    panels = [
        Layer(
            ink_panel(canvas, canvas.lit(light[step], 1.8), labels[step], panel, panel_height),
            marks={"step": str(step), "token": labels[step]},
        )
        for step in wanted
    ]
    title = f"Attention step by step: {print_latex(reading.tokens)}"
    return grid_picture(panels, columns, panel, panel_height, _GAP, title)


def grid_picture(
    panels: Sequence[Layer], columns: int, width: float, height: float, gap: float, title: str
) -> Picture:
    """Panels of one size, row by row."""
    rows = ceil(len(panels) / columns)
    placed = tuple(
        replace(panel, x=gap + number % columns * (width + gap), y=gap + number // columns * (height + gap))
        for number, panel in enumerate(panels)
    )
    return Picture(gap + columns * (width + gap), gap + rows * (height + gap), GROUND, placed, title)


def ink_panel(
    canvas: Canvas, lit: Sequence[Line], label: str, width: float, height: float, *, token: bool = True
) -> tuple[Element, ...]:
    """One panel: the ink, what is lit of it, and the token or another label."""
    ink = (*canvas.lines(width=1.8), *lit)
    return (
        Box(0, 0, width, height, fill=PANEL, radius=6.0),
        Layer(ink, x=(width - canvas.width) / 2, y=(height - 26.0 - canvas.height) / 2),
        Text(width / 2, height - 11.0, label, 15.0 if token else 13.0, LABEL, "middle", token, bold=token),
    )


def animated_picture(reading: Reading, *, width: float = 720.0, seconds: float = 0.7) -> Picture:
    """An SVG that plays by itself, also inside an <img>: for each step the lit ink and the LaTeX so far."""
    scene = _Scene(reading, width)
    count = len(scene.labels)
    frames = [
        Layer(
            scene.frame(step), marks={"step": str(step), "token": scene.labels[step]}, css_class=f"s s{step}"
        )
        for step in range(count)
    ]
    shown = 100.0 / count
    delays = "".join(f".s{step}{{animation-delay:{step * seconds:.2f}s}}" for step in range(count))
    style = (
        f".s{{visibility:hidden;animation:show {count * seconds:.2f}s linear infinite}}{delays}"
        f"@keyframes show{{0%{{visibility:visible}}{shown:.3f}%,100%{{visibility:hidden}}}}"
        # With reduced motion, only the picture of the last token is shown.
        f"@media (prefers-reduced-motion:reduce){{.s{{animation:none}}.s{count - 1}{{visibility:visible}}}}"
    )
    return scene.picture((*scene.ground(), *frames), style)


def animation_frames(reading: Reading, *, width: float = 720.0) -> list[Picture]:
    """The same as single pictures of one size."""
    scene = _Scene(reading, width)
    return [scene.picture((*scene.ground(), *scene.frame(step))) for step in range(len(scene.labels))]


class _Scene:
    """Ink above, tokens below, broken into lines of a fixed width."""

    def __init__(self, reading: Reading, width: float) -> None:
        self.reading = reading
        self.canvas = Canvas.fit(reading.ink, width - 2 * _GAP, 260.0, margin=14.0)
        self.light = brightness(reading.intensity(self.canvas.position))
        self.labels = [*reading.tokens, END]
        self.width, self.left = width, (width - self.canvas.width) / 2
        self.height = self._texts(len(self.labels) - 1)[-1].y + 1.2 * _SIZE

    def _texts(self, step: int) -> list[Text]:
        """The tokens up to a step, its own in the accent colour."""
        x, y = _GAP + 6.0, self.canvas.height + 2 * _GAP + 1.5 * _SIZE
        lines = {"right": self.width - _GAP, "leading": 1.6 * _SIZE, "space": 9.0}
        return token_texts(self.labels[: step + 1], {step}, x, y, _SIZE, **lines)

    def ground(self) -> tuple[Element, ...]:
        """What does not move."""
        return (
            Box(_GAP, _GAP, self.width - 2 * _GAP, self.canvas.height, fill=PANEL, radius=6.0),
            Layer(tuple(self.canvas.lines(width=2.2)), x=self.left, y=_GAP),
        )

    def frame(self, step: int) -> tuple[Element, ...]:
        """What one step adds: light on the ink, and the tokens up to it."""
        lit = tuple(self.canvas.lit(self.light[step], 2.2))
        return (Layer(lit, x=self.left, y=_GAP), *self._texts(step))

    def picture(self, elements: tuple[Element, ...], style: str = "") -> Picture:
        title = f"Attention while writing {print_latex(self.reading.tokens)} {END_MARK}"
        return Picture(self.width, self.height, GROUND, elements, title, style)
