"""Greedy search: the most probable token at every step, for a batch of expressions at once.

Returns one `Hypothesis` per expression. It validates while training and is the baseline for beam search.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .history import History
from .masks import permitted_tokens, token_table
from .options import Hypothesis, SearchOptions
from .stepper import LOWEST_LOG_PROB, DecodingError, Stepper

_DEFAULT = SearchOptions(beam=1)


def greedy(stepper: Stepper, features: Sequence[Any], options: SearchOptions = _DEFAULT) -> list[Hypothesis]:
    """Decode each expression by its most probable next token; `beam` and `top` play no part."""
    if not features:
        return []
    vocabulary = stepper.vocabulary
    table = token_table(vocabulary, grammar=options.grammar)
    permitted = permitted_tokens(vocabulary, options.symbols)
    state = stepper.start(features)
    lengths = stepper.lengths(state)
    answers: list[Hypothesis | None] = [None] * len(features)
    history = History()

    owners = np.arange(len(features))
    tokens = np.zeros(len(features), np.int64)
    grammar = np.full(len(features), table.start)
    totals = np.zeros(len(features))
    origins = owners
    count = 0
    while len(owners):
        output = stepper.step(state, tokens)
        allowed = table.allowed(grammar, options.max_length - count, permitted)
        gains = np.where(allowed, np.maximum(output.log_probs, LOWEST_LOG_PROB), -np.inf)
        rows = np.arange(len(owners))
        tokens = gains.argmax(axis=1)
        totals = totals + gains[rows, tokens]
        if not np.isfinite(totals).all():
            raise DecodingError("no token can follow: the model's log probabilities are not numbers")
        log_probs = output.log_probs[rows, tokens].tolist()
        history.record(origins.tolist(), rows.tolist(), tokens.tolist(), log_probs, output.attention)
        for row in np.flatnonzero(tokens == 0):
            owner = int(owners[row])
            score = options.score(float(totals[row]), count + 1)
            cut = count == options.max_length
            answers[owner] = history.trace(count, int(row), length=int(lengths[owner]), score=score, cut=cut)
        state = output.state
        going = np.flatnonzero(tokens)
        if len(going) < len(owners):
            state = stepper.select(state, going) if len(going) else state
            owners, tokens, grammar, totals = owners[going], tokens[going], grammar[going], totals[going]
        grammar = table.advance(grammar, tokens)
        origins = going
        count += 1
    return [answer for answer in answers if answer is not None]
