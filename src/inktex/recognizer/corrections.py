"""Corrections by the user: finds what changed in an answer, and makes an answer with that part replaced."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from inktex.reading import LazyAlignment, symbol_places

from .answer import Recognition


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
    old, alignment = answer.tokens[place], answer.alignment
    strokes = tuple(sorted({stroke for token in old for stroke in token.strokes}))
    symbols = set(symbol_places(texts))
    begin, end = place.start, place.stop
    before, after = alignment.strokes_of[:begin], alignment.strokes_of[end:]
    moved = len(texts) - (end - begin)
    owners = tuple(
        token if token is None or token < begin else begin if token < end else token + moved
        for token in alignment.token_of_stroke
    )
    return replace(
        answer,
        texts=(*answer.texts[:begin], *texts, *answer.texts[end:]),
        confidences=(
            *answer.confidences[:begin],
            *[min((token.confidence for token in old), default=1.0)] * len(texts),
            *answer.confidences[end:],
        ),
        strokes_read=LazyAlignment.known(
            replace(
                alignment,
                strokes_of=(*before, *(strokes if at in symbols else () for at in range(len(texts))), *after),
                token_of_stroke=owners,
            )
        ),
        # What somebody chose counts as known.
        outside=tuple(at if at < begin else at + moved for at in answer.outside if not begin <= at < end),
    )
