r"""The material for new expressions: real ones, cut into parts, and drawings of every symbol.

`Stock` takes examples that know the strokes of every token, and banks of drawings with the weight of each. It
gives out drafts that can be changed: a whole expression, a part of one set on a line, a symbol of the bank
set on a line. Every choice is made with the `random.Random` given, so its seed decides everything.
"""

from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from math import exp
from random import Random

from inktex.corpus.bank import Banks, Glyph
from inktex.corpus.bank_sources import ENLARGED
from inktex.corpus.draft import Draft
from inktex.corpus.example import Example
from inktex.corpus.placing import Placed, mark
from inktex.corpus.recombine import FITTED, Piece, balanced_spans, groups, ink_complete
from inktex.corpus.roles import DOTS, function_letters, metric, role_of
from inktex.corpus.thinning import thinned_examples

Span = tuple[int, int, int]  # draft, first token, one after the last

LONGEST_PART = 14  # tokens
_NEAR = 60  # expressions that lie next to each other in a corpus are mostly of one collection and writer
_WORDS_OF_A_NAME = 40  # ways of writing each function name


class Stock:
    def __init__(self, examples: Sequence[Example], banks: Banks, known: Iterable[str] | None = None) -> None:
        """Take examples and banks with their weights; the examples' own symbols are a bank of weight 1.

        With `known`, no other labels are drawn.
        """
        self.known = None if known is None else frozenset(known)
        self.drafts = [_draft(example) for example in thinned_examples(examples) if _usable(example)]
        own: dict[str, list[Glyph]] = {}
        for each in (each for draft in self.drafts for each in draft.marks):
            if each.label not in FITTED or each.label == "-":
                own.setdefault(each.label, []).append(each.glyph)
        found: list[tuple[str, Sequence[Glyph], float]] = []
        found += [(label, members, 1.0) for label, members in own.items()]
        found += [(label, bank.glyphs(label), weight) for bank, weight in banks for label in bank.labels]
        enlarged = ((capital, small) for capital, small in ENLARGED.items() if capital not in own)
        found += [(capital, own[small], 0.5) for capital, small in enlarged if small in own]
        # Per label a list of drawings per source, and the sources' weights summed up.
        self._drawings: dict[str, tuple[list[Sequence[Glyph]], list[float]]] = {}
        for label, glyphs, weight in found:
            sources, weights = self._drawings.setdefault(label, ([], []))
            sources.append(glyphs)
            weights.append((weights[-1] if weights else 0.0) + weight)
        self._names: dict[tuple[str, int], Glyph] = {}

    def __contains__(self, label: object) -> bool:
        if self.known is not None and label not in self.known:
            return False
        return label in self._drawings or self._can_spell(function_letters(str(label)))

    def _can_spell(self, letters: str) -> bool:
        return bool(letters) and all(letter in self._drawings for letter in letters)

    def glyph(self, label: str, random: Random) -> Glyph:
        """A drawing of a label; function names that nobody wrote whole are put together from letters."""
        letters = function_letters(label)
        if self._can_spell(letters) and (label not in self._drawings or random.random() < 0.3):
            return self._name(label, letters, random)
        if label not in self._drawings:
            raise KeyError(f"no bank has a drawing of {label}")
        sources, weights = self._drawings[label]
        source = sources[bisect(weights, random.random() * weights[-1])]
        return source[int(random.random() * len(source))]

    def alone(self, label: str, random: Random) -> Glyph:
        """A drawing of a label that can be recognised on its own."""
        for _ in range(21):
            if not looks_like_a_dash(glyph := self.glyph(label, random)):
                break
        return glyph

    @property
    def cut_out(self) -> list[Glyph]:
        """All symbols of the expressions, as drawings."""
        return [replace(each.glyph, label=each.label) for draft in self.drafts for each in draft.marks]

    def _name(self, label: str, letters: str, random: Random) -> Glyph:
        number = int(random.random() * _WORDS_OF_A_NAME)
        if (label, number) not in self._names:
            # Drawn with a generator of its own, so that the word does not depend on who asks first.
            own, right, strokes = Random(f"{label}/{number}"), 0.0, []
            for letter in letters:
                each = self.mark(letter, own)
                each.x = right
                right += each.width + max(-0.05, own.gauss(0.16, 0.1))
                strokes += each.strokes
            self._names[label, number] = Glyph.from_strokes(label, strokes, "letters")
        return self._names[label, number]

    def mark(self, label: str, random: Random, token: int = 0) -> Placed:
        """A drawing at its usual size on the line y = 0, beginning at x = 0, of x-height 1."""
        glyph, usual = self.glyph(label, random), metric(label)
        size = exp(random.gauss(0.0, 0.08))
        if label in DOTS:
            extent = max(glyph.width, glyph.height)
            scale = min(1.0, 0.14 * size / extent) if extent > 0 else 1.0
        elif usual.flat:
            scale = size * usual.width / max(glyph.width, 0.3 * glyph.height, 1e-9)
        else:
            scale = size * min(
                usual.height / max(glyph.height, 1e-9), 1.7 * usual.width / max(glyph.width, 1e-9)
            )
        stretch = exp(random.gauss(0.0, 0.05))
        each = mark(token, label, glyph, scale * stretch, scale / stretch, 0.0, 0.0)
        each.y = -(usual.bottom + usual.top) / 2 - each.height / 2 + random.gauss(0.0, 0.05)
        return each

    def symbol(self, label: str, random: Random) -> Draft:
        return Draft([label], [self.mark(label, random)])

    def expression(self, random: Random) -> Draft:
        return self.drafts[int(random.random() * len(self.drafts))].copy()

    @cached_property
    def spans(self) -> list[list[Span]]:
        """All parts that can stand alone, by their number of tokens, each list in the order of the corpus."""
        by_length: list[list[Span]] = [[] for _ in range(LONGEST_PART + 1)]
        for number, draft in enumerate(self.drafts):
            for start, end in _parts(draft.tokens):
                by_length[end - start].append((number, start, end))
        return by_length

    def part(self, random: Random, lengths: Sequence[int], near: float | None = None) -> Draft:
        """A part of one of these lengths on the line; `near` (0 to 1) is where in the corpus to look."""
        length = lengths[int(random.random() * len(lengths))]
        spans = self.spans[length] or self.spans[1]
        if near is None:
            place = int(random.random() * len(spans))
        else:
            first = bisect(spans, (int(near * len(self.drafts)), 0, 0))
            reach = max(4, _NEAR * len(spans) // len(self.drafts))
            place = min(first, max(0, len(spans) - reach)) + int(random.random() * min(reach, len(spans)))
        return self._cut(spans[place])

    def symbol_near(self, label: str, random: Random, near: float) -> Draft | None:
        """A symbol on the line, cut out of an expression near that place of the corpus; None without one."""
        first = max(0, min(int(near * len(self.drafts)), len(self.drafts) - _NEAR))
        spans = self._symbol_spans.get(label, ())
        there = spans[bisect(spans, (first, 0, 0)) : bisect(spans, (first + _NEAR, 0, 0))]
        return self._cut(there[int(random.random() * len(there))]) if there else None

    @cached_property
    def _symbol_spans(self) -> dict[str, list[Span]]:
        """The parts of a single symbol, by its label."""
        found: dict[str, list[Span]] = {}
        for span in self.spans[1]:
            found.setdefault(self.drafts[span[0]].tokens[span[1]], []).append(span)
        return found

    def _cut(self, span: Span) -> Draft:
        number, start, end = span
        return self.drafts[number].cut(start, end).on_line()


def looks_like_a_dash(glyph: Glyph) -> bool:
    """Whether a dot was drawn as a short line: alone, with nothing to say how short, it is a minus."""
    return glyph.label in DOTS and len(glyph.points) == 2 and glyph.width + glyph.height > 0


def _usable(example: Example) -> bool:
    piece = Piece.of(example)
    return ink_complete(piece) and sum(map(len, piece.strokes_of)) == len(piece.strokes)


def _draft(example: Example) -> Draft:
    draft = Draft.of(Piece.of(example), example.folder)
    draft.tokens = [r"\prime" if token == "'" else token for token in draft.tokens]
    for each in draft.marks:
        each.label = draft.tokens[each.token]
    return draft


def _parts(tokens: Sequence[str]) -> set[tuple[int, int]]:
    """Spans that make sense alone: neighbouring items of a row whose brackets pair up."""
    rows = [(0, len(tokens)), *((group.start, group.end) for group in groups(tokens))]
    return {
        (begin, stop)
        for row in rows
        for begin, stop, last in balanced_spans(tokens, *row, LONGEST_PART)
        if _may_begin(tokens[begin]) and _may_end(last)
    }


def _may_begin(token: str) -> bool:
    return token == "-" or (
        role_of(token) not in _BETWEEN | {"close", "prime"} and token not in ("^", "_", "!")
    )


def _may_end(token: str) -> bool:
    return role_of(token) not in _BETWEEN | {"open", "big", "function", "limit"} and token != "."


# Symbols that need something on both sides.
_BETWEEN = frozenset({"binary", "relation", "punctuation"})
