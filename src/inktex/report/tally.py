"""Mistakes counted over a data set, for one system or several side by side.

Takes a diagnosis per expression (None where the answer was right) for each system and makes a table. For two
systems it also tests whether one of them over- or under-translates less often (McNemar's exact test).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from inktex.evaluation import mcnemar_p_value

from .mistakes import Diagnosis, Kind

Diagnoses: TypeAlias = Sequence[Diagnosis | None]

TRANSLATION = (Kind.OVER, Kind.UNDER)


@dataclass(frozen=True)
class TallyRow:
    """One line of the table: how many expressions of each system."""

    name: str
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Tally:
    """Counts of wrong answers by kind."""

    systems: tuple[str, ...]
    expressions: int
    wrong: tuple[int, ...]
    main: tuple[TallyRow, ...]  # each wrong answer counted once, under its main kind
    seen: tuple[TallyRow, ...]  # answers with ink read twice, or never read, as the attention shows
    p_value: float | None  # of two systems: is over- and under-translation together equally frequent?


def tally(diagnoses: Mapping[str, Diagnoses]) -> Tally:
    """Count; the systems must have read the same expressions."""
    sizes = {len(each) for each in diagnoses.values()}
    if len(sizes) != 1:
        raise ValueError("the systems were not run on the same expressions")
    systems = list(diagnoses.values())
    both = [[_translation(each) for each in system] for system in systems]
    p_value = None
    if len(systems) == 2:
        pairs = list(zip(*both, strict=True))
        p_value = mcnemar_p_value(
            sum(first and not second for first, second in pairs),
            sum(second and not first for first, second in pairs),
        )
    names = {Kind.OVER: "ink read twice", Kind.UNDER: "ink never read"}
    return Tally(
        systems=tuple(diagnoses),
        expressions=sizes.pop(),
        wrong=tuple(sum(each is not None for each in system) for system in systems),
        main=tuple(
            TallyRow(kind, tuple(sum(each is not None and each.main is kind for each in s) for s in systems))
            for kind in Kind
        ),
        seen=tuple(
            TallyRow(name, tuple(sum(each is not None and each.shows(kind) for each in s) for s in systems))
            for kind, name in names.items()
        ),
        p_value=p_value,
    )


def _translation(diagnosis: Diagnosis | None) -> bool:
    return diagnosis is not None and diagnosis.main in TRANSLATION


def markdown_table(table: Tally) -> str:
    """The table for documents."""
    lines = [
        "| wrong answers by kind | " + " | ".join(table.systems) + " |",
        "|---|" + "---:|" * len(table.systems),
        *(_line(row) for row in table.main),
        _line(TallyRow("all wrong answers", table.wrong)),
        *(_line(TallyRow(f"{row.name} (seen in the attention)", row.counts)) for row in table.seen),
    ]
    return "\n".join(lines) + "\n"


def _line(row: TallyRow) -> str:
    return f"| {row.name} | " + " | ".join(map(str, row.counts)) + " |"
