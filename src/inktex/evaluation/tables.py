"""Tables as data, and as text, Markdown or LaTeX.

Formats a title, columns and sections of rows. All tables of a report look alike in each format.
"""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Row: TypeAlias = tuple[str, ...]
Format: TypeAlias = Literal["text", "md", "latex"]

_SPECIAL = str.maketrans(
    {character: "\\" + character for character in "{}%&_#$"}
    | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", "≤": r"$\leq$", "–": "--"}
    | {"→": r"$\rightarrow$", "<": r"$<$", ">": r"$>$", "|": r"$|$"}
)


@dataclass(frozen=True)
class Table:
    """Rows of text; the first column is left-aligned, the others right-aligned."""

    title: str
    columns: Row
    sections: tuple[tuple[Row, ...], ...]  # a line is drawn between them
    note: str = ""

    def rows(self) -> tuple[Row, ...]:
        return tuple(row for section in self.sections for row in section)


def render_table(table: Table, form: Format) -> str:
    """Write a table in one of the formats, without a final line end."""
    writers = {"text": _as_text, "md": _as_markdown, "latex": _as_latex}
    return writers[form](table)


def _as_text(table: Table) -> str:
    widths = [
        max(len(row[column]) for row in (table.columns, *table.rows()))
        for column in range(len(table.columns))
    ]

    def line(row: Row) -> str:
        cells = [row[0].ljust(widths[0])] + [
            cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)
        ]
        return "  ".join(cells).rstrip()

    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    lines = [table.title, rule, line(table.columns)]
    for section in table.sections:
        lines += [rule, *map(line, section)]
    return "\n".join([*lines, rule, *([table.note] if table.note else [])])


def _as_markdown(table: Table) -> str:
    def line(row: Row) -> str:
        # A vertical bar would end the cell; backslashes of LaTeX words must not escape what follows.
        cells = (re.sub(r"([\\|*_<>`])", r"\\\1", cell) for cell in row)
        return f"| {' | '.join(cells)} |"

    rule = "|" + "|".join([" --- "] + [" ---: "] * (len(table.columns) - 1)) + "|"
    lines = [f"**{table.title}**", "", line(table.columns), rule, *map(line, table.rows())]
    return "\n".join([*lines, *(["", table.note] if table.note else [])])


def _as_latex(table: Table) -> str:
    def line(row: Row) -> str:
        return " & ".join(map(escape_latex, row)) + r" \\"

    lines = [
        r"\begin{table}[h]",
        rf"\caption{{{escape_latex(table.title)}}}",
        r"\centering",
        rf"\begin{{tabular}}{{l{' r' * (len(table.columns) - 1)}}}",
        r"\hline",
        line(table.columns),
    ]
    for section in table.sections:
        lines += [r"\hline", *map(line, section)]
    lines += [r"\hline", r"\end{tabular}"]
    if table.note:
        lines += [r"\par\smallskip", rf"{{\footnotesize {escape_latex(table.note)}}}"]
    return "\n".join([*lines, r"\end{table}"])


def escape_latex(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return text.translate(_SPECIAL)
