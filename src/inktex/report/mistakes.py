"""What kind of mistake is a wrong answer? (the paper's §III-C, figures 4 and 5)

`diagnose` gives single mistakes, each of one of four kinds, and the kind that the whole answer is counted
under.

- over-translation: one symbol too many. Visible in the attention if the symbol was read from ink that an
  earlier symbol had been read from; otherwise a symbol was split in two.
- under-translation: a symbol is missing. Visible in the attention if its ink was never read; otherwise a
  neighbour took its ink.
- symbol confusion: the right number of symbols, one of them wrong.
- structure error: all symbols right, but one in the wrong place.

Symbols of truth and answer are paired by their layout trees (`inktex.evaluation.trees`), as in all figures
of an evaluation. Ink read twice is found from attention alone (the paper's §II-D), so any ink can be checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from inktex.corpus import Example
from inktex.evaluation.trees import align, symbol_tree
from inktex.latex import LatexError, parse_layout
from inktex.reading import Reading, symbol_places

# Chosen on the validation set: of symbols that were read correctly, less than 1 % cross either line.
REREAD_FROM = 0.6  # share of its attention that a symbol has in common with an earlier one
UNREAD_BELOW = 0.4  # attention that all symbols together paid to the ink of a symbol


class Kind(StrEnum):
    OVER = "over-translation"
    UNDER = "under-translation"
    CONFUSION = "symbol confusion"
    STRUCTURE = "structure error"


@dataclass(frozen=True)
class Mistake:
    kind: Kind
    text: str  # for people
    answer_token: int | None  # place in the answer
    strokes: tuple[int, ...] = ()  # the ink in question
    seen: bool = False  # the attention shows it: ink read twice, or never read
    partner: int | None = None  # of ink read twice: the place of the other symbol that read it


@dataclass(frozen=True)
class Diagnosis:
    main: Kind
    mistakes: tuple[Mistake, ...]

    def shows(self, kind: Kind) -> bool:
        """Whether the attention shows a mistake of this kind."""
        return any(mistake.kind is kind and mistake.seen for mistake in self.mistakes)


@dataclass(frozen=True)
class Rereading:
    """A symbol that was read from ink that an earlier symbol had been read from."""

    token: int  # place of the symbol
    before: int  # place of the earlier symbol
    stroke: int  # the stroke that both looked at most


def rereadings(reading: Reading) -> tuple[Rereading, ...]:
    """Symbols that looked where an earlier one had looked, each with the earlier one it shares most with."""
    symbols = symbol_places(reading.tokens)
    weight = reading.strokes[symbols]
    found: list[Rereading] = []
    for number in range(1, len(symbols)):
        common = np.minimum(weight[:number], weight[number])  # (earlier symbols, S)
        overlaps = common.sum(axis=1)
        most = int(overlaps.argmax())
        if overlaps[most] >= REREAD_FROM:
            found.append(Rereading(symbols[number], symbols[most], int(common[most].argmax())))
    return tuple(found)


def diagnose(example: Example, reading: Reading) -> Diagnosis | None:
    """Explain an answer that differs from the truth; None if it is right."""
    if example.tokens == reading.tokens:
        return None
    try:
        found = _compare(example, reading)
    except LatexError as error:
        found = [Mistake(Kind.STRUCTURE, f"the answer is not well-formed: {error}", None)]
    if not found:
        found = [Mistake(Kind.STRUCTURE, "the same layout, written in another order", None)]
    return Diagnosis(_main_kind(found), tuple(found))


def _compare(example: Example, reading: Reading) -> list[Mistake]:
    """Go through the symbols of both trees, paired up, and say what is wrong with each pair."""
    truth = example.tokens
    layouts = parse_layout(truth), parse_layout(reading.tokens)
    places = [[node.token for node in layout.symbols()] for layout in layouts]
    true, other = map(symbol_tree, layouts)
    pairs = align(true, other)
    wrong = {places[1][j] for i, j in pairs if j >= 0 and (i < 0 or true.labels[i] != other.labels[j])}
    again: dict[int, Rereading] = {}  # by the wrong symbol, be it the earlier or the later one
    for each in rereadings(reading):
        if each.token in wrong:
            again[each.token] = each
        elif each.before in wrong:
            again.setdefault(each.before, each)
    # The paper's β, of symbols only: the attention that all of them together paid to every stroke.
    coverage = reading.strokes[symbol_places(reading.tokens)].sum(axis=0)
    unread = set(reading.alignment.unread)
    mistakes: list[Mistake] = []
    for i, j in pairs:
        true_place = places[0][i] if i >= 0 else None
        place = places[1][j] if j >= 0 else None
        ink = () if true_place is None else example.strokes_of[true_place]
        never = bool(ink) and (float(coverage[list(ink)].sum()) < UNREAD_BELOW or unread.issuperset(ink))
        right = i >= 0 and j >= 0 and true.labels[i] == other.labels[j]
        if place is not None and place in again:
            found = again[place]
            partner = found.before if place == found.token else found.token
            token, other_token = reading.tokens[place], reading.tokens[partner]
            text = f"{token}: stroke {found.stroke} was also read as {other_token}"
            mistakes.append(Mistake(Kind.OVER, text, place, (found.stroke,), seen=True, partner=partner))
        elif true_place is None and place is not None:
            text = f"{reading.tokens[place]} is one symbol too many, made from part of another"
            mistakes.append(Mistake(Kind.OVER, text, place, reading.alignment.strokes_of[place]))
        if true_place is not None and not right and (never or place is None):
            text = "was never read" if never else "was taken for part of another symbol"
            mistakes.append(Mistake(Kind.UNDER, f"{truth[true_place]} {text}", None, ink, never))
        elif place is not None and true_place is not None and not right and place not in again:
            text = f"{truth[true_place]} was read as {reading.tokens[place]}"
            mistakes.append(Mistake(Kind.CONFUSION, text, place, ink))
        relations = (true.relations[i], other.relations[j]) if i >= 0 and j >= 0 else ("", "")
        if relations[0] != relations[1] and "start" not in relations:
            text = f"{true.labels[i]}: {relations[0]} was read as {relations[1]}"
            mistakes.append(Mistake(Kind.STRUCTURE, text, place, ink))
    if not mistakes:
        paired = {i: j for i, j in pairs if i >= 0 and j >= 0}
        for i, j in paired.items():
            if paired.get(true.parents[i], -1) != other.parents[j]:
                text = f"{true.labels[i]} is attached to the wrong symbol"
                mistakes.append(Mistake(Kind.STRUCTURE, text, places[1][j]))
    return mistakes


def _main_kind(mistakes: Sequence[Mistake]) -> Kind:
    """What the attention shows comes first, then symbols too many or too few, then names, then places."""

    def count(kind: Kind, seen: bool) -> int:
        return sum(mistake.kind is kind and (mistake.seen or not seen) for mistake in mistakes)

    for seen in (True, False):
        over, under = count(Kind.OVER, seen), count(Kind.UNDER, seen)
        if over > under or (seen and over):
            return Kind.OVER
        if under > over:
            return Kind.UNDER
    # As many symbols too many as too few: symbols were cut up differently.
    if count(Kind.CONFUSION, False) or count(Kind.OVER, False):
        return Kind.CONFUSION
    return Kind.STRUCTURE
