"""`Recognizer`: ink in, `Recognition` out. Any thread may use it; one per process is enough.

`inktex.recognize` and `inktex.recognize_many` share one with the default weights, made when first asked.
"""

import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import IO, Any, TypeAlias, Unpack, cast

from inktex.ink import Ink, InkError, read
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
from .options import OptionKeywords, RecognizeOptions, time_left
from .page_session import PageSession
from .session import Session
from .several import line_by_line, lines_in, together
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
        # Before every step of a search, on its thread: a server lets others go first; true ends it.
        self.between_steps: Callable[[], bool] = lambda: False

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
        read = []
        for strokes in lines_in(made) if options.lines else []:
            left = time_left(options.timeout, begin)
            answer = self.recognize(made.select(strokes), options, timeout=left, lines=False)
            read.append(Line(strokes, answer))
        if read:
            return together(read, len(made))
        reading = self.reader(options).read_one(made, Control(options.timeout, self.between_steps))
        answer = self.assembler.recognition(reading, top=options.top, attention=options.attention)
        return replace(answer, elapsed=time.perf_counter() - begin)

    def explain(
        self, ink: InkLike, options: RecognizeOptions = DEFAULTS, **changes: Unpack[OptionKeywords]
    ) -> list[Reading]:
        """Why one expression is read as it is: its readings, best first, with attention and alignment.

        `strokes` of a reading is the share of each token's attention on each stroke, `alignment` what each
        token was read from, `token_log_probs` how sure the network was. Lines are not looked for.
        """
        options = replace(options, **changes)
        reading = self.reader(options).read_one(as_ink(ink), Control(options.timeout, self.between_steps))
        return reading.each()[: options.top]

    def symbol(self, ink: InkLike, *, top: int = 10) -> tuple[SymbolGuess, ...]:
        """The `top` likeliest symbols for a drawing of a single one, over all that the model knows.

        One pass of the network and no search, so it takes milliseconds. InkError if it cannot be read.
        """
        if top < 1:
            raise ValueError("top: must be at least 1")
        return guess_symbols(self.model, [as_ink(ink)])[0][:top]

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
        what, which takes a twentieth of the time.
        """
        options = replace(options, **changes)
        keep = partial(
            self.assembler.recognition,
            top=options.top,
            attention=options.attention,
            strokes=strokes,
            complete=processes,  # the process that reads works everything out
        )
        read = partial(
            self.reader(options).map, keep, jobs=jobs, timeout=options.timeout, processes=processes
        )
        made = map(_ink_or_error, inks)
        return line_by_line(made, read) if options.lines else read(made)

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


_lock = threading.Lock()
_shared = cache(Recognizer)


def default_recognizer() -> Recognizer:
    """The recognizer that all of the process shares, with the default weights."""
    with _lock:
        return _shared()


def load_model(model: str | Path | None = None, *, beam: int = 10, threads: int = 1) -> Recognizer:
    """A recognizer with this model: a name that `inktex models` lists, or a path."""
    return Recognizer(model, beam=beam, threads=threads)


def recognize(
    ink: InkLike, options: RecognizeOptions = DEFAULTS, **changes: Unpack[OptionKeywords]
) -> Recognition:
    """Read ink with the default weights; ink and options are those of `Recognizer.recognize`."""
    return default_recognizer().recognize(ink, options, **changes)


def recognize_many(
    inks: Iterable[InkLike],
    options: RecognizeOptions = DEFAULTS,
    *,
    jobs: int | None = None,
    **changes: Unpack[OptionKeywords],
) -> list[Recognition | InkError]:
    """Read many inks on all cores; what cannot be read is an error in its place."""
    return default_recognizer().recognize_many(inks, options, jobs=jobs, **changes)
