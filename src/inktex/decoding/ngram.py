"""A language model of formulas: which token follows which, counted over the training captions.

In: token sequences as ids. Out: a `TokenScorer` for the beam (shallow fusion). Probabilities of order n fall
back on order n-1 by Witten-Bell smoothing: a context that was followed by many different tokens trusts the
shorter one more. Stored as two integer arrays, so that a model file can carry it.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .stepper import Floats, Ids

START = 0  # the vocabulary's start and end mark


class NgramModel:
    """Counts of all n-grams up to an order, over sequences that begin and end with the mark."""

    def __init__(self, grams: NDArray[np.int16], counts: NDArray[np.int32], size: int) -> None:
        self.grams = grams  # (number, order): context and next token, -1 where the context is shorter
        self.counts = counts  # (number,)
        self.size = size
        self._known: dict[tuple[int, ...], Floats] = {}

    @property
    def order(self) -> int:
        """Tokens of the longest n-gram."""
        return int(self.grams.shape[1])

    @classmethod
    def fit(
        cls, sequences: Iterable[Sequence[int]], size: int, order: int = 5, least: int = 1
    ) -> "NgramModel":
        """Count; n-grams of three and more tokens that were seen less than `least` times are forgotten."""
        seen: dict[tuple[int, ...], int] = defaultdict(int)
        for sequence in sequences:
            padded = (START,) * (order - 1) + tuple(sequence) + (START,)
            for end in range(order - 1, len(padded)):
                for length in range(1, order + 1):
                    seen[padded[end + 1 - length : end + 1]] += 1
        kept = sorted(gram for gram, count in seen.items() if len(gram) < 3 or count >= least)
        grams = np.full((len(kept), order), -1, dtype=np.int16)
        for row, gram in enumerate(kept):
            grams[row, order - len(gram) :] = gram
        return cls(grams, np.array([seen[gram] for gram in kept], dtype=np.int32), size)

    @cached_property
    def _followers(self) -> dict[tuple[int, ...], tuple[list[int], list[int]]]:
        """By context: the tokens that followed and how often."""
        table: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
        for gram, count in zip(self.grams.tolist(), self.counts.tolist(), strict=True):
            context = tuple(token for token in gram[:-1] if token >= 0)
            tokens, counts = table.setdefault(context, ([], []))
            tokens.append(gram[-1])
            counts.append(count)
        return table

    def probabilities(self, context: tuple[int, ...]) -> Floats:
        """(K,) probability of every next token."""
        known = self._known.get(context)
        if known is not None:
            return known
        below = self.probabilities(context[1:]) if context else np.full(self.size, 1.0 / self.size)
        followers = self._followers.get(context)
        if followers is None:
            result = below
        else:
            tokens, counts = followers
            kinds, total = len(tokens), sum(counts)
            result = below * (kinds / (total + kinds))
            result[tokens] += np.array(counts) / (total + kinds)
        self._known[context] = result
        return result


class NgramScorer:
    """The model as the search asks for it; a row's state is its last tokens."""

    def __init__(self, model: NgramModel) -> None:
        self._model = model
        self._reach = model.order - 1
        self._logs: dict[tuple[int, ...], Floats] = {}

    def start(self, rows: int) -> Ids:
        """Empty hypotheses."""
        return np.zeros((rows, self._reach), dtype=np.int64)

    def step(self, state: Ids, tokens: Ids) -> tuple[Floats, Ids]:
        """Log probabilities (rows, K) after `tokens`."""
        state = np.concatenate((state[:, 1:], np.asarray(tokens)[:, None]), axis=1)
        return np.stack([self._log(tuple(context)) for context in state.tolist()]), state

    def select(self, state: Ids, rows: Ids) -> Ids:
        """Gather rows."""
        return state[rows]

    def _log(self, context: tuple[int, ...]) -> Floats:
        known = self._logs.get(context)
        if known is None:
            known = self._logs[context] = np.log(self._model.probabilities(context))
        return known
