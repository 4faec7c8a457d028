"""Corrections by the user: strokes with fixed LaTeX (pins), and a search that reads around them.

Wraps a stepper so that hypotheses, as soon as they look at the strokes of a pin, may write only the pinned
tokens there (and the braces and script marks that lead to them). The pinned tokens count as certain. No
hypothesis ends before all pins are written.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from inktex.decoding import Hypothesis, StepOutput, Stepper
from inktex.features import Features
from inktex.latex import Grammar, LatexError, Vocabulary, normalize, parse_layout
from inktex.reading import LazyAlignment, symbol_places

from .answer import Recognition

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
T = TypeVar("T")

_LOOKING = 0.5  # share of the attention that means a hypothesis is reading these strokes
_NEVER = -1000.0  # log probability of what a pin rules out
_REREAD = -5.0  # added to symbols that would be read once more from strokes that are written already
_LEADING = ("{", "}", "^", "_")


@dataclass(frozen=True)
class Pin:
    """Strokes and what they say. What was typed rather than written is searched as a stand-in."""

    strokes: frozenset[int]
    texts: tuple[str, ...]
    ids: tuple[int, ...]
    foreign: bool = False  # searched as a stand-in

    @classmethod
    def of(cls, strokes: Sequence[int], latex: str, vocabulary: Vocabulary) -> "Pin":
        """Make a pin of LaTeX that is whole in itself; ValueError if it is not."""
        if not strokes:
            raise ValueError("a pin needs at least one stroke")
        texts = normalize(latex)
        if not texts:
            raise ValueError("a pin needs LaTeX that writes something")
        unknown, grammar = bool(vocabulary.unknown(texts)), Grammar(vocabulary)
        if not is_whole(texts) or not (unknown or grammar.accepts(texts)):
            raise ValueError(f"{latex!r} is not a whole expression, so it cannot be pinned")
        written = symbol_places(texts)
        if unknown or len(written) > len(strokes):
            # Searched as one symbol: what has no ink of its own would be looked for in the ink of others.
            own = (texts[place] for place in written[:1] if grammar.accepts([texts[place]]))
            usual = (token for token in ("x", "1") if token in vocabulary)
            stand_in = next(chain(own, usual), vocabulary.tokens[1])
            return cls(frozenset(strokes), texts, (vocabulary.id(stand_in),), foreign=True)
        return cls(frozenset(strokes), texts, tuple(vocabulary.encode(texts)))


def is_whole(texts: Sequence[str]) -> bool:
    """Can these tokens stand by themselves?"""
    if not texts or texts[0] in _LEADING:
        return False
    try:
        parse_layout(texts)
    except LatexError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Progress:
    """How far a hypothesis is with the pins."""

    done: int = 0  # bits of the pins that are written
    writing: int = -1  # the pin being written
    place: int = 0  # its next token
    offered: int = 0  # bits of the pins that could begin with the token that comes next


@dataclass(frozen=True, slots=True)
class _State:
    inner: Any
    progress: tuple[_Progress, ...]


class PinnedStepper:
    """A stepper for one expression that keeps to the pins."""

    def __init__(self, stepper: Stepper, pins: Sequence[Pin], features: Features, stride: int) -> None:
        self._stepper = stepper
        self._pins = tuple(pins)
        self._shares = pin_shares(pins, features, stride)
        vocabulary = stepper.vocabulary
        leading = [token for token in _LEADING if token in vocabulary]
        self._leading = np.array([vocabulary.id(token) for token in leading], np.int64)
        self._is_symbol = np.ones(vocabulary.size, np.bool_)
        self._is_symbol[[0, *self._leading]] = False
        self._all = (1 << len(self._pins)) - 1

    @property
    def vocabulary(self) -> Vocabulary:
        return self._stepper.vocabulary

    def start(self, features: Sequence[Any]) -> _State:
        return _State(self._stepper.start(features), (_Progress(),) * len(features))

    def step(self, state: _State, tokens: Ids) -> StepOutput:
        """Predict as the model does, then rule out what contradicts the pins."""
        output = self._stepper.step(state.inner, tokens)
        looks = output.attention @ self._shares  # (rows, pins)
        log_probs = np.array(output.log_probs)
        progress = map(self._after, state.progress, tokens.tolist())
        restricted = tuple(map(self._restrict, progress, looks, log_probs))
        return StepOutput(log_probs, output.attention, _State(output.state, restricted))

    def select(self, state: _State, rows: Ids) -> _State:
        return _State(
            self._stepper.select(state.inner, rows), tuple(state.progress[row] for row in rows.tolist())
        )

    def lengths(self, state: _State) -> Ids:
        return self._stepper.lengths(state.inner)

    def _after(self, progress: _Progress, token: int) -> _Progress:
        """The progress after the token that was chosen."""
        pin, place = progress.writing, progress.place
        if pin < 0:
            for number, each in enumerate(self._pins):
                if progress.offered >> number & 1 and each.ids[0] == token:
                    pin, place = number, 0
                    break
            else:
                return _Progress(progress.done)
        if place + 1 == len(self._pins[pin].ids):
            return _Progress(progress.done | 1 << pin)
        return _Progress(progress.done, pin, place + 1)

    def _restrict(self, progress: _Progress, looks: Floats, row: Floats) -> _Progress:
        """Change the log probabilities of one row in place; note which pins may begin now."""
        if progress.writing >= 0:
            row[:] = _NEVER
            row[self._pins[progress.writing].ids[progress.place]] = 0.0
            return progress
        looked_at = int(looks.argmax())
        if looks[looked_at] >= _LOOKING and progress.done >> looked_at & 1:
            row[self._is_symbol] += _REREAD
        waiting = self._all & ~progress.done
        if not waiting:
            return progress
        if looks[looked_at] >= _LOOKING and waiting >> looked_at & 1:
            return self._offer(progress, 1 << looked_at, row)
        if int(row.argmax()) == 0:  # it would end with pins unwritten
            return self._offer(progress, waiting, row)
        row[0] = _NEVER
        return progress

    def _offer(self, progress: _Progress, pins: int, row: Floats) -> _Progress:
        """Allow the first tokens of these pins, and what leads to them."""
        leading = row[self._leading].copy()
        row[:] = _NEVER
        row[self._leading] = leading
        rest = np.log(max(1.0 - float(np.exp(leading).sum()), 1e-3))
        for number, pin in enumerate(self._pins):
            if pins >> number & 1:
                row[pin.ids[0]] = rest
        return _Progress(progress.done, offered=pins)


def pin_shares(pins: Sequence[Pin], features: Features, stride: int) -> Floats:
    """(L, pins): how much of each annotation was made from the strokes of each pin."""
    annotation = np.arange(len(features.rows)) // stride
    sizes = np.bincount(annotation)
    shares = np.zeros((len(sizes), len(pins)), np.float32)
    for number, pin in enumerate(pins):
        mine = np.isin(features.stroke, list(pin.strokes))
        shares[:, number] = np.bincount(annotation, mine, len(sizes)) / sizes
    return shares


def find_pin(pin: Pin, hypothesis: Hypothesis, shares: Floats) -> slice | None:
    """Where a hypothesis wrote a pin: the place with its tokens that looked at its strokes most."""
    width = len(pin.ids)
    places = [
        start
        for start in range(len(hypothesis.tokens) - width + 1)
        if hypothesis.tokens[start : start + width] == pin.ids
    ]
    if not places:
        return None
    looks = hypothesis.attention @ shares
    best = max(places, key=lambda start: float(looks[start : start + width].sum()))
    return slice(best, best + width)


def changed_part(present: Recognition, chosen: Sequence[str]) -> tuple[tuple[int, ...], tuple[str, ...]]:
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
            if strokes and is_whole(before) and is_whole(after):
                return tuple(sorted(strokes)), after
    return tuple(sorted({s for token in present.tokens for s in token.strokes})), new


def with_texts(answer: Recognition, texts: Sequence[str], place: slice) -> Recognition:
    """The answer with the tokens at `place` written as other texts, which share their strokes."""
    old, alignment = answer.tokens[place], answer.alignment
    strokes = tuple(sorted({stroke for token in old for stroke in token.strokes}))
    begin, end = place.start, place.stop
    moved = len(texts) - (end - begin)

    def spliced(all_of: tuple[T, ...], new: Iterable[T]) -> tuple[T, ...]:
        return (*all_of[:begin], *new, *all_of[end:])

    symbols = symbol_places(texts)
    strokes_of = [strokes if at in symbols else () for at in range(len(texts))]
    owners = tuple(
        token if token is None or token < begin else begin if token < end else token + moved
        for token in alignment.token_of_stroke
    )
    sureness = min((token.confidence for token in old), default=1.0)
    known = replace(alignment, strokes_of=spliced(alignment.strokes_of, strokes_of), token_of_stroke=owners)
    return replace(
        answer,
        texts=spliced(answer.texts, texts),
        confidences=spliced(answer.confidences, [sureness] * len(texts)),
        strokes_read=LazyAlignment(known),
        # What somebody chose counts as known.
        outside=tuple(at if at < begin else at + moved for at in answer.outside if not begin <= at < end),
    )
