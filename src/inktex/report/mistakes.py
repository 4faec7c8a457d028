"""What kind of mistake is a wrong answer? (the paper's §III-C, figures 4 and 5)

Takes the truth, with the strokes of its tokens where they are known, and a `Reading` that differs from
it. Returns a `Diagnosis`: single mistakes, each of one of four kinds, and the kind that the whole answer
is counted under.

- over-translation: one symbol too many. Visible in the attention if the symbol was read from ink that an
  earlier symbol had been read from; otherwise a symbol was split in two.
- under-translation: a symbol is missing. Visible in the attention if its ink was never read; otherwise a
  neighbour took its ink.
- symbol confusion: the right number of symbols, one of them wrong.
- structure error: all symbols right, but one in the wrong place.

Symbols of truth and answer are paired by their layout trees (`inktex.evaluation.trees`), as in all figures
of an evaluation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from inktex.evaluation.trees import align as align_trees
from inktex.evaluation.trees import symbol_tree
from inktex.latex import LatexError, parse_layout
from inktex.reading import Reading

from .coverage import UNREAD_BELOW, Rereading, rereadings, stroke_coverage


class Kind(StrEnum):
    """The four kinds of mistakes."""

    OVER = "over-translation"
    UNDER = "under-translation"
    CONFUSION = "symbol confusion"
    STRUCTURE = "structure error"


@dataclass(frozen=True)
class Mistake:
    """One thing that went wrong."""

    kind: Kind
    text: str  # for people
    answer_token: int | None  # place in the answer
    strokes: tuple[int, ...] = ()  # the ink in question
    seen: bool = False  # the attention shows it: ink read twice, or never read
    partner: int | None = None  # of ink read twice: the place of the other symbol that read it


@dataclass(frozen=True)
class Diagnosis:
    """A wrong answer explained."""

    main: Kind
    mistakes: tuple[Mistake, ...]

    def shows(self, kind: Kind) -> bool:
        """Whether the attention shows a mistake of this kind."""
        return any(mistake.kind is kind and mistake.seen for mistake in self.mistakes)


def diagnose(
    truth: Sequence[str], strokes_of: Sequence[tuple[int, ...]] | None, reading: Reading
) -> Diagnosis:
    """Explain an answer that differs from the truth; `strokes_of` are the strokes of the truth's tokens."""
    if tuple(truth) == reading.tokens:
        raise ValueError("the answer is right, so there is no mistake to explain")
    try:
        found = _compare(truth, strokes_of, reading)
    except LatexError as error:
        found = [Mistake(Kind.STRUCTURE, f"the answer is not well-formed: {error}", None)]
    if not found:
        found = [Mistake(Kind.STRUCTURE, "the same layout, written in another order", None)]
    return Diagnosis(_main_kind(found), tuple(found))


def _compare(
    truth: Sequence[str], strokes_of: Sequence[tuple[int, ...]] | None, reading: Reading
) -> list[Mistake]:
    """Go through the symbols of both trees, paired up, and say what is wrong with each pair."""
    layouts = parse_layout(truth), parse_layout(reading.tokens)
    places = [[node.token for node in layout.symbols()] for layout in layouts]
    true, other = (symbol_tree(layout) for layout in layouts)
    pairs = align_trees(true, other)
    wrong = {places[1][j] for i, j in pairs if j >= 0 and (i < 0 or true.labels[i] != other.labels[j])}
    again = _read_again(reading, {place for place in wrong if place is not None})
    coverage = stroke_coverage(reading.tokens, reading.strokes)
    unread = set(reading.alignment.unread)
    mistakes: list[Mistake] = []
    for i, j in pairs:
        true_place = places[0][i] if i >= 0 else None
        place = places[1][j] if j >= 0 else None
        ink = () if true_place is None or strokes_of is None else strokes_of[true_place]
        never = bool(ink) and (float(coverage[list(ink)].sum()) < UNREAD_BELOW or unread.issuperset(ink))
        right = i >= 0 and j >= 0 and true.labels[i] == other.labels[j]
        if place is not None and place in again:
            mistakes.append(_read_twice(reading, place, again[place]))
        elif true_place is None and place is not None:
            text = f"{reading.tokens[place]} is one symbol too many, made from part of another"
            mistakes.append(Mistake(Kind.OVER, text, place, reading.alignment.strokes_of[place]))
        if true_place is not None and not right and (never or place is None):
            text = "was never read" if never else "was taken for part of another symbol"
            mistakes.append(Mistake(Kind.UNDER, f"{truth[true_place]} {text}", None, ink, never))
        elif place is not None and true_place is not None and not right and place not in again:
            text = f"{truth[true_place]} was read as {reading.tokens[place]}"
            mistakes.append(Mistake(Kind.CONFUSION, text, place, ink))
        if i >= 0 and j >= 0 and _moved(true.relations[i], other.relations[j]):
            text = f"{true.labels[i]}: {true.relations[i]} was read as {other.relations[j]}"
            mistakes.append(Mistake(Kind.STRUCTURE, text, place, ink))
    if not mistakes:
        partner = {i: j for i, j in pairs if i >= 0 and j >= 0}
        for i, j in partner.items():
            if partner.get(true.parents[i], -1) != other.parents[j]:
                text = f"{true.labels[i]} is attached to the wrong symbol"
                mistakes.append(Mistake(Kind.STRUCTURE, text, places[1][j]))
    return mistakes


def _read_again(reading: Reading, wrong: set[int]) -> dict[int, Rereading]:
    """Wrong symbols that share their ink with another symbol, be it the earlier or the later one."""
    found: dict[int, Rereading] = {}
    for each in rereadings(reading.tokens, reading.strokes):
        if each.token in wrong:
            found[each.token] = each
        elif each.before in wrong:
            found.setdefault(each.before, each)
    return found


def _read_twice(reading: Reading, place: int, found: Rereading) -> Mistake:
    partner = found.before if place == found.token else found.token
    text = f"{reading.tokens[place]}: stroke {found.stroke} was also read as {reading.tokens[partner]}"
    return Mistake(Kind.OVER, text, place, (found.stroke,), seen=True, partner=partner)


def _moved(true: str, answered: str) -> bool:
    return true != answered and "start" not in (true, answered)


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
