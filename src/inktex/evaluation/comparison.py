"""Are two systems different? McNemar's exact test on the expressions that only one of them read correctly.

Takes for each expression whether either system was right; returns the counts and a two-sided p-value. If
both systems are equally good, each such expression is a fair coin; the binomial tail is summed exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

from .results import Evaluation


@dataclass(frozen=True)
class Comparison:
    """Two systems on the same expressions."""

    first: str
    second: str
    expressions: int
    both: int  # right in both
    only_first: int
    only_second: int
    p_value: float


def mcnemar_p_value(only_first: int, only_second: int) -> float:
    """Probability of a split at least as uneven as this one if both systems were equally good."""
    discordant = only_first + only_second
    tail = sum(comb(discordant, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, float(Fraction(2 * tail, 2**discordant)))


def compare(first: str, first_right: Sequence[bool], second: str, second_right: Sequence[bool]) -> Comparison:
    """Compare two named systems, given in the same order of expressions."""
    if len(first_right) != len(second_right):
        raise ValueError(f"{first} and {second} were measured on different expressions")
    pairs = list(zip(first_right, second_right, strict=True))
    only_first = sum(a and not b for a, b in pairs)
    only_second = sum(b and not a for a, b in pairs)
    return Comparison(
        first=first,
        second=second,
        expressions=len(pairs),
        both=sum(a and b for a, b in pairs),
        only_first=only_first,
        only_second=only_second,
        p_value=mcnemar_p_value(only_first, only_second),
    )


def compare_all(evaluations: Sequence[Evaluation]) -> tuple[Comparison, ...]:
    """Compare every two systems that were measured on the same expressions."""
    return tuple(
        compare(first.system, first.right, second.system, second.right)
        for first, second in combinations(evaluations, 2)
    )
