r"""The training ink of the `wide` model: real expressions, and what is made of them for 358 tokens.

`WideInk(examples, banks).pieces(epoch)` gives the expressions of an epoch, new ones in every epoch; equal
seeds give equal ink. `WideMix` says how many of each kind there are:

- real: expressions of the corpus as they are;
- redrawn: their symbols redrawn by other symbols of the same role and shape;
- lone: single symbols of every class, brackets included, the commoner ones more often;
- short: two to five tokens: real parts, names of functions, small formulas;
- joined: real parts joined by operators, fractions, scripts, brackets;
- grids: matrices, cases, aligned lines;
- decorated: accents, lines, braces, binomials.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import exp
from pathlib import Path
from random import Random

import numpy as np

from inktex.corpus.bank import Banks
from inktex.corpus.bank_sources import COLLECTIONS, open_drawings
from inktex.corpus.decorate import decorated
from inktex.corpus.draft import Draft, gather
from inktex.corpus.example import Example
from inktex.corpus.grids import grid
from inktex.corpus.hershey import hershey_bank
from inktex.corpus.pens import Pens, with_another_pen
from inktex.corpus.placing import mark
from inktex.corpus.recombine import Piece
from inktex.corpus.redraw import redraw, weight, weighted
from inktex.corpus.roles import PAIRS, function_letters
from inktex.corpus.rows import enclosed, fraction, row, script, written_template
from inktex.corpus.stock import Stock
from inktex.latex import symbols

_LONGEST = 90  # tokens of a made expression, at most

# How much each bank is drawn from, against the symbols of CROHME.
BANK_WEIGHTS = {"detexify": 1.2, "mathnote": 0.7, "omniglot": 0.5, "hershey": 0.25}

DRAWN: tuple[str, ...] = tuple(
    token for group, tokens in symbols.GROUPS.items() if group not in symbols.STRUCTURAL for token in tokens
)

_MOST_ALONE = {
    "x": 5.0, "(": 3.0, ")": 3.0, "[": 1.5, "]": 1.5, "|": 2.5, ",": 2.5, ".": 2.0, "=": 2.5, "+": 2.0,
    "-": 2.0,
}  # fmt: skip
_JOINTS = (
    "+", "-", "=", "=", r"\cdot", r"\times", "<", r"\leq", r"\geq", r"\rightarrow", r"\neq", r"\approx",
)  # fmt: skip


def wide_banks(data: Path | None = None) -> Banks:
    """All banks that `wide` is trained with, beside CROHME's own symbols, and their weights."""
    banks = [(open_drawings(name, "train", data), BANK_WEIGHTS[name]) for name in COLLECTIONS]
    return [*banks, (hershey_bank(), BANK_WEIGHTS["hershey"])]


@dataclass(frozen=True)
class WideMix:
    """Expressions of each kind in an epoch."""

    real: int = 5000
    redrawn: int = 4500
    lone: int = 4000
    short: int = 1400
    joined: int = 900
    grids: int = 1500
    decorated: int = 900
    usual: float = 1.0  # how much more often than usual the symbols that people try first are drawn alone
    one_hand: float = 0.0  # share of the grids whose entries are real ones, all in one hand
    # Share of the lone symbols whose strokes are drawn from the other end or in another order; of the symbols
    # of other made expressions a fifth of it.
    other_ways: float = 0.0


# For a corpus alone: no drawings from other sources, and no symbols but its own.
CORPUS_MIX = WideMix(real=6000, redrawn=5500, lone=700, short=1500, joined=2500, grids=0, decorated=0)


class WideInk:
    """Makes the expressions of every epoch."""

    def __init__(
        self,
        examples: Sequence[Example],
        banks: Banks,
        mix: WideMix | None = None,
        seed: int = 1,
        known: Sequence[str] | None = None,
    ) -> None:
        """Take the corpus and banks with weights; with `known`, expressions have no other tokens."""
        self.stock, self.mix, self.seed = Stock(examples, banks, known), mix or WideMix(), seed
        self.pens = Pens()
        self._makers: dict[str, Callable[[Random], Draft]] = {
            "real": self.stock.expression,
            "redrawn": lambda random: redraw(self.stock.expression(random), self.stock, random),
            "lone": self._lone,
            "short": self._short,
            "joined": self._joined,
            "grids": lambda random: grid(self.stock, random, self.mix.one_hand),
            "decorated": lambda random: decorated(self.stock, random),
        }

    def pieces(self, epoch: int) -> list[Piece]:
        counts = {kind: getattr(self.mix, kind) for kind in self._makers if kind != "real"}
        made = (self.piece(kind, epoch, number) for kind, count in counts.items() for number in range(count))
        return [*self._real(epoch), *made]

    def _real(self, epoch: int) -> list[Piece]:
        """Real expressions in turn: each is used once before any is used again."""
        count, drafts = self.mix.real, self.stock.drafts
        if not count:
            return []
        turns = range(epoch * count // len(drafts), ((epoch + 1) * count - 1) // len(drafts) + 1)
        shuffled: list[Draft] = []
        for turn in turns:
            order = drafts.copy()
            Random(f"{self.seed}/order/{turn}").shuffle(order)
            shuffled += order
        first = epoch * count % len(drafts)
        return [draft.finished() for draft in shuffled[first : first + count]]

    def piece(self, kind: str, epoch: int, number: int) -> Piece:
        """Expression `number` of a kind in an epoch; depends on these and the seed alone."""
        random = Random(f"{self.seed}/{epoch}/{kind}/{number}")
        while len((draft := self._makers[kind](random)).tokens) > _LONGEST:
            pass
        piece = draft.finished(_rough(draft, random) if kind != "real" else None)
        piece = with_another_pen(piece, self.pens, random)
        return with_other_ways(piece, self.mix.other_ways * (1.0 if kind == "lone" else 0.2), random)

    @cached_property
    def _alone(self) -> tuple[tuple[str, ...], tuple[float, ...]]:
        tokens = tuple(token for token in DRAWN if token in self.stock)
        often = dict.fromkeys((*_MOST_ALONE, *symbols.GROUPS["digits"]), self.mix.usual)
        return tokens, tuple(accumulate(weight_alone(token) * often.get(token, 1.0) for token in tokens))

    def _lone(self, random: Random) -> Draft:
        label = weighted(random, *self._alone)
        glyph = self.stock.alone(label, random)
        stretch = exp(random.gauss(0.0, 0.12 if label in PAIRS or label in PAIRS.values() else 0.06))
        return Draft([label], [mark(0, label, glyph, stretch, 1 / stretch, 0.0, 0.0)])

    def _short(self, random: Random) -> Draft:
        if random.random() < 0.45 or self.stock.known is not None:
            part = self.stock.part(random, (2, 2, 3, 3, 4, 4, 5, 5))
            return redraw(part, self.stock, random, 0.5) if random.random() < 0.7 else part
        return written_template(self.stock, random)

    def _joined(self, random: Random) -> Draft:
        stock, near = self.stock, random.random()
        part = self._part
        chance = random.random()
        if chance < 0.4:
            made = self._linked(part(random, near), part(random, near), random)
        elif chance < 0.6:
            made = fraction(part(random, near), part(random, near), stock, random)
        elif chance < 0.75:
            opening = self._any(tuple(PAIRS), random)
            made = enclosed(part(random, near), opening, PAIRS[opening], stock, random)
            if random.random() < 0.5:
                made = script(made, stock.part(random, (1, 1, 2, 3), near), random.random() < 0.7, random)
        elif chance < 0.87:
            name = self._any(symbols.GROUPS["functions"], random)
            made = row([stock.symbol(name, random), part(random, near)], random)
        else:
            base, content = part(random, near, (1, 1, 1, 2)), part(random, near, (1, 2, 3, 4, 5))
            made = script(base, content, random.random() < 0.6, random)
        if random.random() < 0.4:
            pair = (made, part(random, near))
            made = self._linked(*(pair if random.random() < 0.5 else pair[::-1]), random)
        return made

    def _linked(self, left: Draft, right: Draft, random: Random) -> Draft:
        """Two parts with an operator or a relation between them."""
        joint = "=" if right.tokens[0] == "-" else self._any(_JOINTS, random)
        return row([left, self.stock.symbol(joint, random), right], random)

    def _any(self, labels: Sequence[str], random: Random) -> str:
        """One of the labels that can be drawn."""
        if self.stock.known is not None:
            labels = [label for label in labels if label in self.stock]
        return labels[int(random.random() * len(labels))]

    def _part(
        self, random: Random, near: float, lengths: Sequence[int] = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12)
    ) -> Draft:
        part = self.stock.part(random, lengths, near)
        return redraw(part, self.stock, random, 0.4) if random.random() < 0.4 else part


def weight_alone(token: str) -> float:
    """How often a symbol is drawn alone; of symbols that look the same, mostly the one people mean."""
    if token in _MOST_ALONE:
        return _MOST_ALONE[token]
    group = symbols.symbol(token).group
    # Among others, calligraphic and blackboard letters are rare; alone they need as many drawings as letters
    # do, or all of them are read as plain ones.
    usual = {
        "digits": 2.0,
        "latin": 1.3 if token.islower() else 0.9,
        "functions": 0.35,
        "calligraphic": 0.9,
        "blackboard": max(0.8, weight(token)),
    }.get(group, weight(token))
    return usual if function_letters(token) or symbols.look_alike(token) == token else 0.5 * usual


def with_other_ways(piece: Piece, share: float, random: Random) -> Piece:
    """The same picture; a share of the symbols is drawn from other ends or with its strokes in another order.

    Most people draw a 7 from its top and a 4 of three strokes from the left, but not all of them do.
    """
    if share <= 0:
        return piece
    strokes = list(piece.strokes)
    for token, own in zip(piece.tokens, piece.strokes_of, strict=True):
        if not own or random.random() >= share or function_letters(token):
            continue
        drawn = [piece.strokes[each] for each in own]
        if random.random() < 0.5:
            random.shuffle(drawn)
        for place, stroke in zip(own, drawn, strict=True):
            strokes[place] = stroke[::-1] if random.random() < 0.5 else stroke
    return Piece(tuple(strokes), piece.tokens, piece.strokes_of)


def _rough(draft: Draft, random: Random) -> np.ndarray:
    """The points of a draft, bent a little by slow waves that run through all of it."""
    points = gather(draft.marks)
    middle = float(np.median([max(each.width, each.height) for each in draft.marks]))
    size = middle or float((points.max(axis=0) - points.min(axis=0)).max()) or 1.0
    wave = [random.gauss(0.0, 1.0) / size for _ in range(4)]
    push = [random.gauss(0.0, 0.025 * size) for _ in range(4)]
    phases = points @ np.reshape(wave, (2, 2)) + (random.uniform(0.0, 6.3), random.uniform(0.0, 6.3))
    bent: np.ndarray = points + np.sin(phases) @ np.reshape(push, (2, 2))
    return bent
