"""What went wrong, counted over a data set: kinds of mistakes side by side, and how good the alignment is.

For two systems it also tests whether one of them over- or under-translates less often (McNemar's exact test).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inktex.corpus import Example
from inktex.evaluation import compare
from inktex.reading import Reading

from .mistakes import Diagnosis, Kind


@dataclass(frozen=True)
class Tally:
    """Counts of wrong answers by kind, one for each system."""

    systems: tuple[str, ...]
    expressions: int
    wrong: tuple[int, ...]
    main: dict[str, tuple[int, ...]]  # each wrong answer counted once, under its main kind
    seen: dict[str, tuple[int, ...]]  # answers with ink read twice, or never read, as the attention shows
    p_value: float | None  # of two systems: is over- and under-translation together equally frequent?


def tally(diagnoses: Mapping[str, Sequence[Diagnosis | None]]) -> Tally:
    """Count diagnoses per expression, None where the answer was right, of each system."""
    sizes = {len(each) for each in diagnoses.values()}
    if len(sizes) != 1:
        raise ValueError("the systems were not run on the same expressions")
    wrong = [[each for each in system if each is not None] for system in diagnoses.values()]
    translation = [
        (name, [each is None or each.main not in (Kind.OVER, Kind.UNDER) for each in system])
        for name, system in diagnoses.items()
    ]
    return Tally(
        systems=tuple(diagnoses),
        expressions=sizes.pop(),
        wrong=tuple(map(len, wrong)),
        main={kind.value: tuple(sum(e.main is kind for e in system) for system in wrong) for kind in Kind},
        seen={
            name: tuple(sum(each.shows(kind) for each in system) for system in wrong)
            for kind, name in ((Kind.OVER, "ink read twice"), (Kind.UNDER, "ink never read"))
        },
        p_value=compare(*translation[0], *translation[1]).p_value if len(translation) == 2 else None,
    )


def markdown_table(table: Tally) -> str:
    seen = {f"{name} (seen in the attention)": counts for name, counts in table.seen.items()}
    rows = {**table.main, "all wrong answers": table.wrong, **seen}
    lines = [
        "| wrong answers by kind | " + " | ".join(table.systems) + " |",
        "|---|" + "---:|" * len(table.systems),
        *(f"| {name} | " + " | ".join(map(str, counts)) + " |" for name, counts in rows.items()),
    ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class AlignmentAccuracy:
    """Counts over correctly read expressions."""

    expressions: int
    strokes: int
    right_strokes: int
    symbols: int
    right_symbols: int

    @property
    def stroke_share(self) -> float:
        """Strokes assigned to the symbol they were written for."""
        return self.right_strokes / self.strokes if self.strokes else float("nan")

    @property
    def symbol_share(self) -> float:
        """Symbols with exactly their strokes."""
        return self.right_symbols / self.symbols if self.symbols else float("nan")

    def __str__(self) -> str:
        if not self.strokes:
            return f"{self.expressions} expressions read correctly, none with a segmentation to compare with"
        return (
            f"{self.expressions} expressions read correctly: {100 * self.stroke_share:.1f} % of "
            f"{self.strokes} strokes at the right symbol, {100 * self.symbol_share:.1f} % of "
            f"{self.symbols} symbols with exactly the right strokes"
        )


def alignment_accuracy(pairs: Iterable[tuple[Example, Reading]]) -> AlignmentAccuracy:
    """Measure; what was read wrongly, and strokes that belong to no symbol, are left out."""
    expressions = strokes = right_strokes = symbols = right_symbols = 0
    for example, reading in pairs:
        if example.tokens != reading.tokens:
            continue
        expressions += 1
        alignment = reading.alignment
        for place, truth in enumerate(example.strokes_of):
            if truth:
                strokes += len(truth)
                right_strokes += sum(alignment.token_of_stroke[stroke] == place for stroke in truth)
                symbols += 1
                right_symbols += set(alignment.strokes_of[place]) == set(truth)
    return AlignmentAccuracy(expressions, strokes, right_strokes, symbols, right_symbols)
