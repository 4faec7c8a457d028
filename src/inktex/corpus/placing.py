"""Lays out an expression the way people write it: which glyph goes where, how large, and in which order.

Turns a layout tree and a symbol bank into a list of placed glyphs in writing order. Sizes, distances and
orders follow what was measured on the CROHME 2014 training set (see `roles`). Lengths are in x-heights of
the row they belong to; y points down.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import exp
from random import Random

import numpy as np

from inktex.corpus import roles
from inktex.corpus.bank import Glyph, Points, SymbolBank
from inktex.latex import Node

Row = tuple[Node, ...]

# Orders of numerator, bar and denominator as writers have them.
_FRACTION_ORDERS = (("nbd", "bnd", "dbn", "bdn", "ndb"), (76, 10, 6, 6, 2))
_SMALLEST = 0.42  # scripts of scripts are not written smaller than this, relative to the main line


@dataclass(slots=True)
class Placed:
    """A glyph on the page: its points p go to (scale_x * p.x + x, scale_y * p.y + y)."""

    token: int
    label: str
    glyph: Glyph
    points: Points
    scale_x: float
    scale_y: float
    x: float
    y: float
    width: float
    height: float

    @property
    def strokes(self) -> list[Points]:
        points = self.points * (self.scale_x, self.scale_y) + (self.x, self.y)
        return [points[a:b] for a, b in pairwise(self.glyph.offsets)]


@dataclass(frozen=True, slots=True)
class Box:
    """The part of the page that something covers."""

    left: float
    top: float
    right: float
    bottom: float


def mark(token: int, label: str, glyph: Glyph, scale_x: float, scale_y: float, x: float, y: float) -> Placed:
    """Place a glyph with its upper left corner at (x, y)."""
    width, height = glyph.width * scale_x, glyph.height * scale_y
    return Placed(token, label, glyph, glyph.points, scale_x, scale_y, x, y, width, height)


def box_of(placed: list[Placed]) -> Box:
    return Box(
        min(each.x for each in placed),
        min(each.y for each in placed),
        max(each.x + each.width for each in placed),
        max(each.y + each.height for each in placed),
    )


def shift(placed: list[Placed], dx: float, dy: float) -> None:
    for each in placed:
        each.x += dx
        each.y += dy


class Hand:
    def __init__(self, bank: SymbolBank, random: Random, scatter: float = 1.0) -> None:
        """Take up the pen; `scatter` 1 is how people write on average, 0 as if by ruler."""
        self.bank = bank
        self.random = random
        self.writer = random.choice(bank.writers)
        self.scatter = scatter * exp(random.gauss(0.0, 0.3))
        self.spacing = exp(random.gauss(0.0, 0.25) * scatter)
        self.script_ratio = min(0.85, max(0.42, random.gauss(0.58, 0.08)))
        self.loyalty = 0.9  # how often the writer's own glyphs are taken where there are any

    def vary(self, middle: float, spread: float) -> float:
        """Draw around a measured value."""
        return self.random.gauss(middle, spread * self.scatter)

    def write_row(self, row: Row, x: float, y: float, size: float) -> list[Placed]:
        """Write a row from x on the baseline y with x-height `size`."""
        placed: list[Placed] = []
        open_delimiters: list[tuple[str, int]] = []
        before: str | None = None
        right = x
        for node in row:
            label = node.label
            if before is not None:
                usual = roles.gap(before, label) * self.spacing
                right += size * max(0.03, usual * exp(self.vary(0.0, 0.3)))
            drift = self.vary(0.0, 0.09) * size
            start = len(placed)
            placed += self.write_node(node, right, y + drift, size)
            if len(placed) == start:
                continue
            right = max(each.x + each.width for each in placed[start:])
            before = label
            if label in roles.STRETCHED:
                self._match(label, start, open_delimiters, placed, size)
        return placed

    def _match(
        self, label: str, place: int, opened: list[tuple[str, int]], placed: list[Placed], size: float
    ) -> None:
        """Note an opening delimiter; at a closing one make both as tall as what they hold."""
        if label not in roles.CLOSING and not (label == "|" and any(each == "|" for each, _ in opened)):
            opened.append((label, place))
            return
        first = opened.pop()[1] if opened else place
        inner = placed[first + 1 : place]
        if not inner:
            return
        content = box_of(inner)
        for delimiter in (placed[first], placed[place]):
            top = min(delimiter.y, content.top - self.vary(0.12, 0.12) * size)
            bottom = max(delimiter.y + delimiter.height, content.bottom + self.vary(0.12, 0.12) * size)
            if delimiter.height > 0:
                delimiter.scale_y *= (bottom - top) / delimiter.height
            delimiter.y, delimiter.height = top, bottom - top

    def write_node(self, node: Node, x: float, y: float, size: float) -> list[Placed]:
        if node.label == r"\frac":
            placed = self._fraction(node, x, y, size)
        elif node.label == r"\sqrt":
            placed = self._root(node, x, y, size)
        else:
            placed = self._symbol(node, x, y, size) if node.label else []
        return self._with_scripts(node, placed, x, y, size) if node.sub or node.sup else placed

    def _symbol(self, node: Node, x: float, y: float, size: float) -> list[Placed]:
        refuse_arguments(node)
        if node.label not in roles.WORDS or node.label in self.bank:
            return [self._glyph(node.label, node, x, y, size)]
        placed: list[Placed] = []
        for letter in node.label[1:]:
            placed.append(self._glyph(letter, node, x, y, size))
            x = placed[-1].x + placed[-1].width + size * max(0.0, self.vary(0.12, 0.12))
        return placed

    def _pick(self, label: str) -> Glyph:
        loyal = self.random.random() < self.loyalty
        return self.bank.pick(label, self.random, self.writer if loyal else None)

    def _glyph(self, label: str, node: Node, x: float, y: float, size: float) -> Placed:
        glyph, usual = self._pick(label), roles.metric(label)
        wanted = size * exp(self.vary(0.0, 0.1))
        if label in roles.DOTS:
            scale = 0.12 * wanted / max(glyph.width, glyph.height) if glyph.width + glyph.height > 0 else 1.0
        elif usual.flat:
            scale = wanted * usual.width / max(glyph.width, glyph.height, 1e-9)
        else:
            scale = wanted * min(
                usual.height / max(glyph.height, 1e-9), 1.9 * usual.width / max(glyph.width, 1e-9)
            )
        stretch = exp(self.vary(0.0, 0.05))
        width, height = glyph.width * scale * stretch, glyph.height * scale / stretch
        top = y - size * (usual.bottom + usual.top) / 2 - height / 2
        scales = (scale * stretch, scale / stretch)
        return Placed(node.token or 0, label, glyph, glyph.points, *scales, x, top, width, height)

    def _smaller(self, size: float, ratio: float) -> float:
        return max(min(size, _SMALLEST), size * min(1.05, max(0.4, self.vary(ratio, 0.07))))

    def _with_scripts(self, node: Node, base: list[Placed], x: float, y: float, size: float) -> list[Placed]:
        body = box_of(base) if base else Box(x, y - size, x, y)
        stacked = node.label in roles.STACKED and self.random.random() > 0.04
        scripts = {}
        for name, row in (("sub", node.sub), ("sup", node.sup)):
            if row:
                small = self._smaller(size, self.script_ratio + (0.05 if stacked else 0.0))
                scripts[name] = self.write_row(row, 0.0, 0.0, small)
                if scripts[name]:
                    self._attach(name, node.label, stacked, scripts[name], body, y, size)
        sub_first = self.random.random() < (0.7 if stacked or node.label == r"\int" else 0.5)
        order = ("sub", "sup") if sub_first else ("sup", "sub")
        return [*base, *(each for name in order for each in scripts.get(name, ()))]

    def _attach(
        self, name: str, label: str, stacked: bool, placed: list[Placed], body: Box, y: float, size: float
    ) -> None:
        """Move a script, written at the origin, to its place by the base."""
        box = box_of(placed)
        upper = name == "sup"
        if stacked:
            dx = (body.left + body.right) / 2 - (box.left + box.right) / 2 + self.vary(0.05, 0.25) * size
            away = max(0.05, self.vary(0.36, 0.16)) * size
            dy = body.top - away - box.bottom if upper else body.bottom + away - box.top
        elif label == r"\int":
            dx = body.right + (self.vary(0.12, 0.3) if upper else self.vary(-0.45, 0.35)) * size - box.left
            dy = (self.vary(0.1, 0.4) if upper else self.vary(0.0, 0.35)) * size
            dy = body.top + dy - box.bottom if upper else body.bottom + dy - box.top
        else:
            dx = body.right + max(0.04, self.vary(0.22, 0.14)) * size - box.left
            if upper:
                dy = body.top + self.vary(0.1, 0.15) * size - box.bottom
            else:
                low = max(y, body.bottom - 0.45 * size)
                dy = low + max(0.2, self.vary(0.42, 0.2)) * size
        shift(placed, dx, dy)

    def _fraction(self, node: Node, x: float, y: float, size: float) -> list[Placed]:
        parts = {
            name: self.write_row(row, 0.0, 0.0, self._smaller(size, ratio))
            for name, row, ratio in (("n", node.above, 0.84), ("d", node.below, 0.8))
        }
        axis = y - size * self.vary(0.52, 0.08)
        boxes = {name: box_of(part) if part else Box(0.0, 0.0, size, 0.0) for name, part in parts.items()}
        content = max(box.right - box.left for box in boxes.values())
        overhang = [size * 0.42 * exp(self.vary(0.0, 0.45)) for _ in range(2)]
        width = content + sum(overhang)
        bar_glyph = self._pick(r"\frac" if r"\frac" in self.bank else "-")
        bar = level_line(node.token or 0, node.label, bar_glyph, width, 0.25 * size, x, axis)
        bar.width = width
        middle = x + overhang[0] + content / 2
        for name, part in parts.items():
            box = boxes[name]
            away = size * max(0.08, self.vary(0.34, 0.14))
            dy = bar.y - away - box.bottom if name == "n" else bar.y + bar.height + away - box.top
            shift(part, middle - (box.left + box.right) / 2 + self.vary(0.0, 0.12) * size, dy)
        parts["b"] = [bar]
        order = self.random.choices(_FRACTION_ORDERS[0], _FRACTION_ORDERS[1])[0]
        return [each for name in order for each in parts[name]]

    def _root(self, node: Node, x: float, y: float, size: float) -> list[Placed]:
        index: list[Placed] = []
        tick = size * max(0.6, self.vary(1.05, 0.2))
        if node.above:
            index = self.write_row(node.above, 0.0, 0.0, self._smaller(size, 0.58))
            x += max(0.0, box_of(index).right - 0.45 * tick) if index else 0.0
        content = self.write_row(node.inside, x + tick + 0.15 * size, y, self._smaller(size, 0.95))
        box = box_of(content) if content else Box(x + tick, y - size, x + tick + size, y)
        top = box.top - size * max(0.15, self.vary(0.45, 0.18))
        bottom = box.bottom + size * self.vary(0.05, 0.18)
        right = box.right + size * max(0.0, self.vary(0.35, 0.25))
        radical = stretched_root(node, self._pick(r"\sqrt"), tick, Box(x, top, right, bottom))
        if index:
            around = box_of(index)
            hook = top + (bottom - top) * 0.5
            shift(index, x + 0.45 * tick - around.right, hook - self.vary(0.15, 0.1) * size - around.bottom)
        if self.random.random() < 0.84:
            return [*index, radical, *content] if self.random.random() < 0.5 else [radical, *index, *content]
        return [*index, *content, radical]


def refuse_arguments(node: Node) -> None:
    if node.above or node.below or node.inside or node.cells:
        raise ValueError(f"{node.label} with an argument cannot be written")


def level_line(
    token: int, label: str, glyph: Glyph, width: float, thickest: float, x: float, axis: float
) -> Placed:
    """A line along an axis; a long one is as level as a short one: only its length is stretched."""
    wide = width / max(glyph.width, 1e-9)
    tall = min(wide, thickest / max(glyph.height, 1e-9))
    return mark(token, label, glyph, wide, tall, x, axis - glyph.height * tall / 2)


def stretched_root(node: Node, glyph: Glyph, tick: float, box: Box) -> Placed:
    """Stretch a radical over its content: the bar grows, the tick before it keeps its width."""
    points, width, height = glyph.points, box.right - box.left, box.bottom - box.top
    end_of_first = glyph.offsets[1]
    lowest = int(points[:end_of_first, 1].argmax())
    rise = points[lowest:end_of_first]
    high = np.flatnonzero(rise[:, 1] < 0.15 * glyph.height)
    corner = float(rise[high[0], 0]) if len(high) else float(points[:end_of_first, 0].max())
    if not 0.08 * glyph.width < corner < 0.9 * glyph.width:
        corner = 0.4 * glyph.width
    places = (0.0, corner, max(glyph.width, corner + 1e-9))
    stretched = np.empty_like(points)
    stretched[:, 0] = np.interp(points[:, 0], places, (0.0, tick, max(width, tick * 1.01)))
    stretched[:, 1] = points[:, 1] * (height / max(glyph.height, 1e-9))
    return Placed(node.token or 0, node.label, glyph, stretched, 1.0, 1.0, box.left, box.top, width, height)
