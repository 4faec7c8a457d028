"""What a model read from an ink, and where it looked while it wrote each token.

In: ink and a model (of the runtime, or any stepper with what is needed to feed it). Out: `Reading`s, which
all pictures and all of the error analysis are made from. `read_as` makes the model write given tokens,
to see where it would have looked for the right answer and how likely that answer was to it.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from inktex.decoding import (
    Hypothesis,
    SearchOptions,
    Stepper,
    TokenScorer,
    beam_search,
    feature_length,
    length_batches,
)
from inktex.features import FeatureOptions, Features, extract_many
from inktex.ink import Ink
from inktex.runtime import Model, ModelInput

from .alignment import Alignment, align
from .attention import Floats, intensity_at, stroke_attention


@dataclass(frozen=True)
class ReadingModel:
    """A model and how ink is made ready for it."""

    name: str
    stepper: Stepper
    stride: int  # feature rows per annotation
    inputs: Callable[[Sequence[Ink]], Sequence[ModelInput]]
    search: SearchOptions = field(default_factory=SearchOptions)
    scorer: TokenScorer | None = None

    @classmethod
    def of(cls, model: Model) -> "ReadingModel":
        """A model of the runtime, searched as it says."""
        info = model.info
        return cls(info.name, model.stepper(), info.stride, model.inputs, model.search, model.scorer)

    @classmethod
    def of_stepper(cls, name: str, stepper: Stepper, stride: int, features: FeatureOptions) -> "ReadingModel":
        """Any stepper that reads one kind of features."""

        def inputs(inks: Sequence[Ink]) -> list[ModelInput]:
            return [ModelInput(made, made.rows) for made in extract_many(inks, features)]

        return cls(name, stepper, stride, inputs)


@dataclass(frozen=True, eq=False)
class Reading:
    """One answer to one ink, with the attention it was written with."""

    ink: Ink
    tokens: tuple[str, ...]
    attention: NDArray[np.float32]  # (T+1, L), the end mark last
    features: Features
    stride: int
    token_log_probs: NDArray[np.float32]  # (T+1,)

    @property
    def log_prob(self) -> float:
        """Of the whole answer, end mark included."""
        return float(self.token_log_probs.sum(dtype=np.float64))

    @cached_property
    def strokes(self) -> Floats:
        """(T+1, S) share of each token's attention on each stroke."""
        return stroke_attention(self.attention, self.features, self.stride, len(self.ink))

    @cached_property
    def alignment(self) -> Alignment:
        """Which token read which strokes."""
        return align(self.tokens, self.attention, self.features, self.stride, len(self.ink))

    def intensity(self, positions: Floats) -> Floats:
        """(T+1, M) how brightly each token lights the ink at positions among its points."""
        return intensity_at(self.attention, self.features, self.stride, positions)


def read_inks(
    model: ReadingModel,
    inks: Sequence[Ink],
    *,
    beam: int = 10,
    batch: int = 8,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> list[Reading]:
    """The best answer to every ink, by `jobs` threads; `progress` is told how many more are done."""
    inputs = model.inputs(inks)

    def read(places: Sequence[int]) -> list[Reading]:
        found = _search(model, [inputs[place] for place in places], beam, 1, None)
        return [
            _reading(model, inks[place], inputs[place].features, best)
            for place, (best, *_) in zip(places, found, strict=True)
        ]

    readings: dict[int, Reading] = {}
    batches = length_batches([feature_length(each.arrays) for each in inputs], batch)
    with ThreadPoolExecutor(jobs) as pool:
        for places, found in zip(batches, pool.map(read, batches), strict=True):
            readings.update(zip(places, found, strict=True))
            if progress is not None:
                progress(len(places))
    return [readings[place] for place in range(len(inks))]


def read_best(
    model: ReadingModel, ink: Ink, *, beam: int = 10, top: int = 1, seconds: float | None = None
) -> list[Reading]:
    """The `top` best answers to one ink, best first; after `seconds` the search is brought to an end."""
    inputs = model.inputs([ink])
    (found,) = _search(model, inputs, beam, top, seconds)
    return [_reading(model, ink, inputs[0].features, hypothesis) for hypothesis in found]


def _search(
    model: ReadingModel, inputs: Sequence[ModelInput], beam: int, top: int, seconds: float | None
) -> list[list[Hypothesis]]:
    rows = max(len(each.features.rows) for each in inputs)
    # More ink may have a longer answer: CROHME has at most 0.65 tokens per feature row.
    options = replace(model.search, beam=max(beam, top), top=top, max_length=min(12 + rows, 1000))
    deadline = None if seconds is None else time.monotonic() + seconds
    arrays = [each.arrays for each in inputs]
    return beam_search(model.stepper, arrays, options, scorer=model.scorer, deadline=deadline)


def _reading(model: ReadingModel, ink: Ink, features: Features, found: Hypothesis) -> Reading:
    return Reading(
        ink=ink,
        tokens=model.stepper.vocabulary.decode(found.tokens),
        attention=found.attention,
        features=features,
        stride=model.stride,
        token_log_probs=found.token_log_probs,
    )


def read_as(model: ReadingModel, ink: Ink, tokens: Sequence[str]) -> Reading:
    """Make the model write `tokens`; LatexError if it does not know one of them."""
    ids = model.stepper.vocabulary.encode(tokens)
    (given,) = model.inputs([ink])
    state = model.stepper.start([given.arrays])
    length = int(model.stepper.lengths(state)[0])
    attention, log_probs = [], []
    for previous, following in zip([0, *ids], [*ids, 0], strict=True):
        output = model.stepper.step(state, np.array([previous], dtype=np.int64))
        attention.append(output.attention[0, :length])
        log_probs.append(output.log_probs[0, following])
        state = output.state
    return Reading(
        ink=ink,
        tokens=tuple(tokens),
        attention=np.stack(attention).astype(np.float32),
        features=given.features,
        stride=model.stride,
        token_log_probs=np.array(log_probs, dtype=np.float32),
    )
