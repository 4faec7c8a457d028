"""Live writing of several lines: each line is a session of its own and is read only when it has changed.

Strokes are assigned to lines as they come. Lines far from a change stay as they are, and a line keeps its
number as long as most of its strokes stay together.
"""

import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from inktex.decoding import SearchCancelled
from inktex.ink import Ink, InkError
from inktex.ink.line_features import WINDOW, Geometry, box_distance
from inktex.ink.lines import find_lines

from .answer import Alternative, Line, Recognition
from .options import TIMEOUT, time_left
from .session import Session, StrokeId, Writing
from .several import together

if TYPE_CHECKING:
    from .core import Recognizer

_Ids = list[StrokeId]

_REACH = 1.0  # heights of the writing: lines so near to a change are found again
_RECENT = 2 * WINDOW  # strokes: lines written so shortly before a change, too, unless they are settled
_BEGUN = 2.2  # log odds for a line that was there before: of those that are none, most fall below -4
_NEWEST = 0.6  # log odds for a line that begins with the newest stroke, so that the one above stays
_LONG = 4  # strokes of the one above from which on this is so
_WENT_BACK = 2.5  # the same, where the pen has also gone back to the left
_SOME = 3  # strokes of the one above
_BACK = 0.5  # heights of the writing, at least
_LETTER = 8.0  # log odds for a line whose first strokes are a letter with a bar on top, such as T or Σ
_SHORT = 6  # strokes of that line, at most: of more, the letter may be a denominator after all
_FEW = 3  # strokes of a line that may still be a part of that letter
_TALL = 0.5  # heights of the writing: the least height of what is below a bar that is drawn last
_TOUCHING = 0.15  # heights of the writing between strokes of a letter
_AS_WIDE = 0.6  # of the bar of a letter is the least width of what is below it
_OPERATOR = 1.5  # heights of the writing: the least height of a symbol that has limits
_SETTLED = 16  # strokes in later lines after which a line only changes where something is written into it


@dataclass(frozen=True)
class LiveLine:
    """One line as it was read."""

    number: int  # stays as long as the line does
    version: int  # grows with every change of its strokes or its answer
    strokes: tuple[StrokeId, ...]
    recognition: Recognition | None = None  # None where it cannot be read
    error: InkError | None = None


@dataclass(frozen=True)
class PageAnswer:
    """All lines, from top to bottom, and all of them as one answer."""

    recognition: Recognition
    lines: tuple[LiveLine, ...]


class _Line(Session):
    """One line; its strokes have the ids of the page."""

    def __init__(self, page: "PageSession", number: int) -> None:
        super().__init__(page._recognizer, symbols=page._symbols)
        self.number = number
        self.is_letter = False  # its first strokes are a letter with a bar on top, not a part of a fraction
        self.settled = False  # the writing went on below it, so that other lines no longer change it

    def shown(self) -> LiveLine:
        """The line without its answer."""
        with self._lock:
            return LiveLine(self.number, self._version, self.stroke_ids)


class PageSession(Writing):
    """The ink of a page while it is written."""

    def __init__(
        self, recognizer: "Recognizer", *, symbols: Collection[str] | None = None, lines: bool = True
    ) -> None:
        super().__init__(recognizer, symbols)
        self._find = lines
        self._lines: list[_Line] = []
        self._line_numbers = count(1)

    def find_lines(self, wanted: bool) -> None:
        """Turn the finding of lines on or off; without it, all strokes are one expression."""
        with self._lock:
            if self._find != wanted:
                self._find = wanted
                self._changed(self._strokes)

    def pin(self, stroke_ids: Collection[StrokeId], latex: str) -> None:
        """Fix what some strokes of one line say; other pins with one of these strokes are dropped."""
        with self._lock:
            lines = {self._line_of(each) for each in stroke_ids}
            if len(lines) != 1:
                raise ValueError("only strokes of one line can be pinned together")
            lines.pop().pin(stroke_ids, latex)
            self._version += 1

    def choose(self, alternative: Alternative | str, line: int | None = None) -> PageAnswer:
        """Choose another reading of a line; `line` is its number, None for the only one."""
        with self._lock:
            chosen = self.line(line)
        before = chosen.answer()
        if chosen.choose(alternative) is not before:
            with self._lock:
                self._version += 1
        return self.answer()

    def answer(self, *, top: int = 5, timeout: float | None = TIMEOUT) -> PageAnswer:
        """Read the lines that have changed; InkError if there are no strokes or none can be read.

        `SearchCancelled` if the page changes meanwhile; lines that were read by then are kept.
        """
        with self._lock:
            version = self._version
            order = {number: place for place, number in enumerate(self._strokes)}
            asked = [(line, line.shown()) for line in self._lines]
        if not asked:
            raise InkError("no strokes, so there is nothing to read")
        begin = time.perf_counter()
        found: list[LiveLine] = []
        for line, shown in asked:
            if self._version != version:
                raise SearchCancelled
            try:
                answer = line.answer(top=top, timeout=time_left(timeout, begin))
                found.append(replace(shown, recognition=answer))
            except InkError as error:
                if len(asked) == 1:
                    raise
                found.append(replace(shown, error=error))
        parts = [
            Line(tuple(order[stroke] for stroke in line.strokes), line.recognition)
            for line in found
            if line.recognition is not None
        ]
        if not parts:
            raise found[0].error or InkError("nothing of it can be read")
        return PageAnswer(together(parts, len(order)), tuple(found))

    def line_ink(self, line: int | None = None) -> tuple[tuple[StrokeId, ...], Ink]:
        """The ids and the ink of a line; None for the only one."""
        with self._lock:
            found = self.line(line)
            return found.stroke_ids, found.ink

    def line(self, number: int | None) -> "_Line":
        """The line of this number; `LookupError` if it is gone, or if None could mean several."""
        found = [line for line in self._lines if number in (None, line.number)]
        if len(found) == 1:
            return found[0]
        if number is None:
            raise WhichLine("there are several lines: name one of them")
        raise NoSuchLine(f"there is no line {number}")

    def arranged(self) -> list[tuple[int, int, tuple[StrokeId, ...]]]:
        """Number, version and strokes of every line, from top to bottom, without reading them."""
        with self._lock:
            return [(each.number, each.version, each.strokes) for each in map(_Line.shown, self._lines)]

    def _line_of(self, stroke_id: StrokeId) -> _Line:
        self._check([stroke_id])
        return next(line for line in self._lines if stroke_id in line.stroke_ids)

    def _set(self, stroke_id: StrokeId, made: Ink | None, near: Collection[StrokeId] = ()) -> None:
        with self._lock:
            line = self._line_of(stroke_id)
            line._set(stroke_id, made)
            line.is_letter = False
            super()._set(stroke_id, made, line.stroke_ids)

    def _changed(self, strokes: Collection[StrokeId]) -> None:
        """Find the lines near what has changed again; the others stay as they are."""
        self._version += 1
        if not self._strokes:
            self._lines.clear()
            return
        ids = list(self._strokes)
        changed = set(strokes)
        near, groups = self._found(ids, changed) if self._find else (self._lines, [ids])
        for line in near:
            line.settled = line.settled and _is_kept(line, groups, changed)
        kept = [line for line in self._lines if line not in near and len(line)]
        self._lines = sorted(kept + self._matched(near, groups), key=self._height)
        self._settle(ids)

    def _height(self, line: _Line) -> float:
        """Where a line is on the page."""
        return float(np.mean([np.mean(self._strokes[each].bounds[1::2]) for each in line.stroke_ids]))

    def _found(self, ids: _Ids, changed: set[StrokeId]) -> tuple[list[_Line], list[_Ids]]:
        """The lines that a change may concern, and the lines that their strokes are now.

        A settled line takes new strokes, but it is neither torn apart nor joined with others. A line below
        a change may turn out to be part of another one, such as the limit of a sum, and takes no strokes.
        """
        page = Geometry(self._ink())
        near, guarded = self._near(page, ids, changed)
        while True:
            loose = (changed & set(ids)).union(*(line.stroke_ids for line in near))
            chosen = [number for number in ids if number in loose]
            if not chosen:
                return near, []
            groups = [[chosen[place] for place in group] for group in self._lines_of(chosen, ids, page, near)]
            hurt = [
                line
                for line in guarded
                if not _is_kept(line, groups, changed if line.settled else set())
                and (line.settled or not _is_joined(line, near, groups))
            ]
            if not hurt:
                return near, groups
            near = [line for line in near if line not in hurt]
            guarded = [line for line in guarded if line not in hurt]

    def _lines_of(
        self, chosen: _Ids, all_of: _Ids, page: Geometry, near: list[_Line]
    ) -> list[tuple[int, ...]]:
        """The lines of some strokes; the whole page says how large the writing is."""
        places = {number: place for place, number in enumerate(chosen)}
        first = {min(places[each] for each in line.stroke_ids): line for line in near if len(line)}
        favoured = dict.fromkeys(first, _BEGUN)
        newest = all_of[-1]
        if newest in places and not any(newest in line.stroke_ids for line in self._lines):
            before = [line for line in near if set(all_of[-2:-1]) & set(line.stroke_ids)]
            for line in before:  # one at most
                its = [all_of.index(each) for each in line.stroke_ids]
                line.is_letter |= _is_letter(page, its)
                if len(its) >= _SOME and _went_back(page, its):
                    favoured[places[newest]] = _WENT_BACK
                elif len(its) >= _LONG:
                    favoured[places[newest]] = _NEWEST
        favoured |= {
            place: _LETTER for place, line in first.items() if line.is_letter and len(line) <= _SHORT
        }
        unit = None if len(chosen) == len(all_of) else page.unit
        return find_lines(
            Ink.from_strokes([self._strokes[s].points for s in chosen]), unit=unit, favoured=favoured
        )

    def _near(self, page: Geometry, ids: _Ids, changed: set[StrokeId]) -> tuple[list[_Line], list[_Line]]:
        """Lines that a change may concern: they have changed, are near to it, or were written shortly before.

        Second, those of them that are settled or lie below it.
        """
        place_of = {number: place for place, number in enumerate(ids)}
        places = [place_of[number] for number in changed if number in place_of]
        boxes, middle = page.boxes[places], page.middle[places, 1]
        found, guarded = [], []
        for line in self._lines:
            its = [place_of[number] for number in line.stroke_ids]
            own = page.boxes[its]
            if not its or (changed & set(line.stroke_ids)):
                found.append(line)
            elif places:
                top, bottom = float(own[:, 1].min()), float(own[:, 3].max())
                near = boxes[:, 1].min() < bottom + _REACH and boxes[:, 3].max() > top - _REACH
                just = not line.settled and min(places) - _RECENT <= max(its) < min(places)
                limit = boxes[:, 1].min() < top and not near
                if not near and not (just and (not limit or _is_below_operator(page, its))):
                    continue
                found.append(line)
                within = ((middle > top) & (middle < bottom)).any()
                # A brace drawn before lines that are done makes them one.
                within |= ((boxes[:, 1] < (top + bottom) / 2) & (boxes[:, 3] > (top + bottom) / 2)).any()
                if limit or (line.settled and not within):
                    guarded.append(line)
        return found, guarded

    def _settle(self, ids: _Ids) -> None:
        """Settle the lines below which the writing went on; a stroke that is added late leaves them so."""
        place_of = {number: place for place, number in enumerate(ids)}
        spans = [[place_of[number] for number in line.stroke_ids] for line in self._lines]
        for line, own in zip(self._lines, spans, strict=True):
            later = sum(len(other) for other in spans if min(other) > max(own))
            line.settled = line.settled or later >= _SETTLED

    def _matched(self, lines: list[_Line], groups: list[_Ids]) -> list[_Line]:
        """Groups of strokes as lines: each takes the line with which it shares most strokes."""
        shared = sorted(
            (-len(set(group) & set(line.stroke_ids)), place, index)
            for index, group in enumerate(groups)
            for place, line in enumerate(lines)
        )
        owner: dict[int, _Line] = {}
        for alike, place, index in shared:
            if alike and index not in owner and lines[place] not in owner.values():
                owner[index] = lines[place]
        for index, group in enumerate(groups):
            if index not in owner:
                owner[index] = _Line(self, next(self._line_numbers))
            owner[index].hold({each: self._strokes[each] for each in group})
        return [owner[index] for index in range(len(groups))]


def _is_below_operator(page: Geometry, line: list[int]) -> bool:
    """Whether a line lies right below a tall stroke written before it, as the limit of a sum does."""
    left, top = page.boxes[line, :2].min(axis=0)
    right = page.boxes[line, 2].max()
    earlier = page.boxes[: min(line)]
    tall = earlier[:, 3] - earlier[:, 1] > _OPERATOR
    tall &= (earlier[:, 0] < right) & (earlier[:, 2] > left)
    return bool((tall & (np.abs(earlier[:, 3] - top) < _REACH)).any())


def _went_back(page: Geometry, line: list[int]) -> bool:
    """Whether the newest stroke, no bar, lies below a line and well to the left of where that ended."""
    left, top, *_ = page.boxes[-1].tolist()
    is_below = top > page.boxes[line, 3].max() and left < page.boxes[line[-1], 0] - _BACK
    return bool(is_below and not page.flat[-1])


def _is_letter(page: Geometry, line: list[int]) -> bool:
    """Whether the newest stroke and the first of a line are a letter with a bar, such as T or Σ.

    They touch, and unlike a fraction the bar is drawn last, or what follows below it is as wide.
    """
    if not 1 <= len(line) <= _FEW or box_distance(page.boxes[-1], page.boxes[line[0]]) >= _TOUCHING:
        return False
    if page.flat[line[0]]:
        return bool(not page.flat[-1] and page.width[-1] > _AS_WIDE * page.width[line[0]])
    return bool(page.flat[-1] and page.height[line[0]] > _TALL)


def _is_kept(line: _Line, groups: list[_Ids], changed: set[StrokeId]) -> bool:
    """Whether a line is still one, alone or with new strokes."""
    own = set(line.stroke_ids)
    return any(own <= set(group) <= own | changed for group in groups)


def _is_joined(line: _Line, lines: list[_Line], groups: list[_Ids]) -> bool:
    """Whether a line has become one with another."""
    own = set(line.stroke_ids)
    others = [set(other.stroke_ids) for other in lines if other is not line]
    return any(own <= set(group) and any(other <= set(group) for other in others) for group in groups)


class WhichLine(LookupError):
    """There are several lines, and none was named."""


class NoSuchLine(LookupError):
    """The line is gone."""
