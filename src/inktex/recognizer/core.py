"""`Recognizer`: ink in, `Recognition` out. Any thread may use it; one per process is enough.

An answer takes as long as its ink has points. Ink with more points than an expression has is refused at
once (`MAX_ROWS`), and a search that reaches its time limit ends with the best it has, not `complete`.
"""

import dataclasses
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

import numpy as np

from inktex.decoding import (
    EncodedStepper,
    Hypothesis,
    SearchOptions,
    Stepper,
    beam_search,
    length_batches,
)
from inktex.ink import Ink, InkError, read
from inktex.runtime import Model, ModelInput, load_model

from .answer import Recognition
from .assembling import Assembler, Reading
from .calibration import Calibration
from .session import Session
from .symbols import allowed_ids

InkLike: TypeAlias = Ink | str | os.PathLike[str] | bytes | Iterable[Any]

TIMEOUT = 10.0  # seconds for one expression, unless told otherwise
MAX_ROWS = 4000  # feature rows of one expression; 200 symbols have about 1300
PRUNE = 5.0  # hypotheses e^5 times less probable than the best are given up
READINGS = 5  # found in every search, since confidence depends on what else an ink could be
# A step costs as much as there are hypotheses times annotations. Past this product the beam narrows, so that
# time grows with the ink and not with its square; 50 symbols still have the whole beam.
WIDE = 1600
NARROWEST = 2
_BATCH = 6  # expressions encoded together: more do not fit in the processor's cache
_CHUNK = 48 * _BATCH  # expressions sorted by length together


class Recognizer:
    """Reads ink with one model, or with an ensemble."""

    def __init__(self, model: str | Path | Model | None = None, *, beam: int = 10, threads: int = 1) -> None:
        """`model` is a file or a name (see `inktex models`); None means the weights in the package."""
        self.model = model if isinstance(model, Model) else load_model(model, threads=threads)
        self.beam = beam
        info = self.model.info
        self._assembler = Assembler(info.vocabulary, info.stride, Calibration.from_card(info.card), info.name)

    def recognize(
        self,
        ink: InkLike,
        *,
        symbols: Collection[str] | None = None,
        top: int = 5,
        timeout: float | None = TIMEOUT,
        attention: bool = False,
    ) -> Recognition:
        """Read one expression: `Ink`, a path, the bytes of a file, or strokes as lists of (x, y).

        `symbols` restricts what may be written, `top` is the number of readings, the best included, and
        `timeout` the seconds after which the best so far is taken. InkError if it cannot be read.
        """
        begin = time.perf_counter()
        made = as_ink(ink)
        prepared = self.prepare(made)
        reading = self.search(made, prepared, self.options(prepared, symbols, top), timeout=timeout)
        return self.assemble(reading, begin, top=top, attention=attention)

    def recognize_many(
        self,
        inks: Iterable[InkLike],
        *,
        jobs: int | None = None,
        symbols: Collection[str] | None = None,
        top: int = 5,
        timeout: float | None = TIMEOUT,
        progress: Callable[[int], None] | None = None,
    ) -> list[Recognition | InkError]:
        """Read many on `jobs` threads (default: all cores); what cannot be read is an error in its place."""
        found: dict[int, Recognition | InkError] = {}
        for position, answer in self.stream(inks, jobs=jobs, symbols=symbols, top=top, timeout=timeout):
            found[position] = answer
            if progress is not None:
                progress(1)
        return [found[position] for position in range(len(found))]

    def stream(
        self,
        inks: Iterable[InkLike],
        *,
        jobs: int | None = None,
        symbols: Collection[str] | None = None,
        top: int = 5,
        timeout: float | None = TIMEOUT,
    ) -> Iterator[tuple[int, Recognition | InkError]]:
        """Like `recognize_many`, but answers come as they are ready, with their places, from any iterable.

        Only so many inks are taken in advance as keep all threads busy.
        """
        workers = jobs or os.cpu_count() or 1

        def work(batch: list[tuple[int, Ink, ModelInput]]) -> list[tuple[int, Recognition | InkError]]:
            return self._read_batch(batch, symbols, top, timeout)

        waiting: set[Future[list[tuple[int, Recognition | InkError]]]] = set()
        with ThreadPoolExecutor(workers, thread_name_prefix="inktex") as pool:
            try:
                for failed, batches in self._batches(iter(enumerate(inks))):
                    yield from failed
                    for batch in batches:
                        waiting.add(pool.submit(work, batch))
                        while len(waiting) > 2 * workers:
                            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                            for each in done:
                                yield from each.result()
                while waiting:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    for each in done:
                        yield from each.result()
            finally:
                for each in waiting:
                    each.cancel()

    def session(self, *, symbols: Collection[str] | None = None) -> Session:
        """Begin live writing: strokes come, go and change, and the answer can be had at any time."""
        return Session(self, symbols=symbols)

    def prepare(self, ink: Ink) -> ModelInput:
        """Features of an ink; InkError if there is nothing to read, or too much for one expression."""
        return _checked(self.model.inputs([_readable(ink)])[0], ink)

    def options(
        self, prepared: ModelInput, symbols: Collection[str] | None = None, top: int = 5
    ) -> SearchOptions:
        """How an ink is searched: more ink may have a longer answer, and very much has a narrower beam."""
        if top < 1:
            raise ValueError("top: at least one answer must be wanted")
        annotations = -(-len(prepared.features.rows) // self.model.info.stride)
        return dataclasses.replace(
            self.model.search,
            beam=min(self.beam, max(NARROWEST, WIDE // annotations)),
            top=max(top, READINGS),
            prune=PRUNE,
            max_length=longest_answer(len(prepared.features.rows), int(prepared.features.stroke[-1]) + 1),
            symbols=None if symbols is None else allowed_ids(symbols, self.model.info.vocabulary),
        )

    def search(
        self,
        ink: Ink,
        prepared: ModelInput,
        options: SearchOptions,
        *,
        stepper: Stepper | None = None,
        timeout: float | None = TIMEOUT,
        cancelled: Callable[[], bool] | None = None,
    ) -> Reading:
        """Search one prepared ink, if wanted with another stepper than the model's own."""
        found = self._beam_search(
            stepper or self.model.stepper(), prepared.arrays, options, timeout, cancelled
        )
        return Reading.of(found, prepared.features, len(ink))

    def assemble(
        self, reading: Reading, begin: float, *, top: int = 5, attention: bool = False
    ) -> Recognition:
        """The answer of a search that began at `begin` (of `time.perf_counter`)."""
        elapsed = time.perf_counter() - begin
        return self._assembler.recognition(reading, top=top, elapsed=elapsed, attention=attention)

    def _batches(
        self, inks: Iterator[tuple[int, InkLike]]
    ) -> Iterator[tuple[list[tuple[int, InkError]], list[list[tuple[int, Ink, ModelInput]]]]]:
        """Chunk by chunk: what cannot be read, and the rest in batches of similar length."""
        while chunk := list(islice(inks, _CHUNK)):
            failed: list[tuple[int, InkError]] = []
            readable: list[tuple[int, Ink, Ink]] = []
            for position, each in chunk:
                try:
                    ink = as_ink(each)
                    readable.append((position, ink, _readable(ink)))
                except InkError as error:
                    failed.append((position, error))
            ready: list[tuple[int, Ink, ModelInput]] = []
            made = self.model.inputs([scaled for _, _, scaled in readable])
            for (position, ink, _), prepared in zip(readable, made, strict=True):
                try:
                    ready.append((position, ink, _checked(prepared, ink)))
                except InkError as error:
                    failed.append((position, error))
            lengths = [len(prepared.features.rows) for _, _, prepared in ready]
            yield failed, [[ready[place] for place in batch] for batch in length_batches(lengths, _BATCH)]

    def _read_batch(
        self,
        batch: list[tuple[int, Ink, ModelInput]],
        symbols: Collection[str] | None,
        top: int,
        timeout: float | None,
    ) -> list[tuple[int, Recognition | InkError]]:
        begin = time.perf_counter()
        together = EncodedStepper(self.model.stepper(), [prepared.arrays for _, _, prepared in batch])
        share = (time.perf_counter() - begin) / len(batch)
        answers: list[tuple[int, Recognition | InkError]] = []
        for place, (position, ink, prepared) in enumerate(batch):
            begin = time.perf_counter() - share
            options = self.options(prepared, symbols, top)
            found = self._beam_search(together, place, options, timeout)
            answers.append(
                (position, self.assemble(Reading.of(found, prepared.features, len(ink)), begin, top=top))
            )
        return answers

    def _beam_search(
        self,
        stepper: Stepper,
        arrays: Any,
        options: SearchOptions,
        timeout: float | None,
        cancelled: Callable[[], bool] | None = None,
    ) -> list[Hypothesis]:
        """Search one expression, in whatever form the stepper takes it."""
        deadline = None if timeout is None else time.monotonic() + timeout
        return beam_search(
            stepper, [arrays], options, scorer=self.model.scorer, deadline=deadline, cancelled=cancelled
        )[0]


def longest_answer(rows: int, strokes: int) -> int:
    """Tokens that an ink can have: in CROHME at most 0.65 per feature row, and 16 and two per stroke.

    A chain of one-stroke scripts, `a ^ { b }` and so on, has 2.5 per stroke.
    """
    return min(12 + rows, 20 + 5 * strokes // 2, 1000)


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


def _readable(ink: Ink) -> Ink:
    """The ink in a range of numbers whose squares are still numbers; InkError if there is none."""
    if not len(ink):
        raise InkError("no strokes, so there is nothing to read", source=ink.source)
    largest = float(np.abs(ink.points).max())
    if largest > 1e9 or 0 < largest < 1e-9:
        ink = ink.replace(points=ink.points / largest)
    return ink


def _checked(prepared: ModelInput, ink: Ink) -> ModelInput:
    rows = len(prepared.features.rows)
    if rows > MAX_ROWS:
        raise InkError(
            f"{len(ink)} strokes of {rows} feature points are more than one expression has "
            f"(limit {MAX_ROWS}); split a page into its expressions first (--page)",
            source=ink.source,
        )
    if not np.isfinite(prepared.features.rows).all():
        raise InkError("its coordinates span a range that no pen writes", source=ink.source)
    return prepared
