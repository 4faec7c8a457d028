"""From answers to figures: compare every answer with its truth, then sum up.

An expression is correct if its tokens equal those of the truth (paper, section III-A). Errors are counted
twice, under two names: token edits (insertions, deletions, replacements, by rapidfuzz) and labels of the
label graph that differ.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inktex.corpus import Example
from inktex.latex import LatexError, Layout
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
from .trees import SPATIAL, Confusions, ErrorKind, error_kind, find_confusions, spatial_relations

LENGTH_BOUNDS = (10, 20, 30, 40)  # tokens of the truth
SPATIAL_NAMES = tuple(dict.fromkeys(SPATIAL.values()))
_CONFUSIONS = 25  # of each kind that are kept
StrokesOf = Sequence[Sequence[int]]  # per token the strokes that belong to it alone
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
    if others is not None:
        pairs = zip(outcomes, others, strict=True)
        among = [o.edits == 0 or any(tuple(other) == o.truth.tokens for other in rest) for o, rest in pairs]
    stroke_graph = None
    segmented = np.array([outcome.strokes is not None for outcome in outcomes])
    if segmented.any():
        counts = [outcome.strokes or NO_STROKES for outcome in outcomes]
        parts = ([getattr(each, what) for each in counts] for what in ("segments", "classes", "relations"))
        stroke_graph = StrokeRates(
            *within(np.array([each.labels for each in counts]), segmented),
            int(segmented.sum()),
            *(
                RecallPrecision(
                    recall=draws.rate([each.right for each in part], [each.expected for each in part]),
                    precision=draws.rate([each.right for each in part], [each.answered for each in part]),
                )
                for part in parts
            ),
        )
    unknown = [
        [] if vocabulary is None else [token for token in truth.tokens if token not in vocabulary]
        for truth in truths
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
        unanswered=sum(answer is None for answer in answers),
        malformed=len(no_tree | {truth.stem for truth in truths if truth.stem in malformed}),
        unknown_tokens=dict(Counter(token for tokens in unknown for token in tokens).most_common()),
        unknown_expressions=sum(bool(tokens) for tokens in unknown),
        seconds=seconds,
        right=tuple(outcome.edits == 0 for outcome in outcomes),
    )


def _length_groups(lengths: NDArray[np.int_]) -> Iterator[tuple[str, Bools]]:
    """Expressions by the number of tokens of the truth."""
    for lower, upper in pairwise((0, *LENGTH_BOUNDS)):
        yield f"{lower}–{upper - 1}" if lower else f"under {upper}", (lengths >= lower) & (lengths < upper)
    yield f"{LENGTH_BOUNDS[-1]} and more", lengths >= LENGTH_BOUNDS[-1]
