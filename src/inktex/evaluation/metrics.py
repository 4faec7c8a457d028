"""From answers to figures: compare every answer with its truth, then sum up.

An expression is correct if its tokens equal those of the truth (paper, section III-A). Errors are counted
twice, under two names: token edits (insertions, deletions, replacements, by rapidfuzz) and labels of the
label graph that differ.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inktex.corpus import Example
from inktex.latex import LatexError, Layout
from inktex.latex.labelgraph import GraphDifference

from .labelgraphs import Found, StrokeCounts, graph_of, stroke_counts, symbol_errors, truth_graph
from .results import (
    Evaluation,
    GraphRates,
    Rate,
    RecallPrecision,
    StrokeRates,
    Subset,
    TokenRates,
    bootstrap_intervals,
    most_frequent,
)
from .trees import SPATIAL, Confusions, ErrorKind, error_kind, find_confusions, spatial_relations

LENGTH_BOUNDS = (10, 20, 30, 40)  # tokens of the truth
SPATIAL_NAMES = tuple(dict.fromkeys(SPATIAL.values()))
_CONFUSIONS = 25  # of each kind that are kept
_STROKE_PARTS = ("segments", "classes", "relations")
StrokesOf = Sequence[Sequence[int]]  # per token the strokes that belong to it alone
Bools = NDArray[np.bool_]
Columns = dict[tuple[str, str], tuple[Any, Any]]  # of every rate the numerator and denominator per expression


@dataclass(frozen=True)
class Outcome:
    truth: Example
    answer: tuple[str, ...]
    edits: int  # token edits
    graph: GraphDifference
    strokes: StrokeCounts | None  # None where the segmentation of truth or answer is not known
    confusions: Confusions | None  # None where the answer has no layout tree
    relations: Counter[str]  # spatial relationships of the truth


def judge(
    truth: Example,
    answer: Sequence[str],
    strokes_of: StrokesOf | None = None,
    annotated: Layout | None = None,
) -> Outcome:
    """Compare one answer with its truth; `annotated` stands in where the strokes of the truth are unknown."""
    try:  # only evaluation needs it, so the plain installation does not have it
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        raise ImportError("evaluating needs the package rapidfuzz: pip install 'inktex[evaluate]'") from None
    strokes = None
    expected = truth_graph(truth.tokens, truth.strokes_of, annotated)
    if strokes_of is not None and expected is not None:
        strokes = stroke_counts(expected, graph_of(answer, strokes_of))
    confusions, relations = None, Counter[str]()
    try:
        relations = spatial_relations(truth.tokens)
        confusions = find_confusions(truth.tokens, answer)
    except LatexError:
        pass
    return Outcome(
        truth=truth,
        answer=tuple(answer),
        edits=Levenshtein.distance(truth.tokens, answer),
        graph=symbol_errors(truth.tokens, answer),
        strokes=strokes,
        confusions=confusions,
        relations=relations,
    )


def evaluate(
    system: str,
    data: str,
    truths: Sequence[Example],
    answers: Sequence[Sequence[str] | None],
    *,
    strokes: Sequence[StrokesOf] | None = None,
    annotated: Mapping[str, Layout] | None = None,
    others: Sequence[Sequence[Sequence[str]]] | None = None,
    vocabulary: Collection[str] | None = None,
    malformed: Collection[str] = (),
    seconds: float | None = None,
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
    groups = _groups(outcomes)
    columns = _columns(outcomes, groups)
    if others is not None:
        among = [
            outcome.edits == 0 or any(tuple(other) == outcome.truth.tokens for other in rest)
            for outcome, rest in zip(outcomes, others, strict=True)
        ]
        columns["tokens", "among"] = (among, np.ones(len(outcomes)))
    found = _rates(columns)
    unknown = [
        [] if vocabulary is None else [token for token in truth.tokens if token not in vocabulary]
        for truth in truths
    ]
    confusions = [outcome.confusions for outcome in outcomes if outcome.confusions is not None]
    no_tree = {outcome.truth.stem for outcome in outcomes if outcome.confusions is None}
    kinds = Counter(error_kind(outcome.truth.tokens, outcome.answer) for outcome in outcomes)
    by_length, by_folder, by_relation = (
        tuple(
            Subset(name, int(members.sum()), found[f"{kind} exact", name], found[f"{kind} wer", name])
            for (group, name), members in groups.items()
            if group == kind
        )
        for kind in ("length", "folder", "relation")
    )
    return Evaluation(
        system=system,
        data=data,
        expressions=len(outcomes),
        tokens=TokenRates(
            *_four("tokens", found), wer=found["tokens", "wer"], among=found.get(("tokens", "among"))
        ),
        label_graph=GraphRates(*_four("graph", found), structure=found["graph", "structure"]),
        stroke_graph=_stroke_rates(outcomes, found),
        errors_by_kind={kind.value: kinds[kind] for kind in ErrorKind},
        by_length=by_length,
        by_folder=by_folder,
        by_relation=by_relation,
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


def _columns(outcomes: Sequence[Outcome], groups: Mapping[tuple[str, str], Bools]) -> Columns:
    """All rates but one; without a known segmentation an expression counts neither for nor against."""
    everyone = np.ones(len(outcomes))
    edits = np.array([outcome.edits for outcome in outcomes])
    lengths = np.array([len(outcome.truth.tokens) for outcome in outcomes])
    known = np.array([outcome.strokes is not None for outcome in outcomes])
    nothing = StrokeCounts(0, Found(0, 0, 0), Found(0, 0, 0), Found(0, 0, 0))
    strokes = [outcome.strokes or nothing for outcome in outcomes]
    labels = np.where(known, [each.labels for each in strokes], np.inf)
    graph = np.array([outcome.graph.labels for outcome in outcomes])
    columns: Columns = {
        ("tokens", "wer"): (edits, lengths),
        ("graph", "structure"): ([outcome.graph.same_structure for outcome in outcomes], everyone),
    }
    counted = (("tokens", edits, everyone), ("graph", graph, everyone), ("strokes", labels, known))
    for name, errors, of in counted:
        columns |= {(name, str(k)): (errors <= k, of) for k in range(4)}
    for what in _STROKE_PARTS:
        found = [getattr(each, what) for each in strokes]
        right = [each.right for each in found]
        columns[what, "recall"] = (right, [each.expected for each in found])
        columns[what, "precision"] = (right, [each.answered for each in found])
    for (kind, name), members in groups.items():
        columns[f"{kind} exact", name] = ((edits == 0) & members, members)
        columns[f"{kind} wer", name] = (edits * members, lengths * members)
    return columns


def _rates(columns: Columns) -> dict[tuple[str, str], Rate]:
    """Sum up; all intervals come from the same draws."""
    sides = zip(*columns.values(), strict=True)
    above, below = (np.stack([np.asarray(each, float) for each in side], axis=1) for side in sides)
    bounds = 100 * bootstrap_intervals(above, below)
    sums = below.sum(axis=0)
    percents = 100 * np.divide(above.sum(axis=0), sums, out=np.full(len(sums), np.nan), where=sums > 0)
    figures = zip(columns, percents.tolist(), bounds.tolist(), strict=True)
    return {key: Rate(value, *two) for key, value, two in figures}


def _four(name: str, found: Mapping[tuple[str, str], Rate]) -> tuple[Rate, Rate, Rate, Rate]:
    """The fields of `Within`."""
    return found[name, "0"], found[name, "1"], found[name, "2"], found[name, "3"]


def _stroke_rates(outcomes: Sequence[Outcome], found: Mapping[tuple[str, str], Rate]) -> StrokeRates | None:
    expressions = sum(outcome.strokes is not None for outcome in outcomes)
    if not expressions:
        return None
    parts = (RecallPrecision(found[what, "recall"], found[what, "precision"]) for what in _STROKE_PARTS)
    return StrokeRates(*_four("strokes", found), expressions, *parts)


def _groups(outcomes: Sequence[Outcome]) -> Mapping[tuple[str, str], Bools]:
    """Which expressions belong to which part of the test set; parts without any are left out."""
    lengths = np.array([len(outcome.truth.tokens) for outcome in outcomes])
    groups: dict[tuple[str, str], Bools] = {}
    for lower, upper in pairwise((0, *LENGTH_BOUNDS)):
        name = f"{lower}–{upper - 1}" if lower else f"under {upper}"
        groups["length", name] = (lengths >= lower) & (lengths < upper)
    groups["length", f"{LENGTH_BOUNDS[-1]} and more"] = lengths >= LENGTH_BOUNDS[-1]
    folders = np.array([outcome.truth.folder for outcome in outcomes])
    for folder in sorted(set(folders.tolist())):
        groups["folder", folder] = folders == folder
    for name in SPATIAL_NAMES:
        groups["relation", name] = np.array([outcome.relations[name] > 0 for outcome in outcomes])
    return {key: members for key, members in groups.items() if members.any()}
