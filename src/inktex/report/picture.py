"""Pictures as data: lines, boxes and text in pixels, grouped; written as SVG, PNG or GIF.

A figure is composed once and looks the same in every format. Lines and groups carry what they show (`marks`,
written as data- attributes), so that a page can find its parts and a test can check what is lit. PNG and GIF
need the extra `figures` (matplotlib, which brings Pillow).
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from inktex.ink.svg import clean, path_of, px

Points: TypeAlias = NDArray[np.float64]  # (n, 2) in pixels, y down
Marks: TypeAlias = Mapping[str, str]
Anchor: TypeAlias = Literal["start", "middle", "end"]

MONOSPACE = "'DejaVu Sans Mono','Menlo','Consolas',monospace"
SANS = "'DejaVu Sans','Helvetica Neue','Arial',sans-serif"
MONOSPACE_WIDTH = 0.602  # of a character, in font sizes
_DPI = 72.0  # one point of matplotlib is one pixel of the picture


@dataclass(frozen=True, eq=False)
class Line:
    """A line through points with round ends; a single point is a dot."""

    points: Points
    color: str
    width: float
    opacity: float = 1.0
    marks: Marks = field(default_factory=dict)


@dataclass(frozen=True)
class Box:
    """A rectangle, filled or outlined or both."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    outline: str | None = None
    radius: float = 0.0


@dataclass(frozen=True)
class Text:
    """One line of text; `y` is the baseline."""

    x: float
    y: float
    text: str
    size: float
    color: str
    anchor: Anchor = "start"
    monospace: bool = False
    bold: bool = False


@dataclass(frozen=True)
class Layer:
    """Elements moved together."""

    elements: tuple["Element", ...]
    x: float = 0.0
    y: float = 0.0
    marks: Marks = field(default_factory=dict)
    css_class: str | None = None


Element: TypeAlias = Line | Box | Text | Layer


@dataclass(frozen=True)
class Picture:
    width: float
    height: float
    background: str
    elements: tuple[Element, ...]
    title: str
    style: str = ""  # CSS, for animation

    def to_svg(self) -> str:
        size = f'width="{px(self.width)}" height="{px(self.height)}"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {px(self.width)} {px(self.height)}"'
            f' role="img" aria-label={quoteattr(clean(self.title))}>',
            f"<title>{escape(clean(self.title))}</title>",
            *([f"<style>{self.style}</style>"] if self.style else []),
            f'<rect width="100%" height="100%" fill={quoteattr(self.background)}/>',
            '<g fill="none" stroke-linecap="round" stroke-linejoin="round">',
            *_written(self.elements),
            "</g></svg>\n",
        ]
        return "\n".join(parts)


def placed(
    elements: Iterable[Element], x: float = 0.0, y: float = 0.0
) -> Iterator[tuple[Line | Box | Text, float, float]]:
    """All drawn elements in order, each with how far its groups move it."""
    for element in elements:
        if isinstance(element, Layer):
            yield from placed(element.elements, x + element.x, y + element.y)
        else:
            yield element, x, y


def _written(elements: Iterable[Element]) -> Iterator[str]:
    for element in elements:
        if isinstance(element, Layer):
            moved = element.x or element.y
            place = f' transform="translate({px(element.x)} {px(element.y)})"' if moved else ""
            name = f" class={quoteattr(element.css_class)}" if element.css_class else ""
            yield f"<g{name}{place}{_data(element.marks)}>"
            yield from _written(element.elements)
            yield "</g>"
        elif isinstance(element, Line):
            faint = f' stroke-opacity="{element.opacity:g}"' if element.opacity < 1 else ""
            yield (
                f'<path stroke="{element.color}" stroke-width="{px(element.width)}"{faint}'
                f'{_data(element.marks)} d="{path_of(element.points)}"/>'
            )
        elif isinstance(element, Box):
            fill = f' fill="{element.fill}"' if element.fill else ""
            outline = f' stroke="{element.outline}"' if element.outline else ""
            round_corners = f' rx="{px(element.radius)}"' if element.radius else ""
            size = f'width="{px(element.width)}" height="{px(element.height)}"'
            yield f'<rect x="{px(element.x)}" y="{px(element.y)}" {size}{round_corners}{fill}{outline}/>'
        else:
            family = MONOSPACE if element.monospace else SANS
            anchor = f' text-anchor="{element.anchor}"' if element.anchor != "start" else ""
            weight = ' font-weight="bold"' if element.bold else ""
            yield (
                f'<text x="{px(element.x)}" y="{px(element.y)}" font-family={quoteattr(family)} '
                f'font-size="{px(element.size)}"{weight}{anchor} fill="{element.color}">'
                f"{escape(clean(element.text))}</text>"
            )


def _data(marks: Marks) -> str:
    return "".join(f" data-{name}={quoteattr(clean(value))}" for name, value in marks.items())


def to_png(picture: Picture, *, scale: float = 2.0) -> bytes:
    """The picture as PNG, `scale` pixels for each of its units."""
    buffer = io.BytesIO()
    _figure(picture).savefig(buffer, format="png", dpi=_DPI * scale)
    return buffer.getvalue()


def to_gif(frames: Sequence[Picture], *, seconds: float = 0.7) -> bytes:
    """Pictures of one size as an endless GIF."""
    pngs = [to_png(frame, scale=1.0) for frame in frames]
    from PIL import Image

    images = [Image.open(io.BytesIO(png)).convert("RGB") for png in pngs]
    # One palette for all frames: with one each, unlit ink would flicker.
    palette = max(images, key=lambda image: len(image.getcolors(1 << 24) or [])).quantize(colors=255)
    first, *others = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    buffer = io.BytesIO()
    options = {"duration": round(1000 * seconds), "loop": 0, "optimize": True}
    first.save(buffer, format="GIF", save_all=True, append_images=others, **options)
    return buffer.getvalue()


def _figure(picture: Picture) -> Any:
    try:
        from matplotlib.figure import Figure
        from matplotlib.patches import FancyBboxPatch
    except ImportError as error:
        raise ImportError(f"PNG and GIF need matplotlib ({error}); pip install 'inktex[figures]'") from None
    figure = Figure(figsize=(picture.width / _DPI, picture.height / _DPI), dpi=_DPI)
    figure.patch.set_facecolor(picture.background)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, picture.width)
    axes.set_ylim(picture.height, 0)
    axes.axis("off")
    for order, (each, x, y) in enumerate(placed(picture.elements)):
        if isinstance(each, Line):
            points = (each.points if len(each.points) > 1 else each.points.repeat(2, axis=0)) + (x, y)
            style: dict[str, Any] = {"color": each.color, "linewidth": each.width, "alpha": each.opacity}
            axes.plot(*points.T, solid_capstyle="round", solid_joinstyle="round", zorder=order, **style)
        elif isinstance(each, Box):
            corners = f"round,pad=0,rounding_size={each.radius}" if each.radius else "square,pad=0"
            box = FancyBboxPatch((each.x + x, each.y + y), each.width, each.height, corners, zorder=order)
            box.set(facecolor=each.fill or "none", edgecolor=each.outline or "none")
            box.set_linewidth(1.0 if each.outline else 0.0)
            axes.add_patch(box)
        else:
            family = "DejaVu Sans Mono" if each.monospace else "DejaVu Sans"
            across = {"start": "left", "middle": "center", "end": "right"}[each.anchor]
            weight = "bold" if each.bold else "normal"
            text = axes.text(each.x + x, each.y + y, each.text, ha=across, color=each.color, zorder=order)
            text.set(fontsize=each.size, family=family, weight=weight, parse_math=False)
    return figure
