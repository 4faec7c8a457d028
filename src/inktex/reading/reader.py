"""`Reader` turns ink into `Reading`s. Every search of inktex happens here, in `Reader._hypotheses`.

    ink ─ features ─ batches of similar length ─ encoder ─ search, one ink at a time ─ Reading

The time for an answer grows with the points of the ink. Ink with more points than any expression has is
refused (`MAX_ROWS`), and a search that reaches its time limit ends with the best answer it has.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import TypeVar

import numpy as np

from inktex.decoding import (
    MOST_CONTENDERS,
    EncodedStepper,
    Hypothesis,
    SearchOptions,
    Stepper,
    beam_search,
    contenders,
    rank_by_copies,
    score_sequences,
    search_both_ways,
)
from inktex.features import Features
from inktex.ink import Ink, InkError

from .executor import Processes, Threads
from .model import Model, ModelInput
from .opening import open_model
from .result import Reading

Kept = TypeVar("Kept")
_Failed = tuple[int, InkError]  # the place of an ink that cannot be read

MAX_ROWS = 4000  # feature rows of one expression; 200 symbols have about 1300
NARROWEST = 2  # the beam narrows no further
BATCH = 6  # expressions encoded together: more do not fit in the processor's cache
SORTED = 48 * BATCH  # expressions sorted by length together
CHUNK = 64  # inks handed to a process at once, done in about a second
FEW = 2 * CHUNK  # for fewer inks no process is started: starting one takes as long as reading dozens


@dataclass(frozen=True)
class Control:
    """Controls over a search while it runs."""

    timeout: float | None = None  # seconds for one ink, after which the best so far is taken
    cancelled: Callable[[], bool] | None = None  # asked before every step; ends with `SearchCancelled`
    guide: Callable[[Stepper, Features], Stepper] | None = None  # a stepper around the model's, such as pins


@dataclass(frozen=True)
class _Prepared:
    """An ink on its way: its place among all, and what the model takes."""

    place: int
    ink: Ink
    given: ModelInput


class Reader:
    """Reads ink with one model and fixed search options; any thread may use it."""

    def __init__(self, model: Model, options: SearchOptions | None = None, *, batch: int = BATCH) -> None:
        """Without options, ink is searched as the model says. `batch` inks are encoded together."""
        self.model = model
        self.options = options or model.search
        self.batch = batch

    def read(self, inks: Sequence[Ink], *, jobs: int = 1, timeout: float | None = None) -> list[Reading]:
        """Read all inks, on `jobs` threads; InkError for the first that cannot be read."""
        found = dict(self.map(whole, inks, jobs=jobs, timeout=timeout))
        readings = []
        for place in range(len(found)):
            reading = found[place]
            if isinstance(reading, InkError):
                raise reading
            readings.append(reading)
        return readings

    def read_one(self, ink: Ink, control: Control | None = None) -> Reading:
        """Read one ink; InkError if there is nothing to read, or too much for one expression."""
        (given,) = readable(self.model, [ink])
        return next(self._readings([_Prepared(0, ink, given)], control or Control()))

    def read_as(self, ink: Ink, tokens: Sequence[str]) -> Reading:
        """Make the model write `tokens`; LatexError if it does not know one of them."""
        (given,) = readable(self.model, [ink])
        ids = tuple(self.model.info.vocabulary.encode(tokens))
        written = score_sequences(self.model.stepper(), given.arrays, [ids], self.options)
        return self._reading(ink, given.features, written)

    def map(
        self,
        keep: Callable[[Reading], Kept],
        inks: Iterable[Ink | InkError],
        *,
        jobs: int | None = 1,
        timeout: float | None = None,
        processes: bool = False,
    ) -> Iterator[tuple[int, Kept | InkError]]:
        """What `keep` takes from each reading, with the ink's place, as it is ready; from any iterable.

        An ink that cannot be read is an error in its place, and so is one that is an error already. `jobs`
        workers (None: one per core) are threads, or with `processes` and more than a few inks processes;
        `keep` and what it returns are pickled then.
        """
        workers = jobs or os.cpu_count() or 1
        coming = iter(inks)
        first = list(islice(coming, FEW + 1)) if processes else []
        places = enumerate(chain(first, coming))
        if workers == 1 or len(first) <= FEW or not self.model.sources:
            work = partial(self._read_batch, keep, Control(timeout))
            for found in Threads(workers).map(lambda: work, self._batches(places)):
                yield from found
            return
        make = partial(_reading_worker, self.model.sources, self.options, self.batch, keep, timeout)
        chunks = iter(lambda: list(islice(places, CHUNK)), [])
        for found in Processes(workers).map(make, chunks):
            yield from found

    def _hypotheses(
        self,
        encoded: EncodedStepper,
        backward: EncodedStepper | None,
        place: int,
        each: _Prepared,
        control: Control,
    ) -> list[Hypothesis]:
        """From one encoded ink to its hypotheses, best first. Nothing else in inktex calls the search."""
        features = each.given.features
        stepper = encoded if control.guide is None else control.guide(encoded, features)
        deadline = None if control.timeout is None else time.monotonic() + control.timeout
        options = wanted = fitted(self.options, features, self.model.info.stride)
        if options.copies:
            options = replace(options, top=max(options.top, MOST_CONTENDERS))
        if backward is None:
            (found,) = beam_search(stepper, [place], options, cancelled=control.cancelled, deadline=deadline)
        else:
            found = search_both_ways(
                stepper, backward, (place, place), options, cancelled=control.cancelled, deadline=deadline
            )
        timely = deadline is None or time.monotonic() < deadline
        if options.copies and timely and len(contenders(found)) > 1:
            copies = self.model.copies(_in_range(each.ink), options.copies)
            steppers = self.model.stepper(), self.model.backward_stepper()
            found = rank_by_copies(*steppers, copies, found, options)
        # A complete answer ranks before one that was cut.
        return sorted(found, key=lambda hypothesis: hypothesis.cut)[: wanted.top]

    def _readings(self, batch: Sequence[_Prepared], control: Control) -> Iterator[Reading]:
        """Encode some inks together and search them one by one."""
        begin = time.perf_counter()
        encoded = EncodedStepper(self.model.stepper(), [each.given.arrays for each in batch])
        other = self.model.backward_stepper()
        backward = None if other is None else EncodedStepper(other, [each.given.backward for each in batch])
        share = (time.perf_counter() - begin) / len(batch)
        for place, each in enumerate(batch):
            begin = time.perf_counter() - share
            found = self._hypotheses(encoded, backward, place, each, control)
            yield self._reading(each.ink, each.given.features, found, time.perf_counter() - begin)

    def _reading(
        self, ink: Ink, features: Features, found: Sequence[Hypothesis], elapsed: float = 0.0
    ) -> Reading:
        info = self.model.info
        return Reading(ink, features, tuple(found), info.vocabulary, info.stride, elapsed)

    def _read_batch(
        self, keep: Callable[[Reading], Kept], control: Control, batch: tuple[list[_Prepared], list[_Failed]]
    ) -> list[tuple[int, Kept | InkError]]:
        ready, failed = batch
        places = [each.place for each in ready]
        kept = map(keep, self._readings(ready, control)) if ready else ()
        return [*failed, *zip(places, kept, strict=True)]

    def _batches(
        self, inks: Iterator[tuple[int, Ink | InkError]]
    ) -> Iterator[tuple[list[_Prepared], list[_Failed]]]:
        """Batches of similar length, since they are padded; what cannot be read is one of its own.

        The longest come first, so that of several workers none is left alone with the longest at the end.
        """
        while some := list(islice(inks, SORTED)):
            ready: list[_Prepared] = []
            failed: list[_Failed] = []
            usable: list[tuple[int, Ink, Ink]] = []
            for place, ink in some:
                try:
                    if isinstance(ink, InkError):
                        raise ink
                    usable.append((place, ink, _in_range(ink)))
                except InkError as error:
                    failed.append((place, error))
            made = self.model.inputs([scaled for _, _, scaled in usable])
            for (place, ink, _), given in zip(usable, made, strict=True):
                try:
                    ready.append(_Prepared(place, ink, _checked(given, ink)))
                except InkError as error:
                    failed.append((place, error))
            if failed:
                yield [], failed
            ready.sort(key=lambda each: -len(each.given.features.rows))
            for start in range(0, len(ready), self.batch):
                yield ready[start : start + self.batch], []


def fitted(options: SearchOptions, features: Features, stride: int) -> SearchOptions:
    """The options for one ink: more ink may have a longer answer, and very much has a narrower beam."""
    rows, strokes = len(features.rows), int(features.stroke[-1]) + 1
    beam = options.beam
    if options.widest is not None:
        beam = min(beam, max(NARROWEST, options.widest // -(-rows // stride)))
    # Tokens that an ink can have: in CROHME at most 0.65 per feature row, and 16 and two per stroke. A chain
    # of one-stroke scripts, `a ^ { b }` and so on, has 2.5 per stroke.
    longest = min(12 + rows, 20 + 5 * strokes // 2)
    return replace(options, beam=beam, max_length=min(options.max_length, longest))


def _reading_worker(
    sources: Sequence[str],
    options: SearchOptions,
    batch: int,
    keep: Callable[[Reading], Kept],
    timeout: float | None,
) -> "Callable[[Sequence[tuple[int, Ink | InkError]]], list[tuple[int, Kept | InkError]]]":
    """In a worker process: open the model and return the function that reads a chunk."""
    reader = Reader(open_model(*sources), options, batch=batch)

    def read(chunk: Sequence[tuple[int, Ink | InkError]]) -> list[tuple[int, Kept | InkError]]:
        found = reader.map(keep, (ink for _, ink in chunk), timeout=timeout)
        return [(chunk[number][0], kept) for number, kept in found]

    return read


def whole(reading: Reading) -> Reading:
    """For `Reader.map` where everything is kept."""
    return reading


def readable(model: Model, inks: Sequence[Ink]) -> list[ModelInput]:
    """What the model reads of each ink; InkError for the first that cannot be read."""
    made = model.inputs([_in_range(ink) for ink in inks])
    return [_checked(given, ink) for given, ink in zip(made, inks, strict=True)]


def _in_range(ink: Ink) -> Ink:
    """The ink scaled so that squares of its numbers do not overflow; InkError if it is empty."""
    if not len(ink):
        raise InkError("no strokes, so there is nothing to read", source=ink.source)
    largest = float(np.abs(ink.points).max())
    if largest > 1e9 or 0 < largest < 1e-9:
        ink = ink.replace(points=ink.points / largest)
    return ink


def _checked(given: ModelInput, ink: Ink) -> ModelInput:
    rows = len(given.features.rows)
    if rows > MAX_ROWS:
        raise InkError(
            f"{len(ink)} strokes of {rows} feature points are too many for one expression "
            f"(limit {MAX_ROWS}); split a page into its expressions first (--page)",
            source=ink.source,
        )
    if not np.isfinite(given.features.rows).all():
        raise InkError("the range of its coordinates is too large", source=ink.source)
    return given
