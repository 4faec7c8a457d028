"""From what a search found to the answer: hypotheses and features in, `Recognition` out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inktex.decoding import Hypothesis
from inktex.explain import align_strokes, stroke_attention
from inktex.features import Features
from inktex.latex import LatexError, Vocabulary, join, parse_layout

from .answer import Alternative, Recognition, Token
from .calibration import Calibration, answer_evidence, token_evidence
from .corrections import symbols_of


@dataclass(frozen=True)
class Reading:
    """One ink and the hypotheses of its search, best first."""

    hypotheses: Sequence[Hypothesis]
    features: Features
    stroke_count: int


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
        alignment = align_strokes(texts, on_strokes)
        score, confidences = self.confidence(reading, len(alignment.unread) / max(reading.stroke_count, 1))
        tokens = tuple(
            Token(text, confidence, strokes)
            for text, confidence, strokes in zip(texts, confidences, alignment.strokes_of, strict=True)
        )
        return Recognition(
            tokens=tokens,
            score=score,
            symbols=symbols_of(tokens),
            alternatives=self._alternatives(reading.hypotheses, score)[: top - 1],
            unread=alignment.unread,
            reread=alignment.reread,
            complete=not best.cut,
            model=self.model,
            elapsed=elapsed,
            attention=on_strokes if attention else None,
        )

    def confidence(self, reading: Reading, unread: float) -> tuple[float, list[float]]:
        """Of the best answer as a whole, and of each of its tokens."""
        best = reading.hypotheses[0]
        if self.calibration is None:
            tokens = np.exp(best.token_log_probs[:-1].astype(np.float64))
            return float(np.exp(best.log_prob)), np.clip(tokens, 0.0, 1.0).tolist()
        evidence = answer_evidence(reading.hypotheses, unread)
        score = float(self.calibration.answer(evidence[None])[0])
        # A whole cannot be surer than its parts, but the two maps were fitted apart.
        tokens = np.maximum(self.calibration.token(token_evidence(best, score)), score)
        return score, tokens.tolist()

    def _alternatives(self, hypotheses: Sequence[Hypothesis], score: float) -> tuple[Alternative, ...]:
        """The other readings; those that mean the same layout as a better one are left out."""
        seen = {self._meaning(hypotheses[0])}
        rest = max(1.0 - float(np.exp(hypotheses[0].log_prob)), 1e-9)
        found = []
        for hypothesis in hypotheses[1:]:
            meaning = self._meaning(hypothesis)
            if meaning in seen:
                continue
            seen.add(meaning)
            share = (1.0 - score) * float(np.exp(hypothesis.log_prob)) / rest
            found.append(Alternative(join(self.vocabulary.decode(hypothesis.tokens)), min(share, score)))
        return tuple(found)

    def _meaning(self, hypothesis: Hypothesis) -> tuple[str, ...]:
        texts = self.vocabulary.decode(hypothesis.tokens)
        try:
            return parse_layout(texts).tokens()
        except LatexError:
            return texts
