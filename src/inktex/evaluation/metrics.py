"""From answers to figures: compare every answer with its truth, then sum up.

Comes in: the truth (tokens in canonical caption form, with stem and folder) and one answer each. Goes out:
an `Evaluation`. An expression is correct if its tokens equal those of the truth (paper, section III-A);
edits are insertions, deletions and replacements of tokens, counted by rapidfuzz.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inktex.latex import LatexError

from .bootstrap import bootstrap_intervals
from .results import Confusion, Evaluation, Group, LayoutRates, Rate, TokenRates
from .trees import SPATIAL, TreeDifference, spatial_relations, tree_difference

LENGTH_BOUNDS = (5, 10, 15, 20, 30)  # tokens of the truth
SPATIAL_NAMES = tuple(dict.fromkeys(SPATIAL.values()))


class Truth(Protocol):
    """What is needed of an expression; an `Example` of the corpus has it."""

    @property
    def stem(self) -> str: ...
    @property
    def folder(self) -> str: ...
    @property
    def tokens(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Outcome:
    """One answer against its truth."""

    truth: Truth
    answer: tuple[str, ...]
    edits: int  # token edits
    tree: TreeDifference | None  # None where the answer has no layout tree
    relations: Counter[str]  # spatial relationships of the truth
    symbols: int  # signs of the truth


def _count_edits(truth: Sequence[str], answer: Sequence[str]) -> int:
    try:  # recognising goes without it, so the plain installation does, too
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        raise ImportError("evaluating needs the package rapidfuzz: pip install 'inktex[evaluate]'") from None
    return Levenshtein.distance(truth, answer)


def judge(truth: Truth, answer: Sequence[str]) -> Outcome:
    """Compare one answer with its truth."""
    tree = _difference(truth.tokens, answer)
    own = _difference(truth.tokens, truth.tokens)
    edits = _count_edits(truth.tokens, answer)
    relations = spatial_relations(own.truth_relations if own else ())
    return Outcome(truth, tuple(answer), edits, tree, relations, own.truth_symbols if own else 0)


def _difference(truth: Sequence[str], answer: Sequence[str]) -> TreeDifference | None:
    try:
        return tree_difference(truth, answer)
    except LatexError:
        return None


def evaluate(
    system: str,
    data: str,
    truths: Sequence[Truth],
    answers: Sequence[Sequence[str] | None],
    *,
    vocabulary: Collection[str] | None = None,
    malformed: Collection[str] = (),
    seconds: float | None = None,
    seed: int = 0,
) -> Evaluation:
    """Measure a system; an answer that is None counts as wrong.

    `vocabulary` holds the tokens that the system can write at all, `malformed` the stems whose answers were
    no readable LaTeX.
    """
    if not truths:
        raise ValueError(f"{data}: there are no expressions to measure {system} on")
    outcomes = [judge(truth, answer or ()) for truth, answer in zip(truths, answers, strict=True)]
    rates = _Rates(len(outcomes))
    _add_token_rates(rates, outcomes)
    _add_layout_rates(rates, outcomes)
    groups = _groups(outcomes)
    for key, members in groups.items():
        _add_group(rates, key, members, outcomes)
    found = rates.computed(seed)
    unknown = [
        [] if vocabulary is None else [token for token in truth.tokens if token not in vocabulary]
        for truth in truths
    ]
    no_tree = {outcome.truth.stem for outcome in outcomes if outcome.tree is None}
    return Evaluation(
        system=system,
        data=data,
        expressions=len(outcomes),
        tokens=TokenRates(
            exact=found["tokens", "exact"],
            within_1=found["tokens", "1"],
            within_2=found["tokens", "2"],
            within_3=found["tokens", "3"],
            wer=found["tokens", "wer"],
        ),
        layout=LayoutRates(
            exact=found["layout", "exact"],
            within_1=found["layout", "1"],
            within_2=found["layout", "2"],
            within_3=found["layout", "3"],
            symbol_recall=found["layout", "symbol recall"],
            symbol_precision=found["layout", "symbol precision"],
            relation_recall=found["layout", "relation recall"],
            relation_accuracy=found["layout", "relation accuracy"],
            recall_by_relation={name: found["relation recall", name] for name in SPATIAL_NAMES},
        ),
        by_length=_group_results("length", groups, found),
        by_folder=_group_results("folder", groups, found),
        by_relation=_group_results("relation", groups, found),
        symbol_confusions=_most_frequent(pair for o in outcomes if o.tree for pair in o.tree.labels),
        relation_confusions=_most_frequent(
            pair for o in outcomes if o.tree for pair in o.tree.relations if pair[0] != pair[1]
        ),
        unanswered=sum(answer is None for answer in answers),
        malformed=len(no_tree | {truth.stem for truth in truths if truth.stem in malformed}),
        unknown_tokens=dict(Counter(token for tokens in unknown for token in tokens).most_common()),
        unknown_expressions=sum(bool(tokens) for tokens in unknown),
        seconds=seconds,
        right=tuple(outcome.edits == 0 for outcome in outcomes),
    )


class _Rates:
    """Numerators and denominators per expression, gathered so that all intervals come from the same draws."""

    def __init__(self, expressions: int) -> None:
        self._ones = np.ones(expressions)
        self._columns: dict[tuple[str, str], tuple[NDArray[Any], NDArray[Any]]] = {}

    def add(self, key: tuple[str, str], numerator: Any, denominator: Any = None) -> None:
        below = self._ones if denominator is None else np.asarray(denominator, float)
        self._columns[key] = (np.asarray(numerator, float), below)

    def computed(self, seed: int) -> dict[tuple[str, str], Rate]:
        numerators = np.stack([above for above, _ in self._columns.values()], axis=1)
        denominators = np.stack([below for _, below in self._columns.values()], axis=1)
        bounds = 100 * bootstrap_intervals(numerators, denominators, seed=seed)
        sums = denominators.sum(axis=0)
        percents = 100 * np.divide(
            numerators.sum(axis=0), sums, out=np.full(len(sums), np.nan), where=sums > 0
        )
        figures = zip(percents.tolist(), bounds.tolist(), strict=True)
        return {key: Rate(value, *two) for key, (value, two) in zip(self._columns, figures, strict=True)}


def _add_token_rates(rates: _Rates, outcomes: Sequence[Outcome]) -> None:
    edits = np.array([outcome.edits for outcome in outcomes])
    rates.add(("tokens", "exact"), edits == 0)
    for k in (1, 2, 3):
        rates.add(("tokens", str(k)), edits <= k)
    rates.add(("tokens", "wer"), edits, [len(outcome.truth.tokens) for outcome in outcomes])


def _add_layout_rates(rates: _Rates, outcomes: Sequence[Outcome]) -> None:
    trees = [outcome.tree for outcome in outcomes]
    errors = np.array([np.inf if tree is None else tree.errors for tree in trees])
    rates.add(("layout", "exact"), errors == 0)
    for k in (1, 2, 3):
        rates.add(("layout", str(k)), errors <= k)
    right = [0 if tree is None else tree.right_symbols for tree in trees]
    rates.add(("layout", "symbol recall"), right, [outcome.symbols for outcome in outcomes])
    rates.add(
        ("layout", "symbol precision"), right, [0 if tree is None else tree.answer_symbols for tree in trees]
    )
    found = [_relations_found(tree) for tree in trees]
    total = [sum(counts.values()) for counts in found]
    rates.add(("layout", "relation recall"), total, [sum(outcome.relations.values()) for outcome in outcomes])
    rates.add(
        ("layout", "relation accuracy"), total, [0 if tree is None else len(tree.relations) for tree in trees]
    )
    for name in SPATIAL_NAMES:
        below = [outcome.relations[name] for outcome in outcomes]
        rates.add(("relation recall", name), [counts[name] for counts in found], below)


def _relations_found(tree: TreeDifference | None) -> Counter[str]:
    if tree is None:
        return Counter()
    pairs = zip(tree.relations, tree.relation_right, strict=True)
    return spatial_relations([true for (true, _), right in pairs if right])


def _groups(outcomes: Sequence[Outcome]) -> Mapping[tuple[str, str], NDArray[np.bool_]]:
    """Which expressions belong to which part of the test set; parts without any are left out."""
    lengths = np.array([len(outcome.truth.tokens) for outcome in outcomes])
    groups: dict[tuple[str, str], NDArray[np.bool_]] = {}
    lower = 1
    for upper in LENGTH_BOUNDS:
        groups["length", f"{lower}–{upper}"] = (lengths >= lower) & (lengths <= upper)
        lower = upper + 1
    groups["length", f"{lower} and more"] = lengths >= lower
    folders = np.array([outcome.truth.folder for outcome in outcomes])
    for folder in sorted(set(folders.tolist())):
        groups["folder", folder] = folders == folder
    for name in SPATIAL_NAMES:
        groups["relation", name] = np.array([outcome.relations[name] > 0 for outcome in outcomes])
    return {key: members for key, members in groups.items() if members.any()}


def _add_group(
    rates: _Rates, key: tuple[str, str], members: NDArray[np.bool_], outcomes: Sequence[Outcome]
) -> None:
    edits = np.array([outcome.edits for outcome in outcomes])
    lengths = np.array([len(outcome.truth.tokens) for outcome in outcomes])
    rates.add((f"{key[0]} exact", key[1]), (edits == 0) & members, members)
    rates.add((f"{key[0]} wer", key[1]), edits * members, lengths * members)


def _group_results(
    kind: str, groups: Mapping[tuple[str, str], NDArray[np.bool_]], found: Mapping[tuple[str, str], Rate]
) -> tuple[Group, ...]:
    return tuple(
        Group(name, int(members.sum()), found[f"{kind} exact", name], found[f"{kind} wer", name])
        for (group, name), members in groups.items()
        if group == kind
    )


def _most_frequent(pairs: Any, limit: int = 25) -> tuple[Confusion, ...]:
    counted = Counter(pairs)
    order = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Confusion(true, answer, count) for (true, answer), count in order[:limit])
