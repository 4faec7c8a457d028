"""Put drafts next to, over and into each other, as a hand would: rows, fractions, scripts, brackets.

All drafts stand on the line y = 0 with an x-height of about 1 and begin at x = 0, as `Draft.on_line` puts
them; so do the results. Distances are drawn around usual ones.

`written_template` writes small formulas of two to a dozen symbols, as people write them to try a recogniser.
A template is a line of LaTeX words (`templates.txt`) in which single letters in angle brackets stand for any
symbol of a kind: `<L>` a letter, `<N>` a digit, and so on.
"""

from importlib.resources import files
from itertools import accumulate
from math import exp
from random import Random

from inktex.corpus.draft import Draft, joined
from inktex.corpus.placing import Placed, level_line, mark
from inktex.corpus.recombine import top_items
from inktex.corpus.redraw import weight, weighted
from inktex.corpus.roles import gap, role_of, shape_of
from inktex.corpus.stock import Stock
from inktex.latex import symbols

AXIS = -0.5  # height of the middle of operators and bars, y down
THICKEST = 0.14  # height of a line that is not quite level, at most


def row(parts: list[Draft], random: Random, spacing: float = 1.0) -> Draft:
    """Write drafts from left to right."""
    right = 0.0
    for number, part in enumerate(parts):
        if number:
            before, after = parts[number - 1].tokens, part.tokens
            usual = gap(_last(before), after[0]) * spacing
            right += max(0.08, usual * exp(random.gauss(0.0, 0.3)))
        box = part.box
        part.moved(right - box.left, random.gauss(0.0, 0.06))
        right += box.right - box.left
    return joined(parts)


def _last(tokens: list[str]) -> str:
    head = tokens[top_items(tokens)[-1][0]]
    return head if head not in ("}", r"\frac", r"\sqrt") else "x"


def fraction(above: Draft, below: Draft, stock: Stock, random: Random) -> Draft:
    """One draft over the other with a bar between them."""
    small = exp(random.gauss(-0.14, 0.08))
    above.scaled(small)
    below.scaled(small)
    upper, lower = above.box, below.box
    width = max(upper.right - upper.left, lower.right - lower.left)
    left, right = (0.35 * exp(random.gauss(0.0, 0.4)) for _ in range(2))
    dash, axis = stock.glyph("-", random), AXIS + random.gauss(0.0, 0.06)
    bar = level_line(0, r"\frac", dash, width + left + right, THICKEST, 0.0, axis)
    middle = left + width / 2
    for part, box in ((above, upper), (below, lower)):
        dx = middle - (box.left + box.right) / 2 + random.gauss(0.0, 0.1)
        away = max(0.12, random.gauss(0.32, 0.12))
        part.moved(dx, bar.y - away - box.bottom if part is above else bar.y + bar.height + away - box.top)
    turns = (1, 0, 2) if random.random() < 0.8 else (0, 1, 2)
    made = joined((Draft([r"\frac"], [bar]), "{", above, "}", "{", below, "}"), turns)
    return made.moved(-made.box.left, 0.0)


def script(base: Draft, content: Draft, upper: bool, random: Random) -> Draft:
    """A draft with a super- or subscript on its last symbol."""
    content.scaled(min(0.85, max(0.42, random.gauss(0.6, 0.07))))
    body, box = base.box, content.box
    dx = body.right + max(0.03, random.gauss(0.16, 0.1)) - box.left
    last = max(base.marks, key=lambda each: each.x + each.width)
    if upper:
        # Beside the upper part of a letter, at the upper corner of something tall.
        foot = last.y + 0.6 if last.height > 2.4 else -max(0.65, -0.62 * last.y)
        dy = foot + random.gauss(0.0, 0.13) - box.bottom
    else:
        dy = max(0.0, last.y + last.height - 0.5) - max(0.05, random.gauss(0.35, 0.15)) - box.top
    content.moved(dx, dy)
    return joined((base, "^" if upper else "_", "{", content, "}"))


def bracket(label: str, top: float, bottom: float, stock: Stock, random: Random) -> Placed:
    """A bracket that spans from top to bottom, beginning at x = 0."""
    glyph = stock.glyph(label, random)
    tall = (bottom - top) / max(glyph.height, 1e-9)
    # A tall bracket is wider than a small one, but not in proportion.
    usual = 0.45 * max(1.0, (bottom - top) / 2.3) ** 0.4 * exp(random.gauss(0.0, 0.2))
    wide = min(tall, (0.3 if label in ("|", r"\|") else usual) / max(glyph.width, 1e-9))
    return mark(0, label, glyph, wide, tall, 0.0, top)


def enclosed(content: Draft, opening: str, closing: str, stock: Stock, random: Random) -> Draft:
    """A draft in brackets that are as tall as it is."""
    box = content.box
    top = min(box.top, -1.5) - abs(random.gauss(0.15, 0.12))
    bottom = max(box.bottom, 0.2) + abs(random.gauss(0.15, 0.12))
    left = bracket(opening, top, bottom, stock, random)
    right = bracket(closing, top + random.gauss(0.0, 0.08), bottom + random.gauss(0.0, 0.08), stock, random)
    content.moved(left.width + max(0.1, random.gauss(0.25, 0.1)) - box.left, 0.0)
    right.x = content.box.right + max(0.1, random.gauss(0.25, 0.1))
    return joined((Draft([opening], [left]), content, Draft([closing], [right])))


_TEMPLATES = tuple(
    tuple(line.split())
    for line in files("inktex.corpus").joinpath("templates.txt").read_text("utf-8").splitlines()
)
_FUNCTIONS = tuple(template for template in _TEMPLATES if "<F>" in template)
_SCRIPTED = (
    ("<L>", "^", "<N>"), ("<L>", "_", "<N>"), ("<L>", "_", "<l>"), ("<L>", "^", "<l>"), ("e", "^", "<L>"),
    ("<N>", "^", "<N>"), ("<L>", "^", r"\prime"), ("<L>", "^", "*"), ("<L>", "^", r"\dagger"),
    ("<N>", "^", r"\circ"), ("<Q>", "^", "<l>"), ("<Q>", "^", "<N>"), ("<U>", "^", "T"), ("<G>", "_", "<N>"),
    ("<l>", "_", "<G>"), (r"\nabla", "^", "2"), (r"\partial", "_", "<l>"), ("<U>", "_", "<l>"),
    ("<U>", "^", "c"), ("<Q>", "_", "+"),
)  # fmt: skip


def _letters(small: bool) -> tuple[str, ...]:
    chosen = (token for token in symbols.WIDE if role_of(token) == "letter")
    return tuple(token for token in chosen if (shape_of(token).name == "capital") != small)


def _of_role(role: str) -> tuple[str, ...]:
    return tuple(token for token in symbols.WIDE if role_of(token) == role)


_KINDS: dict[str, tuple[str, ...]] = {
    "<N>": symbols.GROUPS["digits"],
    "<l>": tuple("abcdefghijklmnopqrstuvwxyzxxyzntk"),
    "<L>": (*_letters(True), *_letters(False)),
    "<U>": _letters(False),
    "<G>": tuple(token for token in symbols.GROUPS["greek"] if token[1].islower()),
    "<Q>": symbols.GROUPS["blackboard"],
    "<B>": _of_role("binary"),
    "<R>": _of_role("relation"),
    "<A>": symbols.GROUPS["arrows"],
    "<F>": symbols.GROUPS["functions"],
    "<S>": (*_of_role("symbol"), *symbols.GROUPS["letter-like"]),
    "<I>": _of_role("big"),
}
_WEIGHTS = {kind: tuple(accumulate(map(weight, tokens))) for kind, tokens in _KINDS.items()}


def written_template(stock: Stock, random: Random) -> Draft:
    chance = random.random()
    if chance < 0.25:
        made = _scripted(stock, random)
        if random.random() < 0.4:
            again = random.random() < 0.3
            other = _scripted(stock, random) if again else _plain(("<R>", "<N>"), stock, random)
            made = row([made, other], random)
        return made
    if chance < 0.33:
        return _derivative(stock, random)
    if chance < 0.5:
        return _plain(_FUNCTIONS[int(random.random() * len(_FUNCTIONS))], stock, random)
    return _plain(_TEMPLATES[int(random.random() * len(_TEMPLATES))], stock, random)


def _plain(template: tuple[str, ...], stock: Stock, random: Random) -> Draft:
    words = [_word(word, random) for word in template]
    return row([stock.symbol(word, random) for word in words if word in stock], random, 0.8)


def _word(word: str, random: Random) -> str:
    return weighted(random, _KINDS[word], _WEIGHTS[word]) if word in _KINDS else word


def _scripted(stock: Stock, random: Random) -> Draft:
    base, place, content = _SCRIPTED[int(random.random() * len(_SCRIPTED))]
    inner = stock.symbol(_word(content, random), random)
    if content == r"\prime":
        inner.moved(0.0, 0.9)  # on its own it hangs high already
    return script(stock.symbol(_word(base, random), random), inner, place == "^", random)


def _derivative(stock: Stock, random: Random) -> Draft:
    r"""A fraction of d or \partial, as in ∂u/∂t, with something behind it now and then."""
    d = r"\partial" if random.random() < 0.6 else "d"
    above = _plain((d, "<l>"), stock, random) if random.random() < 0.7 else _plain((d,), stock, random)
    below = _plain((d, "<l>"), stock, random)
    made = fraction(above, below, stock, random)
    if random.random() < 0.5:
        tail = (("=", r"\nabla", "<l>"), ("=", "<N>"), ("=", "<l>"), ("+", "<l>"), ("<U>",))
        made = row([made, _plain(tail[int(random.random() * len(tail))], stock, random)], random)
    return made
