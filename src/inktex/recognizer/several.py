"""Ink of several lines: each is read by itself, and their recognitions become one `Recognition`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from inktex.ink import Ink, InkError
from inktex.ink.lines import find_lines
from inktex.latex import in_lines
from inktex.reading import Alignment, LazyAlignment

from .answer import Line, Recognition


def together(lines: Sequence[Line], stroke_count: int) -> Recognition:
    r"""All lines as one answer, in `\begin{aligned}`; a single line stays as it is.

    It is right when each line is, so its score is the product of theirs.
    """
    if len(lines) == 1:
        return _in_ink(lines[0], stroke_count)
    parts = [line.recognition for line in lines]
    score = prod(part.score for part in parts)
    texts = in_lines([part.texts for part in parts])
    confidences = [score] * len(texts)  # of what stands between the lines
    strokes_of: list[tuple[int, ...]] = [()] * len(texts)
    token_of_stroke: list[int | None] = [None] * stroke_count
    outside: list[int] = []
    unread: list[int] = []
    reread: list[int] = []
    start = 1 if sum(bool(part.texts) for part in parts) > 1 else 0  # after \begin{aligned}
    for line, part in zip(lines, parts, strict=True):
        alignment = part.alignment
        new_places = _places(part.texts, texts[start:], start)
        for token, place in enumerate(new_places):
            confidences[place] = part.confidences[token]
            strokes_of[place] = tuple(line.strokes[stroke] for stroke in alignment.strokes_of[token])
        for stroke, token_read in enumerate(alignment.token_of_stroke):
            token_of_stroke[line.strokes[stroke]] = None if token_read is None else new_places[token_read]
        outside += [new_places[token] for token in part.outside]
        unread += [line.strokes[stroke] for stroke in alignment.unread]
        reread += [line.strokes[stroke] for stroke in alignment.reread]
        start = new_places[-1] + 2 if new_places else start  # after the end of the row
    return Recognition(
        texts=texts,
        confidences=tuple(confidences),
        score=score,
        alternatives=(),
        complete=all(part.complete for part in parts),
        model=parts[0].model,
        elapsed=sum(part.elapsed for part in parts),
        strokes_read=LazyAlignment.known(
            Alignment(tuple(strokes_of), tuple(token_of_stroke), tuple(sorted(unread)), tuple(sorted(reread)))
        ),
        outside=tuple(outside),
        lines=tuple(lines),
    )


def _in_ink(line: Line, stroke_count: int) -> Recognition:
    """The answer of the only line, its strokes numbered as in the ink."""
    answer, numbers = line.recognition, line.strokes
    if numbers == tuple(range(len(numbers))) or answer.strokes_read is None:
        return answer
    known = answer.alignment
    token_of_stroke: list[int | None] = [None] * stroke_count
    for number, token in zip(numbers, known.token_of_stroke, strict=True):
        token_of_stroke[number] = token

    def renumbered(strokes: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted(numbers[stroke] for stroke in strokes))

    strokes_of = tuple(map(renumbered, known.strokes_of))
    attention = answer.attention
    if attention is not None:
        attention = np.zeros((len(attention), stroke_count), attention.dtype)
        attention[:, numbers] = answer.attention
    alignment = Alignment(
        strokes_of, tuple(token_of_stroke), renumbered(known.unread), renumbered(known.reread)
    )
    return replace(answer, attention=attention, strokes_read=LazyAlignment.known(alignment))


def _places(line: Sequence[str], row: Sequence[str], start: int) -> list[int]:
    """Where the tokens of a line stand in its row, which has one more, the mark of a column."""
    mark = next((place for place, text in enumerate(line) if row[place] != text), len(line))
    return [start + place + (place >= mark) for place in range(len(line))]


class Several:
    """Inks to their lines, and the answers of the lines back to those of the inks."""

    def __init__(self, lines: bool) -> None:
        self._lines = lines
        self._parts: list[tuple[int, tuple[int, ...]]] = []  # place of the ink; strokes, () where it is all
        self._read: dict[int, dict[int, Line | InkError | None]] = {}  # of an ink's parts; None: not yet

    def parts(self, inks: Iterable[Ink | InkError]) -> Iterator[Ink | InkError]:
        """Each ink, or its lines where it has several."""
        for place, ink in enumerate(inks):
            found = find_lines(ink) if self._lines and isinstance(ink, Ink) else []
            if isinstance(ink, InkError) or not found or found == [tuple(range(len(ink)))]:
                self._parts.append((place, ()))
                yield ink
                continue
            first = len(self._parts)
            self._read[place] = dict.fromkeys(range(first, first + len(found)))
            self._parts += [(place, strokes) for strokes in found]
            for strokes in found:
                yield ink.select(strokes)

    def whole(
        self, answers: Iterable[tuple[int, Recognition | InkError]]
    ) -> Iterator[tuple[int, Recognition | InkError]]:
        """The answers of inks as they are complete; a line that cannot be read is an error of all."""
        for number, answer in answers:
            place, strokes = self._parts[number]
            if not strokes:
                yield place, answer
                continue
            read = self._read[place]
            read[number] = answer if isinstance(answer, InkError) else Line(strokes, answer)
            if None not in read.values():
                del self._read[place]
                failed = next((each for each in read.values() if isinstance(each, InkError)), None)
                lines = [each for each in read.values() if isinstance(each, Line)]
                yield place, failed or together(lines, sum(len(line.strokes) for line in lines))
