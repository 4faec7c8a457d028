"""Pictures as data: lines, boxes and text in pixels, grouped; written as SVG here, as pixels by `raster.py`.

A figure is composed once and looks the same in every format. Lines and groups carry what they show (`marks`,
written as data- attributes), so that a page can find its parts and a test can check what is lit.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

Points: TypeAlias = NDArray[np.float64]  # (n, 2) in pixels, y down
Marks: TypeAlias = Mapping[str, str]
Anchor: TypeAlias = Literal["start", "middle", "end"]

MONOSPACE = "'DejaVu Sans Mono','Menlo','Consolas',monospace"
SANS = "'DejaVu Sans','Helvetica Neue','Arial',sans-serif"
MONOSPACE_WIDTH = 0.602  # of a character, in font sizes


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
    """A drawing of a certain size."""

    width: float
    height: float
    background: str
    elements: tuple[Element, ...]
    title: str
    style: str = ""  # CSS, for animation

    def placed(self) -> Iterator[tuple[Line | Box | Text, float, float]]:
        """All drawn elements in order, each with how far its groups move it."""
        pending: list[tuple[Element, float, float]] = [(each, 0.0, 0.0) for each in reversed(self.elements)]
        while pending:
            element, x, y = pending.pop()
            if isinstance(element, Layer):
                inner = (x + element.x, y + element.y)
                pending += [(each, *inner) for each in reversed(element.elements)]
            else:
                yield element, x, y

    def to_svg(self) -> str:
        """The picture as a standalone SVG file."""
        size = f'width="{px(self.width)}" height="{px(self.height)}"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {px(self.width)} {px(self.height)}"'
            f" role={quoteattr('img')} aria-label={quoteattr(clean(self.title))}>",
            f"<title>{escape(clean(self.title))}</title>",
        ]
        if self.style:
            parts.append(f"<style>{self.style}</style>")
        parts.append(f'<rect width="100%" height="100%" fill={quoteattr(self.background)}/>')
        parts.append('<g fill="none" stroke-linecap="round" stroke-linejoin="round">')
        parts += _written(self.elements)
        parts.append("</g></svg>")
        return "\n".join(parts) + "\n"


def _written(elements: Iterable[Element]) -> Iterator[str]:
    for element in elements:
        if isinstance(element, Layer):
            place = (
                f' transform="translate({px(element.x)} {px(element.y)})"' if element.x or element.y else ""
            )
            name = f" class={quoteattr(element.css_class)}" if element.css_class else ""
            yield f"<g{name}{place}{_data(element.marks)}>"
            yield from _written(element.elements)
            yield "</g>"
        elif isinstance(element, Line):
            faint = f' stroke-opacity="{element.opacity:g}"' if element.opacity < 1 else ""
            yield (
                f'<path stroke="{element.color}" stroke-width="{px(element.width)}"{faint}'
                f'{_data(element.marks)} d="{path_data(element.points)}"/>'
            )
        elif isinstance(element, Box):
            yield _box(element)
        else:
            yield _text(element)


def _box(box: Box) -> str:
    fill = f' fill="{box.fill}"' if box.fill else ""
    outline = f' stroke="{box.outline}"' if box.outline else ""
    round_corners = f' rx="{px(box.radius)}"' if box.radius else ""
    size = f'width="{px(box.width)}" height="{px(box.height)}"'
    return f'<rect x="{px(box.x)}" y="{px(box.y)}" {size}{round_corners}{fill}{outline}/>'


def _text(text: Text) -> str:
    family = MONOSPACE if text.monospace else SANS
    anchor = f' text-anchor="{text.anchor}"' if text.anchor != "start" else ""
    weight = ' font-weight="bold"' if text.bold else ""
    return (
        f'<text x="{px(text.x)}" y="{px(text.y)}" font-family={quoteattr(family)} '
        f'font-size="{px(text.size)}"{weight}{anchor} fill="{text.color}">{escape(clean(text.text))}</text>'
    )


def _data(marks: Marks) -> str:
    return "".join(f" data-{name}={quoteattr(clean(value))}" for name, value in marks.items())


def path_data(points: Points) -> str:
    """SVG path data with short numbers; a single point becomes a line of no length, drawn as a dot."""
    rows = [f"{px(x)} {px(y)}" for x, y in points.tolist()]
    return f"M{rows[0]}L{' '.join(rows[1:] or rows)}"


def px(value: float) -> str:
    """A number of pixels, no longer than needed."""
    return f"{value:.1f}".removesuffix(".0")


def clean(text: str) -> str:
    """Leave out what no XML file may contain."""
    return "".join(c for c in text if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF)
