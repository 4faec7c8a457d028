"""Counts and draws data: expressions with their segmentation, and statistics of splits as charts.

The suffix of the path decides the format. Expressions can also be written as an HTML page, which needs
nothing but inktex; everything else needs matplotlib (`pip install 'inktex[figures]'`).
"""

import html
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inktex.corpus.cache import Corpus, Problem
from inktex.corpus.example import STRUCTURE, Example
from inktex.files import write_atomically
from inktex.ink import Ink
from inktex.ink.svg import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class SplitStats:
    split: str
    expressions: int
    strokes: int
    points: int
    symbols: int  # written symbols, by the segmentation
    tokens: int
    classes: int  # different tokens, those without ink not counted
    writers: int  # known ones
    expressions_of: tuple[tuple[str, int], ...]  # by collection (folder), largest first
    count_of: tuple[tuple[str, int], ...]  # by token, most frequent first
    lengths: tuple[int, ...]  # tokens per expression
    problems: tuple[Problem, ...]


def split_stats(corpus: Corpus) -> SplitStats:
    examples = list(corpus)
    inks = [example.ink for example in examples]
    count_of = Counter(token for example in examples for token in example.tokens)
    written = tuple((token, count) for token, count in count_of.most_common() if token not in STRUCTURE)
    return SplitStats(
        split=corpus.split,
        expressions=len(examples),
        strokes=sum(map(len, inks)),
        points=sum(len(ink.points) for ink in inks),
        symbols=sum(len(ink.symbols) for ink in inks),
        tokens=count_of.total(),
        classes=len(written),
        writers=len({ink.writer for ink in inks} - {None}),
        expressions_of=tuple(Counter(example.folder for example in examples).most_common()),
        count_of=written,
        lengths=tuple(len(example.tokens) for example in examples),
        problems=corpus.problems,
    )


def reasons(problems: Iterable[Problem]) -> list[tuple[str, int, str]]:
    """Sum problems up: reason, how many files, and one of them; the most frequent first."""
    paths: dict[str, list[str]] = {}
    for problem in problems:
        paths.setdefault(problem.reason, []).append(problem.path)
    counts = Counter({reason: len(found) for reason, found in paths.items()})
    return [(reason, count, paths[reason][0]) for reason, count in counts.most_common()]


def draw_expressions(examples: Sequence[Example], path: Path) -> None:
    """Draw expressions in a grid, every symbol in its own colour and with its label, the truth above."""
    if path.suffix.lower() == ".html":
        write_atomically(path, expressions_page(examples))
        return
    columns = max(1, min(2, len(examples)))
    figure, axes = _subplots(len(examples), columns, (14.0 / columns, 1.9))
    for ax, example in zip(axes, examples, strict=True):
        ax.axis("off")
        _draw_ink(ax, example.ink, segmentation=True)
        _set_title(ax, f"{example.stem}    {' '.join(example.tokens)}", 110, fontsize=7)
    _save(figure, path)


def draw_sheet(inks: Sequence[Ink], path: Path, titles: Sequence[str]) -> None:
    """Draw a contact sheet: many small inks in black, each in a frame, about as many across as down."""
    figure, axes = _subplots(len(inks), max(1, round(len(inks) ** 0.5)), (3.0, 1.6))
    for ax, ink, title in zip(axes, inks, titles, strict=True):
        _draw_ink(ax, ink, segmentation=False)
        ax.margins(0.08, 0.15)
        ax.tick_params(left=False, bottom=False, labelleft=False, labelbottom=False)
        ax.spines[:].set_color("#dddddd")
        _set_title(ax, title, 60, fontsize=6)
    _save(figure, path)


def _set_title(ax: "Axes", text: str, length: int, fontsize: int) -> None:
    shortened = text if len(text) <= length else text[: length - 1] + "…"
    ax.set_title(shortened, fontsize=fontsize, loc="left", parse_math=False)


def expressions_page(examples: Sequence[Example]) -> str:
    """Write a standalone HTML page of expressions."""
    blocks = [
        f"<figure>{example.ink.to_svg(labels=True)}"
        f"<figcaption><b>{html.escape(example.stem)}</b> <code>{html.escape(' '.join(example.tokens))}</code>"
        "</figcaption></figure>"
        for example in examples
    ]
    style = "body{font:14px sans-serif;margin:2em;background:#fff;color:#222}figure{margin:0 0 2em}"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Ink</title><style>{style}</style>'
        f"<body>{''.join(blocks)}</body></html>\n"
    )


def draw_stats(stats: Sequence[SplitStats], path: Path) -> None:
    """Draw what splits hold: expressions by collection, their lengths, and how often each symbol occurs."""
    figure = _figure((14.0, 3.4 + 2.6 * len(stats)))
    grid = figure.add_gridspec(1 + len(stats), 2, height_ratios=[1.25] + [1.0] * len(stats))
    by_collection, lengths = (figure.add_subplot(grid[0, column]) for column in (0, 1))
    for number, each in enumerate(stats):
        color = PALETTE[number % len(PALETTE)]
        names = [f"{each.split}: {folder}" for folder, _ in each.expressions_of[:8]]
        bars = by_collection.barh(names, [count for _, count in each.expressions_of[:8]], color=color)
        by_collection.bar_label(bars, padding=3, fontsize=8)
        limit = min(max(each.lengths, default=1), 100)
        bins = range(1, limit + 2)
        lengths.hist(each.lengths, bins, density=True, histtype="step", color=color, label=each.split)
        _draw_counts(figure.add_subplot(grid[1 + number, :]), each, color)
    by_collection.invert_yaxis()
    by_collection.margins(x=0.1)
    by_collection.set_title("expressions by collection", loc="left")
    lengths.set_title("tokens per expression, share of the expressions", loc="left")
    if stats:
        lengths.legend(frameon=False)
    for ax in figure.axes:
        ax.spines[["top", "right"]].set_visible(False)
    _save(figure, path)


def _draw_counts(ax: "Axes", stats: SplitStats, color: str) -> None:
    """How often each symbol occurs, on a logarithmic scale so that rare ones can be seen."""
    tokens = [token for token, _ in stats.count_of]
    ax.bar(range(len(tokens)), [count for _, count in stats.count_of], color=color)
    ax.set_xticks(range(len(tokens)), tokens, rotation=90, fontsize=7, parse_math=False)
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.yaxis.set_minor_formatter("")
    ax.margins(x=0.005)
    ax.set_title(f"{stats.split}: how often each symbol occurs", loc="left")


def _draw_ink(ax: "Axes", ink: Ink, segmentation: bool) -> None:
    color_of = dict.fromkeys(range(len(ink)), "#222222")
    height = max(ink.bounds[3] - ink.bounds[1], 1e-9)
    if segmentation:
        for number, symbol in enumerate(ink.symbols):
            color = PALETTE[number % len(PALETTE)]
            color_of.update(dict.fromkeys(symbol.strokes, color))
            box = ink.select(symbol.strokes).bounds
            label = ax.text(box[0], box[1] - 0.03 * height, symbol.label, fontsize=6, color=color)
            label.set(va="bottom", parse_math=False)
    for number, stroke in enumerate(ink.strokes):
        ax.plot(stroke[:, 0], stroke[:, 1], color=color_of[number], linewidth=1.1, solid_capstyle="round")
        if len(stroke) == 1 or not (stroke != stroke[0]).any():
            ax.plot(stroke[:1, 0], stroke[:1, 1], ".", color=color_of[number], markersize=2.5)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.03, 0.12)
    ax.invert_yaxis()


def _figure(size: tuple[float, float]) -> "Figure":
    try:
        # The object interface leaves the user's own matplotlib settings (a notebook's backend) alone.
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'inktex[figures]'") from error
    return Figure(figsize=size, layout="constrained")


def _subplots(count: int, columns: int, size: tuple[float, float]) -> tuple["Figure", list[Any]]:
    """A figure with so many plots of a size, in columns."""
    rows = -(-count // columns)
    figure = _figure((size[0] * columns, size[1] * rows))
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for unused in axes[count:]:
        unused.axis("off")
    return figure, axes[:count]


def _save(figure: "Figure", path: Path) -> None:
    kind = path.suffix.lower().lstrip(".") or "png"
    if kind not in figure.canvas.get_supported_filetypes():
        raise ValueError(f"{path}: unknown picture format {kind!r}; use png, svg or pdf")
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=110)
    write_atomically(path, buffer.getvalue())
