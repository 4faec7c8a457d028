"""From a `Reading` to the answer that users get, a `Recognition`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from inktex.decoding import Hypothesis
from inktex.latex import LatexError, Vocabulary, parse_layout
from inktex.reading import Calibration, LazyAlignment, Reading, symbol_places
from inktex.reading.calibration import KNOWN_FROM, answer_evidence, known_evidence, token_evidence

from .answer import Alternative, Recognition

# Readings this many nats behind the best are not offered. For every second ink of CROHME 2013 these were 16
# of 1,270 readings: none was right, and five were less than half as long as the best.
NEGLIGIBLE = 5.0


@dataclass(frozen=True)
class Assembler:
    """What all answers of one model have in common."""

    vocabulary: Vocabulary
    calibration: Calibration | None
    model: str

    def recognition(
        self,
        reading: Reading,
        *,
        top: int = 5,
        attention: bool = False,
        strokes: bool = True,
        complete: bool = False,
    ) -> Recognition:
        """The answer with at most `top` readings; without `strokes`, it knows no strokes.

        With `complete` everything is worked out, so that another process only has to write it down.
        """
        score, confidences = self.confidence(reading)
        answer = Recognition(
            texts=reading.tokens,
            confidences=tuple(confidences),
            score=score,
            alternatives=self._alternatives(reading.hypotheses, score)[: top - 1],
            complete=not reading.best.cut,
            model=self.model,
            elapsed=reading.elapsed,
            attention=reading.strokes if attention else None,
            strokes_read=reading.lazy_alignment if strokes else None,
            outside=self.outside(reading),
        )
        if complete and strokes:
            answer = replace(answer, strokes_read=LazyAlignment(answer.alignment))
            answer.to_json()
        return answer

    def confidence(self, reading: Reading) -> tuple[float, list[float]]:
        """Of the best answer as a whole, and of each of its tokens."""
        best = reading.best
        if self.calibration is None:
            tokens = np.exp(best.token_log_probs[:-1].astype(np.float64))
            return float(np.exp(best.log_prob)), np.clip(tokens, 0.0, 1.0).tolist()
        evidence = answer_evidence(reading)
        score = float(self.calibration.answer(evidence[None])[0])
        # A whole cannot be surer than its parts, but the two maps were fitted apart.
        tokens = np.maximum(self.calibration.token(token_evidence(best, score)), score)
        return score, tokens.tolist()

    def outside(self, reading: Reading) -> tuple[int, ...]:
        """Places of the tokens whose ink looks like no symbol that the model knows."""
        if self.calibration is None or self.calibration.known is None:
            return ()
        known = self.calibration.known(known_evidence(reading))
        return tuple(place for place in symbol_places(reading.tokens) if known[place] < KNOWN_FROM)

    def _alternatives(self, hypotheses: Sequence[Hypothesis], score: float) -> tuple[Alternative, ...]:
        """The other readings that are worth offering.

        Left out are those that are far less likely than the best, such as the first symbol of a long formula
        alone, and those that mean the same layout as a better one.
        """
        least = hypotheses[0].log_prob - NEGLIGIBLE
        rest = max(1.0 - float(np.exp(hypotheses[0].log_prob)), 1e-9)
        kept: list[Hypothesis] = [hypotheses[0]]
        found = []
        for hypothesis in hypotheses[1:]:
            if hypothesis.log_prob < least:
                continue
            # Only the order of scripts can differ, so other tokens are another layout: no need to look.
            tokens = sorted(hypothesis.tokens)
            alike = [other for other in kept if sorted(other.tokens) == tokens]
            if any(self._meaning(other) == self._meaning(hypothesis) for other in alike):
                continue
            kept.append(hypothesis)
            share = (1.0 - score) * float(np.exp(hypothesis.log_prob)) / rest
            found.append(Alternative(self.vocabulary.decode(hypothesis.tokens), min(share, score)))
        return tuple(found)

    def _meaning(self, hypothesis: Hypothesis) -> tuple[str, ...]:
        texts = self.vocabulary.decode(hypothesis.tokens)
        try:
            return parse_layout(texts).tokens()
        except LatexError:
            return texts
