"""The vocabulary: which tokens a model can read and write, and the id of each.

Id 0 is the mark `<eol>`, which both starts and ends every sequence (paper, section II-B: K words with it).
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile

from .symbols import WIDE
from .tokens import LatexError, excerpt, join

END_MARK = "<eol>"


class Vocabulary:
    """An immutable, ordered set of tokens; the id of a token is its place."""

    def __init__(self, tokens: Sequence[str]) -> None:
        """Take the tokens in the order of their ids; the first must be `<eol>` and none may occur twice."""
        self.tokens: tuple[str, ...] = tuple(tokens)
        if not self.tokens or self.tokens[0] != END_MARK:
            raise LatexError(f"a vocabulary starts with the mark {END_MARK}")
        if not all(isinstance(token, str) and token for token in self.tokens):
            raise LatexError("every token of a vocabulary is a string that is not empty")
        if len(self._ids) != len(self.tokens):
            twice = sorted({token for token in self.tokens if self.tokens.count(token) > 1})
            raise LatexError(f"tokens occur twice in the vocabulary: {join(twice)}")

    @classmethod
    def build(cls, sequences: Iterable[Sequence[str]]) -> "Vocabulary":
        """Collect every token that occurs; the order is alphabetical, so equal data give equal ids."""
        found = {token for sequence in sequences for token in sequence}
        return cls((END_MARK, *sorted(found - {END_MARK})))

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {token: index for index, token in enumerate(self.tokens)}

    @property
    def size(self) -> int:
        return len(self.tokens)

    def id(self, token: str) -> int:
        """The id of one token; LatexError if it is unknown."""
        return self.encode((token,))[0]

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Ids of the tokens, without any mark added; LatexError names the tokens that are unknown."""
        try:
            return [self._ids[token] for token in tokens]
        except KeyError:
            unknown = join(dict.fromkeys(self.unknown(tokens)))
            raise LatexError(
                f"{excerpt(join(tokens))}: not in the vocabulary of {self.size} tokens: {unknown}"
            ) from None

    def decode(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Tokens of the ids, up to the first end mark."""
        tokens: list[str] = []
        for index in takewhile(bool, ids):
            if not 0 < index < self.size:
                raise LatexError(f"token id {index} is outside the vocabulary of {self.size} tokens")
            tokens.append(self.tokens[index])
        return tuple(tokens)

    def unknown(self, tokens: Iterable[str]) -> tuple[str, ...]:
        """Those of the tokens, in their order, that the vocabulary does not hold."""
        return tuple(token for token in tokens if token not in self._ids)

    def __contains__(self, token: object) -> bool:
        return token in self._ids

    def __iter__(self) -> Iterator[str]:
        return iter(self.tokens)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.tokens == other.tokens

    def __hash__(self) -> int:
        return hash(self.tokens)

    def __repr__(self) -> str:
        return f"Vocabulary of {self.size} tokens: {excerpt(join(self.tokens))}"


def wide_vocabulary() -> Vocabulary:
    """The vocabulary of all symbols in the table `symbols.WIDE`, in its order."""
    return Vocabulary((END_MARK, *WIDE))
