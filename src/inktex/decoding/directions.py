"""Two readers of one ink: one writes its tokens from left to right, the other from right to left.

A reader is least sure where it begins, and its mistakes carry on. So both search, each scores the other's
hypotheses in one pass with the tokens given (teacher forcing), and the union is ranked by the weighted sum
of both. Hypotheses are returned in reading order, with the attention of the forward reader. Only well-formed
ones are kept; the backward search itself uses no grammar.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .beam import beam_search
from .masks import token_table
from .options import Hypothesis, SearchOptions
from .stepper import LOWEST_LOG_PROB, EncodedStepper, Stepper

# Hypotheses that copies of the ink may decide between: this near to the best (in nats), and so many. Twenty
# without a limit give no better answers (docs/experiments.md) and take ten times as long.
CONTENDING = 3.0
MOST_CONTENDERS = 4


def score_sequences(
    stepper: Stepper, features: Any, sequences: Sequence[tuple[int, ...]], options: SearchOptions
) -> list[Hypothesis]:
    """Score token sequences of one expression with a model, end mark included."""
    if not sequences:
        return []
    state = stepper.start([features])
    length, count = int(stepper.lengths(state)[0]), len(sequences)
    state = stepper.select(state, np.zeros(count, np.int64))
    sizes = np.array([len(tokens) + 1 for tokens in sequences])
    target = np.zeros((count, int(sizes.max())), np.int64)
    for row, tokens in enumerate(sequences):
        target[row, : len(tokens)] = tokens
    log_probs = np.zeros(target.shape, np.float32)
    attention = np.zeros((*target.shape, length), np.float32)
    rows, previous = np.arange(count), np.zeros(count, np.int64)
    for step in range(target.shape[1]):
        going = sizes[rows] > step
        if not going.all():
            state, rows, previous = stepper.select(state, np.flatnonzero(going)), rows[going], previous[going]
        output = stepper.step(state, previous)
        previous = target[rows, step]
        log_probs[rows, step] = output.log_probs[np.arange(len(rows)), previous]
        attention[rows, step] = output.attention[:, :length]
        state = output.state
    log_probs = np.maximum(log_probs, LOWEST_LOG_PROB)
    found = []
    for row, (tokens, size) in enumerate(zip(sequences, sizes.tolist(), strict=True)):
        total = float(log_probs[row, :size].sum())
        score = options.score(total, size)
        found.append(Hypothesis(tokens, total, score, log_probs[row, :size], attention[row, :size]))
    return found


def search_both_ways(
    forward: Stepper,
    backward: Stepper,
    features: tuple[Any, Any],
    options: SearchOptions,
    *,
    cancelled: Callable[[], bool] | None = None,
    deadline: float | None = None,
) -> list[Hypothesis]:
    """The answers of two readers for one expression, given as each of them sees it; best first.

    The backward reader's score counts `options.backward_weight` times. The lists of both readers are as long
    as the beam, since a hypothesis that one of them ranks low may be the other's best. With a narrower
    `options.backward_beam` the backward reader adds fewer hypotheses of its own, and with 0 none.
    """
    ours, theirs = features
    wide = replace(options, top=max(options.top, options.beam))
    (own,) = beam_search(forward, [ours], wide, cancelled=cancelled, deadline=deadline)
    beam = options.beam if options.backward_beam is None else min(options.backward_beam, options.beam)
    turned: dict[tuple[int, ...], float] = {}
    if beam:
        freely = replace(wide, grammar=False, beam=beam)
        (other,) = beam_search(backward, [theirs], freely, cancelled=cancelled, deadline=deadline)
        turned = {each.tokens[::-1]: each.log_prob for each in other if not each.cut}
    known = {each.tokens for each in own}
    table = token_table(forward.vocabulary)
    fresh = [
        tokens for tokens in turned if tokens not in known and (not options.grammar or table.accepts(tokens))
    ]
    own = own + score_sequences(forward, ours, fresh, options)
    unseen = [each.tokens for each in own if each.tokens not in turned]
    scored = score_sequences(backward, theirs, [tokens[::-1] for tokens in unseen], options)
    turned |= {tokens: answer.log_prob for tokens, answer in zip(unseen, scored, strict=True)}
    ranked = []
    for each in own:
        other_score = options.score(turned[each.tokens], len(each.tokens) + 1)
        ranked.append(replace(each, score=each.score + options.backward_weight * other_score))
    return _by_score(ranked)[: options.top]


def _by_score(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    return sorted(hypotheses, key=lambda hypothesis: -hypothesis.score)


def contenders(found: Sequence[Hypothesis]) -> list[Hypothesis]:
    """The hypotheses that could be the answer: a few near the best, which comes first."""
    return [each for each in found[:MOST_CONTENDERS] if each.score > found[0].score - CONTENDING]


def rank_by_copies(
    forward: Stepper,
    backward: Stepper | None,
    copies: Sequence[tuple[Any, Any]],
    found: Sequence[Hypothesis],
    options: SearchOptions,
) -> list[Hypothesis]:
    """Rank the contenders again, by their score and `options.copy_weight` times their mean score on copies.

    A copy is the ink as it could also have been written, given as each direction sees it. What is right is
    probable on all of them; what was an accident of this ink is not. Scores on copies count by how far they
    are behind the best contender's, so that the others keep their places.
    """
    chosen = contenders(found)
    sequences = [hypothesis.tokens for hypothesis in chosen]
    sides = [(EncodedStepper(forward, [ours for ours, _ in copies]), sequences, 1.0)]
    if backward is not None:
        turned = [tokens[::-1] for tokens in sequences]
        encoded = EncodedStepper(backward, [theirs for _, theirs in copies])
        sides.append((encoded, turned, options.backward_weight))
    total = np.zeros(len(chosen))
    for place in range(len(copies)):
        for stepper, written, weight in sides:
            total += [weight * each.score for each in score_sequences(stepper, place, written, options)]
    behind = options.copy_weight * (total - total.max()) / len(copies)
    ranked = (
        replace(each, score=each.score + float(less)) for each, less in zip(chosen, behind, strict=True)
    )
    return _by_score([*ranked, *found[len(chosen) :]])
