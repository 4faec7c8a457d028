"""The answer: what was read, how sure that is, from which strokes, and what else it could be.

`Recognition` is plain data; `to_json` is its documented form (docs/recognition-schema.md).
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
class Recognition:
    """What was read from one ink."""

    tokens: tuple[Token, ...]
    score: float  # 0..1: how often an answer like this is right as a whole
    symbols: tuple[RecognizedSymbol, ...]
    alternatives: tuple[Alternative, ...]  # other readings, best first
    unread: tuple[int, ...] = ()  # strokes that no sign was read from
    reread: tuple[int, ...] = ()  # strokes that several signs were read from
    complete: bool = True  # False where the time or length limit forced an early end
    model: str = ""
    elapsed: float = 0.0  # seconds, from strokes to answer; in a batch, its share of the batch
    attention: Floats | None = field(default=None, repr=False)  # (T+1, S) on strokes, where asked for

    @cached_property
    def latex(self) -> str:
        """The LaTeX, its tokens separated by spaces."""
        return join(self.texts)

    @property
    def texts(self) -> tuple[str, ...]:
        """The tokens as plain text."""
        return tuple(token.text for token in self.tokens)

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
