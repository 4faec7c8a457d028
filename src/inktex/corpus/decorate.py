r"""Accents, lines, braces and binomials over real letters and parts.

The ink of an accent is a drawing of the symbol it looks like, made flat: `\hat` a `\wedge`, `\tilde` a
`\sim`, `\vec` an arrow, lines a minus, braces a brace turned on its side.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import exp
from random import Random

import numpy as np

from inktex.corpus.bank import Glyph
from inktex.corpus.draft import Draft, joined, strokes_of_mark
from inktex.corpus.placing import Box, Placed, box_of, level_line, mark
from inktex.corpus.redraw import redraw, weighted
from inktex.corpus.roles import metric, role_of
from inktex.corpus.rows import AXIS, THICKEST, bracket, row
from inktex.corpus.stock import Stock

# Accents and how often each is drawn, over letters and over parts.
_OVER_LETTERS = {
    r"\hat": 5.0, r"\bar": 5.0, r"\vec": 5.0, r"\dot": 4.0, r"\ddot": 2.5, r"\tilde": 5.0, r"\overline": 0.0,
    r"\underline": 0.7,
}  # fmt: skip
_OVER_PARTS = {
    r"\overline": 5.0, r"\underline": 3.0, r"\widehat": 2.0, r"\widetilde": 2.0, r"\overrightarrow": 3.0,
    r"\overbrace": 2.5, r"\underbrace": 2.5,
}  # fmt: skip
_LETTER_WEIGHTS, _PART_WEIGHTS = (tuple(accumulate(each.values())) for each in (_OVER_LETTERS, _OVER_PARTS))
_BELOW = frozenset({r"\underline", r"\underbrace"})
_ARROWS = (r"\rightarrow", r"\rightarrow", r"\rightharpoonup")
_DOTS = (r"\cdot", ".")
# What an accent is drawn as, and its height in x-heights, at most; dots have a size of their own.
_MADE_OF = {
    r"\hat": ((r"\wedge",), 0.42), r"\widehat": ((r"\wedge",), 0.5), r"\tilde": ((r"\sim",), 0.32),
    r"\widetilde": ((r"\sim",), 0.36), r"\vec": (_ARROWS, 0.4), r"\overrightarrow": (_ARROWS, 0.42),
    r"\dot": (_DOTS, 0.0), r"\ddot": (_DOTS, 0.0),
}  # fmt: skip


def decorated(stock: Stock, random: Random) -> Draft:
    """An expression with accents over letters, a line or brace over a part, or a binomial."""
    chance = random.random()
    if chance < 0.62:
        whole = random.random() < 0.5
        draft = stock.expression(random) if whole else stock.part(random, (1, 1, 3, 4, 5, 6, 8, 10))
        if len(draft.tokens) > 45:
            draft = stock.part(random, (6, 8, 10))
        redraw(draft, stock, random, 0.4)
        if accented(draft, stock, random):
            return draft
        chance = random.random()
    if chance < 0.75:
        return _in_a_row(_with_line(stock, random), stock, random, 0.5)
    return _in_a_row(binomial(stock, random), stock, random, 0.6)


def accented(draft: Draft, stock: Stock, random: Random) -> bool:
    """Put accents over some of the letters; False if there was no room for any."""
    letters = sorted({each.label for each in draft.marks if role_of(each.label) == "letter"})
    if not letters:
        return False
    random.shuffle(letters)
    done = 0
    for label in letters[: 1 + int(random.random() * 2.5)]:
        accent = weighted(random, tuple(_OVER_LETTERS), _LETTER_WEIGHTS)
        for each in [each for each in draft.marks if each.label == label]:
            unit = each.height / metric(label).height
            new = accent_mark(accent, box_of([each]), unit, stock, random)
            if unit > 0 and not _collides(new, draft.marks, each):
                wrap(draft, each.token, each.token + 1, accent, new)
                done += 1
    return done > 0


def _collides(new: Placed, marks: Sequence[Placed], host: Placed) -> bool:
    return any(
        each is not host
        and each.x < new.x + new.width
        and new.x < each.x + each.width
        and each.y < new.y + new.height
        and new.y < each.y + each.height
        for each in marks
    )


def wrap(draft: Draft, start: int, end: int, token: str, new: Placed) -> None:
    """Make tokens start to end the argument of `token`, which is written as `new` after them."""
    inner = {number for number, each in enumerate(draft.marks) if start <= each.token < end}
    draft.tokens[start:end] = [token, "{", *draft.tokens[start:end], "}"]
    for each in draft.marks:
        each.token += 3 if each.token >= end else 2 if each.token >= start else 0
    new.token = start
    draft.marks.append(new)
    at = 1 + max(place for place, (number, _) in enumerate(draft.order) if number in inner)
    draft.order[at:at] = strokes_of_mark(len(draft.marks) - 1, new)


def accent_mark(accent: str, body: Box, unit: float, stock: Stock, random: Random) -> Placed:
    """The ink of an accent over (or under) a body, of writing with x-height `unit`."""
    width = body.right - body.left
    away = unit * max(0.08, random.gauss(0.24, 0.09))
    if accent in (r"\overbrace", r"\underbrace"):
        new = _brace(accent, width * exp(random.gauss(0.03, 0.05)), unit, stock, random)
    elif accent in (r"\bar", r"\overline", r"\underline"):
        wanted = max(0.55 * unit, width * exp(random.gauss(0.05 if accent == r"\bar" else 0.12, 0.12)))
        line = level_line(0, accent, stock.glyph("-", random), wanted / unit, THICKEST, 0.0, 0.0)
        [new] = Draft([accent], [line]).scaled(unit).marks
    else:
        drawings, height = _MADE_OF[accent]
        glyph = stock.glyph(drawings[int(random.random() * len(drawings))], random)
        if drawings is _DOTS:
            new = _dots(accent, glyph, unit, random)
        else:
            wanted = max(0.6 * unit, min(width, 1.3 * unit) * exp(random.gauss(0.0, 0.12)))
            if accent in (r"\widehat", r"\widetilde", r"\overrightarrow"):
                wanted = max(wanted, width * exp(random.gauss(0.05, 0.08)))
            wide = wanted / max(glyph.width, 1e-9)
            highest = height * unit * exp(random.gauss(0.0, 0.2))
            new = mark(0, accent, glyph, wide, min(wide, highest / max(glyph.height, 1e-9)), 0.0, 0.0)
    new.x = (body.left + body.right) / 2 - new.width / 2 + random.gauss(0.0, 0.08) * unit
    new.y = body.bottom + away if accent in _BELOW else body.top - away - new.height
    return new


def _dots(accent: str, glyph: Glyph, unit: float, random: Random) -> Placed:
    extent = max(glyph.width, glyph.height)
    scale = min(1.0, 0.14 * unit / extent) if extent > 0 else 1.0
    strokes = [stroke * scale for stroke in glyph.strokes]
    if accent == r"\ddot":
        apart = unit * max(0.2, random.gauss(0.42, 0.1))
        strokes += [stroke + np.array((apart, random.gauss(0.0, 0.03) * unit)) for stroke in strokes]
    return mark(0, accent, Glyph.from_strokes(accent, strokes, glyph.writer), 1.0, 1.0, 0.0, 0.0)


def _brace(accent: str, width: float, unit: float, stock: Stock, random: Random) -> Placed:
    """A brace turned on its side, its tip away from what it spans."""
    upright = stock.glyph(r"\{", random)
    turned = upright.points[:, ::-1] * np.array((1.0, 1.0 if accent == r"\overbrace" else -1.0))
    strokes = [turned[a:b] for a, b in pairwise(upright.offsets)]
    glyph = Glyph.from_strokes(accent, strokes, upright.writer)
    height = unit * max(0.25, random.gauss(0.5, 0.1))
    return mark(0, accent, glyph, width / max(glyph.width, 1e-9), height / max(glyph.height, 1e-9), 0.0, 0.0)


def _with_line(stock: Stock, random: Random) -> Draft:
    """A part with a line, a wide accent or a brace over or under all of it."""
    accent = weighted(random, tuple(_OVER_PARTS), _PART_WEIGHTS)
    brace = accent in (r"\overbrace", r"\underbrace")
    if accent == r"\overrightarrow":
        names = ("ABCDEFGHMNOPQRSTXY"[int(random.random() * 18)] for _ in range(2))
        part = row([stock.symbol(name, random) for name in names], random, 0.5)
    elif accent in (r"\widehat", r"\widetilde"):
        part = stock.part(random, (1, 1, 2, 3))
    else:
        part = stock.part(random, (5, 6, 7, 8, 9, 10) if brace else (1, 2, 3, 3, 4, 5, 6))
    redraw(part, stock, random, 0.35)
    new = accent_mark(accent, part.box, 1.0, stock, random)
    wrap(part, 0, len(part.tokens), accent, new)
    if brace and random.random() < 0.7:
        label = stock.part(random, (1, 1, 1, 2, 3)).scaled(max(0.45, random.gauss(0.65, 0.08)))
        box = label.box
        away = max(0.08, random.gauss(0.25, 0.1))
        dy = new.y - away - box.bottom if accent == r"\overbrace" else new.y + new.height + away - box.top
        label.moved(new.x + new.width / 2 - (box.left + box.right) / 2 + random.gauss(0.0, 0.1), dy)
        part = joined((part, "^" if accent == r"\overbrace" else "_", "{", label, "}"))
    return part


def binomial(stock: Stock, random: Random) -> Draft:
    """Two parts over each other in parentheses."""
    lengths = (1, 1, 1, 1, 2, 3, 3)
    above, below = stock.part(random, lengths), stock.part(random, lengths)
    small = exp(random.gauss(-0.12, 0.08))
    upper, lower = (redraw(part, stock, random, 0.3).scaled(small).box for part in (above, below))
    width = max(upper.right - upper.left, lower.right - lower.left)
    gap = max(0.15, random.gauss(0.45, 0.15))
    heights = (AXIS - gap / 2 - upper.bottom, AXIS + gap / 2 - lower.top)
    for part, box, y in zip((above, below), (upper, lower), heights, strict=True):
        part.moved(width / 2 - (box.left + box.right) / 2 + random.gauss(0, 0.08), y)
    top, bottom = above.box.top - abs(random.gauss(0.1, 0.1)), below.box.bottom + abs(random.gauss(0.1, 0.1))
    opening, closing = (bracket(label, top, bottom, stock, random) for label in "()")
    opening.x = -opening.width - max(0.08, random.gauss(0.2, 0.1))
    closing.x = width + max(0.08, random.gauss(0.2, 0.1))
    closing.token = -1  # both parentheses belong to the same token
    both = (Draft([r"\binom"], [opening]), Draft([], [closing]))
    made = joined((*both, "{", above, "}", "{", below, "}"), turns=(0, 2, 3, 1))
    return made.moved(-made.box.left, 0.0)


def _in_a_row(draft: Draft, stock: Stock, random: Random, share: float) -> Draft:
    """Put a part or a relation beside a draft, now and then."""
    if random.random() >= share:
        return draft
    operator = ("=", "=", "+", "-", r"\leq", r"\in", r"\cdot")[int(random.random() * 7)]
    other = stock.part(random, (1, 1, 2, 3, 4, 5, 6))
    parts = [draft, stock.symbol(operator, random), other]
    return row(parts if random.random() < 0.5 else parts[::-1], random)
