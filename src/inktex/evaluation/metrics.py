"""From answers to figures: compare every answer with its truth, then sum up.

An expression is correct if its tokens equal those of the truth (paper, section III-A). Errors are counted
twice, under two names: token edits (insertions, deletions, replacements, by rapidfuzz) and labels of the
label graph that differ.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inktex.corpus import Example
from inktex.latex import LatexError
from inktex.latex.labelgraph import GraphDifference

from .labelgraphs import NO_STROKES, StrokeCounts, graph_of, stroke_counts, symbol_errors, truth_graph
from .results import (
    Draws,
    Evaluation,
    GraphRates,
    Rate,
    RecallPrecision,
    StrokeRates,
    Subset,
    TokenRates,
    most_frequent,
)
from .runner import Answers, StrokesOf
from .trees import SPATIAL, Confusions, ErrorKind, error_kind, find_confusions, spatial_relations

LENGTH_BOUNDS = (10, 20, 30, 40)  # tokens of the truth
SPATIAL_NAMES = tuple(dict.fromkeys(SPATIAL.values()))
_CONFUSIONS = 25  # of each kind that are kept
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Outcome:
    truth: Example
    answer: tuple[str, ...]
    edits: int  # token edits
    graph: GraphDifference
    strokes: StrokeCounts | None  # None where the segmentation of truth or answer is not known
    confusions: Confusions | None  # None where the answer has no layout tree
    relations: Counter[str]  # spatial relationships of the truth


def judge(truth: Example, answer: Sequence[str], strokes_of: StrokesOf | None = None) -> Outcome:
    """Compare one answer with its truth."""
    try:  # only evaluation needs it, so the plain installation does not have it
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        raise ImportError("evaluating needs the package rapidfuzz: pip install 'inktex[evaluate]'") from None
    strokes = None
    if strokes_of is not None and (expected := truth_graph(truth)) is not None:
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


def evaluate(system: str, data: str, truths: Sequence[Example], answers: Answers) -> Evaluation:
    """Measure a system; an answer that is None counts as wrong."""
    if not truths:
        raise ValueError(f"{data}: there are no expressions to measure {system} on")
    read_from: Sequence[StrokesOf | None] = answers.strokes or [None] * len(truths)
    outcomes = [
        judge(truth, answer or (), strokes_of)
        for truth, answer, strokes_of in zip(truths, answers.tokens, read_from, strict=True)
    ]
    draws, everyone = Draws(len(outcomes)), np.ones(len(outcomes), np.bool_)
    edits = np.array([outcome.edits for outcome in outcomes])
    lengths = np.array([len(truth.tokens) for truth in truths])
    labels = np.array([outcome.graph.labels for outcome in outcomes])

    def within(errors: NDArray[Any], of: Bools = everyone) -> tuple[Rate, Rate, Rate, Rate]:
        exact, one, two, three = (draws.rate((errors <= k) & of, of) for k in range(4))
        return exact, one, two, three

    def subsets(groups: Iterable[tuple[str, Bools]]) -> tuple[Subset, ...]:
        return tuple(
            Subset(
                name=name,
                expressions=int(members.sum()),
                exact=draws.rate((edits == 0) & members, members),
                wer=draws.rate(edits * members, lengths * members),
            )
            for name, members in groups
            if members.any()
        )

    among = None
    if answers.others is not None:
        pairs = zip(outcomes, answers.others, strict=True)
        among = [o.edits == 0 or any(tuple(other) == o.truth.tokens for other in rest) for o, rest in pairs]
    stroke_graph = None
    segmented = np.array([outcome.strokes is not None for outcome in outcomes])
    if segmented.any():
        counts = [outcome.strokes or NO_STROKES for outcome in outcomes]
        parts = np.transpose([(each.segments, each.classes, each.relations) for each in counts], (1, 2, 0))
        stroke_graph = StrokeRates(
            *within(np.array([each.labels for each in counts]), segmented),
            int(segmented.sum()),
            *(
                RecallPrecision(draws.rate(right, expected), draws.rate(right, answered))
                for expected, answered, right in parts
            ),
        )
    known = answers.vocabulary
    unknown = [
        [] if known is None else [token for token in truth.tokens if token not in known] for truth in truths
    ]
    confusions = [outcome.confusions for outcome in outcomes if outcome.confusions is not None]
    no_tree = {outcome.truth.stem for outcome in outcomes if outcome.confusions is None}
    kinds = Counter(error_kind(outcome.truth.tokens, outcome.answer) for outcome in outcomes)
    folders = np.array([truth.folder for truth in truths])
    return Evaluation(
        system=system,
        data=data,
        expressions=len(outcomes),
        tokens=TokenRates(
            *within(edits),
            wer=draws.rate(edits, lengths),
            among=None if among is None else draws.rate(among, everyone),
        ),
        label_graph=GraphRates(
            *within(labels), structure=draws.rate([o.graph.same_structure for o in outcomes], everyone)
        ),
        stroke_graph=stroke_graph,
        errors_by_kind={kind.value: kinds[kind] for kind in ErrorKind},
        by_length=subsets(_length_groups(lengths)),
        by_folder=subsets((folder, folders == folder) for folder in sorted(set(folders.tolist()))),
        by_relation=subsets(
            (name, np.array([outcome.relations[name] > 0 for outcome in outcomes])) for name in SPATIAL_NAMES
        ),
        symbol_confusions=most_frequent((pair for each in confusions for pair in each.labels), _CONFUSIONS),
        relation_confusions=most_frequent(
            (pair for each in confusions for pair in each.relations), _CONFUSIONS
        ),
        unanswered=sum(answer is None for answer in answers.tokens),
        malformed=len(no_tree | {truth.stem for truth in truths if truth.stem in answers.malformed}),
        unknown_tokens=dict(Counter(token for tokens in unknown for token in tokens).most_common()),
        unknown_expressions=sum(bool(tokens) for tokens in unknown),
        seconds=answers.seconds,
        right=tuple(outcome.edits == 0 for outcome in outcomes),
    )


def _length_groups(lengths: NDArray[np.int_]) -> Iterator[tuple[str, Bools]]:
    """Expressions by the number of tokens of the truth."""
    for lower, upper in pairwise((0, *LENGTH_BOUNDS)):
        yield f"{lower}–{upper - 1}" if lower else f"under {upper}", (lengths >= lower) & (lengths < upper)
    yield f"{LENGTH_BOUNDS[-1]} and more", lengths >= LENGTH_BOUNDS[-1]
