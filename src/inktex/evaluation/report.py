"""The full report of an evaluation, in one text.

Takes the evaluations of some systems on the same expressions and writes the paper's table with these systems
below it, then the other metrics, kinds of errors, breakdowns, confusions and comparisons, as text, Markdown,
LaTeX or JSON. The title of every table says what it counts: labels of the label graph of symbols, the same
of strokes, or token edits.

The published figures are Table I of Zhang, Du and Dai (ICDAR 2017), section III-A: correct expressions in
percent on the CROHME 2014 test set. I to VII are the systems of the competition (III is left out there, since
it used further training data), P1 the paper's network without coverage, P2 with it, P3 an ensemble of five.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

from .provenance import Provenance
from .results import Comparison, Evaluation, Rate, Subset, Within, compare, plain
from .tables import Row, Table, render_table
from .trees import ErrorKind

PAPER_DATA = "test2014"
Published: TypeAlias = tuple[str, float, float, float, float]
_COLUMNS = ("System", "Correct(%)", "≤ 1(%)", "≤ 2(%)", "≤ 3(%)")


_PUBLISHED = ("system", "exact", "within_1", "within_2", "within_3")
COMPETITION = (
    ("I", 37.22, 44.22, 47.26, 50.20),
    ("II", 15.01, 22.31, 26.57, 27.69),
    ("IV", 18.97, 28.19, 32.35, 33.37),
    ("V", 18.97, 26.37, 30.83, 32.96),
    ("VI", 25.66, 33.16, 35.90, 37.32),
    ("VII", 26.06, 33.87, 38.54, 39.96),
)
PAPER = (
    ("P1", 42.49, 57.91, 60.45, 61.56),
    ("P2", 46.86, 61.87, 65.82, 66.63),
    ("P3", 52.43, 68.05, 71.50, 72.31),
)


@dataclass(frozen=True)
class Report:
    data: str
    evaluations: tuple[Evaluation, ...]
    provenance: Provenance | None = None
    whole: bool = True  # all expressions of the data, so that published figures may stand beside ours

    @property
    def comparisons(self) -> list[Comparison]:
        """Every two systems, which were all measured on the same expressions."""
        return [compare(a.system, a.right, b.system, b.right) for a, b in combinations(self.evaluations, 2)]

    @property
    def published(self) -> tuple[tuple[Published, ...], ...]:
        """The paper's figures, if they belong to this data."""
        return (COMPETITION, PAPER) if self.data == PAPER_DATA and self.whole else ()


def render(report: Report, form: Literal["text", "md", "latex", "json"]) -> str:
    """Write the report, with a final line end."""
    if form == "json":
        return json.dumps(_as_data(report), indent=2, ensure_ascii=False) + "\n"
    parts = [render_table(table, form) for table in report_tables(report)]
    if report.provenance is not None:
        line = report.provenance.line()
        parts.append(f"% {line}" if form == "latex" else line)
    return "\n\n".join(parts) + "\n"


def report_tables(report: Report) -> list[Table]:
    """All tables of a report, in reading order."""
    systems = report.evaluations
    return [
        main_table(report),
        _token_table(systems),
        *([_stroke_table(report)] if any(system.stroke_graph for system in systems) else []),
        _kind_table(systems),
        _group_table("by tokens of the truth", systems, [system.by_length for system in systems]),
        _group_table("by source folder", systems, [system.by_folder for system in systems]),
        _group_table(
            "by spatial relationship that an expression contains",
            systems,
            [system.by_relation for system in systems],
        ),
        *(table for system in systems for table in _confusion_tables(system)),
        *([_comparison_table(report.comparisons)] if report.comparisons else []),
    ]


def main_table(report: Report) -> Table:
    """The paper's Table I, continued with our systems, by its metric."""
    ours = tuple(
        (e.system, *_four(e.label_graph), f"{e.label_graph.structure.percent:.2f}")
        for e in report.evaluations
    )
    return Table(
        title=f"Correct expressions (%) by label graph on {_data_name(report)}",
        columns=(*_COLUMNS, "structure(%)"),
        sections=(*(_published_rows(part, "-") for part in report.published), ours),
        note="≤ k: at most k labels of the graph of symbols differ, nodes and edges taken together.",
    )


def _published_rows(lines: Sequence[Published], *others: str) -> tuple[Row, ...]:
    return tuple((system, *(f"{figure:.2f}" for figure in four), *others) for system, *four in lines)


def _data_name(report: Report) -> str:
    named = {f"test{year}": f"the CROHME {year} test set" for year in (2013, 2014)}
    name = named.get(report.data, report.data)
    count = report.evaluations[0].expressions if report.evaluations else 0
    return f"{name} ({count} expressions{'' if report.whole else ', a part'})"


def _four(rates: Within) -> list[str]:
    four = (rates.exact, rates.within_1, rates.within_2, rates.within_3)
    return [f"{rate.percent:.2f}" for rate in four]


def _with_interval(rate: Rate | None) -> str:
    if rate is None or math.isnan(rate.percent):
        return "-"
    return f"{rate.percent:.2f} [{rate.low:.1f}–{rate.high:.1f}]"


def _token_table(systems: Sequence[Evaluation]) -> Table:
    rows = tuple(
        (
            e.system,
            _with_interval(e.tokens.exact),
            *_four(e.tokens)[1:],
            _with_interval(e.tokens.wer),
            _with_interval(e.tokens.among),
            str(e.unknown_expressions),
            str(e.unanswered),
            str(e.malformed),
            "-" if e.seconds is None else f"{e.seconds:.1f}",
        )
        for e in systems
    )
    unknown = "; ".join(f"{e.system}: {' '.join(e.unknown_tokens)}" for e in systems if e.unknown_tokens)
    return Table(
        title="Correct expressions (%) by token edits, with 95 % bootstrap intervals",
        columns=(*_COLUMNS, "WER(%)", "among(%)", "unknown", "unanswered", "malformed", "seconds"),
        sections=(rows,),
        note="≤ k: at most k insertions, deletions and replacements of tokens. "
        "among: the truth is the answer or another hypothesis. "
        "unknown: expressions with tokens that the system cannot write"
        + (f" ({unknown})." if unknown else "."),
    )


def _stroke_table(report: Report) -> Table:
    """What the competition scored: symbols found among the strokes, and whole expressions."""
    # The paper's own systems answer with LaTeX alone.
    theirs = [_published_rows(part, "-", "-", "-") for part in report.published[:1]]
    measured = [(e.system, e.stroke_graph) for e in report.evaluations if e.stroke_graph is not None]
    total, known = report.evaluations[0].expressions, measured[0][1].expressions
    rows = tuple(
        (
            system,
            *_four(graph),
            *(
                f"{found.recall.percent:.2f} / {found.precision.percent:.2f}"
                for found in (graph.segments, graph.classes, graph.relations)
            ),
        )
        for system, graph in measured
    )
    return Table(
        title=f"Correct expressions (%) by label graph of strokes on {_data_name(report)}",
        columns=(*_COLUMNS, "segments", "with class", "relations"),
        sections=(*theirs, rows),
        note="≤ k: at most k labels of strokes and of pairs of strokes differ. Segments (symbols with just "
        "their strokes), the same with their class, relations between segments: recall / precision."
        + ("" if known == total else f" {known} of {total} expressions have a segmentation."),
    )


def _kind_table(systems: Sequence[Evaluation]) -> Table:
    def share(kind: str, kinds: dict[str, int]) -> str:
        wrong = sum(kinds.values())
        return f"{kinds[kind]} ({100 * kinds[kind] / wrong:.1f} %)" if wrong else "0"

    found = [system.errors_by_kind for system in systems]
    return Table(
        "Wrong expressions by kind of error",
        ("", *(system.system for system in systems)),
        (
            tuple((kind.value, *(share(kind.value, kinds) for kinds in found)) for kind in ErrorKind),
            (("all", *(str(sum(kinds.values())) for kinds in found)),),
        ),
    )


def _group_table(title: str, systems: Sequence[Evaluation], groups: Sequence[Sequence[Subset]]) -> Table:
    # All systems were measured on the same expressions, so their groups are the same.
    rows = tuple(
        (same[0].name, str(same[0].expressions), *(_with_interval(group.exact) for group in same))
        for same in zip(*groups, strict=True)
    )
    return Table(
        f"Correct expressions (%) token for token, {title}",
        ("", "expressions", *(s.system for s in systems)),
        (rows,),
    )


def _confusion_tables(system: Evaluation) -> list[Table]:
    kinds = {"symbols": system.symbol_confusions[:15], "relations": system.relation_confusions[:10]}
    return [
        Table(
            f"{system.system}: most frequent mistakes in {kind}",
            ("truth", "read as", "count"),
            (tuple((c.truth or "(extra)", c.answer or "(missing)", str(c.count)) for c in confusions),),
        )
        for kind, confusions in kinds.items()
        if confusions
    ]


def _comparison_table(comparisons: Sequence[Comparison]) -> Table:
    rows = tuple(
        (f"{c.first} / {c.second}", str(c.both), str(c.only_first), str(c.only_second), f"{c.p_value:.4g}")
        for c in comparisons
    )
    return Table(
        "Two systems compared (McNemar's exact test on correct expressions)",
        ("Systems", "both right", "only first", "only second", "p"),
        (rows,),
    )


def _as_data(report: Report) -> dict[str, object]:
    return {
        "data": report.data,
        "whole": report.whole,
        "made": plain(report.provenance),
        "published": [dict(zip(_PUBLISHED, line, strict=True)) for part in report.published for line in part],
        "systems": [evaluation.to_json() for evaluation in report.evaluations],
        "comparisons": plain(report.comparisons),
    }
