"""Beam search over many expressions at once (the paper's section III: 10 partial hypotheses per step).

Comes in: a stepper and features of a batch of expressions. Goes out: for each its best `Hypothesis`es, best
first.

At every step the `beam` best continuations of an expression are chosen among all continuations of its
hypotheses; those that end leave the beam, the others go on. An expression is finished when none of its
hypotheses can still reach the answers it has. The greedy hypothesis is carried along even when it falls out
of the beam, so that no answer scores below it. All expressions share one batch; rows (hypotheses) are kept
together by expression, and every decision is an array operation over all rows. One expression alone, as
in live writing, takes shorter ways to the same choices: its arrays are so small that calls are what costs.
"""

import math
import time
from bisect import insort
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .history import History
from .masks import permitted_tokens, token_table
from .options import Hypothesis, SearchOptions
from .stepper import Bools, DecodingError, Floats, Ids, Joint, SearchCancelled, Stepper, TokenScorer

_DEFAULT = SearchOptions()


def beam_search(
    stepper: Stepper,
    features: Sequence[Any],
    options: SearchOptions = _DEFAULT,
    *,
    scorer: TokenScorer | None = None,
    cancelled: Callable[[], bool] | None = None,
    deadline: float | None = None,
) -> list[list[Hypothesis]]:
    """Give up to `options.top` answers for each expression, best first.

    `cancelled` is asked before every step and ends the search with `SearchCancelled`. Once
    `time.monotonic()` passes `deadline`, expressions that have an answer are done, and the others are
    brought to an end along their best hypothesis in the few steps that well-formed LaTeX needs.
    """
    if not features:
        return []
    search = _Search(stepper, features, options, scorer)
    while len(search.owners):
        if cancelled is not None and cancelled():
            raise SearchCancelled
        if deadline is not None and time.monotonic() >= deadline:
            search.hurry()
        if len(search.owners):
            search.step()
    return search.answers()


class _Search:
    """The hypotheses of one batch: row i of every array belongs to row i of the model's state."""

    def __init__(
        self, stepper: Stepper, features: Sequence[Any], options: SearchOptions, scorer: TokenScorer | None
    ) -> None:
        expressions = len(features)
        self._options = options
        self._alone = expressions == 1
        self._beam = options.beam
        self._limit = options.max_length
        self._table = token_table(stepper.vocabulary, grammar=options.grammar)
        self._permitted = permitted_tokens(stepper.vocabulary, options.symbol_ids)
        self._joint = Joint(stepper, scorer, options.scorer_weight)
        self._state = self._joint.start(features)
        self._lengths = stepper.lengths(self._state[0])
        self._history = History()
        self._count = 0  # tokens of every hypothesis so far

        self.owners = np.arange(expressions)  # (rows,) the expression of each row, ascending
        self._tokens = np.zeros(expressions, np.int64)  # (rows,) previous token
        self._totals: Floats = np.zeros(expressions)  # (rows,) sum of gains
        self._grammar = np.full(expressions, self._table.start)  # (rows,)
        self._is_greedy = np.ones(expressions, np.bool_)  # (rows,)
        self._origins = self.owners  # (rows,) the choice of the step before

        # Per expression: finished answers as (-score, step, choice, cut), best first, and what is left to
        # beat.
        self._finished: list[list[tuple[float, int, int, bool]]] = [[] for _ in features]
        self._to_beat = np.full(expressions, -np.inf)  # (expressions,) score of the last answer to be given
        self._some_are_full = False  # whether any expression has all the answers it is to give
        self._best_total = np.full(expressions, -np.inf)  # (expressions,) of finished hypotheses

    def step(self) -> None:
        """Let every hypothesis grow by one token and keep the best."""
        output = self._joint.step(self._state, self._tokens)
        allowed = self._table.allowed(self._grammar, self._limit - self._count, self._permitted)
        candidates = np.where(allowed, output.gains + self._totals[:, None], -np.inf)  # (rows, K)
        choose = _best_of_one if self._alone else _best_per_owner
        rows, tokens, totals = choose(candidates, self.owners, self._beam)
        if math.isnan(totals.sum()):
            raise DecodingError("the model's log probabilities are not numbers")
        rows, tokens, totals, is_greedy = self._with_greedy(candidates, rows, tokens, totals)
        owners = self.owners[rows]
        log_probs = output.log_probs[rows, tokens]
        self._history.record(self._origins[rows], rows, tokens, log_probs, output.attention)
        self._count += 1

        going = tokens != 0
        if not going.all():
            self._finish(np.flatnonzero(~going), owners, totals)
        going &= self._hopeful(owners, totals, is_greedy)
        kept = np.flatnonzero(going)
        self._origins = kept
        self.owners = owners[kept]
        if len(kept) == 0:
            return
        rows = rows[kept]
        self._tokens = tokens[kept]
        self._totals = totals[kept]
        self._is_greedy = is_greedy[kept]
        self._grammar = self._table.advance(self._grammar[rows], self._tokens)
        self._state = output.state
        if len(rows) != len(candidates) or (rows != np.arange(len(rows))).any():
            self._state = self._joint.select(self._state, rows)

    def hurry(self) -> None:
        """Drop what has an answer already and let the rest end as soon as it can."""
        totals = self._totals
        best: dict[int, int] = {}
        for row, owner in enumerate(self.owners.tolist()):
            if not self._finished[owner] and (owner not in best or totals[row] > totals[best[owner]]):
                best[owner] = row
        rows = np.array(list(best.values()), np.int64)
        if len(rows):
            self._limit = min(self._limit, self._count + int(self._table.closing(self._grammar[rows]).max()))
            self._state = self._joint.select(self._state, rows)
        self._beam = 1
        self.owners, self._tokens, self._totals = self.owners[rows], self._tokens[rows], totals[rows]
        self._grammar, self._origins = self._grammar[rows], self._origins[rows]
        self._is_greedy = np.zeros(len(rows), np.bool_)

    def answers(self) -> list[list[Hypothesis]]:
        """The best finished hypotheses of each expression."""
        if not all(self._finished):
            raise DecodingError("no well-formed answer can be written with the symbols that are allowed")
        return [
            [
                self._history.trace(step, choice, length=int(length), score=-negated, cut=cut)
                for negated, step, choice, cut in finished[: self._options.top]
            ]
            for finished, length in zip(self._finished, self._lengths, strict=True)
        ]

    def _with_greedy(
        self, candidates: Floats, rows: Ids, tokens: Ids, totals: Floats
    ) -> tuple[Ids, Ids, Floats, Bools]:
        """Mark the choices that continue the greedy hypotheses, and add those that the beam left out."""
        greedy_rows = self._is_greedy.nonzero()[0]
        if self._beam == 1 or len(greedy_rows) == 0:
            return rows, tokens, totals, self._is_greedy[rows]
        if self._alone:
            return _with_greedy_row(candidates, int(greedy_rows[0]), rows, tokens, totals)
        favourites = np.full(len(candidates), -1)
        favourites[greedy_rows] = candidates[greedy_rows].argmax(axis=1)
        is_greedy = tokens == favourites[rows]
        if np.count_nonzero(is_greedy) < len(greedy_rows):
            chosen = np.zeros(len(candidates), np.bool_)
            chosen[rows[is_greedy]] = True
            missing = greedy_rows[~chosen[greedy_rows]]
            rows = np.concatenate([rows, missing])
            tokens = np.concatenate([tokens, favourites[missing]])
            totals = np.concatenate([totals, candidates[missing, favourites[missing]]])
            is_greedy = np.concatenate([is_greedy, np.ones(len(missing), np.bool_)])
            order = np.argsort(self.owners[rows], kind="stable")
            rows, tokens, totals, is_greedy = rows[order], tokens[order], totals[order], is_greedy[order]
        return rows, tokens, totals, is_greedy

    def _finish(self, choices: Ids, owners: Ids, totals: Floats) -> None:
        """Put the choices that are end marks among the answers of their expressions."""
        cut = self._count - 1 == self._limit
        for choice in choices.tolist():
            owner = owners[choice]
            total = totals[choice]
            score = float(self._options.score(total, self._count))
            finished = self._finished[owner]
            insort(finished, (-score, self._count - 1, choice, cut))
            if len(finished) >= self._options.top:
                self._to_beat[owner] = -finished[self._options.top - 1][0]
                self._some_are_full = True
            self._best_total[owner] = max(self._best_total[owner], total)

    def _hopeful(self, owners: Ids, totals: Floats, is_greedy: Bools) -> Bools:
        """Which choices could still become answers; the greedy one is only dropped if it surely cannot."""
        options = self._options
        hopeful: Bools | None = None
        if options.prune is not None:
            hopeful = totals >= self._best_so_far(owners, totals) - options.prune
        if not self._some_are_full:  # there is nothing to beat yet
            return np.ones(len(totals), np.bool_) if hopeful is None else hopeful | is_greedy
        to_beat = self._to_beat[owners]
        horizon = min(self._count + options.horizon, self._limit + 1)
        reaching = options.bound(totals, self._count, horizon) > to_beat
        hopeful = reaching if hopeful is None else hopeful & reaching
        if options.length_handling != "none" or options.prune is not None:
            hopeful |= is_greedy & (options.bound(totals, self._count, self._limit + 1) > to_beat)
        return hopeful

    def _best_so_far(self, owners: Ids, totals: Floats) -> Any:
        """The best sum of each choice's expression, finished or not."""
        if self._alone:
            return max(float(self._best_total[0]), float(totals.max())) if len(totals) else -np.inf
        best = self._best_total.copy()
        np.maximum.at(best, owners, totals)
        return best[owners]


def _with_greedy_row(
    candidates: Floats, greedy: int, rows: Ids, tokens: Ids, totals: Floats
) -> tuple[Ids, Ids, Floats, Bools]:
    """`_with_greedy` for one expression, whose greedy hypothesis is the row `greedy`."""
    favourite = int(candidates[greedy].argmax())
    is_greedy = (rows == greedy) & (tokens == favourite)
    if not is_greedy.any():
        rows, tokens = np.append(rows, greedy), np.append(tokens, favourite)
        totals = np.append(totals, candidates[greedy, favourite])
        is_greedy = np.append(is_greedy, True)
    return rows, tokens, totals, is_greedy


def _best_of_one(candidates: Floats, owners: Ids, beam: int) -> tuple[Ids, Ids, Floats]:
    """`_best_per_owner` where there is one owner."""
    del owners
    flat = candidates.ravel()
    if beam == 1:
        places = np.array([flat.argmax()])
    elif beam < len(flat):
        places = flat.argpartition(len(flat) - beam)[len(flat) - beam :]
    else:
        places = np.arange(len(flat))
    values = flat[places]
    usable = values != -np.inf
    if not usable.all():
        places, values = places[usable], values[usable]
    rows, tokens = np.divmod(places, candidates.shape[1])
    return rows, tokens, values


def _best_per_owner(candidates: Floats, owners: Ids, beam: int) -> tuple[Ids, Ids, Floats]:
    """The `beam` best finite candidates of each owner: rows, tokens and values, ascending by owner."""
    size = candidates.shape[1]
    first = np.concatenate([[0], np.flatnonzero(owners[1:] != owners[:-1]) + 1])
    counts = np.diff(first, append=len(owners))
    group = np.repeat(np.arange(len(first)), counts)
    padded = np.full((len(first), int(counts.max()), size), -np.inf)
    padded[group, np.arange(len(owners)) - first[group]] = candidates
    grid = padded.reshape(len(first), -1)
    width = grid.shape[1]
    if beam == 1:
        flat = grid.argmax(axis=1)[:, None]
    elif beam < width:
        flat = np.argpartition(grid, width - beam, axis=1)[:, width - beam :]
    else:
        flat = np.broadcast_to(np.arange(width), grid.shape)
    values = grid[np.arange(len(grid))[:, None], flat]
    slots, tokens = np.divmod(flat, size)
    rows = first[:, None] + slots
    usable = values != -np.inf
    return rows[usable], tokens[usable], values[usable]
