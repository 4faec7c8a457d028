"""From what a search found to the answer: hypotheses and features in, `Recognition` out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inktex.decoding import Hypothesis
from inktex.explain import stroke_attention
from inktex.features import Features
from inktex.latex import LatexError, Vocabulary, join, parse_layout

from .answer import Alternative, Recognition, StrokesRead
from .calibration import Calibration, answer_evidence, neglected, token_evidence


@dataclass(frozen=True)
class Reading:
    """One ink and the hypotheses of its search, best first."""

    hypotheses: Sequence[Hypothesis]
    features: Features
    stroke_count: int

    @classmethod
    def of(cls, found: Sequence[Hypothesis], features: Features, stroke_count: int) -> "Reading":
        """Take what a search found; an answer that came to its end by itself goes before one that was cut."""
        return cls(sorted(found, key=lambda each: each.cut), features, stroke_count)


@dataclass(frozen=True)
class Assembler:
    """What all answers of one model have in common."""

    vocabulary: Vocabulary
    stride: int
    calibration: Calibration | None
    model: str

    def recognition(
        self, reading: Reading, *, top: int, elapsed: float, attention: bool = False
    ) -> Recognition:
        """Put the answer together, with at most `top` readings."""
        best = reading.hypotheses[0]
        texts = self.vocabulary.decode(best.tokens)
        on_strokes = stroke_attention(best.attention, reading.features, self.stride, reading.stroke_count)
        score, confidences = self.confidence(reading, neglected(on_strokes))
        return Recognition(
            texts=texts,
            confidences=tuple(confidences),
            score=score,
            alternatives=self._alternatives(reading.hypotheses, score)[: top - 1],
            complete=not best.cut,
            model=self.model,
            elapsed=elapsed,
            attention=on_strokes if attention else None,
            strokes_read=StrokesRead(texts, on_strokes, reading.features),
        )

    def confidence(self, reading: Reading, neglect: float) -> tuple[float, list[float]]:
        """Of the best answer as a whole, and of each of its tokens."""
        best = reading.hypotheses[0]
        if self.calibration is None:
            tokens = np.exp(best.token_log_probs[:-1].astype(np.float64))
            return float(np.exp(best.log_prob)), np.clip(tokens, 0.0, 1.0).tolist()
        evidence = answer_evidence(reading.hypotheses, neglect)
        score = float(self.calibration.answer(evidence[None])[0])
        # A whole cannot be surer than its parts, but the two maps were fitted apart.
        tokens = np.maximum(self.calibration.token(token_evidence(best, score)), score)
        return score, tokens.tolist()

    def _alternatives(self, hypotheses: Sequence[Hypothesis], score: float) -> tuple[Alternative, ...]:
        """The other readings; those that mean the same layout as a better one are left out."""
        rest = max(1.0 - float(np.exp(hypotheses[0].log_prob)), 1e-9)
        kept: list[Hypothesis] = [hypotheses[0]]
        found = []
        for hypothesis in hypotheses[1:]:
            # Only the order of scripts can differ, so other tokens are another layout: no need to look.
            tokens = sorted(hypothesis.tokens)
            alike = [other for other in kept if sorted(other.tokens) == tokens]
            if any(self._meaning(other) == self._meaning(hypothesis) for other in alike):
                continue
            kept.append(hypothesis)
            share = (1.0 - score) * float(np.exp(hypothesis.log_prob)) / rest
            found.append(Alternative(join(self.vocabulary.decode(hypothesis.tokens)), min(share, score)))
        return tuple(found)

    def _meaning(self, hypothesis: Hypothesis) -> tuple[str, ...]:
        texts = self.vocabulary.decode(hypothesis.tokens)
        try:
            return parse_layout(texts).tokens()
        except LatexError:
            return texts
