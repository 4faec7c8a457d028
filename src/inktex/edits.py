"""Two sequences side by side: which places belong together, and which edits lead from one to the other.

Answers have tens of tokens, so a plain table is fast enough and the recogniser needs no package for it.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit that leads from the source to the target."""

    tag: Literal["replace", "delete", "insert"]
    source: int  # place in the source of the token that goes, or before which one is inserted
    target: int  # place in the target of the new token, or before which one was deleted


def edits(source: Sequence[Hashable], target: Sequence[Hashable]) -> list[Edit]:
    """A shortest list of insertions, deletions and replacements, in the order of the sequences."""
    found: list[Edit] = []
    row = column = 0
    for i, j in aligned(len(source), len(target), lambda i, j: source[i] != target[j], 1, gaps_first=True):
        if i < 0 or j < 0 or source[i] != target[j]:
            found.append(Edit("insert" if i < 0 else "delete" if j < 0 else "replace", row, column))
        row, column = row + (i >= 0), column + (j >= 0)
    return found


def aligned(
    rows: int, columns: int, pair_cost: Callable[[int, int], int], gap: int, *, gaps_first: bool = False
) -> list[tuple[int, int]]:
    """Pair up places at the least cost; -1 stands for no partner, which costs `gap`.

    Among equals a pair is taken before a gap, or with `gaps_first` only where it costs less than one.
    """
    cost = [[gap * (i + j) for j in range(columns + 1)] for i in range(rows + 1)]
    for i in range(1, rows + 1):
        above, current = cost[i - 1], cost[i]
        for j in range(1, columns + 1):
            current[j] = min(above[j - 1] + pair_cost(i - 1, j - 1), above[j] + gap, current[j - 1] + gap)
    pairs: list[tuple[int, int]] = []
    i, j = rows, columns
    while i or j:
        here, pair = cost[i][j], pair_cost(i - 1, j - 1) if i and j else gap
        steps = [(1, 0, gap), (0, 1, gap)]
        steps.insert(2 if gaps_first and pair >= gap else 0, (1, 1, pair))
        down, right = next(
            (down, right)
            for down, right, added in steps
            if down <= i and right <= j and cost[i - down][j - right] + added == here
        )
        i, j = i - down, j - right
        pairs.append((i if down else -1, j if right else -1))
    return pairs[::-1]
