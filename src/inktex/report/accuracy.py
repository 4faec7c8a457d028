"""How good is the alignment? Compares it with the segmentation of expressions that were read correctly.

Takes examples, whose strokes per token are known, and readings. Returns the share of strokes assigned to the
right symbol and the share of symbols with exactly the right strokes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from inktex.corpus import Example
from inktex.reading import Reading


@dataclass(frozen=True)
class AlignmentAccuracy:
    """Counts over correctly read expressions."""

    expressions: int
    strokes: int
    right_strokes: int
    symbols: int
    right_symbols: int

    @property
    def stroke_share(self) -> float:
        """Strokes assigned to the symbol they were written for."""
        return self.right_strokes / self.strokes if self.strokes else float("nan")

    @property
    def symbol_share(self) -> float:
        """Symbols with exactly their strokes."""
        return self.right_symbols / self.symbols if self.symbols else float("nan")

    def __str__(self) -> str:
        if not self.strokes:
            return f"{self.expressions} expressions read correctly, none with a segmentation to compare with"
        return (
            f"{self.expressions} expressions read correctly: {100 * self.stroke_share:.1f} % of "
            f"{self.strokes} strokes at the right symbol, {100 * self.symbol_share:.1f} % of "
            f"{self.symbols} symbols with exactly the right strokes"
        )


def alignment_accuracy(pairs: Iterable[tuple[Example, Reading]]) -> AlignmentAccuracy:
    """Measure; what was read wrongly, and strokes that belong to no symbol, are left out."""
    expressions = strokes = right_strokes = symbols = right_symbols = 0
    for example, reading in pairs:
        if example.tokens != reading.tokens:
            continue
        expressions += 1
        alignment = reading.alignment
        for place, truth in enumerate(example.strokes_of):
            if truth:
                strokes += len(truth)
                right_strokes += sum(alignment.token_of_stroke[stroke] == place for stroke in truth)
                symbols += 1
                right_symbols += set(alignment.strokes_of[place]) == set(truth)
    return AlignmentAccuracy(expressions, strokes, right_strokes, symbols, right_symbols)
