"""Everything that an evaluation has to say, in one text.

Comes in: the evaluations of some systems on the same expressions. Goes out: the paper's table with these
systems below it, then intervals, layout, breakdowns, confusions and comparisons, as text, Markdown, LaTeX
or JSON.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .comparison import Comparison
from .paper import COMPETITION, PAPER, PAPER_DATA, Published
from .provenance import Provenance
from .results import Confusion, Evaluation, Group, LayoutRates, Rate, TokenRates, plain
from .tables import Row, Table, render_table


@dataclass(frozen=True)
class Report:
    """The systems that were measured, and how."""

    data: str
    evaluations: tuple[Evaluation, ...]
    comparisons: tuple[Comparison, ...] = ()
    provenance: Provenance | None = None
    whole: bool = True  # all expressions of the data, so that published figures may stand beside ours

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
    tables = [main_table(report), _detail_table(report), _layout_table(report), _relation_table(systems)]
    tables += [
        _group_table(title, [getattr(system, field) for system in systems], systems)
        for title, field in (
            ("by tokens of the truth", "by_length"),
            ("by source folder", "by_folder"),
            ("by spatial relationship that an expression contains", "by_relation"),
        )
    ]
    for system in systems:
        tables += _confusion_tables(system)
    if report.comparisons:
        tables.append(_comparison_table(report.comparisons))
    return tables


def main_table(report: Report) -> Table:
    """The paper's Table I, continued with our systems."""
    theirs = tuple(
        tuple(
            (p.system, *(f"{value:.2f}" for value in (p.exact, p.within_1, p.within_2, p.within_3)))
            for p in part
        )
        for part in report.published
    )
    ours = tuple((e.system, *(f"{rate.percent:.2f}" for rate in _four(e.tokens))) for e in report.evaluations)
    return Table(
        title=f"Correct expression recognition rates (in %) of different systems on {_data_name(report)}",
        columns=("System", "Correct(%)", "≤ 1(%)", "≤ 2(%)", "≤ 3(%)"),
        sections=(*theirs, ours),
        note="≤ k: at most k token edits (insertions, deletions, replacements).",
    )


def _data_name(report: Report) -> str:
    name = {"test2013": "the CROHME 2013 test set", "test2014": "the CROHME 2014 test set"}.get(
        report.data, report.data
    )
    count = report.evaluations[0].expressions if report.evaluations else 0
    return f"{name} ({count} expressions{'' if report.whole else ', a part'})"


def _four(rates: TokenRates | LayoutRates) -> tuple[Rate, Rate, Rate, Rate]:
    return rates.exact, rates.within_1, rates.within_2, rates.within_3


def _with_interval(rate: Rate) -> str:
    if math.isnan(rate.percent):
        return "-"
    return f"{rate.percent:.2f} [{rate.low:.1f}–{rate.high:.1f}]"


def _detail_table(report: Report) -> Table:
    rows = tuple(
        (
            e.system,
            _with_interval(e.tokens.exact),
            _with_interval(e.tokens.wer),
            str(e.unknown_expressions),
            str(e.unanswered),
            str(e.malformed),
            "-" if e.seconds is None else f"{e.seconds:.1f}",
        )
        for e in report.evaluations
    )
    unknown = "; ".join(
        f"{e.system}: {' '.join(e.unknown_tokens)}" for e in report.evaluations if e.unknown_tokens
    )
    return Table(
        title="By tokens, with 95 % bootstrap intervals",
        columns=("System", "Correct(%)", "WER(%)", "unknown", "unanswered", "malformed", "seconds"),
        sections=(rows,),
        note="unknown: expressions with tokens that the system cannot write"
        + (f" ({unknown})." if unknown else "."),
    )


def _layout_table(report: Report) -> Table:
    rows = tuple(
        (
            e.system,
            _with_interval(e.layout.exact),
            *(f"{rate.percent:.2f}" for rate in _four(e.layout)[1:]),
            _with_interval(e.layout.symbol_recall),
            _with_interval(e.layout.symbol_precision),
            _with_interval(e.layout.relation_recall),
            _with_interval(e.layout.relation_accuracy),
        )
        for e in report.evaluations
    )
    columns: Row = ("System", "Correct(%)", "≤ 1(%)", "≤ 2(%)", "≤ 3(%)")
    return Table(
        title="By layout tree (the order of scripts does not matter)",
        columns=(*columns, "symbol recall", "precision", "relation recall", "accuracy"),
        sections=(rows,),
        note="≤ k: at most k wrong, missing or extra symbols and wrong relations. "
        "Accuracy: relations that are right among those whose two symbols were found.",
    )


def _relation_table(systems: Sequence[Evaluation]) -> Table:
    names = list(systems[0].layout.recall_by_relation) if systems else []
    rows = tuple(
        (name, *(_with_interval(system.layout.recall_by_relation[name]) for system in systems))
        for name in names
    )
    return Table("Relation recall (%) by spatial relationship", ("", *(s.system for s in systems)), (rows,))


def _group_table(title: str, groups: Sequence[Sequence[Group]], systems: Sequence[Evaluation]) -> Table:
    # All systems were measured on the same expressions, so their groups are the same.
    rows = tuple(
        (same[0].name, str(same[0].expressions), *(_with_interval(group.exact) for group in same))
        for same in zip(*groups, strict=True)
    )
    return Table(f"Correct (%) {title}", ("", "expressions", *(s.system for s in systems)), (rows,))


def _confusion_tables(system: Evaluation) -> list[Table]:
    def rows(confusions: Sequence[Confusion]) -> tuple[Row, ...]:
        return tuple((c.truth or "(extra)", c.answer or "(missing)", str(c.count)) for c in confusions)

    return [
        Table(
            f"{system.system}: most frequent mistakes in {kind}",
            ("truth", "read as", "count"),
            (rows(confusions),),
        )
        for kind, confusions in (
            ("symbols", system.symbol_confusions[:15]),
            ("relations", system.relation_confusions[:10]),
        )
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
        "made": plain(report.provenance) if report.provenance else None,
        "published": [plain(line) for part in report.published for line in part],
        "systems": [evaluation.to_json() for evaluation in report.evaluations],
        "comparisons": [plain(comparison) for comparison in report.comparisons],
    }
