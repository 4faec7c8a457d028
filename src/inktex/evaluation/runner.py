"""Let a system read many expressions, on several cores.

Comes in: inks, a system (one model, or several as an ensemble) and a function that opens a model. Goes out:
the answers in the order of the inks. Every worker process opens the models for itself and keeps to one
thread: on few cores, workers side by side beat threads inside one. Batches hold expressions of similar
length.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from typing import Any

from inktex.decoding import (
    EnsembleStepper,
    SearchOptions,
    Stepper,
    beam_search,
    feature_length,
    length_batches,
)
from inktex.features import FeatureOptions, extract_many
from inktex.ink import Ink

_THREAD_SETTINGS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True)
class LoadedModel:
    """A model that is ready to read, and the features it reads."""

    stepper: Stepper
    features: FeatureOptions


Loader = Callable[[str], LoadedModel]  # must be importable by name, since worker processes call it


@dataclass(frozen=True)
class System:
    """What is measured: one model, or several that answer together."""

    name: str
    models: tuple[str, ...]  # what the loader takes


@dataclass(frozen=True)
class Answer:
    """The best hypothesis for one expression."""

    tokens: tuple[str, ...]
    score: float
    log_prob: float


@dataclass(frozen=True)
class Recognised:
    """All answers of a system."""

    answers: tuple[Answer, ...]
    vocabulary: tuple[str, ...]
    seconds: float  # wall time, loading included


@dataclass(frozen=True)
class _Opened:
    stepper: Stepper
    views: tuple[FeatureOptions, ...]  # the different features that its models read


def recognise(
    system: System,
    inks: Sequence[Ink],
    load: Loader,
    options: SearchOptions,
    *,
    jobs: int = 1,
    batch: int = 8,
    progress: Callable[[int], None] | None = None,
) -> Recognised:
    """Read all inks; `progress` is told how many more are done."""
    begin = time.perf_counter()
    opened = _open(load, system.models)
    features = _features(inks, opened.views)
    answers: list[Answer | None] = [None] * len(inks)
    batches = length_batches([feature_length(item) for item in features], batch)
    work = [(positions, [features[position] for position in positions]) for positions in batches]
    for positions, found in _run(work, load, system.models, options, min(jobs, len(batches))):
        for position, answer in zip(positions, found, strict=True):
            answers[position] = answer
        if progress is not None:
            progress(len(positions))
    return Recognised(
        answers=tuple(answer for answer in answers if answer is not None),
        vocabulary=opened.stepper.vocabulary.tokens,
        seconds=time.perf_counter() - begin,
    )


def _run(
    work: Sequence[tuple[list[int], list[Any]]],
    load: Loader,
    models: tuple[str, ...],
    options: SearchOptions,
    jobs: int,
) -> Iterator[tuple[list[int], list[Answer]]]:
    if jobs <= 1:
        for positions, part in work:
            yield positions, _read(load, models, options, part)
        return
    # Fresh processes: a fork would inherit the locks of threads that numerical libraries have started here.
    with _one_thread_each(), ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(_read, load, models, options, part): positions for positions, part in work}
        try:
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        except BrokenProcessPool:
            raise OSError("a worker process was killed (out of memory?); try fewer with --jobs") from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _read(load: Loader, models: tuple[str, ...], options: SearchOptions, features: list[Any]) -> list[Answer]:
    stepper = _open(load, models).stepper
    decode = stepper.vocabulary.decode
    return [
        Answer(decode(best.tokens), best.score, best.log_prob)
        for best, *_ in beam_search(stepper, features, options)
    ]


@lru_cache(maxsize=1)
def _open(load: Loader, models: tuple[str, ...]) -> _Opened:
    """Open the models once per process."""
    loaded = [load(model) for model in models]
    views = tuple(dict.fromkeys(model.features for model in loaded))
    if len(loaded) == 1:
        return _Opened(loaded[0].stepper, views)
    steppers = [model.stepper for model in loaded]
    numbers = None if len(views) == 1 else [views.index(model.features) for model in loaded]
    return _Opened(EnsembleStepper(steppers, views=numbers), views)


def _features(inks: Sequence[Ink], views: Sequence[FeatureOptions]) -> list[Any]:
    """Feature rows of each ink: an array, or a tuple of arrays where models read different features."""
    made = [[features.rows for features in extract_many(inks, view)] for view in views]
    return made[0] if len(made) == 1 else list(zip(*made, strict=True))


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Numerical libraries read these settings when a worker starts."""
    before = {name: os.environ.get(name) for name in _THREAD_SETTINGS}
    os.environ.update(dict.fromkeys(_THREAD_SETTINGS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
