"""Which strokes did each token read? Attention in, strokes ↔ tokens out.

Only tokens that are signs have ink; braces and script marks look at strokes that belong to others. Attention
alone says where a sign is, but not how far it reaches: of the strokes of an `E` the decoder often looks at
one. Two things are known besides. People write the strokes of a sign one after the other (99.5 % of the signs
of CROHME's training set), and each sign has a usual number of strokes (`stroke_counts.json`, counted there).
So the strokes, in the order of writing, are cut into one run per sign, such that attention inside of the runs
and the likelihood of their lengths are largest together. A stroke may stay unread and a sign may stay without
strokes, at a price. At last single strokes may move to another sign: the dot that was put on an `i` later.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from inktex.features import Features
from inktex.latex import LatexError, parse_layout

from .assignment import cheapest_assignment
from .attention import Floats, point_attention, stroke_attention

__all__ = ["Alignment", "align", "align_strokes", "point_attention", "sign_places", "stroke_attention"]

MOST_STROKES = 8  # of one sign
# Logarithms of probabilities, chosen on the training set.
_NO_INK = -7.0  # a sign without a stroke of its own
_UNREAD = -4.0  # a stroke of no sign that nobody looked at
_UNREAD_SEEN = -6.0  # added for one that signs looked at with their full attention
_APART = -5.3  # a stroke away from the others of its sign
_LEAST_MASS = 0.01  # attention that costs nothing to be missing
_STRUCTURE = frozenset("{}^_")


@dataclass(frozen=True)
class Alignment:
    """Strokes and the tokens that read them."""

    strokes_of: tuple[tuple[int, ...], ...]  # per token, () for { } ^ _
    token_of_stroke: tuple[int | None, ...]  # None for a stroke that nobody read
    unread: tuple[int, ...]  # strokes that nobody read
    reread: tuple[int, ...]  # strokes that more than one sign was read from


def align(
    tokens: Sequence[str], attention: Floats, features: Features, stride: int, stroke_count: int
) -> Alignment:
    """Align the tokens of an answer with the strokes; `attention` is (T+1, L) of the answer's search."""
    if len(attention) not in (len(tokens), len(tokens) + 1):
        raise ValueError(f"{len(attention)} rows of attention for {len(tokens)} tokens and the end mark")
    return align_strokes(tokens, stroke_attention(attention, features, stride, stroke_count))


def align_strokes(tokens: Sequence[str], attention: Floats) -> Alignment:
    """Align by attention that is already given per stroke, (T+1, S)."""
    stroke_count = attention.shape[1]
    signs = sign_places(tokens)
    strokes_of: list[list[int]] = [[] for _ in tokens]
    token_of_stroke: list[int | None] = [None] * stroke_count
    if signs and stroke_count:
        weight = np.asarray(attention, dtype=np.float64)[signs]  # (signs, S)
        lengths = np.stack([_length_scores(tokens[place]) for place in signs])
        owner = _moved_strokes(_cut_into_runs(weight, lengths), weight, lengths)
        for stroke, sign in enumerate(owner.tolist()):
            if sign >= 0:
                token_of_stroke[stroke] = signs[sign]
                strokes_of[signs[sign]].append(stroke)
        for sign, place in enumerate(signs):
            if not strokes_of[place]:
                strokes_of[place].append(int(weight[sign].argmax()))
    readers = np.bincount([s for strokes in strokes_of for s in strokes], minlength=stroke_count)
    return Alignment(
        strokes_of=tuple(map(tuple, strokes_of)),
        token_of_stroke=tuple(token_of_stroke),
        unread=tuple(np.flatnonzero(readers == 0).tolist()),
        reread=tuple(np.flatnonzero(readers > 1).tolist()),
    )


def sign_places(tokens: Sequence[str]) -> list[int]:
    """Places of the tokens that are written with ink: all but braces, script marks and index brackets."""
    try:
        return sorted(node.token for node in parse_layout(tokens).symbols() if node.token is not None)
    except LatexError:
        return [place for place, token in enumerate(tokens) if token not in _STRUCTURE]


@cache
def _stroke_counts() -> dict[str, list[int]]:
    """How many signs of the training set were written with 1, 2, 3 … strokes, by label."""
    text = files("inktex.explain").joinpath("stroke_counts.json").read_text(encoding="utf-8")
    counts: dict[str, list[int]] = json.loads(text)
    return counts


@cache
def _length_scores(label: str) -> NDArray[np.float64]:
    """(MOST_STROKES,) log probability that the sign has 1, 2, … strokes; rare signs lean on all signs."""
    counts = _stroke_counts()
    everything = np.sum([_padded(each) for each in counts.values()], axis=0) + 1.0
    usual = everything / everything.sum()
    own = _padded(counts.get(label, []))
    scores: NDArray[np.float64] = np.log((own + 2.0 * usual) / (own.sum() + 2.0))
    return scores


def _padded(counts: Sequence[int]) -> NDArray[np.float64]:
    return np.array([*counts, *[0] * MOST_STROKES][:MOST_STROKES], dtype=np.float64)


def _cut_into_runs(weight: NDArray[np.float64], lengths: NDArray[np.float64]) -> NDArray[np.int64]:
    """(S,) sign of every stroke, -1 for none: the best runs, by dynamic programming."""
    signs, strokes = weight.shape
    order = np.argsort(_anchors(weight), kind="stable")
    inside = np.concatenate((np.zeros((signs, 1)), np.cumsum(weight, axis=1)), axis=1)
    skipped = np.concatenate(([0.0], np.cumsum(_skip_scores(weight))))
    best = skipped.copy()  # (S+1,) best score of the first strokes, by the signs so far
    choices: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []  # per sign: run length, end of its run
    for sign in order:
        score, taken = best + _NO_INK, np.zeros(strokes + 1, dtype=np.int64)
        for count in range(1, min(MOST_STROKES, strokes) + 1):
            mass = inside[sign, count:] - inside[sign, :-count]
            run = best[:-count] + np.log(mass + _LEAST_MASS) + lengths[sign, count - 1]
            better = run > score[count:]
            score[count:][better] = run[better]
            taken[count:][better] = count
        # Strokes after the run may stay unread.
        level = score - skipped
        best = np.maximum.accumulate(level) + skipped
        ends = np.maximum.accumulate(np.where(level >= best - skipped, np.arange(strokes + 1), 0))
        choices.append((taken, ends))
    owner = np.full(strokes, -1, dtype=np.int64)
    at = strokes
    for sign, (taken, ends) in zip(order[::-1], choices[::-1], strict=True):
        at = int(ends[at])
        owner[at - taken[at] : at] = sign
        at -= int(taken[at])
    return owner


def _anchors(weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """(signs,) a stroke of its own for every sign, which gives the order in which signs were written."""
    signs, strokes = weight.shape
    if signs > strokes:
        return np.asarray(weight.argmax(axis=1), dtype=np.int64)
    return cheapest_assignment(-np.log(np.maximum(weight, 1e-3)))


def _skip_scores(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """(S,) score of leaving a stroke unread: the more signs looked at it, the less likely."""
    return np.asarray(_UNREAD + _UNREAD_SEEN * np.minimum(weight.sum(axis=0), 1.0))


def _moved_strokes(
    owner: NDArray[np.int64], weight: NDArray[np.float64], lengths: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Move single strokes to signs that looked at them, as long as the score rises by it."""
    signs, strokes = weight.shape
    owner = owner.copy()
    skip = _skip_scores(weight)
    mass = np.array([weight[sign, owner == sign].sum() for sign in range(signs)])
    count = np.bincount(owner[owner >= 0], minlength=signs)

    def value(sign: int, extra: float, change: int) -> float:
        """Score of a sign once its attention and its number of strokes have changed."""
        number = int(count[sign]) + change
        if number == 0:
            return _NO_INK
        if number > MOST_STROKES:
            return -np.inf
        return float(np.log(max(mass[sign] + extra, 0.0) + _LEAST_MASS) + lengths[sign, number - 1])

    # Only strokes that someone else looked at more are worth a try.
    looker = weight.argmax(axis=0)
    held = np.where(owner >= 0, weight[np.maximum(owner, 0), np.arange(strokes)], 0.0)
    for stroke in np.flatnonzero((looker != owner) & (weight.max(axis=0) > held + 0.1)).tolist():
        before, after = int(owner[stroke]), int(looker[stroke])
        lost = (
            value(before, 0.0, 0) - value(before, -weight[before, stroke], -1)
            if before >= 0
            else skip[stroke]
        )
        gained = value(after, weight[after, stroke], 1) - value(after, 0.0, 0)
        beside = {int(owner[near]) for near in (stroke - 1, stroke + 1) if 0 <= near < strokes}
        apart = 0.0 if after in beside or not count[after] else _APART
        if gained + apart > lost:
            owner[stroke] = after
            for sign, change in ((before, -1), (after, 1)):
                if sign >= 0:
                    mass[sign] += change * weight[sign, stroke]
                    count[sign] += change
    return owner
