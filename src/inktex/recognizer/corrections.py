"""Corrections by a person: which part of an answer changed, and an answer with that part exchanged."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from inktex.explain import sign_places

from .answer import Recognition, RecognizedSymbol, Token


def changed_part(
    present: Recognition, chosen: Sequence[str], whole: Callable[[Sequence[str]], bool]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The strokes and the new tokens of the smallest part in which `chosen` differs from the present answer.

    The part is whole on both sides (a fraction is not torn) and has strokes of its own.
    """
    old, new = present.texts, tuple(chosen)
    shortest = min(len(old), len(new))
    prefix = next((place for place in range(shortest) if old[place] != new[place]), shortest)
    suffix = next(
        (place for place in range(shortest - prefix) if old[-1 - place] != new[-1 - place]), shortest - prefix
    )
    for wider in range(prefix + suffix + 1):
        for left in range(min(wider, prefix) + 1):
            begin, end = prefix - left, suffix - (wider - left)
            if end < 0:
                continue
            strokes = {s for token in present.tokens[begin : len(old) - end] for s in token.strokes}
            before, after = old[begin : len(old) - end], new[begin : len(new) - end]
            if strokes and whole(before) and whole(after):
                return tuple(sorted(strokes)), after
    return tuple(sorted({s for token in present.tokens for s in token.strokes})), new


def with_texts(answer: Recognition, texts: Sequence[str], place: slice) -> Recognition:
    """The answer with the tokens at `place` written as other texts, which share their strokes."""
    old = answer.tokens[place]
    strokes = tuple(sorted({stroke for token in old for stroke in token.strokes}))
    confidence = min((token.confidence for token in old), default=1.0)
    signs = set(sign_places(texts))
    new = tuple(Token(text, confidence, strokes if at in signs else ()) for at, text in enumerate(texts))
    tokens = answer.tokens[: place.start] + new + answer.tokens[place.stop :]
    return replace(answer, tokens=tokens, symbols=symbols_of(tokens))


def symbols_of(tokens: Sequence[Token]) -> tuple[RecognizedSymbol, ...]:
    """The tokens that are written signs."""
    return tuple(
        RecognizedSymbol(tokens[place].text, tokens[place].strokes, tokens[place].confidence, place)
        for place in sign_places([token.text for token in tokens])
    )
