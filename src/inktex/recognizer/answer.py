"""The answer: what was read, how sure that is, from which strokes, and the alternatives.

`Recognition` is plain data; `to_json` is its documented form (docs/recognition-schema.md).
"""

from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inktex.latex import LatexError, Style, normalize, print_latex, to_mathml, to_typst
from inktex.reading import Alignment, LazyAlignment, symbol_places

SCHEMA = "inktex.recognition/1"

Floats: TypeAlias = NDArray[np.floating[Any]]


def all_forms(latex: str) -> dict[str, Any]:
    """LaTeX in the forms of a recognition; LatexError if it is not a formula."""
    tokens = normalize(latex)
    mathml = to_mathml(tokens, ids=True)
    return {"latex": print_latex(tokens), "tokens": list(tokens), "mathml": mathml, "typst": to_typst(tokens)}


def for_page(answer: "Recognition") -> dict[str, Any]:
    """An answer as pages get it: with its other readings in all forms, but for those that have none."""
    others = []
    for other in answer.alternatives:
        with suppress(LatexError, RecursionError):
            others.append({**all_forms(other.latex), "score": round(other.score, 4)})
    return {"recognition": answer.to_json(), "alternatives": [each for each in others if each["tokens"]]}


@dataclass(frozen=True)
class Token:
    """One LaTeX word of the answer."""

    text: str
    confidence: float  # 0..1: how often a token read like this is right
    strokes: tuple[int, ...]  # that it was read from; () for braces and script marks


@dataclass(frozen=True)
class RecognizedSymbol:
    """One written symbol."""

    latex: str
    strokes: tuple[int, ...]
    confidence: float
    token: int  # its place among the tokens
    known: bool = True  # False where the ink looks like no symbol of the model, whatever was read


@dataclass(frozen=True)
class Alternative:
    """Another reading."""

    texts: tuple[str, ...]  # the LaTeX, word by word
    score: float

    @property
    def latex(self) -> str:
        """The LaTeX as people write it."""
        return print_latex(self.texts)


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
    strokes_read: LazyAlignment | None = field(default=None, repr=False)  # None where strokes are not wanted
    outside: tuple[int, ...] = ()  # places of the tokens whose ink looks like no symbol of the model
    lines: tuple["Line", ...] = ()  # where the ink has several; the other fields are those of all together

    @cached_property
    def latex(self) -> str:
        r"""The LaTeX as people write it: `x^{2}+\frac{a}{b}`."""
        return print_latex(self.texts)

    def as_latex(self, style: Style = "plain") -> str:
        r"""The LaTeX between `$…$` ("inline"), `\[…\]` ("display") or `$$…$$` ("markdown").

        "spaced" separates all tokens by spaces: `x ^ { 2 }`.
        """
        return print_latex(self.texts, style)

    @property
    def alignment(self) -> Alignment:
        """Which strokes each token was read from."""
        if self.strokes_read is None:
            return Alignment(((),) * len(self.texts), (), (), ())
        return self.strokes_read.value

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The LaTeX word by word, with confidence and strokes."""
        parts = zip(self.texts, self.confidences, self.alignment.strokes_of, strict=True)
        return tuple(Token(text, confidence, strokes) for text, confidence, strokes in parts)

    @cached_property
    def symbols(self) -> tuple[RecognizedSymbol, ...]:
        """The tokens that are written symbols."""
        found = [(place, self.tokens[place]) for place in symbol_places(self.texts)]
        return tuple(
            RecognizedSymbol(token.text, token.strokes, token.confidence, place, place not in self.outside)
            for place, token in found
        )

    @property
    def unread(self) -> tuple[int, ...]:
        """Strokes that no symbol was read from."""
        return self.alignment.unread

    @property
    def reread(self) -> tuple[int, ...]:
        """Strokes that several symbols were read from."""
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
            "tokens": [_plain(token) for token in self.tokens],
            "symbols": [_plain(symbol) for symbol in self.symbols],
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
        if self.lines:
            data["lines"] = [
                {"strokes": list(line.strokes), "recognition": line.recognition.to_json()}
                for line in self.lines
            ]
        return data

    def __str__(self) -> str:
        return self.latex

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"


def _plain(part: Token | RecognizedSymbol) -> dict[str, Any]:
    return {**vars(part), "confidence": round(part.confidence, 6), "strokes": list(part.strokes)}


@dataclass(frozen=True, eq=False)
class Line:
    """One line of an ink that has several."""

    strokes: tuple[int, ...]  # of the ink; strokes in the recognition are places in this tuple
    recognition: Recognition
