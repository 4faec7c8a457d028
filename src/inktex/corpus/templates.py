r"""Small formulas of two to a dozen symbols, as people write them to try a recogniser, from single drawings.

A template is a line of LaTeX words (`templates.txt`) in which single letters in angle brackets stand for any
symbol of a kind: `<L>` a letter, `<N>` a digit, and so on. `rows` writes scripts, fractions and roots.
"""

from importlib.resources import files
from itertools import accumulate
from random import Random

from inktex.corpus.draft import Draft
from inktex.corpus.redraw import weight, weighted
from inktex.corpus.roles import role_of, shape_of
from inktex.corpus.rows import fraction, row, script
from inktex.corpus.stock import Stock
from inktex.latex import symbols

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
    """A small formula, drawn at random."""
    chance = random.random()
    if chance < 0.25:
        made = _scripted(stock, random)
        if random.random() < 0.4:
            other = (
                _scripted(stock, random) if random.random() < 0.3 else _plain(("<R>", "<N>"), stock, random)
            )
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
