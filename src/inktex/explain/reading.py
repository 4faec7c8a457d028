"""What a model read from an ink, and where it looked while it wrote each token.

In: ink and a model that decodes (`ReadingModel`: a stepper with what is needed to feed it). Out: `Reading`s,
which all pictures and all of the error analysis are made from. `read_as` makes the model write given tokens,
to see where it would have looked for the right answer and how likely that answer was to it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from inktex.decoding import SearchOptions, Stepper, beam_search, length_batches
from inktex.features import FeatureOptions, Features, extract_many
from inktex.ink import Ink

from .alignment import Alignment, align_strokes
from .attention import Floats, intensity_at, stroke_attention


@dataclass(frozen=True)
class ReadingModel:
    """A model and how ink is made ready for it."""

    name: str
    stepper: Stepper
    features: FeatureOptions
    stride: int  # feature rows per annotation


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
        return align_strokes(self.tokens, self.strokes)

    def intensity(self, positions: Floats) -> Floats:
        """(T+1, M) how brightly each token lights the ink at positions among its points."""
        return intensity_at(self.attention, self.features, self.stride, positions)


def read_inks(
    model: ReadingModel,
    inks: Sequence[Ink],
    options: SearchOptions | None = None,
    *,
    batch: int = 8,
    progress: Callable[[int], None] | None = None,
) -> list[Reading]:
    """The best answer to every ink; `progress` is told how many more are done."""
    features = extract_many(inks, model.features)
    readings: list[Reading | None] = [None] * len(inks)
    for places in length_batches([len(each.rows) for each in features], batch):
        found = beam_search(
            model.stepper, [features[place].rows for place in places], options or SearchOptions()
        )
        for place, (best, *_) in zip(places, found, strict=True):
            readings[place] = Reading(
                ink=inks[place],
                tokens=model.stepper.vocabulary.decode(best.tokens),
                attention=best.attention,
                features=features[place],
                stride=model.stride,
                token_log_probs=best.token_log_probs,
            )
        if progress is not None:
            progress(len(places))
    return [reading for reading in readings if reading is not None]


def read_as(model: ReadingModel, ink: Ink, tokens: Sequence[str]) -> Reading:
    """Make the model write `tokens`; LatexError if it does not know one of them."""
    ids = model.stepper.vocabulary.encode(tokens)
    (features,) = extract_many([ink], model.features)
    state = model.stepper.start([features.rows])
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
        features=features,
        stride=model.stride,
        token_log_probs=np.array(log_probs, dtype=np.float32),
    )
