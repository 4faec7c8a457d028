"""Composes pages of several lines from single expressions, to fit and to measure the finding of lines.

The expressions of a page come from one hand: the same folder, the same writer. They are scaled to a common
height of their symbols, with a little variation, or keep the size they were written in, and are stacked from
top to bottom. The same seed gives the same pages, so figures can be computed again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from inktex.corpus.example import Example
from inktex.ink import Ink

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PageStyle:
    """How expressions are put on a page; lengths are in heights of the symbols."""

    gap: tuple[float, float] = (0.5, 1.2)  # between the boxes of two lines, drawn for each pair
    interlocked: bool = False  # the gap is the least distance in any column, so that boxes may overlap
    sizes: Literal["common", "own"] = "common"
    indent: float = 1.0  # lines begin at most this far to the right of the margin
    slant: float = 0.0  # degrees by which the page is turned, either way, at most
    delayed: float = 0.0  # share of lines with a stroke that is drawn after the line, or after the page
    lines: tuple[int, int] = (2, 6)


STYLES = {
    "natural": PageStyle(),
    "tight": PageStyle(gap=(0.15, 0.5)),
    "own sizes": PageStyle(gap=(0.3, 1.2), sizes="own"),
    "interlocked": PageStyle(gap=(0.2, 0.6), interlocked=True),
    "slanted": PageStyle(gap=(0.4, 1.0), slant=4.0),
    "delayed": PageStyle(gap=(0.4, 1.0), delayed=0.5),
}


_RELATIONS = {"=", "<", ">", r"\leq", r"\geq"}


@dataclass(frozen=True)
class Page:
    """Ink of several lines, and for every stroke the number of its line from the top."""

    ink: Ink
    line_of: tuple[int, ...]
    sources: tuple[str, ...]  # the stems of the expressions


def hands(examples: Sequence[Example]) -> list[list[Example]]:
    """Sort examples by folder and writer; hands with a single expression are left out."""
    found: dict[tuple[str, str], list[Example]] = {}
    for example in examples:
        # Where files name no writer, stems of one writer begin alike: `103_em_7`, `rit_4210_3`.
        beginning = example.stem.replace("-", "_").rpartition("_")[0]
        writer = example.ink.writer or beginning
        found.setdefault((example.folder, writer), []).append(example)
    return [found[key] for key in sorted(found) if len(found[key]) > 1]


def compose_pages(examples: Sequence[Example], style: PageStyle, count: int, seed: int) -> list[Page]:
    """Make `count` pages; a hand is chosen the more often, the more expressions it has."""
    rng = np.random.default_rng(seed)
    groups = hands(examples)
    weights = np.array([len(group) for group in groups], dtype=np.float64)
    pages = []
    for _ in range(count):
        group = groups[int(rng.choice(len(groups), p=weights / weights.sum()))]
        low, high = style.lines
        wanted = min(int(rng.integers(low, high + 1)), len(group))
        chosen = rng.choice(len(group), wanted, replace=False)
        pages.append(compose_page([group[place] for place in chosen.tolist()], style, rng))
    return pages


def compose_page(examples: Sequence[Example], style: PageStyle, rng: np.random.Generator) -> Page:
    """Stack expressions in the order given."""
    common = symbol_height(examples[0].ink)
    above: list[Ink] = []
    heights: list[float] = []
    for example in examples:
        own = symbol_height(example.ink)
        factor = common / own * float(np.exp(rng.normal(0.0, 0.1))) if style.sizes == "common" else 1.0
        ink, height = example.ink.scale(factor), own * factor
        left, top, _, _ = ink.bounds
        ink = ink.translate(float(rng.uniform(0.0, style.indent)) * height - left, -top)
        if above:
            unit = (heights[-1] + height) / 2
            gap = float(rng.uniform(*style.gap)) * unit
            ink = ink.translate(0.0, _shift(above, ink, gap, unit if style.interlocked else None))
        above.append(ink)
        heights.append(height)
    strokes = [(stroke, number) for number, ink in enumerate(above) for stroke in ink.strokes]
    strokes = _with_delays(strokes, style.delayed, rng)
    angle = np.deg2rad(rng.uniform(-style.slant, style.slant))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return Page(
        ink=Ink.from_strokes([stroke for stroke, _ in strokes]).transform(turn),
        line_of=tuple(number for _, number in strokes),
        sources=tuple(example.stem for example in examples),
    )


def compose_systems(
    examples: Sequence[Example], braces: Sequence[Sequence[Floats]], count: int, seed: int
) -> list[Page]:
    """Make pages of two or three equations behind a brace, drawn by turns before and after them.

    The line of a brace is -1.
    """
    rng = np.random.default_rng(seed)
    short = [each for each in examples if len(each.tokens) <= 16 and _RELATIONS & set(each.tokens)]
    style = PageStyle(gap=(0.3, 1.0), indent=0.3, lines=(2, 3))
    return [
        _with_brace(page, braces[int(rng.integers(len(braces)))], rng, last=bool(number % 2))
        for number, page in enumerate(compose_pages(short, style, count, seed))
    ]


def _with_brace(page: Page, brace: Sequence[Floats], rng: np.random.Generator, *, last: bool) -> Page:
    left, top, _, bottom = page.ink.bounds
    unit = symbol_height(page.ink)
    height = (bottom - top) * float(rng.uniform(0.98, 1.15))
    width = float(np.clip(unit * rng.uniform(0.35, 0.8), 0.08 * height, 0.3 * height))
    points = np.concatenate(brace)
    corner, size = points.min(axis=0), np.maximum(np.ptp(points, axis=0), 1e-9)
    place = left - width - unit * rng.uniform(0.15, 0.7), (top + bottom - height) / 2
    drawn = [(stroke - corner) / size * (width, height) + place for stroke in brace]
    rows = list(page.ink.strokes)
    strokes = [*rows, *drawn] if last else [*drawn, *rows]
    own = (-1,) * len(drawn)
    line_of = (*page.line_of, *own) if last else (*own, *page.line_of)
    return Page(Ink.from_strokes(strokes), line_of, page.sources)


def symbol_height(ink: Ink) -> float:
    """Median height of the symbols that are not flat; of the strokes where there is no segmentation."""
    groups = [symbol.strokes for symbol in ink.symbols] or [(stroke,) for stroke in range(len(ink))]
    sizes = []
    for group in groups:
        points = np.concatenate([ink[stroke] for stroke in group])
        sizes.append(np.ptp(points, axis=0))
    width, height = np.array(sizes).T
    tall = height[height > 0.5 * width]
    found = float(np.median(tall)) if len(tall) else float(np.median(np.maximum(width, height)))
    return found if found > 0 else 1.0


def _shift(above: Sequence[Ink], ink: Ink, gap: float, column: float | None) -> float:
    """How far an ink with its top at 0 goes down to have this gap to what is above it."""
    if column is None:
        return max(each.bounds[3] for each in above) + gap
    upper = np.concatenate([each.points for each in above])
    first = int(np.floor(min(upper[:, 0].min(), ink.points[:, 0].min()) / column)) - 1
    last = int(np.floor(max(upper[:, 0].max(), ink.points[:, 0].max()) / column)) + 2
    lowest, highest = np.full(last - first, -np.inf), np.full(last - first, np.inf)
    np.maximum.at(lowest, np.floor(upper[:, 0] / column).astype(int) - first, upper[:, 1])
    np.minimum.at(highest, np.floor(ink.points[:, 0] / column).astype(int) - first, ink.points[:, 1])
    nearby = np.maximum(lowest[1:-1], np.maximum(lowest[:-2], lowest[2:]))
    # A line stays below the middle of the one above, even where the two share no column.
    _, top, _, bottom = above[-1].bounds
    return max(float((nearby - highest[1:-1]).max()), (top + bottom) / 2) + gap


def _with_delays(
    strokes: list[tuple[Floats, int]], share: float, rng: np.random.Generator
) -> list[tuple[Floats, int]]:
    """Let one stroke of some lines, such as a dot or a bar, be drawn later."""
    late: list[tuple[Floats, int]] = []
    kept: list[tuple[Floats, int]] = []
    for number in sorted({line for _, line in strokes}):
        line = [each for each in strokes if each[1] == number]
        if len(line) > 2 and rng.random() < share:
            stroke = line.pop(int(rng.integers(len(line) - 1)))
            (late if rng.random() < 0.5 else line).append(stroke)
        kept += line
    return kept + late
