"""The grammar as arrays: which tokens may follow, for many hypotheses at once.

Takes the numbers of grammar states and tokens, one per hypothesis; returns masks (rows, K) and the next
states. States are numbered when first met and kept with their mask and transitions, so that a step of the
search is a few array look-ups. The grammar itself is asked only about states that were never seen before.
"""

import threading
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from inktex.latex import END_MARK, Grammar, Vocabulary, symbols
from inktex.latex import State as GrammarState
from inktex.latex.grammar import LONGEST_DETOUR

from .stepper import Bools, DecodingError, Ids

# Tokens without ink of their own, or whose ink is structure; a restriction of the symbols leaves them alone.
STRUCTURE = frozenset(
    {END_MARK, r"\limits"}
    | {token for group in ("scripts", "structures", "environments") for token in symbols.GROUPS[group]}
)

# Symbols that the grammar takes in some places only: with nothing else to write, groups could not be filled.
NEVER_ALONE = frozenset({"'", "[", "]", r"\mod", *symbols.GROUPS["accents"]})

_MOST_STATES = 20_000


class TokenTable:
    """Numbered grammar states of one vocabulary; safe to share between threads."""

    start = 0

    def __init__(self, vocabulary: Vocabulary, *, grammar: bool = True) -> None:
        """Number the start state; without grammar there is one state, in which everything is allowed."""
        self.vocabulary = vocabulary
        self._grammar = Grammar(vocabulary) if grammar else None
        self._lock = threading.Lock()
        self._numbers: dict[GrammarState, int] = {}
        self._states: list[GrammarState] = []
        self._masks: Bools = np.ones((1, vocabulary.size), np.bool_)
        self._next: Ids = np.zeros((1, vocabulary.size), np.int64)
        self._closing: NDArray[np.int32] = np.zeros(1, np.int32)
        self._furthest = 0  # the largest of these
        self._masks_within: dict[tuple[int, int], Bools] = {}
        if self._grammar is not None:
            with self._lock:
                self._number(self._grammar.start)

    @property
    def full(self) -> bool:
        """Whether the table has so many states that a new one should be started."""
        return len(self._states) + len(self._masks_within) >= _MOST_STATES

    def closing(self, states: Ids) -> NDArray[np.int32]:
        """Number of tokens each state needs before the end mark may come."""
        return self._closing[states]

    def allowed(self, states: Ids, remaining: int, permitted: Bools | None = None) -> Bools:
        """Which tokens may come next (rows, K), if the answer may grow by `remaining` more tokens.

        `permitted` (K,) restricts the tokens further.
        """
        if remaining < 0:  # cannot happen while answers end where they must; a search would never end
            raise DecodingError("an answer has become longer than its limit")
        margin = remaining - LONGEST_DETOUR  # only near the limit the consequences of a token are looked at
        if margin > self._furthest or margin > int(self._closing[states].max()):
            mask = self._masks[states]
        else:
            mask = np.stack([self._mask_within(state, remaining) for state in states.tolist()])
        return mask if permitted is None else mask & permitted

    def advance(self, states: Ids, tokens: Ids) -> Ids:
        """States after a token each; the tokens are allowed ones and none is the end mark."""
        following = self._next[states, tokens]
        if following.min(initial=0) < 0:
            for row in np.flatnonzero(following < 0).tolist():
                following[row] = self._advance_one(int(states[row]), int(tokens[row]))
        return following

    def accepts(self, tokens: Sequence[int]) -> bool:
        """Whether a whole sequence, without the end mark, is well-formed."""
        state = self.start
        for token in tokens:
            if not self._masks[state, token]:
                return False
            state = self._advance_one(state, token)
        return bool(self._masks[state, 0])

    def _advance_one(self, state: int, token: int) -> int:
        if self._next[state, token] >= 0 or self._grammar is None:
            return int(self._next[state, token])
        following = self._grammar.advance(self._states[state], token)
        with self._lock:
            number = self._number(following)
            self._next[state, token] = number
        return number

    def _mask_within(self, state: int, remaining: int) -> Bools:
        mask = self._masks_within.get((state, remaining))
        if mask is None:
            if self._grammar is not None:
                mask = self._grammar.mask_within(self._states[state], remaining)
            else:
                mask = np.ones(self.vocabulary.size, np.bool_)
                mask[1:] = remaining > 0
            self._masks_within[state, remaining] = mask
        return mask

    def _number(self, state: GrammarState) -> int:
        """Number of a state, a new one if it was never met; called with the lock held."""
        number = self._numbers.get(state)
        if number is not None:
            return number
        assert self._grammar is not None
        number = len(self._states)
        if number == len(self._masks):
            # New arrays: other threads read on in the old ones, which hold all they know of.
            self._masks = np.concatenate([self._masks, self._masks])
            self._next = np.concatenate([self._next, self._next])
            self._closing = np.concatenate([self._closing, self._closing])
        self._masks[number] = self._grammar.mask(state)
        self._next[number] = -1
        self._closing[number] = self._grammar.shortest_end(state)
        self._furthest = max(self._furthest, int(self._closing[number]))
        self._states.append(state)
        self._numbers[state] = number
        return number


@lru_cache(maxsize=8)
def _shared_table(vocabulary: Vocabulary, grammar: bool) -> TokenTable:
    return TokenTable(vocabulary, grammar=grammar)


def token_table(vocabulary: Vocabulary, *, grammar: bool = True) -> TokenTable:
    """A table for the vocabulary that remembers the states of earlier searches."""
    table = _shared_table(vocabulary, grammar)
    if table.full:
        _shared_table.cache_clear()
        table = _shared_table(vocabulary, grammar)
    return table


def permitted_tokens(vocabulary: Vocabulary, symbols: frozenset[int] | None) -> Bools | None:
    """The restriction to some symbols as a mask (K,): these, the structure, and `]` wherever `[` may open."""
    if symbols is None:
        return None
    outside = [number for number in symbols if not 0 <= number < vocabulary.size]
    if outside:
        raise DecodingError(f"symbols: {outside[0]} is not an id of the {vocabulary.size} tokens")
    mask = np.array([token in STRUCTURE for token in vocabulary.tokens])
    written = [number for number in symbols if not mask[number]]
    if not {vocabulary.tokens[number] for number in written} - NEVER_ALONE:
        raise DecodingError("symbols: allow at least one symbol that can be an expression on its own")
    mask[written] = True
    if "[" in vocabulary and "]" in vocabulary and mask[vocabulary.id("[")]:
        mask[vocabulary.id("]")] = True
    return mask
