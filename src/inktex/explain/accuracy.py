"""How good is the alignment? Measured against the segmentation truth of expressions that were read correctly.

In: examples, whose strokes per token are known, and readings. Out: the share of strokes assigned to the
right sign and the share of signs with exactly the right strokes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from inktex.corpus import Example

from .reading import Reading


@dataclass(frozen=True)
class AlignmentAccuracy:
    """Counts over correctly read expressions."""

    expressions: int
    strokes: int
    right_strokes: int
    signs: int
    right_signs: int

    @property
    def stroke_share(self) -> float:
        """Strokes assigned to the sign they were written for."""
        return self.right_strokes / self.strokes if self.strokes else float("nan")

    @property
    def sign_share(self) -> float:
        """Signs with exactly their strokes."""
        return self.right_signs / self.signs if self.signs else float("nan")

    def __str__(self) -> str:
        if not self.strokes:
            return f"{self.expressions} expressions read correctly, none with a segmentation to compare with"
        return (
            f"{self.expressions} expressions read correctly: {100 * self.stroke_share:.1f} % of "
            f"{self.strokes} strokes at the right sign, {100 * self.sign_share:.1f} % of {self.signs} signs "
            "with exactly the right strokes"
        )


def alignment_accuracy(pairs: Iterable[tuple[Example, Reading]]) -> AlignmentAccuracy:
    """Measure; what was read wrongly, and strokes that belong to no sign, are left out."""
    expressions = strokes = right_strokes = signs = right_signs = 0
    for example, reading in pairs:
        if example.tokens != reading.tokens:
            continue
        expressions += 1
        alignment = reading.alignment
        for place, truth in enumerate(example.strokes_of):
            if truth:
                strokes += len(truth)
                right_strokes += sum(alignment.token_of_stroke[stroke] == place for stroke in truth)
                signs += 1
                right_signs += set(alignment.strokes_of[place]) == set(truth)
    return AlignmentAccuracy(expressions, strokes, right_strokes, signs, right_signs)
