"""From answers to figures: compare every answer with its truth, then sum up.

Takes the truth (tokens in canonical caption form, with stem and folder) and one answer each, and gives an
`Evaluation`. An expression is correct if its tokens equal those of the truth (paper, section III-A). Errors
are counted twice, under two names: token edits (insertions, deletions, replacements, by rapidfuzz) and labels
of the label graph that differ.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inktex.latex import LatexError, Layout
from inktex.latex.labelgraph import GraphDifference

from .bootstrap import bootstrap_intervals
from .kinds import count_kinds
from .labelgraphs import Found, StrokeCounts, graph_of, stroke_counts, symbol_errors, truth_graph
from .results import (
    Evaluation,
    GraphRates,
    Rate,
    RecallPrecision,
    StrokeRates,
    Subset,
    TokenRates,
    most_frequent,
)
from .trees import SPATIAL, Confusions, find_confusions, spatial_relations

LENGTH_BOUNDS = (10, 20, 30, 40)  # tokens of the truth
SPATIAL_NAMES = tuple(dict.fromkeys(SPATIAL.values()))
_CONFUSIONS = 25  # of each kind that are kept
_STROKE_PARTS = ("segments", "classes", "relations")
StrokesOf = Sequence[Sequence[int]]  # per token the strokes that belong to it alone


class Truth(Protocol):
    """What is needed of an expression; an `Example` of the corpus has it."""

    @property
    def stem(self) -> str: ...
    @property
    def folder(self) -> str: ...
    @property
    def tokens(self) -> tuple[str, ...]: ...
    @property
    def strokes_of(self) -> StrokesOf: ...


@dataclass(frozen=True)
class Outcome:
    """One answer against its truth."""

    truth: Truth
    answer: tuple[str, ...]
    edits: int  # token edits
    graph: GraphDifference
    strokes: StrokeCounts | None  # None where the segmentation of truth or answer is not known
    confusions: Confusions | None  # None where the answer has no layout tree
    relations: Counter[str]  # spatial relationships of the truth


def _count_edits(truth: Sequence[str], answer: Sequence[str]) -> int:
    try:  # only evaluation needs it, so the plain installation does not have it
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        raise ImportError("evaluating needs the package rapidfuzz: pip install 'inktex[evaluate]'") from None
    return Levenshtein.distance(truth, answer)


def judge(
    truth: Truth,
    answer: Sequence[str],
    strokes_of: StrokesOf | None = None,
    annotated: Layout | None = None,
) -> Outcome:
    """Compare one answer with its truth; `annotated` stands in where the strokes of the truth are unknown."""
    return Outcome(
        truth=truth,
        answer=tuple(answer),
        edits=_count_edits(truth.tokens, answer),
        graph=symbol_errors(truth.tokens, answer),
        strokes=_count_strokes(truth, answer, strokes_of, annotated),
        confusions=_confusions(truth.tokens, answer),
        relations=_relations(truth.tokens),
    )


def _count_strokes(
    truth: Truth, answer: Sequence[str], strokes_of: StrokesOf | None, annotated: Layout | None
) -> StrokeCounts | None:
    expected = truth_graph(truth.tokens, truth.strokes_of, annotated)
    if strokes_of is None or expected is None:
        return None
    return stroke_counts(expected, graph_of(answer, strokes_of))


def _confusions(truth: Sequence[str], answer: Sequence[str]) -> Confusions | None:
    try:
        return find_confusions(truth, answer)
    except LatexError:
        return None


def _relations(truth: Sequence[str]) -> Counter[str]:
    try:
        return spatial_relations(truth)
    except LatexError:
        return Counter()


def evaluate(
    system: str,
    data: str,
    truths: Sequence[Truth],
    answers: Sequence[Sequence[str] | None],
    *,
    strokes: Sequence[StrokesOf] | None = None,
    annotated: Mapping[str, Layout] | None = None,
    others: Sequence[Sequence[Sequence[str]]] | None = None,
    vocabulary: Collection[str] | None = None,
    malformed: Collection[str] = (),
    seconds: float | None = None,
    seed: int = 0,
) -> Evaluation:
    """Measure a system; an answer that is None counts as wrong.

    `strokes` says which strokes each token of each answer was read from, `annotated` what a file says about
    its strokes where its LaTeX does not (by stem), `others` the hypotheses behind each answer, `vocabulary`
    which tokens the system can write at all, `malformed` the stems whose answers could not be read as LaTeX.
    """
    if not truths:
        raise ValueError(f"{data}: there are no expressions to measure {system} on")
    read_from: Sequence[StrokesOf | None] = strokes or [None] * len(truths)
    outcomes = [
        judge(truth, answer or (), strokes_of, (annotated or {}).get(truth.stem))
        for truth, answer, strokes_of in zip(truths, answers, read_from, strict=True)
    ]
    rates = _Rates(len(outcomes))
    _add_token_rates(rates, outcomes)
    _add_graph_rates(rates, outcomes)
    _add_stroke_rates(rates, outcomes)
    if others is not None:
        rates.add(("tokens", "among"), [_among(*pair) for pair in zip(outcomes, others, strict=True)])
    groups = _groups(outcomes)
    for key, members in groups.items():
        _add_group(rates, key, members, outcomes)
    found = rates.computed(seed)
    unknown = [
        [] if vocabulary is None else [token for token in truth.tokens if token not in vocabulary]
        for truth in truths
    ]
    confusions = [outcome.confusions for outcome in outcomes if outcome.confusions is not None]
    no_tree = {outcome.truth.stem for outcome in outcomes if outcome.confusions is None}
    return Evaluation(
        system=system,
        data=data,
        expressions=len(outcomes),
        tokens=TokenRates(
            *_within("tokens", found), wer=found["tokens", "wer"], among=found.get(("tokens", "among"))
        ),
        label_graph=GraphRates(*_within("graph", found), structure=found["graph", "structure"]),
        stroke_graph=_stroke_rates(outcomes, found),
        errors_by_kind={
            kind.value: count
            for kind, count in count_kinds((o.truth.tokens, o.answer) for o in outcomes).items()
        },
        by_length=_group_results("length", groups, found),
        by_folder=_group_results("folder", groups, found),
        by_relation=_group_results("relation", groups, found),
        symbol_confusions=most_frequent((pair for each in confusions for pair in each.labels), _CONFUSIONS),
        relation_confusions=most_frequent(
            (pair for each in confusions for pair in each.relations), _CONFUSIONS
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

    def add_within(self, name: str, errors: NDArray[Any], known: Any = None) -> None:
        """Expressions with no errors, and with at most one, two and three."""
        for k in range(4):
            self.add((name, str(k)), errors <= k, known)

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


def _within(name: str, found: Mapping[tuple[str, str], Rate]) -> tuple[Rate, Rate, Rate, Rate]:
    """The rates of `add_within`, as the fields of `Within`."""
    return found[name, "0"], found[name, "1"], found[name, "2"], found[name, "3"]


def _add_token_rates(rates: _Rates, outcomes: Sequence[Outcome]) -> None:
    edits = np.array([outcome.edits for outcome in outcomes])
    rates.add_within("tokens", edits)
    rates.add(("tokens", "wer"), edits, [len(outcome.truth.tokens) for outcome in outcomes])


def _add_graph_rates(rates: _Rates, outcomes: Sequence[Outcome]) -> None:
    labels = np.array([outcome.graph.labels for outcome in outcomes])
    rates.add_within("graph", labels)
    rates.add(("graph", "structure"), [outcome.graph.same_structure for outcome in outcomes])


def _add_stroke_rates(rates: _Rates, outcomes: Sequence[Outcome]) -> None:
    """Expressions without a known segmentation count neither for nor against."""
    known = np.array([outcome.strokes is not None for outcome in outcomes])
    labels = np.array([outcome.strokes.labels if outcome.strokes else np.inf for outcome in outcomes])
    rates.add_within("strokes", labels, known)
    nothing = Found(0, 0, 0)
    for what in _STROKE_PARTS:
        found = [getattr(outcome.strokes, what) if outcome.strokes else nothing for outcome in outcomes]
        right = [each.right for each in found]
        rates.add((what, "recall"), right, [each.expected for each in found])
        rates.add((what, "precision"), right, [each.answered for each in found])


def _stroke_rates(outcomes: Sequence[Outcome], found: Mapping[tuple[str, str], Rate]) -> StrokeRates | None:
    expressions = sum(outcome.strokes is not None for outcome in outcomes)
    if not expressions:
        return None
    segments, classes, relations = (
        RecallPrecision(found[what, "recall"], found[what, "precision"]) for what in _STROKE_PARTS
    )
    return StrokeRates(
        *_within("strokes", found),
        expressions=expressions,
        segments=segments,
        classes=classes,
        relations=relations,
    )


def _among(outcome: Outcome, others: Sequence[Sequence[str]]) -> bool:
    return outcome.edits == 0 or any(tuple(other) == outcome.truth.tokens for other in others)


def _groups(outcomes: Sequence[Outcome]) -> Mapping[tuple[str, str], NDArray[np.bool_]]:
    """Which expressions belong to which part of the test set; parts without any are left out."""
    lengths = np.array([len(outcome.truth.tokens) for outcome in outcomes])
    groups: dict[tuple[str, str], NDArray[np.bool_]] = {}
    lower = 0
    for upper in LENGTH_BOUNDS:
        name = f"{lower}–{upper - 1}" if lower else f"under {upper}"
        groups["length", name] = (lengths >= lower) & (lengths < upper)
        lower = upper
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
) -> tuple[Subset, ...]:
    return tuple(
        Subset(name, int(members.sum()), found[f"{kind} exact", name], found[f"{kind} wer", name])
        for (group, name), members in groups.items()
        if group == kind
    )
