r"""Makes new expressions from real ink by exchanging or isolating parts of training expressions.

Needs examples that know which strokes each token was written with:

- a symbol is redrawn by another writer's symbol of the same class, in its place and size;
- the contents of a script, a fraction or a root change places with those of another expression;
- a part of an expression (a group, or some neighbouring terms) stands alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from inktex.corpus.example import STRUCTURE, Example, StrokesOf
from inktex.ink import Ink
from inktex.latex import parse_layout

Strokes = tuple[NDArray[np.float64], ...]
# Their shape is made by what they span, not by the writer: a bar or a radical fits only its own place.
FITTED = frozenset({r"\frac", r"\sqrt", "-", r"\limits"})
_LONGEST = 60  # tokens of an expression in which a group was exchanged
OPENING, CLOSING = frozenset("([") | {r"\{"}, frozenset(")]") | {r"\}"}


@dataclass(frozen=True)
class Piece:
    """An expression as strokes and tokens, without the rest that `Ink` carries: cheap to cut and paste."""

    strokes: Strokes
    tokens: tuple[str, ...]
    strokes_of: StrokesOf

    @classmethod
    def of(cls, example: Example) -> "Piece":
        return cls(tuple(example.ink.strokes), example.tokens, example.strokes_of)

    def to_example(self, stem: str, folder: str = "recombined") -> Example:
        return Example(Ink.from_strokes(self.strokes), self.tokens, self.strokes_of, stem, folder)


@dataclass(frozen=True)
class BraceGroup:
    """A brace group: tokens[start:end] between its braces, and what it hangs on."""

    start: int
    end: int
    place: str  # "^", "_", "\frac 0", "\frac 1", "\sqrt"


def groups(tokens: Sequence[str]) -> list[BraceGroup]:
    """All brace groups of a token sequence, inner ones first."""
    found: list[BraceGroup] = []
    stack: list[tuple[int, str]] = []
    place = ""
    for position, token in enumerate(tokens):
        if token == "{":
            stack.append((position + 1, place))
        elif token == "}" and stack:
            start, host = stack.pop()
            found.append(BraceGroup(start, position, host))
            place = r"\frac 1" if host == r"\frac 0" else ""
        elif token in ("^", "_", r"\sqrt"):
            place = token
        elif token == r"\frac":
            place = r"\frac 0"
    return found


def ink_complete(piece: Piece) -> bool:
    """Whether every stroke belongs to a token, and every token except structure has strokes."""
    used = {stroke for strokes in piece.strokes_of for stroke in strokes}
    pairs = zip(piece.tokens, piece.strokes_of, strict=True)
    return all(strokes or token in STRUCTURE for token, strokes in pairs) and len(used) == len(piece.strokes)


def cut(piece: Piece, start: int, end: int) -> Piece:
    """Tokens start to end with the strokes they were written with."""
    wanted = sorted({stroke for strokes in piece.strokes_of[start:end] for stroke in strokes})
    index = {stroke: position for position, stroke in enumerate(wanted)}
    strokes_of = tuple(tuple(index[s] for s in strokes) for strokes in piece.strokes_of[start:end])
    return Piece(tuple(piece.strokes[s] for s in wanted), piece.tokens[start:end], strokes_of)


def box(strokes: Sequence[NDArray[np.float64]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    low = np.min([stroke.min(0) for stroke in strokes], axis=0)
    extent = np.max([stroke.max(0) for stroke in strokes], axis=0) - low
    return low + extent / 2, extent


def paste(piece: Piece, start: int, end: int, part: Piece) -> Piece:
    """Put `part` in place of tokens start to end; its strokes come where the first of the old ones was."""
    old = {stroke for strokes in piece.strokes_of[start:end] for stroke in strokes}
    at = min(old)  # all strokes before it stay where they are
    after = [s for s in range(at, len(piece.strokes)) if s not in old]
    index = {s: s for s in range(at)} | {s: place for place, s in enumerate(after, at + len(part.strokes))}

    def moved(strokes_of: StrokesOf) -> StrokesOf:
        return tuple(tuple(index[s] for s in strokes) for strokes in strokes_of)

    middle = tuple(tuple(s + at for s in strokes) for strokes in part.strokes_of)
    return Piece(
        piece.strokes[:at] + part.strokes + tuple(piece.strokes[s] for s in after),
        piece.tokens[:start] + part.tokens + piece.tokens[end:],
        moved(piece.strokes_of[:start]) + middle + moved(piece.strokes_of[end:]),
    )


class Recombiner:
    """Parts of a corpus by class and place, to draw from; expressions with unclear ink are left out."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._pieces = [piece for piece in map(Piece.of, examples) if ink_complete(piece)]
        self._symbols: dict[str, list[tuple[int, int]]] = {}
        self._groups: dict[str, list[tuple[int, BraceGroup]]] = {}
        for number, piece in enumerate(self._pieces):
            for position, (token, strokes) in enumerate(zip(piece.tokens, piece.strokes_of, strict=True)):
                if strokes and token not in FITTED:
                    self._symbols.setdefault(token, []).append((number, position))
            for group in groups(piece.tokens):
                self._groups.setdefault(group.place, []).append((number, group))

    def swap_symbols(self, piece: Piece, share: float, random: np.random.Generator) -> Piece:
        """Redraw about `share` of the symbols by other writers."""
        if not ink_complete(piece):
            return piece
        for position, token in enumerate(piece.tokens):
            bank = self._symbols.get(token)
            if bank is None or not piece.strokes_of[position] or random.random() >= share:
                continue
            number, where = bank[int(random.integers(len(bank)))]
            donor = cut(self._pieces[number], where, where + 1)
            centre, extent = box([piece.strokes[s] for s in piece.strokes_of[position]])
            size, donor_size = (float(np.hypot(*each)) for each in (extent, box(donor.strokes)[1]))
            if size > 0 and donor_size > 0:
                piece = paste(piece, position, position + 1, _moved(donor, size / donor_size, centre))
        return piece

    def swap_group(self, piece: Piece, random: np.random.Generator) -> Piece:
        """Exchange the contents of one group with those of one elsewhere, if one is found that fits."""
        own = [group for group in groups(piece.tokens) if group.place in self._groups]
        if not own or not ink_complete(piece):
            return piece
        group = own[int(random.integers(len(own)))]
        bank = self._groups[group.place]
        centre, extent = box(
            [piece.strokes[s] for strokes in piece.strokes_of[group.start : group.end] for s in strokes]
        )
        for _ in range(6):
            number, place = bank[int(random.integers(len(bank)))]
            donor = cut(self._pieces[number], place.start, place.end)
            donor_extent = box(donor.strokes)[1]
            if len(piece.tokens) + len(donor.tokens) > _LONGEST or max(donor_extent) <= 0 or max(extent) <= 0:
                continue
            factor = _writing_size(cut(piece, group.start, group.end)) / _writing_size(donor)
            # Room that is much larger or smaller than the part would make ink that nobody writes.
            ratio = (donor_extent * factor + 1e-9) / (extent + 1e-9)
            if 0.5 < ratio[0] < 1.3 and 0.3 < ratio[1] < 1.6:
                return paste(piece, group.start, group.end, _moved(donor, factor, centre))
        return piece

    def part(self, piece: Piece, random: np.random.Generator, shortest: int = 2) -> Piece | None:
        """A part that can stand alone: the contents of a group, or neighbouring terms of the top line."""
        if not ink_complete(piece):
            return None
        spans = [(g.start, g.end) for g in groups(piece.tokens) if g.end - g.start >= shortest]
        whole = len(piece.tokens)
        spans += [(a, b) for a, b, _ in balanced_spans(piece.tokens, 0, whole) if shortest <= b - a < whole]
        return cut(piece, *spans[int(random.integers(len(spans)))]) if spans else None


def _moved(piece: Piece, factor: float, centre: NDArray[np.float64]) -> Piece:
    """Scale a piece and move its centre."""
    own = box(piece.strokes)[0]
    return replace(piece, strokes=tuple((stroke - own) * factor + centre for stroke in piece.strokes))


def _writing_size(piece: Piece) -> float:
    """Mean stroke diagonal, 1 for dots."""
    sizes = [float(np.hypot(*(stroke.max(0) - stroke.min(0)))) for stroke in piece.strokes]
    return float(np.mean(sizes)) or 1.0


def top_items(tokens: Sequence[str]) -> list[tuple[int, int]]:
    r"""Spans of the items of the top line: a symbol, fraction or root with the scripts that belong to it."""
    starts = [node.token or 0 for node in parse_layout(tokens).row]
    return list(pairwise([*starts, len(tokens)]))


def balanced_spans(
    tokens: Sequence[str], start: int, end: int, longest: float = inf
) -> Iterator[tuple[int, int, str]]:
    """Spans of neighbouring items of a row whose brackets pair up, and what their last item begins with."""
    items = [(start + a, start + b) for a, b in top_items(tokens[start:end])]
    for first, (begin, _) in enumerate(items):
        depth = 0
        for head, stop in items[first:]:
            depth += (tokens[head] in OPENING) - (tokens[head] in CLOSING)
            if depth < 0 or stop - begin > longest:
                break
            if depth == 0:
                yield begin, stop, tokens[head]
