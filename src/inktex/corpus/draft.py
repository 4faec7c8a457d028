r"""Expressions in the making: tokens and placed glyphs, to be cut, joined and redrawn before they are ink.

A `Draft` is made of a real expression (`Draft.of`) or of glyphs. Moving it is arithmetic on a few numbers per
glyph; the points are touched once, by `finished`. Lengths are those of the ink it came from until `on_line`
scales it so that its x-height is 1 and its baseline lies at y = 0 (y points down).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from statistics import median

import numpy as np

from inktex.corpus.bank import Glyph, Points
from inktex.corpus.example import StrokesOf
from inktex.corpus.placing import Box, Placed, box_of, mark, shift
from inktex.corpus.recombine import Piece
from inktex.corpus.roles import metric, role_of

Order = list[tuple[int, int]]  # (mark, stroke of it) in the order of writing

# Symbols whose height says how large the writing is.
_TELLING_ROLES = frozenset({"letter", "digit", "function", "limit"})


class Draft:
    """Tokens and the marks they are written with; a mark's `token` is the index of its token."""

    __slots__ = ("marks", "order", "tokens")

    def __init__(self, tokens: list[str], marks: list[Placed], order: Order | None = None) -> None:
        self.tokens = tokens
        self.marks = marks
        self.order = order if order is not None else written_in_turn(marks)

    @classmethod
    def of(cls, piece: Piece, writer: str = "") -> "Draft":
        """A draft of real ink in which every stroke belongs to one token."""
        marks: list[Placed] = []
        place_of: dict[int, tuple[int, int]] = {}
        for token, numbers in enumerate(piece.strokes_of):
            if not numbers:
                continue
            label = piece.tokens[token]
            strokes = [piece.strokes[number] for number in numbers]
            low = np.min([stroke.min(axis=0) for stroke in strokes], axis=0)
            glyph = Glyph.from_strokes(label, strokes, writer)
            place_of |= {number: (len(marks), place) for place, number in enumerate(numbers)}
            marks.append(mark(token, label, glyph, 1.0, 1.0, float(low[0]), float(low[1])))
        return cls(list(piece.tokens), marks, [place_of[number] for number in sorted(place_of)])

    def copy(self) -> "Draft":
        """A copy that can be changed."""
        return Draft(self.tokens.copy(), [replace(each) for each in self.marks], self.order.copy())

    def cut(self, start: int, end: int) -> "Draft":
        """A copy of tokens start to end with their marks."""
        chosen = [number for number, each in enumerate(self.marks) if start <= each.token < end]
        index = {number: place for place, number in enumerate(chosen)}
        return Draft(
            self.tokens[start:end],
            [replace(self.marks[number], token=self.marks[number].token - start) for number in chosen],
            [(index[number], stroke) for number, stroke in self.order if number in index],
        )

    @property
    def box(self) -> Box:
        return box_of(self.marks)

    def scaled(self, factor: float) -> "Draft":
        """Change the size, about the origin."""
        for each in self.marks:
            for name in ("scale_x", "scale_y", "x", "y", "width", "height"):
                setattr(each, name, factor * getattr(each, name))
        return self

    def moved(self, dx: float, dy: float) -> "Draft":
        shift(self.marks, dx, dy)
        return self

    def line(self) -> tuple[float, float]:
        """Estimate x-height and baseline from the letters and digits of the main line."""
        depth_of = list(accumulate((token == "{") - (token == "}") for token in self.tokens))
        telling = [each for each in self.marks if role_of(each.label) in _TELLING_ROLES and each.height > 0]
        if not telling:
            box = self.box
            return max(box.bottom - box.top, 0.6 * (box.right - box.left), 1e-6) / 1.4, box.bottom
        top = min(depth_of[each.token] for each in telling)
        usual = [(each, metric(each.label)) for each in telling if depth_of[each.token] == top]
        unit = median(each.height / shape.height for each, shape in usual)
        return unit, median(each.y + each.height + shape.bottom * unit for each, shape in usual)

    def on_line(self) -> "Draft":
        """Scale to an x-height of 1 and put it on the baseline y = 0, beginning at x = 0."""
        unit, base = self.line()
        return self.moved(-self.box.left, -base).scaled(1.0 / unit)

    def replace_mark(self, number: int, new: Placed) -> None:
        """Replace a mark; its strokes are written when the first stroke of the old one was."""
        self.marks[number] = new
        at = next(place for place, entry in enumerate(self.order) if entry[0] == number)
        rest = [entry for entry in self.order[at:] if entry[0] != number]
        self.order[at:] = [*strokes_of_mark(number, new), *rest]

    def finished(self, points: Points | None = None) -> Piece:
        """The finished ink; `points`, where given, replace those that `gather` returns."""
        points = gather(self.marks) if points is None else points
        starts = np.cumsum([0, *(len(each.points) for each in self.marks)]).tolist()
        strokes = []
        strokes_of: list[list[int]] = [[] for _ in self.tokens]
        for place, (number, stroke) in enumerate(self.order):
            each, start = self.marks[number], starts[number]
            offsets = each.glyph.offsets
            strokes.append(points[start + offsets[stroke] : start + offsets[stroke + 1]])
            strokes_of[each.token].append(place)
        owned: StrokesOf = tuple(map(tuple, strokes_of))
        return Piece(tuple(strokes), tuple(self.tokens), owned)


def gather(marks: Sequence[Placed]) -> Points:
    """The points of all marks in one array, where they are placed."""
    counts = [len(each.points) for each in marks]
    frames = np.array([(each.scale_x, each.scale_y, each.x, each.y) for each in marks])
    frames = np.repeat(frames, counts, axis=0)
    placed: Points = np.concatenate([each.points for each in marks]) * frames[:, :2] + frames[:, 2:]
    return placed


def written_in_turn(marks: Sequence[Placed]) -> Order:
    """The order of writing when every mark is finished before the next."""
    return [entry for number, each in enumerate(marks) for entry in strokes_of_mark(number, each)]


def strokes_of_mark(number: int, each: Placed) -> Order:
    return [(number, stroke) for stroke in range(len(each.glyph.offsets) - 1)]


def joined(parts: Iterable["Draft | str"], turns: Sequence[int] | None = None) -> Draft:
    """Concatenate drafts and tokens without ink; nothing is moved.

    `turns` gives the order in which the drafts among them are written, if it is not the order of the tokens.
    """
    tokens: list[str] = []
    marks: list[Placed] = []
    orders: list[Order] = []
    for part in parts:
        if isinstance(part, str):
            tokens.append(part)
            continue
        first = len(marks)
        for each in part.marks:
            each.token += len(tokens)
        marks += part.marks
        orders.append([(number + first, stroke) for number, stroke in part.order] if first else part.order)
        tokens += part.tokens
    order = [entry for turn in turns or range(len(orders)) for entry in orders[turn]]
    return Draft(tokens, marks, order)
