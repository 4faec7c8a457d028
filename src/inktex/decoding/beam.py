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
    while search.going:
        if cancelled is not None and cancelled():
            raise SearchCancelled
        if deadline is not None and time.monotonic() >= deadline:
            search.hurry()
        if search.going:
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
    """One expression: its rows in the model's state, and what the search has found for it."""

    first: int
    end: int
    greedy: int  # the row of the greedy hypothesis, -1 when it is gone
    finished: list[tuple[float, int, int, bool]] = field(default_factory=list)  # (-score, step, choice, cut)
    to_beat: float = -math.inf  # score of the last answer to be given, once there are enough
    best_total: float = -math.inf  # of finished hypotheses


class _Search:
    """The hypotheses of one batch: row i of every array belongs to row i of the model's state."""

    def __init__(self, stepper: Stepper, features: Sequence[Any], options: SearchOptions) -> None:
        rows = len(features)
        self._options = options
        self._beam, self._limit = options.beam, options.max_length
        self._table = token_table(stepper.vocabulary, grammar=options.grammar)
        self._permitted = permitted_tokens(stepper.vocabulary, options.symbols)
        self._stepper = stepper
        self._state = stepper.start(features)
        self._lengths = stepper.lengths(self._state)
        self._steps: list[_Step] = []  # back-pointers, followed once a hypothesis is finished
        self._count = 0  # tokens of every hypothesis so far

        self._expressions = [_Expression(row, row + 1, row) for row in range(rows)]
        self.going = self._expressions  # those that are not finished
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
        for each in self.going:
            self._choose(candidates, each, chosen, kept, totals)
        self.going = [each for each in self.going if each.end > each.first]
        size = candidates.shape[1]
        rows, tokens = [place // size for place in chosen], [place % size for place in chosen]
        log_probs = output.log_probs.take(chosen).tolist()
        parents = [self._origins[row] for row in rows]
        self._steps.append(_Step(parents, rows, tokens, log_probs, output.attention))
        self._origins = kept
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
        self.going = [each for each in self.going if not each.finished]
        best = [max(range(each.first, each.end), key=totals.__getitem__) for each in self.going]
        rows = np.array(best, np.int64)
        self._beam = 1
        for row, each in enumerate(self.going):
            each.first, each.end, each.greedy = row, row + 1, -1
        if best:
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
        self, candidates: Floats, each: _Expression, chosen: list[int], kept: list[int], totals: list[float]
    ) -> None:
        """Add the choices of one expression to `chosen`, and to `kept` and `totals` those that go on.

        Choices are the answers and what could still become one; the latter are the rows of the next step.
        """
        size = candidates.shape[1]
        places, sums = best_places(candidates[each.first : each.end], self._beam)
        greedy = -1  # the place of the most probable continuation of the greedy hypothesis
        if each.greedy >= 0:
            greedy = (each.greedy - each.first) * size + int(candidates[each.greedy].argmax())
            if greedy not in places:  # the beam has left it out
                places.append(greedy)
                sums.append(float(candidates[each.greedy, greedy % size]))
        offset, options, count = each.first * size, self._options, self._count
        best = max(sums, default=-math.inf)
        for place, total in zip(places, sums, strict=True):
            if place % size == 0:  # an end mark, so this is an answer
                cut = count - 1 == self._limit
                insort(each.finished, (-options.score(total, count), count - 1, len(chosen), cut))
                chosen.append(place + offset)
                each.best_total = max(each.best_total, total)
        if len(each.finished) >= options.top:
            each.to_beat = -each.finished[options.top - 1][0]
        least = -math.inf if options.prune is None else max(best, each.best_total) - options.prune
        horizon = min(count + options.horizon, self._limit + 1)
        each.first, each.greedy = len(kept), -1
        for place, total in zip(places, sums, strict=True):
            if place % size == 0:
                continue
            # Could it still become an answer? The greedy one is only dropped if it surely cannot.
            hopeful = total >= least and options.bound(total, count, horizon) > each.to_beat
            if place == greedy:
                hopeful = hopeful or options.bound(total, count, self._limit + 1) > each.to_beat
                each.greedy = len(kept) if hopeful else -1
            if hopeful:
                kept.append(len(chosen))
                chosen.append(place + offset)
                totals.append(total)
        each.end = len(kept)


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
