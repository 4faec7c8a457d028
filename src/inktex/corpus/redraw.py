r"""Redraw symbols by other symbols that fit in their place: the layout stays that of a real hand.

Letters take the places of letters of their shape, operators those of operators, brackets go in pairs; the
tokens change with the ink. A letter that occurs several times becomes the same other letter everywhere, as if
the writer had chosen other names.
"""

from bisect import bisect
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from math import exp
from random import Random

from inktex.corpus.bank import Glyph
from inktex.corpus.draft import Draft
from inktex.corpus.placing import Placed, mark
from inktex.corpus.roles import DOTS, PAIRS, metric, role_of, stand_ins
from inktex.corpus.stock import Stock
from inktex.latex import symbols

_SAME = 0.15  # share of the other symbols that another hand redraws as they are
_TRIES = 3  # drawings that are tried for one place
_SQUEEZE = 0.72  # a drawing may be narrowed to this share of its width to fit
_SUPERSCRIPTS = (r"\prime", "*", r"\dagger", r"\circ", "+", "-", r"\top", r"\perp", "T", r"\star")
_SUPERSCRIPT_WEIGHTS = tuple(accumulate((4.0, 3.0, 2.0, 2.0, 1.0, 1.0, 1.0, 0.5, 2.0, 0.5)))
_COMMON_BLACKBOARD = frozenset(rf"\mathbb{{{letter}}}" for letter in "RNZQCEPF1")
# Function names that real expressions have in plenty.
_IN_CROHME = frozenset((r"\sin", r"\cos", r"\tan", r"\log", r"\lim"))
_GROUP_WEIGHTS = {"blackboard": 0.25, "calligraphic": 0.3, "logic": 1.5, "sets": 1.5}


def weight(token: str) -> float:
    """How often a symbol is drawn, against one of weight 1."""
    if token in _COMMON_BLACKBOARD:
        return 1.2
    if token in _IN_CROHME:
        return 0.4
    return _GROUP_WEIGHTS.get(symbols.symbol(token).group, 1.0)


@cache
def _choices(token: str, known: frozenset[str] | None) -> tuple[tuple[str, ...], tuple[float, ...]]:
    others = tuple(other for other in stand_ins(token) if known is None or other in known)
    # Digits are mostly followed by digits in sense, not only in shape.
    digit = role_of(token) == "digit"
    weights = [weight(other) * (5.0 if digit and other.isdigit() else 1.0) for other in others]
    return others, tuple(accumulate(weights))


def weighted(random: Random, choices: Sequence[str], weights: Sequence[float]) -> str:
    """Draw one of the choices, given their weights summed up."""
    return choices[bisect(weights, random.random() * weights[-1])]


def redraw(draft: Draft, stock: Stock, random: Random, share: float = 0.6) -> Draft:
    """Redraw about `share` of the different symbols as others, and some of the symbols by other hands."""
    names = _new_names(draft, random, share, stock.known)
    brackets = _new_brackets(draft.tokens, random, 0.4 * share)
    for number, each in enumerate(draft.marks):
        token = each.token
        other = brackets.get(token) or _superscript(draft.tokens, token, random, share)
        label = other or names.get(each.label)
        if label is None:
            if random.random() >= _SAME or role_of(each.label) == "structure" or each.label == "-":
                continue
            label = each.label
        if label not in stock:
            continue
        drawn = (_placed(each, label, stock.glyph(label, random), random) for _ in range(_TRIES))
        new = next(filter(None, drawn), None)
        if new is not None:
            draft.replace_mark(number, new)
            draft.tokens[token] = label
    return draft


def _new_names(draft: Draft, random: Random, share: float, known: frozenset[str] | None) -> dict[str, str]:
    names = {}
    for label in sorted({each.label for each in draft.marks}):
        choices, weights = _choices(label, known)
        if choices and random.random() < share * (0.5 if label.isdigit() or label in "+-=" else 1.0):
            names[label] = weighted(random, choices, weights)
    if "d" in names and r"\frac" in draft.tokens and random.random() < 0.5:
        names["d"] = r"\partial"
    return names


def _new_brackets(tokens: Sequence[str], random: Random, share: float) -> Mapping[int, str]:
    """For some pairs of brackets another kind, by the places of the tokens."""
    new: dict[int, str] = {}
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token == "[" and tokens[place - 1] == r"\sqrt":
            return {}  # the index of a root is not a bracket that was written
        if opened and PAIRS[tokens[opened[-1]]] == token:
            first = opened.pop()
            if random.random() < share:
                opening = _BRACKETS[int(random.random() * len(_BRACKETS))]
                new |= {first: opening, place: PAIRS[opening]}
        elif token in PAIRS:
            opened.append(place)
    return new


_BRACKETS = (
    "(", "[", "[", r"\{", r"\{", r"\langle", r"\langle", r"\lfloor", r"\lceil", "|", "|", r"\|", r"\|"
)  # fmt: skip


def _superscript(tokens: Sequence[str], place: int, random: Random, share: float) -> str | None:
    """Another symbol for a digit or letter that is all of a superscript, now and then."""
    alone = tokens[place - 2 : place] == ["^", "{"] and tokens[place + 1 : place + 2] == ["}"]
    if not alone or random.random() >= 0.25 * share:
        return None
    base = tokens[place - 3] if place >= 3 else ""
    if role_of(base) not in ("letter", "close", "digit"):
        return None
    return weighted(random, _SUPERSCRIPTS, _SUPERSCRIPT_WEIGHTS)


def _placed(old: Placed, label: str, glyph: Glyph, random: Random) -> Placed | None:
    """A drawing of `label` where the old mark was, on its line; None if it does not fit."""
    if label in PAIRS or label in PAIRS.values():
        return _stretched(old, label, glyph)
    before, usual = metric(old.label), metric(label)
    if before.flat:
        unit = old.width / before.width
        base = old.y + old.height / 2 + unit * (before.bottom + before.top) / 2
    elif old.label in DOTS:
        return None  # a dot does not say how large the writing is
    else:
        unit = old.height / before.height
        base = old.y + old.height + unit * before.bottom
    if unit <= 0:
        return None
    unit *= exp(random.gauss(0.0, 0.05))
    if label in DOTS:
        extent = max(glyph.width, glyph.height)
        scale = 0.14 * unit / extent if extent > 0 else 1.0
    elif usual.flat:
        scale = unit * usual.width / max(glyph.width, 0.3 * glyph.height, 1e-9)
    else:
        scale = unit * usual.height / max(glyph.height, 0.2 * glyph.width, 1e-9)
    room = max(1.15 * old.width, old.width + 0.2 * unit)
    narrow = min(1.0, room / max(glyph.width * scale, 1e-9))
    if narrow < _SQUEEZE:
        # Smaller altogether, if that is enough.
        scale *= max(narrow / _SQUEEZE, 0.8)
        narrow = min(1.0, room / max(glyph.width * scale, 1e-9))
        if narrow < _SQUEEZE - 1e-9:
            return None
    width, height = glyph.width * scale * narrow, glyph.height * scale
    x = old.x + (old.width - width) / 2
    y = base - unit * (usual.bottom + usual.top) / 2 - height / 2
    return mark(old.token, label, glyph, scale * narrow, scale, x, y)


def _stretched(old: Placed, label: str, glyph: Glyph) -> Placed | None:
    """A bracket as tall as the old one."""
    if glyph.height <= 0 or old.height <= 0:
        return None
    tall = old.height / glyph.height
    usual = metric(label)
    unit = old.height / metric(old.label).height
    wide = min(tall, 1.3 * usual.width * unit / max(glyph.width, 1e-9)) if glyph.width > 0 else tall
    width = glyph.width * wide
    return mark(old.token, label, glyph, wide, tall, old.x + (old.width - width) / 2, old.y)
