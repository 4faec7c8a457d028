"""The answer: what was read, how sure that is, from which strokes, and what else it could be.

`Recognition` is plain data; `to_json` is its documented form (docs/recognition-schema.md).
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inktex.explain import Alignment, align_strokes, join_scores, sign_places
from inktex.features import Features
from inktex.latex import join, to_mathml, to_typst

SCHEMA = "inktex.recognition/1"

Floats: TypeAlias = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Token:
    """One LaTeX word of the answer."""

    text: str
    confidence: float  # 0..1: how often a token read like this is right
    strokes: tuple[int, ...]  # that it was read from; () for braces and script marks


@dataclass(frozen=True)
class RecognizedSymbol:
    """One written sign."""

    latex: str
    strokes: tuple[int, ...]
    confidence: float
    token: int  # its place among the tokens


@dataclass(frozen=True)
class Alternative:
    """Another reading."""

    latex: str
    score: float


@dataclass(frozen=True, eq=False)
class StrokesRead:
    """Which strokes each token was read from; worked out when somebody first asks."""

    texts: tuple[str, ...]
    attention: Floats  # (T+1, S)
    features: Features

    @cached_property
    def alignment(self) -> Alignment:
        """Strokes and tokens."""
        return align_strokes(self.texts, self.attention, join_scores(self.features))


@dataclass(frozen=True, eq=False)
class Recognition:
    """What was read from one ink."""

    texts: tuple[str, ...]  # the LaTeX, word by word
    confidences: tuple[float, ...]  # of each word, 0..1
    score: float  # 0..1: how often an answer like this is right as a whole
    alternatives: tuple[Alternative, ...]  # other readings, best first
    complete: bool = True  # False where the time or length limit forced an early end
    model: str = ""
    elapsed: float = 0.0  # seconds, from strokes to answer; in a batch, its share of the batch
    attention: Floats | None = field(default=None, repr=False)  # (T+1, S) on strokes, where asked for
    strokes_read: StrokesRead | Alignment | None = field(default=None, repr=False)

    @cached_property
    def latex(self) -> str:
        """The LaTeX, its tokens separated by spaces."""
        return join(self.texts)

    @property
    def alignment(self) -> Alignment:
        """Which strokes each token was read from."""
        read = self.strokes_read
        if read is None:
            return Alignment(((),) * len(self.texts), (), (), ())
        return read.alignment if isinstance(read, StrokesRead) else read

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The LaTeX word by word, with confidence and strokes."""
        parts = zip(self.texts, self.confidences, self.alignment.strokes_of, strict=True)
        return tuple(Token(text, confidence, strokes) for text, confidence, strokes in parts)

    @cached_property
    def symbols(self) -> tuple[RecognizedSymbol, ...]:
        """The tokens that are written signs."""
        tokens = self.tokens
        return tuple(
            RecognizedSymbol(tokens[place].text, tokens[place].strokes, tokens[place].confidence, place)
            for place in sign_places(self.texts)
        )

    @property
    def unread(self) -> tuple[int, ...]:
        """Strokes that no sign was read from."""
        return self.alignment.unread

    @property
    def reread(self) -> tuple[int, ...]:
        """Strokes that several signs were read from."""
        return self.alignment.reread

    @cached_property
    def mathml(self) -> str:
        """Presentation MathML that browsers draw; `data-token` of each leaf is the place of its token."""
        return to_mathml(self.texts, ids=True)

    @cached_property
    def typst(self) -> str:
        """Typst math, without dollar signs."""
        return to_typst(self.texts)

    def to_json(self) -> dict[str, Any]:
        """The answer as plain data, schema `inktex.recognition/1`."""
        data: dict[str, Any] = {
            "schema": SCHEMA,
            "latex": self.latex,
            "score": round(self.score, 6),
            "tokens": [
                {
                    "text": token.text,
                    "confidence": round(token.confidence, 6),
                    "strokes": list(token.strokes),
                }
                for token in self.tokens
            ],
            "symbols": [
                {
                    "latex": symbol.latex,
                    "strokes": list(symbol.strokes),
                    "confidence": round(symbol.confidence, 6),
                    "token": symbol.token,
                }
                for symbol in self.symbols
            ],
            "alternatives": [
                {"latex": other.latex, "score": round(other.score, 6)} for other in self.alternatives
            ],
            "mathml": self.mathml,
            "typst": self.typst,
            "unread": list(self.unread),
            "reread": list(self.reread),
            "complete": self.complete,
            "model": self.model,
            "elapsed": round(self.elapsed, 6),
        }
        if self.attention is not None:
            data["attention"] = np.round(self.attention, 4).tolist()
        return data

    def __str__(self) -> str:
        return self.latex

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"
