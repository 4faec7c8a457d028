"""The difference between two token sequences: the fewest insertions, deletions and replacements.

Answers have tens of tokens, so a plain table is fast enough and the recogniser needs no package for it.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit that leads from the source to the target."""

    tag: Literal["replace", "delete", "insert"]
    source: int  # place in the source of the token that goes, or before which one is inserted
    target: int  # place in the target of the new token, or before which one was deleted


def edits(source: Sequence[Hashable], target: Sequence[Hashable]) -> list[Edit]:
    """A shortest list of edits, in the order of the sequences."""
    table = _table(source, target)
    row, column = len(source), len(target)
    found: list[Edit] = []
    while row or column:
        here = table[row][column]
        if row and column and source[row - 1] == target[column - 1] and table[row - 1][column - 1] == here:
            row, column = row - 1, column - 1
        elif row and table[row - 1][column] + 1 == here:
            row -= 1
            found.append(Edit("delete", row, column))
        elif column and table[row][column - 1] + 1 == here:
            column -= 1
            found.append(Edit("insert", row, column))
        else:
            row, column = row - 1, column - 1
            found.append(Edit("replace", row, column))
    return found[::-1]


def _table(source: Sequence[Hashable], target: Sequence[Hashable]) -> list[list[int]]:
    """table[i][j]: edits between the first i tokens of the source and the first j of the target."""
    table = [list(range(len(target) + 1))]
    for number, token in enumerate(source, 1):
        above, left = table[-1], number
        row = [number]
        for column, other in enumerate(target, 1):
            best = above[column - 1]
            if token != other:
                best = min(best, left, above[column]) + 1
            row.append(best)
            left = best
        table.append(row)
    return table
