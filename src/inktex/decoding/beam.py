"""Beam search over many expressions at once (the paper's section III: 10 partial hypotheses per step).

Takes a stepper and the features of some expressions; returns the hypotheses of each, best first.

At every step the `beam` best continuations of an expression are chosen among all continuations of its
hypotheses. Those that end leave the beam, the others go on. An expression is finished when none of its
hypotheses can still beat the answers it has. The greedy hypothesis is kept even when it falls out of the
beam, so that no answer scores below it. All expressions share the steps of the model; rows (hypotheses) are
kept together by expression. Work over the whole vocabulary is done with arrays. The few choices of a step
are plain numbers in lists, because for a dozen of them the calls are what costs.
"""

import math
import time
from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .masks import permitted_tokens, token_table
from .options import Hypothesis, SearchOptions
from .stepper import LOWEST_LOG_PROB, DecodingError, Floats, Ids, SearchCancelled, Stepper

_DEFAULT = SearchOptions()


def beam_search(
    stepper: Stepper,
    features: Sequence[Any],
    options: SearchOptions = _DEFAULT,
    *,
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
    search = _Search(stepper, features, options)
    while search.groups:
        if cancelled is not None and cancelled():
            raise SearchCancelled
        if deadline is not None and time.monotonic() >= deadline:
            search.hurry()
        if search.groups:
            search.step()
    return search.answers()


def greedy(stepper: Stepper, features: Sequence[Any], options: SearchOptions = _DEFAULT) -> list[Hypothesis]:
    """One answer for each expression, by the most probable token at every step; `beam` plays no part."""
    alone = replace(options, beam=1, top=1, prune=None)
    return [answer for (answer,) in beam_search(stepper, features, alone)]


@dataclass(frozen=True, slots=True)
class _Step:
    """The choices of one step. Lists, since they are read one by one; looking into an array costs more."""

    parents: list[int]  # of each choice: which choice of the step before it continues
    rows: list[int]  # which row of the model's output it was read from
    tokens: list[int]
    log_probs: list[float]  # of the model
    attention: Floats  # (rows, L)


@dataclass(slots=True)
class _Expression:
    """What the search has found for one expression."""

    finished: list[tuple[float, int, int, bool]] = field(default_factory=list)  # (-score, step, choice, cut)
    to_beat: float = -math.inf  # score of the last answer to be given, once there are enough
    best_total: float = -math.inf  # of finished hypotheses


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of one expression in the model's state."""

    expression: _Expression
    first: int
    end: int
    greedy: int  # the row of the greedy hypothesis, -1 when it is gone


class _Search:
    """The hypotheses of one batch: row i of every array belongs to row i of the model's state."""

    def __init__(self, stepper: Stepper, features: Sequence[Any], options: SearchOptions) -> None:
        rows = len(features)
        self._options = options
        self._beam = options.beam
        self._limit = options.max_length
        self._table = token_table(stepper.vocabulary, grammar=options.grammar)
        self._permitted = permitted_tokens(stepper.vocabulary, options.symbols)
        self._stepper = stepper
        self._state = stepper.start(features)
        self._lengths = stepper.lengths(self._state)
        self._steps: list[_Step] = []  # back-pointers, followed once a hypothesis is finished
        self._count = 0  # tokens of every hypothesis so far

        self._expressions = [_Expression() for _ in features]
        self.groups = [_Rows(each, row, row + 1, row) for row, each in enumerate(self._expressions)]
        self._tokens: Ids = np.zeros(rows, np.int64)  # (rows,) previous token
        self._totals: Floats = np.zeros(rows)  # (rows,) sum of gains
        self._grammar: Ids = np.full(rows, self._table.start)  # (rows,)
        self._origins = list(range(rows))  # (rows,) the choice of the step before

    def step(self) -> None:
        """Let every hypothesis grow by one token and keep the best."""
        output = self._stepper.step(self._state, self._tokens)
        allowed = self._table.allowed(self._grammar, self._limit - self._count, self._permitted)
        gains = np.maximum(output.log_probs, LOWEST_LOG_PROB)
        candidates = np.where(allowed, gains + self._totals[:, None], -np.inf)  # (rows, K)
        self._count += 1
        chosen: list[int] = []  # places in the flat candidates, of all groups
        kept: list[int] = []  # numbers of the choices that go on
        totals: list[float] = []  # of these
        groups: list[_Rows] = []
        for group in self.groups:
            first = len(kept)
            greedy = self._choose(candidates, group, chosen, kept, totals)
            if len(kept) > first:
                groups.append(_Rows(group.expression, first, len(kept), greedy))
        size = candidates.shape[1]
        rows, tokens = [place // size for place in chosen], [place % size for place in chosen]
        log_probs = output.log_probs.take(chosen).tolist()
        parents = [self._origins[row] for row in rows]
        self._steps.append(_Step(parents, rows, tokens, log_probs, output.attention))
        self.groups, self._origins = groups, kept
        if not kept:
            return
        rows = [rows[number] for number in kept]
        self._tokens = np.array([tokens[number] for number in kept], np.int64)
        self._totals = np.array(totals)
        self._state = output.state
        if rows != list(range(len(candidates))):
            taken = np.array(rows, np.int64)
            self._grammar = self._grammar.take(taken)
            self._state = self._stepper.select(self._state, taken)
        self._grammar = self._table.advance(self._grammar, self._tokens)

    def hurry(self) -> None:
        """Drop what has an answer already and let the rest end as soon as it can."""
        totals = self._totals.tolist()
        waiting = [group for group in self.groups if not group.expression.finished]
        best = [max(range(group.first, group.end), key=totals.__getitem__) for group in waiting]
        rows = np.array(best, np.int64)
        self._beam = 1
        self.groups = [_Rows(group.expression, row, row + 1, greedy=-1) for row, group in enumerate(waiting)]
        if waiting:
            self._limit = min(self._limit, self._count + int(self._table.closing(self._grammar[rows]).max()))
            self._state = self._stepper.select(self._state, rows)
            self._tokens, self._totals = self._tokens[rows], self._totals[rows]
            self._grammar, self._origins = self._grammar[rows], [self._origins[row] for row in best]

    def answers(self) -> list[list[Hypothesis]]:
        if not all(each.finished for each in self._expressions):
            raise DecodingError("no well-formed answer can be written with the symbols that are allowed")
        return [
            [self._traced(int(length), *finished) for finished in each.finished[: self._options.top]]
            for each, length in zip(self._expressions, self._lengths, strict=True)
        ]

    def _traced(self, length: int, negated: float, step: int, choice: int, cut: bool) -> Hypothesis:
        """The hypothesis that ended with this choice; its expression has `length` annotations."""
        tokens: list[int] = []
        log_probs: list[float] = []
        attention = np.empty((step + 1, length), np.float32)
        for place in range(step, -1, -1):
            past = self._steps[place]
            tokens.append(past.tokens[choice])
            log_probs.append(past.log_probs[choice])
            attention[place] = past.attention[past.rows[choice], :length]
            choice = past.parents[choice]
        token_log_probs = np.array(log_probs[::-1], np.float32)
        return Hypothesis(
            tuple(tokens[:0:-1]), float(sum(log_probs)), -negated, token_log_probs, attention, cut
        )

    def _choose(
        self, candidates: Floats, group: _Rows, chosen: list[int], kept: list[int], totals: list[float]
    ) -> int:
        """Add the choices of one expression to `chosen`; returns the row that its greedy one will have.

        `kept` and `totals` get those that go on: they have not ended and could still become answers.
        """
        size, expression = candidates.shape[1], group.expression
        places, sums = best_places(candidates[group.first : group.end], self._beam)
        greedy = -1  # the place of the most probable continuation of the greedy hypothesis
        if group.greedy >= 0:
            own = group.greedy - group.first
            of_greedy = [
                (total, -place) for place, total in zip(places, sums, strict=True) if place // size == own
            ]
            if of_greedy:
                greedy = -max(of_greedy)[1]
            else:  # the beam has left it out
                greedy = own * size + int(candidates[group.greedy].argmax())
                places.append(greedy)
                sums.append(float(candidates[group.greedy, greedy % size]))
        before, offset = len(chosen), group.first * size
        chosen.extend(place + offset for place in places)
        best = max(sums, default=-math.inf)
        for number, place in enumerate(places, before):
            if place % size == 0:
                self._finish(expression, number, sums[number - before])
        options, count = self._options, self._count
        least = -math.inf if options.prune is None else max(best, expression.best_total) - options.prune
        horizon = min(count + options.horizon, self._limit + 1)
        greedy_row = -1
        for number, (place, total) in enumerate(zip(places, sums, strict=True), before):
            if place % size == 0:
                continue
            # Could it still become an answer? The greedy one is only dropped if it surely cannot.
            hopeful = total >= least and options.bound(total, count, horizon) > expression.to_beat
            if place == greedy:
                if not hopeful and options.bound(total, count, self._limit + 1) <= expression.to_beat:
                    continue
                greedy_row = len(kept)
            elif not hopeful:
                continue
            kept.append(number)
            totals.append(total)
        return greedy_row

    def _finish(self, expression: _Expression, choice: int, total: float) -> None:
        """Put a choice that is an end mark among the answers of its expression."""
        cut = self._count - 1 == self._limit
        finished, top = expression.finished, self._options.top
        insort(finished, (-self._options.score(total, self._count), self._count - 1, choice, cut))
        if len(finished) >= top:
            expression.to_beat = -finished[top - 1][0]
        expression.best_total = max(expression.best_total, total)


def best_places(candidates: Floats, beam: int) -> tuple[list[int], list[float]]:
    """Places of the `beam` largest finite values in the flattened array, in no order, and these values."""
    flat = candidates.ravel()
    if beam == 1:
        places = np.array([flat.argmax()])
    elif beam < len(flat):
        places = flat.argpartition(len(flat) - beam)[len(flat) - beam :]
    else:
        places = np.arange(len(flat))
    found, values = places.tolist(), flat.take(places).tolist()
    if math.isnan(sum(values)):
        raise DecodingError("the model's log probabilities are not numbers")
    if -math.inf in values:
        usable = [number for number, value in enumerate(values) if value != -math.inf]
        found, values = [found[number] for number in usable], [values[number] for number in usable]
    return found, values
