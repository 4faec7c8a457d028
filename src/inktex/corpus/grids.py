r"""Matrices, cases and aligned lines, written cell by cell from real parts and drawings.

`grid` makes one with or without something around it. Columns are as wide as their widest cell; cells stand
on the line of their row, a little off as people write; brackets are drawings stretched to the height.
"""

from collections.abc import Callable, Sequence
from random import Random

from inktex.corpus.draft import Draft, joined
from inktex.corpus.redraw import redraw, weighted
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

Cell = Draft | None  # None is an empty cell


def grid(stock: Stock, random: Random) -> Draft:
    """A matrix, cases or aligned lines, now and then with a name, a factor or another matrix beside it."""
    kind = weighted(random, _KINDS, _KIND_WEIGHTS)
    near = random.random()
    if kind == "cases":
        return _beside(cases(stock, random, near), stock, random, near, 0.6)
    if kind == "aligned":
        return aligned(stock, random, near)
    first = matrix(kind, stock, random, near)
    if kind != "matrix" and len(first.tokens) < _LARGEST and random.random() < 0.12:
        second = matrix(kind, stock, random, near)
        between = [stock.symbol(("+", "=", "-", r"\times", r"\cdot")[int(random.random() * 5)], random)]
        return row([first, *(between if random.random() < 0.7 else []), second], random)
    return _beside(first, stock, random, near, 0.45)


def _beside(made: Draft, stock: Stock, random: Random, near: float, share: float) -> Draft:
    """Put something before or behind a grid."""
    if random.random() >= share:
        return made
    chance = random.random()
    if chance < 0.55:
        return row([stock.part(random, (1, 1, 1, 4, 4, 3, 5), near), stock.symbol("=", random), made], random)
    if chance < 0.7:
        return row([stock.part(random, (1, 1, 2, 3), near), made], random)
    if chance < 0.85:
        return row([made, stock.symbol("=", random), stock.part(random, (1, 1, 2, 3, 5, 6), near)], random)
    name = stock.symbol(("T", r"\prime", "2", "n", r"\top", "*")[int(random.random() * 6)], random)
    if made.tokens[-1] == r"\end{cases}":
        return made
    return script(made, name, True, random)


def matrix(kind: str, stock: Stock, random: Random, near: float) -> Draft:
    """A matrix of one of the kinds of `MATRICES`."""
    sizes = _SQUARE if kind == "vmatrix" else _SIZES
    rows, columns = sizes[int(random.random() * len(sizes))]
    cells = _cells(rows, columns, stock, random, near)
    return arranged(kind, cells, stock, random, *MATRICES[kind])


def cases(stock: Stock, random: Random, near: float) -> Draft:
    """Lines behind a brace, mostly with a condition each."""
    lines = 2 if random.random() < 0.7 else 3
    two = random.random() < 0.7
    cells: list[list[Cell]] = []
    for _ in range(lines):
        if two:
            value = stock.part(random, (1, 1, 1, 2, 3, 4, 5, 6), near)
            cells.append([_redrawn(value, stock, random), _condition(stock, random, near)])
        else:
            cells.append([_redrawn(_equation(stock, random, near), stock, random)])
    return arranged("cases", cells, stock, random, r"\{", "", left=True)


def aligned(stock: Stock, random: Random, near: float) -> Draft:
    """Two to four lines of an equation, one relation under the other."""
    lines = (2, 2, 2, 3, 3, 4)[int(random.random() * 6)]
    chain = random.random() < 0.6
    cells: list[list[Cell]] = []
    for number in range(lines):
        relation = (
            "=" if random.random() < 0.85 else (r"\leq", r"\geq", "<", r"\approx")[int(random.random() * 4)]
        )
        right = row([stock.symbol(relation, random), stock.part(random, _LINES, near)], random)
        first = number == 0 or not chain
        cells.append(
            [
                _redrawn(stock.part(random, (1, 1, 4, 4, 5, 6), near), stock, random) if first else None,
                _redrawn(right, stock, random),
            ]
        )
    return arranged("aligned", cells, stock, random, "", "", left=True)


def _equation(stock: Stock, random: Random, near: float) -> Draft:
    left, right = stock.part(random, (1, 3, 4, 5, 6, 7), near), stock.part(random, (1, 1, 1, 2, 3), near)
    return row([left, stock.symbol("=", random), right], random)


def _condition(stock: Stock, random: Random, near: float) -> Draft:
    name = stock.part(random, (1,), near)
    relation = ("=", ">", "<", r"\geq", r"\leq", r"\neq", r"\in")[int(random.random() * 7)]
    bound = stock.part(random, (1, 1, 1, 2), near)
    return row([name, stock.symbol(relation, random), bound], random)


def _redrawn(part: Draft, stock: Stock, random: Random) -> Draft:
    return redraw(part, stock, random, 0.35) if random.random() < 0.5 else part


def _cells(rows: int, columns: int, stock: Stock, random: Random, near: float) -> list[list[Cell]]:
    chance = random.random()
    make: Callable[[int, int], Draft]
    if chance < 0.3:
        digits = "0123456789" if random.random() < 0.6 else "0012"
        make = lambda _r, _c: _number(digits, stock, random)  # noqa: E731
    elif chance < 0.45:
        letter = _letter(random)
        second = (_letter(random), _letter(random))
        numbered = random.random() < 0.8
        make = lambda r, c: _entry(letter, r, c, numbered, second, rows, columns, stock, random)  # noqa: E731
    elif chance < 0.6:
        make = lambda _r, _c: stock.symbol(_letter(random), random)  # noqa: E731
    else:
        lengths = (1, 1, 1, 1, 2, 3, 4) if rows * columns > 6 else _ORDINARY
        make = lambda _r, _c: _redrawn(stock.part(random, lengths, near), stock, random)  # noqa: E731
    dots = min(rows, columns) >= 3 and random.random() < 0.15
    cells: list[list[Cell]] = []
    for r in range(rows):
        cells.append([])
        for c in range(columns):
            if dots and rows - 2 == r and columns - 2 == c:
                cell = stock.symbol(r"\ddots", random)
            elif dots and rows - 2 == r:
                cell = stock.symbol(r"\vdots", random)
            elif dots and columns - 2 == c:
                cell = stock.symbol(r"\cdots", random)
            else:
                cell = make(r, c)
            cells[-1].append(cell)
    return cells


def _letter(random: Random) -> str:
    if random.random() < 0.2:
        return _GREEK[int(random.random() * len(_GREEK))]
    return _LETTERS[int(random.random() * len(_LETTERS))]


def _number(digits: str, stock: Stock, random: Random) -> Draft:
    parts = [stock.symbol("-", random)] if random.random() < 0.15 else []
    parts.append(stock.symbol(digits[int(random.random() * len(digits))], random))
    if random.random() < 0.12:
        parts.append(stock.symbol(digits[int(random.random() * len(digits))], random))
    return row(parts, random, 0.6)


def _entry(
    letter: str,
    r: int,
    c: int,
    numbered: bool,
    second: tuple[str, str],
    rows: int,
    columns: int,
    stock: Stock,
    random: Random,
) -> Draft:
    """An entry with its indices, as in a_{12}; vectors have one index."""
    names: tuple[str, ...] = (str(r + 1), str(c + 1)) if numbered else second
    if columns == 1:
        names = names[:1]
    elif rows == 1:
        names = names[1:]
    index = row([stock.symbol(name, random) for name in names], random, 0.5)
    return script(stock.symbol(letter, random), index, False, random)


def arranged(
    kind: str,
    cells: Sequence[Sequence[Cell]],
    stock: Stock,
    random: Random,
    opening: str,
    closing: str,
    left: bool = False,
) -> Draft:
    """Arrange cells that stand on the line in rows and columns; `left` aligns columns at their left."""
    columns = len(cells[0])
    boxes = [[cell.box if cell else None for cell in line] for line in cells]
    widths = [
        max((b.right - b.left for b in (line[c] for line in boxes) if b), default=1.0) for c in range(columns)
    ]
    across = max(0.8, random.gauss(1.6, 0.4)) if kind != "aligned" else max(0.3, random.gauss(0.6, 0.15))
    if len(cells) == 1:
        across = max(across, 1.6)  # in a single row only the spaces show that there are columns
    between = max(0.25, random.gauss(0.75, 0.25))
    untidy = abs(random.gauss(0.1, 0.05))
    right_first = kind == "aligned"
    y = 0.0
    for number, line in enumerate(cells):
        tops = [min(box.top, -1.3) for box in boxes[number] if box]
        bottoms = [max(box.bottom, 0.1) for box in boxes[number] if box]
        base = y - min(tops)
        x = 0.0
        for c, (cell, box) in enumerate(zip(line, boxes[number], strict=True)):
            if cell is not None and box is not None:
                room = widths[c] - (box.right - box.left)
                share = (1.0 if right_first and c == 0 else 0.0) if left else 0.5
                cell.moved(
                    x + share * room - box.left + random.gauss(0.0, untidy), base + random.gauss(0.0, untidy)
                )
            x += widths[c] + across
        y = base + max(bottoms) + between
    inked = [cell for line in cells for cell in line if cell]
    around = [cell.box for cell in inked]
    top, bottom = min(box.top for box in around), max(box.bottom for box in around)
    start, end = min(box.left for box in around), max(box.right for box in around)
    margin = abs(random.gauss(0.15, 0.15))
    head = tail = None
    if opening:
        mark = bracket(opening, top - margin, bottom + margin, stock, random)
        mark.x = start - mark.width - max(0.1, random.gauss(0.35, 0.15))
        mark.label = rf"\begin{{{kind}}}"
        head = Draft([rf"\begin{{{kind}}}"], [mark])
    if closing:
        mark = bracket(closing, top - abs(random.gauss(0.15, 0.15)), bottom + margin, stock, random)
        mark.x = end + max(0.1, random.gauss(0.35, 0.15))
        mark.label = rf"\end{{{kind}}}"
        tail = Draft([rf"\end{{{kind}}}"], [mark])
    parts: list[Draft | str] = [head or rf"\begin{{{kind}}}"]
    for number, line in enumerate(cells):
        parts += [NEW_ROW] if number else []
        for c, cell in enumerate(line):
            parts += [CELL] if c else []
            parts += [cell] if cell else []
    parts.append(tail or rf"\end{{{kind}}}")
    made = joined(parts, _turns(len(inked), head is not None, tail is not None, random))
    return made.moved(-made.box.left, AXIS - (top + bottom) / 2)


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
