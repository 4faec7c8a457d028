"""Recognising with all cores of one machine: inks in, answers out, each worker a process with the model.

Threads share one Python interpreter, which a search uses half of its time; processes do not. Starting one
takes as long as reading some dozens of inks, so collections that small are read by threads of this process.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

from inktex.bulk.asking import Asking
from inktex.ink import Ink, InkError
from inktex.recognizer import Recognition, Recognizer
from inktex.runtime import find_model

Answer: TypeAlias = tuple[int, Recognition | InkError]

CHUNK = 64  # inks handed over at once: sorted by length among themselves, and done in about a second
FEW = 2 * CHUNK  # up to so many inks no process is started


def stream(
    recognizer: Recognizer,
    inks: Iterable[Ink],
    model: str | Path | None,
    asking: Asking,
    *,
    jobs: int | None = None,
    strokes: bool = True,
) -> Iterator[Answer]:
    """Answers with the places of their inks, as they are ready.

    `recognizer` reads small collections, `model` says what the workers load. Without `strokes`, answers of
    large collections do not say which strokes were read as what, which takes a sixth of the time.
    """
    workers = jobs or os.cpu_count() or 1
    coming = iter(inks)
    first = list(islice(coming, FEW + 1))
    everything = chain(first, coming)
    if workers == 1 or len(first) <= FEW:
        yield from recognizer.stream(
            everything, jobs=workers, symbols=asking.symbols, top=asking.top, timeout=asking.timeout
        )
        return
    places = enumerate(everything)
    try:
        yield from _shared_out(places, str(find_model(model).absolute()), asking, workers, strokes)
    except BrokenExecutor:
        raise OSError(
            "a worker process died, perhaps of too little memory (--jobs 1 needs least); "
            "the same command with -o goes on from what is written"
        ) from None


def _shared_out(
    places: Iterator[tuple[int, Ink]], model: str, asking: Asking, workers: int, strokes: bool
) -> Iterator[Answer]:
    from concurrent.futures import ProcessPoolExecutor  # most runs are small and need none of it

    waiting: set[Future[list[Answer]]] = set()
    # Spawned, not forked: onnxruntime's threads and locks do not survive a fork.
    pool = ProcessPoolExecutor(
        workers, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(model, asking.beam)
    )
    try:
        while True:
            # One chunk in reserve for each worker: none waits, and little is read in advance.
            while len(waiting) < 2 * workers and (chunk := list(islice(places, CHUNK))):
                waiting.add(pool.submit(_read, chunk, asking, strokes))
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for each in done:
                yield from each.result()
    finally:
        pool.shutdown(cancel_futures=True)


class _Worker:
    """What a worker process keeps between chunks."""

    recognizer: Recognizer


def _begin(model: str, beam: int) -> None:
    """In a worker: load the model; leave the answer to Ctrl-C to the parent, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    _Worker.recognizer = Recognizer(model, beam=beam)


def _end_with(parent: int) -> None:
    from multiprocessing.connection import wait as wait_for

    wait_for([parent])
    os._exit(1)  # a parent that was killed takes no answers; nothing here needs an orderly end


def _read(chunk: list[tuple[int, Ink]], asking: Asking, strokes: bool) -> list[Answer]:
    """In a worker: read a chunk."""
    stream = _Worker.recognizer.stream(
        (ink for _, ink in chunk), jobs=1, symbols=asking.symbols, top=asking.top, timeout=asking.timeout
    )
    return [(chunk[number][0], _to_travel(answer, strokes)) for number, answer in stream]


def _to_travel(answer: Recognition | InkError, strokes: bool) -> Recognition | InkError:
    """The answer with all that is worked out from it, so that the parent only has to write it down."""
    if isinstance(answer, InkError):
        return answer
    kept = replace(answer, strokes_read=answer.alignment if strokes else None)
    if strokes:
        kept.to_json()  # fills what is worked out at first use
    return kept
