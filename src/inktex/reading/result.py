"""`Reading`: what a reader found in one ink, and the way from its tokens back to the strokes."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from inktex.decoding import Hypothesis
from inktex.features import Features
from inktex.ink import Ink
from inktex.latex import Vocabulary

from .alignment import Alignment, LazyAlignment
from .attention import Floats, intensity_at, stroke_attention


@dataclass(frozen=True, eq=False)
class Reading:
    """The hypotheses for one ink, best first. Everything about tokens is about the best one."""

    ink: Ink
    features: Features
    hypotheses: tuple[Hypothesis, ...]
    vocabulary: Vocabulary
    stride: int  # feature rows per annotation
    elapsed: float = 0.0  # seconds of the search and of the ink's share in encoding

    @property
    def best(self) -> Hypothesis:
        return self.hypotheses[0]

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return self.vocabulary.decode(self.best.tokens)

    @property
    def log_prob(self) -> float:
        """Of the whole answer, end mark included."""
        return self.best.log_prob

    @property
    def token_log_probs(self) -> NDArray[np.float32]:
        """(T+1,), the end mark last."""
        return self.best.token_log_probs

    @property
    def attention(self) -> NDArray[np.float32]:
        """(T+1, L) on annotations, the end mark last."""
        return self.best.attention

    @cached_property
    def strokes(self) -> Floats:
        """(T+1, S) share of each token's attention on each stroke."""
        return stroke_attention(self.attention, self.features, self.stride, len(self.ink))

    @cached_property
    def lazy_alignment(self) -> LazyAlignment:
        return LazyAlignment((self.tokens, self.strokes, self.features))

    @property
    def alignment(self) -> Alignment:
        return self.lazy_alignment.value

    def intensity(self, positions: Floats) -> Floats:
        """(T+1, M) how brightly each token lights the ink at positions among its points."""
        return intensity_at(self.attention, self.features, self.stride, positions)

    def each(self) -> "list[Reading]":
        """One reading per hypothesis, each with that one as its best."""
        return [replace(self, hypotheses=(hypothesis,)) for hypothesis in self.hypotheses]
