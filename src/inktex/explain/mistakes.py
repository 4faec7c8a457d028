"""What kind of mistake is a wrong answer? (the paper's §III-C, Fig. 5 and 6)

In: the truth, with the strokes of its tokens where they are known, and a `Reading` that differs from it.
Out: a `Diagnosis`: single mistakes, each of one of four kinds, and the kind that the answer as a whole is
counted under.

- over-translation: a sign too many. Seen in the attention if the sign was read from ink that an earlier
  sign had been read from; otherwise a symbol was split into two.
- under-translation: a sign is missing. Seen in the attention if its ink was never read; otherwise the sign
  was swallowed by a neighbour.
- symbol confusion: the right number of signs, one of them with a wrong name.
- structure error: all signs right, but one in a wrong place.

Signs of truth and answer are paired by their layout trees (`inktex.evaluation.trees`), as in all figures of
an evaluation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from inktex.evaluation.trees import align as align_trees
from inktex.evaluation.trees import symbol_tree
from inktex.latex import LatexError, parse_layout

from .coverage import UNREAD_BELOW, Rereading, rereadings, stroke_coverage
from .reading import Reading


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
    truth_token: int | None  # place in the truth
    answer_token: int | None  # place in the answer
    strokes: tuple[int, ...] = ()  # the ink in question
    seen: bool = False  # the attention shows it: ink read twice, or never read
    earlier_token: int | None = None  # of ink read twice: the place of the sign that had read it before


@dataclass(frozen=True)
class Diagnosis:
    """A wrong answer explained."""

    main: Kind
    mistakes: tuple[Mistake, ...]

    def has(self, kind: Kind, *, seen: bool = False) -> bool:
        """Is there such a mistake (that the attention shows)?"""
        return any(mistake.kind is kind and (mistake.seen or not seen) for mistake in self.mistakes)


def diagnose(
    truth: Sequence[str], strokes_of: Sequence[tuple[int, ...]] | None, reading: Reading
) -> Diagnosis:
    """Explain an answer that differs from the truth; `strokes_of` are the strokes of the truth's tokens."""
    if tuple(truth) == reading.tokens:
        raise ValueError("the answer is right: there is nothing to explain")
    try:
        found = _compare(truth, strokes_of, reading)
    except LatexError as error:
        found = [Mistake(Kind.STRUCTURE, f"the answer is not well-formed: {error}", None, None)]
    if not found:
        found = [Mistake(Kind.STRUCTURE, "the same layout, written in another order", None, None)]
    return Diagnosis(_main_kind(found), tuple(found))


def _compare(
    truth: Sequence[str], strokes_of: Sequence[tuple[int, ...]] | None, reading: Reading
) -> list[Mistake]:
    answer = reading.tokens
    layouts = parse_layout(truth), parse_layout(answer)
    places = [[node.token for node in layout.symbols()] for layout in layouts]
    trees = [symbol_tree(layout) for layout in layouts]
    again = {found.token: found for found in rereadings(answer, reading.strokes)}
    coverage = stroke_coverage(answer, reading.strokes)
    unread = set(reading.alignment.unread)
    mistakes: list[Mistake] = []
    pairs = align_trees(*trees)
    partner = {i: j for i, j in pairs if i >= 0 and j >= 0}
    for i, j in pairs:
        true_place = places[0][i] if i >= 0 else None
        place = places[1][j] if j >= 0 else None
        ink = () if true_place is None or strokes_of is None else strokes_of[true_place]
        never = bool(ink) and (float(coverage[list(ink)].sum()) < UNREAD_BELOW or unread.issuperset(ink))
        right = i >= 0 and j >= 0 and trees[0].labels[i] == trees[1].labels[j]
        if place in again and not right and place is not None:
            mistakes.append(_read_twice(answer, true_place, place, again[place]))
        elif true_place is None and place is not None:
            strokes = reading.alignment.strokes_of[place]
            text = f"{answer[place]} is one sign too many, made of a part of another"
            mistakes.append(Mistake(Kind.OVER, text, None, place, strokes))
        if true_place is not None and not right and (never or place is None):
            text = "was never read" if never else "was swallowed by another sign"
            mistakes.append(Mistake(Kind.UNDER, f"{truth[true_place]} {text}", true_place, None, ink, never))
        elif i >= 0 and j >= 0 and not right and place not in again:
            text = f"{trees[0].labels[i]} was read as {trees[1].labels[j]}"
            mistakes.append(Mistake(Kind.CONFUSION, text, true_place, place, ink))
        if i >= 0 and j >= 0 and _moved(trees[0].relations[i], trees[1].relations[j]):
            text = f"{trees[0].labels[i]}: {trees[0].relations[i]} was read as {trees[1].relations[j]}"
            mistakes.append(Mistake(Kind.STRUCTURE, text, true_place, place, ink))
    if not mistakes:
        for i, j in partner.items():
            if partner.get(trees[0].parents[i], -1) != trees[1].parents[j]:
                text = f"{trees[0].labels[i]} hangs on another sign than it should"
                mistakes.append(Mistake(Kind.STRUCTURE, text, places[0][i], places[1][j]))
    return mistakes


def _read_twice(answer: Sequence[str], true_place: int | None, place: int, found: Rereading) -> Mistake:
    text = (
        f"{answer[place]} was read from stroke {found.stroke}, which had been read as {answer[found.before]}"
    )
    return Mistake(Kind.OVER, text, true_place, place, (found.stroke,), seen=True, earlier_token=found.before)


def _moved(true: str, answered: str) -> bool:
    return true != answered and "start" not in (true, answered)


def _main_kind(mistakes: Sequence[Mistake]) -> Kind:
    """What the attention shows comes first, then signs too many or too few, then names, then places."""

    def count(kind: Kind, seen: bool) -> int:
        return sum(mistake.kind is kind and (mistake.seen or not seen) for mistake in mistakes)

    for seen in (True, False):
        over, under = count(Kind.OVER, seen), count(Kind.UNDER, seen)
        if over > under or (seen and over):
            return Kind.OVER
        if under > over:
            return Kind.UNDER
    # As many signs too many as too few: symbols were cut up differently.
    if count(Kind.CONFUSION, False) or count(Kind.OVER, False):
        return Kind.CONFUSION
    return Kind.STRUCTURE
