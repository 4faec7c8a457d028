"""Pictures as pixels: PNG, and GIF of several. Needs the extra `figures` (matplotlib, which brings Pillow).

Draws a `Picture` (see `picture.py`) with the same lines, boxes and text as the SVG.
"""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from inktex.ink import Ink

from .canvas import Canvas
from .picture import Box, Line, Picture, Text

if TYPE_CHECKING:
    from PIL.Image import Image

_DPI = 72.0  # one point of matplotlib is one pixel of the picture


def to_png(picture: Picture, *, scale: float = 2.0) -> bytes:
    """The picture as PNG, `scale` pixels for each of its units."""
    buffer = io.BytesIO()
    _figure(picture).savefig(buffer, format="png", dpi=_DPI * scale)
    return buffer.getvalue()


def ink_png(ink: Ink) -> bytes:
    """Ink as a PNG: dark on white."""
    canvas = Canvas.fit(ink, 900.0, 240.0)
    lines = tuple(canvas.lines("#1c2438", 2.0))
    return to_png(Picture(canvas.width, canvas.height, "#ffffff", lines, ink.truth or f"{len(ink)} strokes"))


def to_gif(frames: Sequence[Picture], *, seconds: float = 0.7) -> bytes:
    """Pictures of one size as an endless GIF."""
    if not frames:
        raise ValueError("a GIF needs at least one picture")
    from PIL.Image import Dither

    images = [_image(frame) for frame in frames]
    # One palette for all frames: with one each, unlit ink would flicker.
    wide = sorted(images, key=lambda image: -len(image.getcolors(1 << 24) or []))[0]
    palette = wide.quantize(colors=255)
    flat = [image.quantize(palette=palette, dither=Dither.NONE) for image in images]
    buffer = io.BytesIO()
    duration = round(1000 * seconds)
    flat[0].save(
        buffer, format="GIF", save_all=True, append_images=flat[1:], duration=duration, loop=0, optimize=True
    )
    return buffer.getvalue()


def _image(picture: Picture) -> "Image":
    from PIL import Image

    return Image.open(io.BytesIO(to_png(picture, scale=1.0))).convert("RGB")


def _figure(picture: Picture) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(f"PNG and GIF need matplotlib ({error}); pip install 'inktex[figures]'") from None
    figure = Figure(figsize=(picture.width / _DPI, picture.height / _DPI), dpi=_DPI)
    figure.patch.set_facecolor(picture.background)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, picture.width)
    axes.set_ylim(picture.height, 0)
    axes.axis("off")
    for order, (element, x, y) in enumerate(picture.placed()):
        if isinstance(element, Line):
            _draw_line(axes, element, x, y, order)
        elif isinstance(element, Box):
            _draw_box(axes, element, x, y, order)
        else:
            _draw_text(axes, element, x, y, order)
    return figure


def _draw_line(axes: Any, line: Line, x: float, y: float, order: int) -> None:
    points = line.points if len(line.points) > 1 else line.points.repeat(2, axis=0)
    axes.plot(
        points[:, 0] + x,
        points[:, 1] + y,
        color=line.color,
        linewidth=line.width,
        alpha=line.opacity,
        solid_capstyle="round",
        solid_joinstyle="round",
        zorder=order,
    )


def _draw_box(axes: Any, box: Box, x: float, y: float, order: int) -> None:
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch(
            (box.x + x, box.y + y),
            box.width,
            box.height,
            boxstyle=f"round,pad=0,rounding_size={box.radius}" if box.radius else "square,pad=0",
            facecolor=box.fill or "none",
            edgecolor=box.outline or "none",
            linewidth=1.0 if box.outline else 0.0,
            zorder=order,
        )
    )


def _draw_text(axes: Any, text: Text, x: float, y: float, order: int) -> None:
    axes.text(
        text.x + x,
        text.y + y,
        text.text,
        fontsize=text.size,
        color=text.color,
        family="DejaVu Sans Mono" if text.monospace else "DejaVu Sans",
        weight="bold" if text.bold else "normal",
        ha={"start": "left", "middle": "center", "end": "right"}[text.anchor],
        va="baseline",
        parse_math=False,
        zorder=order,
    )
