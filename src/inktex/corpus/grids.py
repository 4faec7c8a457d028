r"""Matrices, cases and aligned lines, written cell by cell from real parts and drawings.

`grid` makes one with or without something around it. Columns are as wide as their widest cell; cells stand
on the line of their row, a little off as people write; brackets are drawings stretched to the height. What
stands in the cells comes from a `Hand`: of many writers, to train with, or of one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from inktex.corpus.draft import Draft, joined
from inktex.corpus.placing import box_of
from inktex.corpus.redraw import redraw, weighted
from inktex.corpus.roles import role_of
from inktex.corpus.rows import AXIS, bracket, row, script
from inktex.corpus.stock import Stock
from inktex.latex.symbols import CELL, MATRICES, NEW_ROW

_KINDS = ("pmatrix", "bmatrix", "vmatrix", "matrix", "cases", "aligned")
_KIND_WEIGHTS = (30.0, 56.0, 69.0, 73.0, 88.0, 100.0)
_SIZES = (
    (2, 2), (2, 2), (2, 2), (2, 2), (3, 3), (3, 3), (3, 3), (2, 1), (2, 1), (3, 1), (3, 1), (1, 3),
    (2, 3), (3, 2), (4, 4), (3, 4), (4, 3), (4, 1), (2, 4), (4, 2),
)  # fmt: skip
_LARGEST = 40  # tokens of a matrix that may get another one beside it
_SQUARE = ((2, 2), (2, 2), (3, 3), (3, 3), (4, 4))
_LETTERS = "abcdefghijklmnpqrstuvwxyzABCMRXTLGEH"
_GREEK = (r"\alpha", r"\beta", r"\gamma", r"\lambda", r"\mu", r"\theta", r"\sigma", r"\epsilon", r"\omega")
_ORDINARY = (1, 1, 1, 1, 2, 3, 3, 4, 5, 6, 7)
_LINES = (3, 4, 5, 6, 7, 8, 9, 10)

_DOTS = {(True, True): r"\ddots", (True, False): r"\vdots", (False, True): r"\cdots"}
_BRACKETS = MATRICES | {"cases": (r"\{", ""), "aligned": ("", "")}

_TRIES = 100
_OPERAND_BEGINS = frozenset({"letter", "digit", "function"})
_NOT_IN_ENTRIES = frozenset({"bar", "punctuation", "dots", "relation", "open", "close"})

Cell = Draft | None  # None is an empty cell


@dataclass(frozen=True)
class Hand:
    """Writes what stands in cells: parts of real expressions, and symbols on a line.

    Many hands write any part, symbols redrawn by others now and then, and take drawings from everywhere. One
    hand writes only what can be an entry, as it was written, and takes symbols from expressions of the same
    writer where there are any.
    """

    stock: Stock
    random: Random
    near: float  # where in the corpus the parts come from
    one: bool = False

    def part(self, lengths: Sequence[int]) -> Draft:
        part = self.stock.part(self.random, lengths, self.near)
        tries = 0
        while self.one and not is_entry(part.tokens):
            tries += 1  # where the writer has no such part, anyone's will do
            part = self.stock.part(self.random, lengths, self.near if tries < _TRIES else None)
        return part

    def redrawn(self, part: Draft) -> Draft:
        """The part, some of its symbols redrawn by many hands."""
        if self.one or self.random.random() >= 0.5:
            return part
        return redraw(part, self.stock, self.random, 0.35)

    def symbol(self, label: str) -> Draft:
        own = self.stock.symbol_near(label, self.random, self.near) if self.one else None
        return own or self.stock.symbol(label, self.random)

    def pick(self, choices: Sequence[str]) -> str:
        return choices[int(self.random.random() * len(choices))]


def is_entry(tokens: Sequence[str]) -> bool:
    """Whether people would write these tokens as an entry of a matrix: a number, a letter, a term, a sum."""
    first = tokens[1] if tokens[0] == "-" and len(tokens) > 1 else tokens[0]
    starts = role_of(first) in _OPERAND_BEGINS or first in (r"\frac", r"\sqrt")
    return starts and not any(role_of(token) in _NOT_IN_ENTRIES or token == "/" for token in tokens)


def grid(stock: Stock, random: Random, one_hand: float = 0.0) -> Draft:
    """A matrix, cases or aligned lines, now and then with a name, a factor or another matrix beside it.

    One hand writes this share of them, many hands the others.
    """
    kind = weighted(random, _KINDS, _KIND_WEIGHTS)
    hand = Hand(stock, random, random.random(), one_hand > 0 and random.random() < one_hand)
    if kind == "cases":
        return _beside(cases(hand), hand, 0.6)
    if kind == "aligned":
        return aligned(hand)
    first = matrix(kind, hand)
    if kind != "matrix" and len(first.tokens) < _LARGEST and random.random() < 0.12:
        second = matrix(kind, hand)
        between = [hand.symbol(hand.pick(("+", "=", "-", r"\times", r"\cdot")))]
        return row([first, *(between if random.random() < 0.7 else []), second], random)
    return _beside(first, hand, 0.45)


def _beside(made: Draft, hand: Hand, share: float) -> Draft:
    """Put something before or behind a grid."""
    random = hand.random
    if random.random() >= share:
        return made
    chance = random.random()
    if chance < 0.55:
        return row([hand.part((1, 1, 1, 4, 4, 3, 5)), hand.symbol("="), made], random)
    if chance < 0.7:
        return row([hand.part((1, 1, 2, 3)), made], random)
    if chance < 0.85:
        return row([made, hand.symbol("="), hand.part((1, 1, 2, 3, 5, 6))], random)
    name = hand.symbol(hand.pick(("T", r"\prime", "2", "n", r"\top", "*")))
    if made.tokens[-1] == r"\end{cases}":
        return made
    return script(made, name, True, random)


def matrix(kind: str, hand: Hand) -> Draft:
    """A matrix of one of the kinds of `MATRICES`."""
    sizes = _SQUARE if kind == "vmatrix" else _SIZES
    rows, columns = sizes[int(hand.random.random() * len(sizes))]
    return arranged(kind, _cells(rows, columns, hand), hand)


def cases(hand: Hand) -> Draft:
    """Lines behind a brace, mostly with a condition each."""
    random = hand.random
    lines = 2 if random.random() < 0.7 else 3
    two = random.random() < 0.7
    values = (1, 1, 1, 2, 3, 4, 5, 6)
    cells = [
        [hand.redrawn(hand.part(values)), _condition(hand)] if two else [hand.redrawn(_equation(hand))]
        for _ in range(lines)
    ]
    return arranged("cases", cells, hand)


def aligned(hand: Hand) -> Draft:
    """Two to four lines of an equation, one relation under the other."""
    random = hand.random
    lines = (2, 2, 2, 3, 3, 4)[int(random.random() * 6)]
    chain = random.random() < 0.6
    cells: list[list[Cell]] = []
    for number in range(lines):
        relation = "=" if random.random() < 0.85 else hand.pick((r"\leq", r"\geq", "<", r"\approx"))
        right = row([hand.symbol(relation), hand.part(_LINES)], random)
        left = hand.redrawn(hand.part((1, 1, 4, 4, 5, 6))) if number == 0 or not chain else None
        cells.append([left, hand.redrawn(right)])
    return arranged("aligned", cells, hand)


def _equation(hand: Hand) -> Draft:
    left, right = hand.part((1, 3, 4, 5, 6, 7)), hand.part((1, 1, 1, 2, 3))
    return row([left, hand.symbol("="), right], hand.random)


def _condition(hand: Hand) -> Draft:
    name = hand.part((1,))
    relation = hand.pick(("=", ">", "<", r"\geq", r"\leq", r"\neq", r"\in"))
    bound = hand.part((1, 1, 1, 2))
    return row([name, hand.symbol(relation), bound], hand.random)


def _cells(rows: int, columns: int, hand: Hand) -> list[list[Draft]]:
    random = hand.random
    chance = random.random()
    make: Callable[[int, int], Draft]
    if chance < 0.3:
        digits = "0123456789" if random.random() < 0.6 else "0012"
        make = lambda _r, _c: _number(digits, hand)  # noqa: E731
    elif chance < 0.45:
        letter = _letter(random)
        second = (_letter(random), _letter(random))
        numbered = random.random() < 0.8
        make = lambda r, c: _entry(  # noqa: E731
            letter, (str(r + 1), str(c + 1)) if numbered else second, rows, columns, hand
        )
    elif chance < 0.6:
        make = lambda _r, _c: hand.symbol(_letter(random))  # noqa: E731
    else:
        lengths = (1, 1, 1, 1, 2, 3, 4) if rows * columns > 6 else _ORDINARY
        make = lambda _r, _c: hand.redrawn(hand.part(lengths))  # noqa: E731
    dots = min(rows, columns) >= 3 and random.random() < 0.15
    last = (rows - 2, columns - 2) if dots else (-1, -1)

    def cell(r: int, c: int) -> Draft:
        kind = _DOTS.get((r == last[0], c == last[1]))
        return hand.symbol(kind) if kind else make(r, c)

    return [[cell(r, c) for c in range(columns)] for r in range(rows)]


def _letter(random: Random) -> str:
    if random.random() < 0.2:
        return _GREEK[int(random.random() * len(_GREEK))]
    return _LETTERS[int(random.random() * len(_LETTERS))]


def _number(digits: str, hand: Hand) -> Draft:
    random = hand.random
    parts = [hand.symbol("-")] if random.random() < 0.15 else []
    parts.append(hand.symbol(hand.pick(digits)))
    if random.random() < 0.12:
        parts.append(hand.symbol(hand.pick(digits)))
    return row(parts, random, 0.6)


def _entry(letter: str, names: tuple[str, str], rows: int, columns: int, hand: Hand) -> Draft:
    """An entry with its indices, as in a_{12}; vectors have one index."""
    wanted = names[:1] if columns == 1 else names[1:] if rows == 1 else names
    index = row([hand.symbol(name) for name in wanted], hand.random, 0.5)
    return script(hand.symbol(letter), index, False, hand.random)


def arranged(kind: str, cells: Sequence[Sequence[Cell]], hand: Hand) -> Draft:
    """Arrange cells that stand on the line in rows and columns, between the brackets of their kind."""
    random, aligned = hand.random, kind == "aligned"
    boxes = [[cell.box if cell else None for cell in line] for line in cells]
    widths = [
        max((box.right - box.left for box in column if box), default=1.0)
        for column in zip(*boxes, strict=True)
    ]
    across = max(0.3, random.gauss(0.6, 0.15)) if aligned else max(0.8, random.gauss(1.6, 0.4))
    if len(cells) == 1:
        across = max(across, 1.6)  # in a single row only the spaces show that there are columns
    between = max(0.25, random.gauss(0.75, 0.25))
    untidy = abs(random.gauss(0.1, 0.05))
    # How much of a cell's spare room lies left of it, in the first column and in the others.
    shares = {"aligned": (1.0, 0.0), "cases": (0.0, 0.0)}.get(kind, (0.5, 0.5))
    y = 0.0
    for line, around in zip(cells, boxes, strict=True):
        base = y - min(min(box.top, -1.3) for box in around if box)
        x = 0.0
        for c, (cell, box) in enumerate(zip(line, around, strict=True)):
            if cell is not None and box is not None:
                room = widths[c] - (box.right - box.left)
                dx = x + shares[c > 0] * room - box.left + random.gauss(0.0, untidy)
                cell.moved(dx, base + random.gauss(0.0, untidy))
            x += widths[c] + across
        y = base + max(max(box.bottom, 0.1) for box in around if box) + between
    inked = [cell for line in cells for cell in line if cell]
    whole = box_of([each for cell in inked for each in cell.marks])
    margin = abs(random.gauss(0.15, 0.15))
    opening, closing = _BRACKETS[kind]
    head: Draft | str = rf"\begin{{{kind}}}"
    tail: Draft | str = rf"\end{{{kind}}}"
    if opening:
        left = bracket(opening, whole.top - margin, whole.bottom + margin, hand.stock, random)
        left.x = whole.left - left.width - max(0.1, random.gauss(0.35, 0.15))
        head = Draft([str(head)], [left])
    if closing:
        top = whole.top - abs(random.gauss(0.15, 0.15))
        right = bracket(closing, top, whole.bottom + margin, hand.stock, random)
        right.x = whole.right + max(0.1, random.gauss(0.35, 0.15))
        tail = Draft([str(tail)], [right])
    parts: list[Draft | str] = [head]
    for number, line in enumerate(cells):
        parts += [NEW_ROW] if number else []
        for c, cell in enumerate(line):
            parts += [CELL] if c else []
            parts += [cell] if cell else []
    made = joined([*parts, tail], _turns(len(inked), bool(opening), bool(closing), random))
    return made.moved(-made.box.left, AXIS - (whole.top + whole.bottom) / 2)


def _turns(cells: int, head: bool, tail: bool, random: Random) -> list[int]:
    """The order of writing: mostly bracket, cells, bracket; some write both brackets first or last."""
    turns = list(range(cells + head + tail))
    if head and tail:
        chance = random.random()
        if chance < 0.1:
            return [turns[0], turns[-1], *turns[1:-1]]
        if chance < 0.2:
            return [*turns[1:-1], turns[0], turns[-1]]
    elif head and random.random() < 0.15:
        return [*turns[1:], turns[0]]
    return turns
