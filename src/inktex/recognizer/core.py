"""`Recognizer`: ink in, `Recognition` out. Any thread may use it; one per process is enough."""

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeAlias, Unpack, cast

from inktex.ink import Ink, InkError, read
from inktex.ink.lines import find_lines
from inktex.reading import (
    READINGS,
    Calibration,
    Control,
    Model,
    Reader,
    Reading,
    SymbolGuess,
    guess_symbols,
    open_model,
)

from .answer import Line, Recognition
from .assembling import Assembler
from .options import OptionKeywords, RecognizeOptions
from .page_session import PageSession
from .session import Session
from .several import together
from .symbols import allowed_ids

InkLike: TypeAlias = Ink | str | os.PathLike[str] | bytes | Iterable[Any]

DEFAULTS = RecognizeOptions()


class Recognizer:
    """Reads ink with one model, or with an ensemble."""

    def __init__(self, model: str | Path | Model | None = None, *, beam: int = 10, threads: int = 1) -> None:
        """`model` is a file or a name (see `inktex models`); None means the weights in the package."""
        self.model = model if isinstance(model, Model) else open_model(model, threads=threads)
        self.beam = beam
        info = self.model.info
        self.assembler = Assembler(info.vocabulary, Calibration.from_card(info.card), info.name)
        # Called before every step of a search, on its thread: where a server lets others go first.
        self.between_steps: Callable[[], None] | None = None

    def recognize(
        self, ink: InkLike, options: RecognizeOptions = DEFAULTS, **changes: Unpack[OptionKeywords]
    ) -> Recognition:
        """Read `Ink`, a path, the bytes of a file, or strokes as lists of (x, y): one expression per line.

        Options are a `RecognizeOptions`, or its fields as keywords, or both. Of several lines, `lines` of the
        answer has each by itself. InkError if the ink cannot be read.
        """
        begin = time.perf_counter()
        options = replace(options, **changes)
        made = as_ink(ink)
        found = find_lines(made) if options.lines else []
        if not found or found == [tuple(range(len(made)))]:
            reading = self.reader(options).read_one(made, Control(options.timeout, self.pause))
            answer = self.assembler.recognition(reading, top=options.top, attention=options.attention)
            return replace(answer, elapsed=time.perf_counter() - begin)
        read = []
        for strokes in found:
            left = options.timeout
            if left is not None:
                left = max(0.0, left - (time.perf_counter() - begin))
            answer = self.recognize(made.select(strokes), options, timeout=left, lines=False)
            read.append(Line(strokes, answer))
        return together(read, len(made))

    def explain(
        self, ink: InkLike, options: RecognizeOptions = DEFAULTS, **changes: Unpack[OptionKeywords]
    ) -> list[Reading]:
        """Why one expression is read as it is: its readings, best first, with attention and alignment.

        `strokes` of a reading is the share of each token's attention on each stroke, `alignment` what each
        token was read from, `token_log_probs` how sure the network was. Lines are not looked for.
        """
        options = replace(options, **changes)
        reading = self.reader(options).read_one(as_ink(ink), Control(options.timeout, self.pause))
        return reading.each()[: options.top]

    def symbol(self, ink: InkLike, *, top: int = 10) -> tuple[SymbolGuess, ...]:
        """The `top` likeliest symbols for a drawing of a single one, over all that the model knows.

        One pass of the network and no search, so it takes milliseconds. InkError if it cannot be read.
        """
        if top < 1:
            raise ValueError("top: must be at least 1")
        return guess_symbols(self.model, [as_ink(ink)])[0][:top]

    def pause(self) -> bool:
        """What a search does before every step; never says that it is cancelled."""
        if self.between_steps is not None:
            self.between_steps()
        return False

    def recognize_many(
        self,
        inks: Iterable[InkLike],
        options: RecognizeOptions = DEFAULTS,
        *,
        jobs: int | None = None,
        progress: Callable[[int], None] | None = None,
        **changes: Unpack[OptionKeywords],
    ) -> list[Recognition | InkError]:
        """Read many on `jobs` threads (default: all cores); what cannot be read is an error in its place."""
        found: dict[int, Recognition | InkError] = {}
        for position, answer in self.stream(inks, options, jobs=jobs, **changes):
            found[position] = answer
            if progress is not None:
                progress(1)
        return [found[position] for position in range(len(found))]

    def stream(
        self,
        inks: Iterable[InkLike | InkError],
        options: RecognizeOptions = DEFAULTS,
        *,
        jobs: int | None = None,
        processes: bool = False,
        strokes: bool = True,
        **changes: Unpack[OptionKeywords],
    ) -> Iterator[tuple[int, Recognition | InkError]]:
        """Like `recognize_many`, but answers come as they are ready, with their places, from any iterable.

        Only as many inks are taken in advance as keep all threads busy. With `processes`, large collections
        are read by processes; without `strokes` their answers then do not say which strokes were read as
        what, which takes a sixth of the time.
        """
        options = replace(options, **changes)
        make = self.assembler.complete if processes else self.assembler.recognition
        keep = partial(make, top=options.top, strokes=strokes, attention=options.attention)
        several = _Several(options.lines)
        parts = several.parts(map(_ink_or_error, inks))
        read = self.reader(options).map(keep, parts, jobs=jobs, timeout=options.timeout, processes=processes)
        return several.whole(read)

    def session(self, *, symbols: Collection[str] | None = None) -> Session:
        """Begin live writing: strokes are added, removed and changed; the answer is always available."""
        return Session(self, symbols=symbols)

    def page_session(self, *, symbols: Collection[str] | None = None, lines: bool = True) -> PageSession:
        """Begin live writing of several lines, each read by itself and only when it has changed."""
        return PageSession(self, symbols=symbols, lines=lines)

    def reader(self, options: RecognizeOptions = DEFAULTS) -> Reader:
        """What reads for this recogniser; it finds at least as many readings as confidence needs."""
        symbols = options.symbols
        allowed = None if symbols is None else allowed_ids(symbols, self.model.info.vocabulary)
        top = max(options.top, READINGS)
        return Reader(self.model, replace(self.model.search, beam=self.beam, top=top, symbols=allowed))


def as_ink(source: InkLike) -> Ink:
    """Ink as it is, read from a path or from the bytes of a file, or made of strokes."""
    if isinstance(source, Ink):
        return source
    if isinstance(source, str | os.PathLike | bytes):
        return read(source)
    if hasattr(source, "read"):
        return read(cast("IO[bytes]", source))
    try:
        strokes = list(source)
    except TypeError:
        raise InkError(
            f"ink is an Ink, a path, bytes, or strokes as lists of (x, y), not {type(source).__name__}"
        ) from None
    return Ink.from_strokes(strokes)


def _ink_or_error(source: InkLike | InkError) -> Ink | InkError:
    if isinstance(source, InkError):
        return source
    try:
        return as_ink(source)
    except InkError as error:
        return error


class _Several:
    """Inks to their lines, and the answers of the lines back to those of the inks."""

    def __init__(self, lines: bool) -> None:
        self._lines = lines
        self._place_of: list[int] = []  # of the ink, for every part
        self._strokes: list[tuple[int, ...]] = []  # for every part; () where it is all of its ink
        self._missing: dict[int, int] = {}  # parts that are not read yet, of inks with several lines
        self._read: dict[int, dict[int, Line | InkError]] = {}

    def parts(self, inks: Iterable[Ink | InkError]) -> Iterator[Ink | InkError]:
        """Each ink, or its lines where it has several."""
        for place, ink in enumerate(inks):
            found = find_lines(ink) if self._lines and isinstance(ink, Ink) else []
            if isinstance(ink, InkError) or not found or found == [tuple(range(len(ink)))]:
                self._place_of.append(place)
                self._strokes.append(())
                yield ink
                continue
            self._missing[place] = len(found)
            self._read[place] = {}
            self._place_of += [place] * len(found)
            self._strokes += found
            for strokes in found:
                yield ink.select(strokes)

    def whole(
        self, answers: Iterable[tuple[int, Recognition | InkError]]
    ) -> Iterator[tuple[int, Recognition | InkError]]:
        """The answers of inks as they are complete; a line that cannot be read is an error of all."""
        for number, answer in answers:
            place, strokes = self._place_of[number], self._strokes[number]
            if not strokes:
                yield place, answer
                continue
            self._read[place][number] = answer if isinstance(answer, InkError) else Line(strokes, answer)
            self._missing[place] -= 1
            if not self._missing[place]:
                del self._missing[place]
                read = self._read.pop(place)
                yield place, _all_lines([read[part] for part in sorted(read)])


def _all_lines(read: Sequence[Line | InkError]) -> Recognition | InkError:
    failed = next((each for each in read if isinstance(each, InkError)), None)
    lines = [each for each in read if isinstance(each, Line)]
    return failed or together(lines, sum(len(line.strokes) for line in lines))
