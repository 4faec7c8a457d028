"""Splits the strokes, in writing order, into one run per symbol.

Takes the attention of symbols on strokes (symbols, S), log probabilities of the number of strokes of each
symbol, and log odds that neighbours belong together. Returns the symbol of every stroke, or -1. The best
split is found by dynamic programming. It cannot express a stroke away from the others of its symbol; this
is corrected afterwards.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .habits import MOST_STROKES

Scores = NDArray[np.float64]
Owners = NDArray[np.int64]

# Logarithms of probabilities, chosen on the validation set.
_NO_INK = -7.0  # a symbol without a stroke of its own
_UNREAD = -3.0  # leaving a symbol of one stroke unread
_UNREAD_MORE = -2.0  # for each further stroke of it
_UNREAD_SEEN = -6.0  # added for a stroke that symbols looked at with their full attention
_APART = -5.3  # a stroke away from the others of its symbol
_LEAST_MASS = 0.01  # attention that costs nothing to be missing


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known about symbols and strokes."""

    weight: Scores  # (symbols, S) attention
    lengths: Scores  # (symbols, MOST_STROKES) log probability of 1, 2, … strokes
    joins: Scores  # (S-1,) log odds that a stroke and the next one belong together

    @property
    def skips(self) -> tuple[Scores, Scores]:
        """(S,) scores of leaving a stroke unread, as the first one and after another unread one.

        The more symbols looked at it, the less likely. Strokes that belong together stay unread together.
        """
        seen = _UNREAD_SEEN * np.minimum(self.weight.sum(axis=0), 1.0)
        following = np.maximum(np.concatenate(([-np.inf], self.joins + _UNREAD_MORE)), _UNREAD)
        return np.asarray(seen + _UNREAD), np.asarray(seen + following)

    def symbol_score(self, symbol: int, owner: Owners) -> float:
        """How well the strokes that `owner` gives to a symbol fit it."""
        mine = np.flatnonzero(owner == symbol)
        if not len(mine):
            return _NO_INK
        if len(mine) > MOST_STROKES:
            return -np.inf
        beside = mine[:-1][np.diff(mine) == 1]
        apart = len(mine) - 1 - len(beside)
        mass = float(self.weight[symbol, mine].sum())
        known = self.lengths[symbol, len(mine) - 1] + self.joins[beside].sum() + apart * _APART
        return float(np.log(mass + _LEAST_MASS) + known)


def assign_strokes(evidence: Evidence) -> Owners:
    """(S,) symbol of every stroke, -1 for none.

    After the best cut, single strokes move to the symbol that looked at them most if that raises the score.
    """
    owner = _cut(evidence)
    looker = evidence.weight.argmax(axis=0)
    looked = evidence.weight.max(axis=0)
    held = np.where(owner >= 0, np.take_along_axis(evidence.weight, np.maximum(owner, 0)[None], 0)[0], 0.0)
    first, _ = evidence.skips
    for stroke in np.flatnonzero((looker != owner) & (looked > held + 0.1)).tolist():
        before, after = int(owner[stroke]), int(looker[stroke])
        moved = owner.copy()
        moved[stroke] = after
        gain = evidence.symbol_score(after, moved) - evidence.symbol_score(after, owner)
        if before >= 0:
            gain += evidence.symbol_score(before, moved) - evidence.symbol_score(before, owner)
        else:
            gain -= first[stroke]
        if gain > 0:
            owner = moved
    return owner


def _cut(evidence: Evidence) -> Owners:
    """The best runs: symbol by symbol in writing order, with the best score for every number of strokes."""
    weight = evidence.weight
    symbols, strokes = weight.shape
    order = np.argsort(_anchors(weight), kind="stable")
    inside = np.concatenate((np.zeros((symbols, 1)), np.cumsum(weight, axis=1)), axis=1)
    first, following = evidence.skips
    skipped = np.concatenate(([0.0], np.cumsum(following)))
    joined = np.concatenate(([0.0], np.cumsum(evidence.joins)))
    opening = np.append(first - following, 0.0) - skipped  # of a row of unread strokes, by where it begins
    best = _with_unread(np.append(0.0, np.full(strokes, -np.inf)), opening, skipped)  # (S+1,)
    counts, ends = np.arange(1, MOST_STROKES + 1)[:, None], np.arange(strokes + 1)
    begins = np.maximum(ends - counts, 0)  # (MOST_STROKES, S+1) of runs of so many strokes, by where they end
    together = np.where(ends < counts, -np.inf, joined[ends - 1] - joined[np.minimum(begins, strokes - 1)])
    scores = np.empty((MOST_STROKES + 1, strokes + 1))  # by length of the run, 0 for none
    choices: list[tuple[Owners, Scores]] = []  # per symbol: the best length of its run, and that score
    for symbol in order:
        mass = inside[symbol] - inside[symbol].take(begins)
        run = best.take(begins) + np.log(mass + _LEAST_MASS) + evidence.lengths[symbol][:, None]
        scores[0], scores[1:] = best + _NO_INK, run + together
        score = scores.max(axis=0)
        choices.append((scores.argmax(axis=0), score))
        best = _with_unread(score, opening, skipped)
    owner = np.full(strokes, -1, dtype=np.int64)
    at = strokes
    for symbol, (taken, score) in zip(order[::-1], choices[::-1], strict=True):
        at = _run_end(score, opening, skipped, at)
        owner[at - taken[at] : at] = symbol
        at -= int(taken[at])
    return owner


def _with_unread(score: Scores, opening: Scores, skipped: Scores) -> Scores:
    """Let strokes after a run stay unread: the best score by number of strokes."""
    highest = np.maximum.accumulate(score + opening)
    return np.asarray(np.maximum(score, np.concatenate(([-np.inf], highest[:-1])) + skipped))


def _run_end(score: Scores, opening: Scores, skipped: Scores, at: int) -> int:
    """Where the run ended whose best score, with unread strokes after it, is that of `at` strokes."""
    level = (score + opening)[:at]
    if not at or level.max() + skipped[at] <= score[at]:
        return at
    return at - 1 - int(level[::-1].argmax())  # the last of equal ones


def _anchors(weight: Scores) -> Owners:
    """(symbols,) a stroke of its own for every symbol, which gives the order of writing."""
    symbols, strokes = weight.shape
    if symbols > strokes:
        return np.asarray(weight.argmax(axis=1), dtype=np.int64)
    return cheapest_assignment(-np.log(np.maximum(weight, 1e-3)))


def cheapest_assignment(cost: Scores) -> Owners:
    """(rows,) different columns whose costs (rows, columns) have the smallest sum; rows <= columns.

    The Hungarian method by shortest paths, written here so that recognition does not need scipy.
    """
    rows, columns = cost.shape
    if rows > columns:
        raise ValueError(f"{rows} rows cannot have different ones of {columns} columns")
    cheapest: Owners = cost.argmin(axis=1)
    if len(set(cheapest.tolist())) == rows:  # nothing can cost less, and mostly they are different
        return cheapest
    row_price, column_price = np.zeros(rows), np.zeros(columns)
    row_of = np.full(columns, -1)
    for new in range(rows):
        # Dijkstra from the new row over reduced costs, which are never negative, to a free column.
        distance = np.full(columns, np.inf)
        came_from = np.full(columns, -1)
        done = np.zeros(columns, dtype=bool)
        row, reached, column = new, 0.0, -1
        while row >= 0:
            through = reached + cost[row] - row_price[row] - column_price
            better = ~done & (through < distance)
            distance[better] = through[better]
            came_from[better] = column
            column = int(np.where(done, np.inf, distance).argmin())
            reached = float(distance[column])
            done[column] = True
            row = int(row_of[column])
        row_price[new] += reached
        settled = done & (row_of >= 0)
        row_price[row_of[settled]] += reached - distance[settled]
        column_price[settled] -= reached - distance[settled]
        while column >= 0:
            before = int(came_from[column])
            row_of[column] = new if before < 0 else row_of[before]
            column = before
    taken = np.flatnonzero(row_of >= 0)
    return taken[row_of[taken].argsort()]
