"""Ink of several lines: each is read by itself, and their recognitions become one `Recognition`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod

import numpy as np

from inktex.ink import Ink, InkError
from inktex.ink.lines import find_lines
from inktex.latex import in_lines
from inktex.reading import Alignment, LazyAlignment

from .answer import Line, Recognition


def together(lines: Sequence[Line], stroke_count: int) -> Recognition:
    r"""All lines as one answer, in `\begin{aligned}`; a single line stays as it is, but for its strokes.

    It is right when each line is, so its score is the product of theirs.
    """
    first, own, is_one = lines[0].recognition, lines[0].strokes, len(lines) == 1
    if is_one and (first.strokes_read is None or own == tuple(range(len(own)))):
        return first
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
            strokes_of[place] = tuple(sorted(line.strokes[stroke] for stroke in alignment.strokes_of[token]))
        for stroke, token_read in enumerate(alignment.token_of_stroke):
            token_of_stroke[line.strokes[stroke]] = None if token_read is None else new_places[token_read]
        outside += [new_places[token] for token in part.outside]
        unread += [line.strokes[stroke] for stroke in alignment.unread]
        reread += [line.strokes[stroke] for stroke in alignment.reread]
        start = new_places[-1] + 2 if new_places else start  # after the end of the row
    attention = first.attention if is_one else None
    if attention is not None:
        attention = np.zeros((len(attention), stroke_count), attention.dtype)
        attention[:, own] = first.attention
    return Recognition(
        texts=texts,
        confidences=tuple(confidences),
        score=score,
        alternatives=first.alternatives if is_one else (),
        complete=all(part.complete for part in parts),
        model=first.model,
        elapsed=sum(part.elapsed for part in parts),
        attention=attention,
        strokes_read=LazyAlignment(
            Alignment(tuple(strokes_of), tuple(token_of_stroke), tuple(sorted(unread)), tuple(sorted(reread)))
        ),
        outside=tuple(outside),
        lines=() if is_one else tuple(lines),
    )


def _places(line: Sequence[str], row: Sequence[str], start: int) -> list[int]:
    """Where the tokens of a line stand in its row, which has one more, the mark of a column."""
    mark = next((place for place, text in enumerate(line) if row[place] != text), len(line))
    return [start + place + (place >= mark) for place in range(len(line))]


def lines_in(ink: Ink) -> list[tuple[int, ...]]:
    """The strokes of each line, in the order of reading; nothing where all of them, as they are, are one."""
    found = find_lines(ink)
    return [] if found == [tuple(range(len(ink)))] else found


def line_by_line(
    inks: Iterable[Ink | InkError],
    read: Callable[[Iterator[Ink | InkError]], Iterable[tuple[int, Recognition | InkError]]],
) -> Iterator[tuple[int, Recognition | InkError]]:
    """The places and answers of inks as they are complete, where `read` gets each of their lines by itself.

    A line that cannot be read is an error of all.
    """
    parts: list[tuple[int, tuple[int, ...]]] = []  # the place of the ink; strokes, () where it is all
    known: dict[int, dict[int, Line | InkError | None]] = {}  # of an ink's parts; None: not yet

    def each_line() -> Iterator[Ink | InkError]:
        for place, ink in enumerate(inks):
            found = lines_in(ink) if isinstance(ink, Ink) else []
            if isinstance(ink, InkError) or not found:
                parts.append((place, ()))
                yield ink
                continue
            known[place] = dict.fromkeys(range(len(parts), len(parts) + len(found)))
            parts.extend((place, strokes) for strokes in found)
            yield from map(ink.select, found)

    for number, answer in read(each_line()):
        place, strokes = parts[number]
        if not strokes:
            yield place, answer
            continue
        known[place][number] = answer if isinstance(answer, InkError) else Line(strokes, answer)
        if None not in known[place].values():
            every = known.pop(place).values()
            failed = next((each for each in every if isinstance(each, InkError)), None)
            lines = [each for each in every if isinstance(each, Line)]
            yield place, failed or together(lines, sum(len(line.strokes) for line in lines))
