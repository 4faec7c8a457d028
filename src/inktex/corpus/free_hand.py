r"""A hand that writes formulas with drawings of single symbols, by the rules of typography and not by counts.

`FreeHand(drawings, random).write(tokens)` gives a `Draft`. Where things go follows TeX's font parameters (an
axis at half the x-height, scripts raised by about one x-height, spaces of 3, 4 and 5 eighteenths of an em)
and the shapes of `roles`; how much hands depart from them is chosen by a person. No collection of
expressions was measured. Every expression has a writer of its own: sizes, distances and ways of writing are
drawn once for it and vary a little from symbol to symbol. Lengths are in x-heights, y points down.
"""

from collections.abc import Sequence
from math import exp
from random import Random

import numpy as np

from inktex.corpus.bank import Banks, Glyph, Points, SymbolBank
from inktex.corpus.draft import Draft, Order, gather, written_in_turn
from inktex.corpus.placing import (
    Box,
    Placed,
    box_of,
    level_line,
    mark,
    refuse_arguments,
    shift,
    stretched_root,
)
from inktex.corpus.roles import DOTS, PAIRS, Shape, function_letters, role_of, shape_of
from inktex.latex import Node, parse_layout

Row = tuple[Node, ...]
Marks = list[Placed]

_SMALLEST = 0.4  # x-height of scripts of scripts against that of the main line
# Ways to write letters that end on the line in one hand and below it in another.
_OR_ASCENDER = {"f": 0.45, r"\beta": 0.3, r"\phi": 0.2, r"\xi": 0.4, r"\zeta": 0.4, r"\psi": 0.2}
_RISING = frozenset({"ascender", "half", "both", "digit", "capital", "tall", "bar", "big", "integral"})
_OPERATORS = frozenset({"operator", "relation", "high relation", "line", "flat", "round"})


class Drawings:
    """The drawings of every label by source; a source's weight says how often it is drawn from."""

    def __init__(self, banks: Banks) -> None:
        self.sources = tuple(bank.name for bank, _ in banks)
        self._sources: dict[str, list[tuple[int, float, SymbolBank]]] = {}
        for number, (bank, weight) in enumerate(banks):
            for label in bank.labels:
                self._sources.setdefault(label, []).append((number, weight, bank))

    def __contains__(self, label: object) -> bool:
        return label in self._sources

    def of(self, label: str) -> list[tuple[int, float, SymbolBank]]:
        """The sources that have drawings of a label: number, weight, bank."""
        if label not in self._sources:
            raise KeyError(f"no bank has a drawing of {label}")
        return self._sources[label]


class Habits:
    """What one writer does throughout an expression, drawn at random."""

    def __init__(self, random: Random) -> None:
        gauss = random.gauss
        self.spacing = max(0.6, exp(gauss(0.0, 0.3)))
        # How far tall letters and digits rise above small ones, against primers, and others hang below them.
        self.ascent = min(1.5, max(0.45, gauss(0.9, 0.25)))
        self.descent = min(1.5, max(0.5, gauss(1.0, 0.2)))
        self.width = exp(gauss(0.0, 0.12))  # of letters
        self.operators = exp(gauss(-0.02, 0.18))  # size of operators and relations
        self.script = min(0.8, max(0.45, gauss(0.63, 0.08)))  # size of scripts
        self.rise = min(1.6, max(0.65, gauss(1.0, 0.18)))  # of superscripts, in x-heights
        self.drop = min(0.9, max(0.1, gauss(0.42, 0.16)))  # of subscripts
        self.part = min(1.05, max(0.65, gauss(0.88, 0.09)))  # size of numerators and denominators
        self.unsteady = exp(gauss(0.0, 0.35))  # how much sizes and places vary from symbol to symbol
        self.slope = gauss(0.0, 0.025)  # how fast the line rises or falls
        self.axis = gauss(0.52, 0.06)


class FreeHand:
    """One writer at work on one expression."""

    def __init__(self, drawings: Drawings, random: Random) -> None:
        self.drawings = drawings
        self.random = random
        self.habits = Habits(random)
        # Some expressions are written in one source's style throughout, most in a mixture.
        taste = 1.2 if random.random() < 0.5 else 0.5
        self._tastes = [exp(random.gauss(0.0, taste)) for _ in drawings.sources]
        self._chosen: dict[str, tuple[SymbolBank, Glyph]] = {}

    def write(self, tokens: Sequence[str]) -> Draft:
        """Write canonical tokens; lone symbols that are not an expression are written, too."""
        if len(tokens) == 1:
            marks = [self._symbol(tokens[0], 0, 0.0, 0.0, 1.0)]
        else:
            marks = self._row(parse_layout(tokens).row, 0.0, 0.0, 1.0)
        return Draft(list(tokens), marks, self._with_late_strokes(marks))

    def _vary(self, middle: float, spread: float) -> float:
        return self.random.gauss(middle, spread * self.habits.unsteady)

    def _row(self, nodes: Sequence[Node], x: float, y: float, size: float) -> Marks:
        """Write a row from x on, on the baseline y, with an x-height of `size`."""
        placed: Marks = []
        partners = _partners(nodes)
        right, before, drift, done = x, "", 0.0, -1
        for number, node in enumerate(nodes):
            if number <= done or not node.label:
                continue
            if before:
                right += self._gap(before, node.label, size)
            drift = 0.8 * drift + self._vary(0.0, 0.045) * size
            line = y + drift + self.habits.slope * (right - x)
            closing = partners.get(number, number)
            if closing > number + 1:
                made, done = self._enclosed(nodes[number : closing + 1], right, line, size), closing
            else:
                made, done = self._node(node, right, line, size), number
            before = nodes[done].label
            placed += made
            right = max(right, box_of(made).right)
        return placed

    def _gap(self, before: str, after: str, size: float) -> float:
        """The space between two neighbours: TeX's for their roles, varied a little."""
        roles = (role_of(before), role_of(after))
        if "relation" in roles:
            usual = 0.6
        elif "binary" in roles or before == ",":
            usual = 0.42
        elif "function" in roles or "limit" in roles or "big" in roles:
            usual = 0.38
        elif roles[0] == "open" or roles[1] in ("close", "punctuation") or after in (".", "!"):
            usual = 0.16
        elif roles[0] == "digit" and roles[1] == "digit":
            usual = 0.28
        elif before == r"\frac" or after == r"\frac":
            usual = 0.3
        else:
            usual = 0.26
        least = 0.02 if roles[1] == "punctuation" else -0.03
        return size * max(least, usual * self.habits.spacing * exp(self._vary(0.0, 0.35)) - 0.02)

    def _enclosed(self, nodes: Sequence[Node], x: float, y: float, size: float) -> Marks:
        """Brackets as tall as what they hold, give or take what hands do."""
        left, *inner, right = nodes
        width = size * 0.42 * exp(self._vary(0.0, 0.25))
        content = self._row(inner, x + width + self._gap(left.label, "x", size), y, size)
        box = box_of(content) if content else Box(x, y - size, x + size, y)
        if left.label in ("|", r"\|"):
            width *= 0.15 if left.label == "|" else 0.6
        marks = [self._bracket(left, x, y, size, box, width)]
        after = self._bracket(right, box.right + self._gap("x", ")", size), y, size, box, width)
        return [*marks, *content, *self._with_scripts(right, [after], after.x, y, size)]

    def _bracket(self, node: Node, x: float, y: float, size: float, inner: Box, width: float) -> Placed:
        top = min(y - size * self._vary(1.35, 0.15), inner.top - size * self._vary(0.12, 0.14))
        bottom = max(y + size * self._vary(0.25, 0.15), inner.bottom + size * self._vary(0.1, 0.14))
        glyph = self._pick(node.label)
        height = max(bottom - top, 0.5 * size)
        # A bracket around a fraction is a little wider than one around a letter.
        wide = min(width * exp(self._vary(0.0, 0.15)) * (height / (2.0 * size)) ** 0.4, 0.45 * height)
        scale_x = wide / max(glyph.width, 0.05 * glyph.height, 1e-9)
        return mark(node.token or 0, node.label, glyph, scale_x, height / max(glyph.height, 1e-9), x, top)

    def _node(self, node: Node, x: float, y: float, size: float) -> Marks:
        if node.label == r"\frac":
            marks = self._fraction(node, x, y, size)
        elif node.label == r"\sqrt":
            marks = self._root(node, x, y, size)
        else:
            refuse_arguments(node)
            marks = [self._symbol(node.label, node.token or 0, x, y, size)]
        return self._with_scripts(node, marks, x, y, size)

    def _pick(self, label: str) -> Glyph:
        """A drawing of a label; one that was written before is written the same way again."""
        random = self.random
        if label in self._chosen:
            bank, glyph = self._chosen[label]
            if random.random() < 0.45:
                return glyph
            return bank.pick(label, random, glyph.writer) if glyph.writer != "detexify" else glyph
        sources = self.drawings.of(label)
        weights = [weight * self._tastes[number] for number, weight, _ in sources]
        bank = random.choices([bank for _, _, bank in sources], weights)[0]
        glyph = bank.pick(label, random)
        self._chosen[label] = (bank, glyph)
        return glyph

    def _shape(self, label: str) -> Shape:
        """The usual box of a symbol in this hand."""
        usual = shape_of(label)
        if label in _OR_ASCENDER and self.random.random() < _OR_ASCENDER[label]:
            usual = shape_of("b")
        bottom, top, width = usual.bottom, usual.top, self.habits.width
        if usual.name in _OPERATORS:
            width = self.habits.operators
            middle, half = (bottom + top) / 2, (top - bottom) / 2 * width
            bottom, top = middle - half, middle + half
        else:
            if usual.name in _RISING and top > 1.0:
                top = 1.0 + (top - 1.0) * self.habits.ascent
            if bottom < 0:
                bottom *= self.habits.descent
        return Shape(usual.name, bottom, top, usual.width * width, usual.flat)

    def _symbol(self, label: str, token: int, x: float, y: float, size: float) -> Placed:
        letters = function_letters(label)
        if letters:
            return self._word(label, letters, token, x, y, size)
        glyph, usual = self._pick(label), self._shape(label)
        wanted = size * exp(self._vary(0.0, 0.09))
        if label in DOTS:
            extent = max(glyph.width, glyph.height)
            scale = self.random.uniform(0.04, 0.16) * size / extent if extent > 0 else 1.0
        elif usual.flat:
            scale = wanted * usual.width / max(glyph.width, 0.4 * glyph.height, 1e-9)
            scale = min(scale, 2.2 * wanted * max(usual.height, 0.25) / max(glyph.height, 1e-9))
        else:
            scale = min(
                wanted * usual.height / max(glyph.height, 1e-9),
                1.7 * wanted * usual.width / max(glyph.width, 1e-9),
            )
        stretch = exp(self._vary(0.0, 0.06))
        each = mark(token, label, glyph, scale * stretch, scale / stretch, x, 0.0)
        each.y = y - size * (usual.bottom + usual.top) / 2 - each.height / 2 + self._vary(0.0, 0.05) * size
        return each

    def _word(self, label: str, letters: str, token: int, x: float, y: float, size: float) -> Placed:
        """A function name: letters close together, in many hands joined, dots and bars of t last."""
        random = self.random
        tight = max(0.0, self._vary(0.1, 0.06))
        join = random.random() < 0.3
        right = 0.0
        strokes: list[Points] = []
        late: list[Points] = []
        for letter in letters:
            each = self._symbol(letter, 0, right, 0.0, 1.0)
            right += each.width + max(-0.05, tight + self._vary(0.0, 0.05))
            parts = each.strokes
            if join and strokes and len(strokes[-1]) > 2 and len(parts[0]) > 2:
                strokes[-1] = np.concatenate((strokes[-1], parts[0]))
            else:
                strokes.append(parts[0])
            if join and letter in "it":
                late += parts[1:]
            else:
                strokes += parts[1:]
        points = np.concatenate((*strokes, *late))
        glyph = Glyph.from_strokes(label, [*strokes, *late], "word")
        return mark(token, label, glyph, size, size, x, y + size * float(points[:, 1].min()))

    def _smaller(self, size: float, ratio: float) -> float:
        return max(min(size, _SMALLEST), size * min(1.05, max(0.4, ratio * exp(self._vary(0.0, 0.1)))))

    def _with_scripts(self, node: Node, base: Marks, x: float, y: float, size: float) -> Marks:
        if not (node.sub or node.sup) or not base:
            return base
        body = box_of(base)
        role = role_of(node.label)
        integral = shape_of(node.label).name == "integral"
        stacked = role in ("limit", "big") and self.random.random() < (0.2 if integral else 0.95)
        scripts: dict[str, Marks] = {}
        for name, row in (("sub", node.sub), ("sup", node.sup)):
            marks = self._row(row, 0.0, 0.0, self._smaller(size, self.habits.script)) if row else []
            if marks:
                scripts[name] = marks
                if stacked:
                    self._stack(name, marks, body, size)
                else:
                    place = self._raise if name == "sup" else self._lower
                    place(marks, node.label, integral, body, y, size)
        if len(scripts) == 2 and not stacked:
            low, high = box_of(scripts["sub"]), box_of(scripts["sup"])
            overlap = high.bottom + 0.08 * size - low.top
            if overlap > 0:
                shift(scripts["sub"], 0.0, overlap / 2)
                shift(scripts["sup"], 0.0, -overlap / 2)
        order = ("sub", "sup") if self.random.random() < (0.75 if role == "big" else 0.5) else ("sup", "sub")
        return [*base, *(each for name in order for each in scripts.get(name, ()))]

    def _stack(self, name: str, marks: Marks, body: Box, size: float) -> None:
        box = box_of(marks)
        away = max(0.03, self._vary(0.3, 0.12)) * size
        dx = (body.left + body.right - box.left - box.right) / 2 + self._vary(0.0, 0.2) * size
        shift(marks, dx, body.top - away - box.bottom if name == "sup" else body.bottom + away - box.top)

    def _raise(self, marks: Marks, label: str, integral: bool, body: Box, y: float, size: float) -> None:
        """A superscript: raised by a fixed amount on small bases, hung on the top of tall ones."""
        box = box_of(marks)
        height = (y - body.top) / size
        raised = max(self.habits.rise, height - 0.75) + self._vary(0.0, 0.13)
        if integral:
            raised = height - 0.5 + self._vary(0.0, 0.25)
        dy = y - raised * size
        if marks[0].label == r"\prime":
            dy = y - size * max(0.6, 0.5 * height) - box.bottom
        # Never so low that it would stand on the line.
        dy = min(dy, y - 0.42 * size - (box.bottom if box.bottom < 0.3 * size else 0.0))
        shift(marks, body.right + self._beside(label, size) - box.left, dy)

    def _lower(self, marks: Marks, label: str, integral: bool, body: Box, y: float, size: float) -> None:
        box = box_of(marks)
        depth = (body.bottom - y) / size
        lowered = max(self.habits.drop, depth - 0.1 if depth > 0.45 else 0.0) + self._vary(0.0, 0.1)
        # The top of the script stays below the middle of the base.
        dy = max(y + lowered * size, y - 0.45 * size - box.top)
        right = body.right
        if integral:
            right -= self.random.uniform(0.0, 0.8) * (body.right - body.left)
            dy = body.bottom + self._vary(0.1, 0.2) * size
        shift(marks, right + self._beside(label, size) - box.left, dy)

    def _beside(self, label: str, size: float) -> float:
        return size * max(-0.02, self._vary(0.12 if label != ")" else 0.16, 0.08) * self.habits.spacing)

    def _fraction(self, node: Node, x: float, y: float, size: float) -> Marks:
        small = self._smaller(size, self.habits.part)
        above, below = (self._row(row, 0.0, 0.0, small) for row in (node.above, node.below))
        boxes = [box_of(marks) if marks else Box(0.0, 0.0, size, 0.0) for marks in (above, below)]
        content = max(box.right - box.left for box in boxes)
        overhang = [size * max(-0.1, self._vary(0.25, 0.16)) for _ in range(2)]
        width = max(content + sum(overhang), 0.8 * size)
        axis = y - size * self.habits.axis + self._vary(0.0, 0.06) * size
        bar = level_line(node.token or 0, node.label, self._pick("-"), width, 0.15 * size, x, axis)
        middle = x + width / 2
        for marks, box, up in ((above, boxes[0], True), (below, boxes[1], False)):
            away = size * max(0.04, self._vary(0.24, 0.11))
            dy = bar.y - away - box.bottom if up else bar.y + bar.height + away - box.top
            shift(marks, middle - (box.left + box.right) / 2 + self._vary(0.0, 0.1) * size, dy)
        order = self.random.choices(("nbd", "bnd", "ndb", "dbn"), (70, 20, 7, 3))[0]
        parts = {"n": above, "b": [bar], "d": below}
        return [each for name in order for each in parts[name]]

    def _root(self, node: Node, x: float, y: float, size: float) -> Marks:
        tick = size * max(0.4, self._vary(0.9, 0.2))
        index: Marks = []
        if node.above:
            index = self._row(node.above, 0.0, 0.0, self._smaller(size, 0.55))
            x += max(0.0, box_of(index).right - 0.5 * tick) if index else 0.0
        start = x + tick + size * self._vary(0.12, 0.08)
        content = self._row(node.inside, start, y, self._smaller(size, 0.95))
        box = box_of(content) if content else Box(x + tick, y - size, x + tick + size, y)
        top = min(box.top, y - size) - size * max(0.08, self._vary(0.28, 0.13))
        bottom = max(box.bottom, y) + size * self._vary(0.05, 0.13)
        right = box.right + size * max(-0.1, self._vary(0.2, 0.18))
        root = stretched_root(node, self._pick(r"\sqrt"), tick, Box(x, top, right, bottom))
        if index:
            around = box_of(index)
            hook = top + (bottom - top) * self._vary(0.5, 0.06)
            shift(index, x + 0.5 * tick - around.right, hook - 0.1 * size - around.bottom)
        if self.random.random() < 0.12:
            return [*index, *content, root]
        return [*index, root, *content] if self.random.random() < 0.5 else [root, *index, *content]

    def _with_late_strokes(self, marks: Marks) -> Order:
        """The order of writing: now and then a last stroke (a dot, a bar) is added at the very end."""
        order = written_in_turn(marks)
        if self.random.random() > 0.06 or len(marks) < 2:
            return order
        late = [each for each in order if each[1] > 0 and self.random.random() < 0.25]
        return [each for each in order if each not in late] + late


def _partners(nodes: Sequence[Node]) -> dict[int, int]:
    """The closing bracket of every opening one of a row."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for number, node in enumerate(nodes):
        if opened and PAIRS[nodes[opened[-1]].label] == node.label:
            partners[opened.pop()] = number
        elif node.label in PAIRS and not (node.sub or node.sup):
            opened.append(number)
    return partners


def unsteady(draft: Draft, random: Random) -> Points:
    """The points of a draft, each symbol bent, slanted and turned a little in its own way."""
    marks = draft.marks
    points = gather(marks)
    rng = np.random.default_rng(random.getrandbits(64))
    counts = [len(each.points) for each in marks]
    amount = exp(random.gauss(-0.1, 0.35))

    # Each symbol about its own middle.
    centres = np.array([(each.x + each.width / 2, each.y + each.height / 2) for each in marks])
    extents = np.array([max(each.width, each.height, 1e-3) for each in marks])
    fitted = np.array([each.label in _FITTED for each in marks])
    strength = amount * np.where(fitted, 0.35, 1.0)
    n = len(marks)
    turn = rng.normal(0.0, 0.045, n) * strength
    slant = rng.normal(0.0, 0.07, n) * strength
    waves = rng.normal(0.0, 2.2, (n, 2, 2))
    pushes = rng.normal(0.0, 0.028, (n, 2, 2)) * strength[:, None, None]
    phases = rng.uniform(0.0, 6.3, (n, 2))
    each = np.repeat(np.arange(n), counts)
    extent = extents[each][:, None]
    local = (points - centres[each]) / extent
    x, y = local[:, 0], local[:, 1]
    bent = np.stack((x - (slant + turn)[each] * y, y + turn[each] * x), axis=1)
    sines = np.sin(np.einsum("pij,pj->pi", waves[each], local) + phases[each])
    bent += np.einsum("pi,pij->pj", sines, pushes[each])
    moved = centres[each] + bent * extent

    # Strokes of one symbol end up a little apart.
    strokes = [length for each in marks for length in np.diff(each.glyph.offsets).tolist()]
    stroke = np.repeat(np.arange(len(strokes)), strokes)
    shifts = rng.normal(0.0, 0.02 * amount, (len(strokes), 2))
    moved += shifts[stroke] * np.minimum(extent, 1.5)

    # The whole expression: slant, slow waves, the tremble of the pen.
    wave = rng.normal(0.0, 0.8, (2, 2))
    moved += np.sin(moved @ wave + rng.uniform(0.0, 6.3, 2)) @ rng.normal(0.0, 0.03 * amount, (2, 2))
    lean = random.gauss(0.03, 0.12)
    moved[:, 0] -= lean * moved[:, 1]
    result: Points = moved + rng.normal(0.0, 0.004 * amount, moved.shape)
    return result


_FITTED = frozenset({r"\frac", r"\sqrt", "(", ")", "[", "]", r"\{", r"\}", "|", r"\|", "-"})
