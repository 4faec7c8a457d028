"""Put the measured figures into README.md, between its two marks, and all of them into docs/accuracy.md.

    inktex evaluate p1 p2 p3 --data test2014 --format json --out docs/results/test2014.json
    inktex evaluate p1 p2 p3 --data test2013 --format json --out docs/results/test2013.json
    python scripts/readme_table.py

Further systems may stand in files of their own beside these two (docs/results/test2014-paper.json and
test2013-paper.json, say): each one found is a row.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inktex.files import write_atomically

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
ACCURACY = ROOT / "docs" / "accuracy.md"
BEGIN, END = "<!-- figures: made by scripts/readme_table.py -->", "<!-- end of figures -->"
NAMES = {
    "paper-p1": "`paper-p1`: P1 by the paper's recipe",
    "paper-p2": "`paper-p2`: P2 by the paper's recipe",
    "paper-p3": "P3 by the paper's recipe",
    "p1": "`p1`: our network, no coverage",
    "p2": "`p2`: with coverage",
    "p3": "`p3`: five of `p2`, averaged",
    "pair": "`pair`: `p2` and a reader from right to left",
    "twin": "**`twin`: one encoder, a decoder for each direction**",
    "duo": "`duo`: two of `twin`",
    "team": "**`team`: the same, with four distorted copies of the ink**",
    "wide": "**`wide`: the default; 358 tokens, drawings of other sources too**",
    "free": "`free`: no CROHME ink; may be shipped",
}
WITHIN = ("exact", "within_1", "within_2", "within_3")
CAPTION = """Expressions of CROHME 2014 (986) that are right, in percent, **by label graph**: *≤ k* is at most
k labels of symbols and relations wrong, as the competition's tools count. Chosen on 2013, reported on 2014.
All but `wide` and `free` were trained on official CROHME data only. Token edits, word error rate,
segmentation and intervals: [docs/accuracy.md](docs/accuracy.md)."""
HEAD = """# Accuracy

Made by `python scripts/readme_table.py` from the files in `docs/results`, which `inktex evaluate` writes.
Each ink is read as one expression, as by `inktex recognize --one`; without it lines are looked for first,
which cuts a few expressions apart ([lines.md](lines.md#accuracy)).
Intervals are 95 % bootstrap intervals. There are three counts, and they never stand in one column:

- **label graph**: labels of symbols and relations that differ, as the competition's tools count
  ([paper.md](paper.md#table-i));
- **label graph of strokes**: the same over strokes and pairs of strokes, so that the segmentation into
  symbols counts, too;
- **token edits**: insertions, deletions and replacements of LaTeX tokens; WER is their number per token of
  the truth."""
STROKES = (
    "Segments, segments with the right class, relations between segments: recall / precision. {count} of "
    "{total} expressions have a segmentation. Of the systems of the competition the paper cites the rates of "
    "whole expressions only."
)


@dataclass(frozen=True)
class Results:
    """What was measured on the test set of one year, from all its files."""

    year: str
    systems: dict[str, dict[str, Any]]
    published: list[dict[str, Any]]
    made: list[dict[str, Any]]

    @classmethod
    def read(cls, year: str, folder: Path = RESULTS) -> "Results":
        files = [
            json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob(f"test{year}*.json"))
        ]
        systems = {system["system"]: system for file in files for system in file["systems"]}
        known = [name for name in NAMES if name in systems]
        order = [*known, *(name for name in systems if name not in known)]
        return cls(
            year,
            {name: systems[name] for name in order},
            next((file["published"] for file in files if file["published"]), []),
            [file["made"] for file in files],
        )


def row(*cells: str) -> str:
    """One line of a table."""
    return "| " + " | ".join(cells) + " |"


def percent(rate: dict[str, Any]) -> str:
    """A percentage with two digits."""
    return f"{rate['percent']:.2f}"


def with_interval(rate: dict[str, Any]) -> str:
    """The same with where it would lie 19 times out of 20."""
    return f"{rate['percent']:.2f} ({rate['low']:.1f} to {rate['high']:.1f})"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of figures under its head."""
    return [row(*head), row("---", *["---:"] * (len(head) - 1)), *(row(*cells) for cells in rows)]


def published_rows(results: Results, names: Sequence[str]) -> Iterator[list[str]]:
    """The figures that the paper gives, by label graph."""
    for line in results.published:
        if line["system"] in names:
            theirs = f"the paper's {line['system']}" if line["system"].startswith("P") else line["system"]
            first = line["system"] == "I" and names[-1].startswith("P")
            name = "best of the 2014 competition (I)" if first else theirs
            yield [name, *(f"{line[key]:.2f}" for key in WITHIN)]


def readme_figures(test: Results, validation: Results) -> str:
    """The table of the README: the paper's figures, ours below, and what they were made with."""
    rows = [[*cells, ""] for cells in published_rows(test, ("I", "P1", "P2", "P3"))]
    for name, system in test.systems.items():
        other = validation.systems.get(name)
        rows.append(
            [
                NAMES.get(name, f"`{name}`"),
                *(percent(system["label_graph"][key]) for key in WITHIN),
                "" if other is None else percent(other["label_graph"]["exact"]),
            ]
        )
    head = ("CROHME 2014, by label graph", "correct", "≤ 1", "≤ 2", "≤ 3", "correct on 2013")
    return "\n".join([*table(head, rows), "", CAPTION, "", made_with(test)])


def made_with(results: Results) -> str:
    """Commands, dates and machines."""
    return "\n".join(f"`{made['command']}`, {made['date']}, {made['machine']}." for made in results.made)


def accuracy_page(years: Sequence[Results]) -> str:
    """All metrics of both test sets, each under its name."""
    lines = [HEAD]
    for results in years:
        lines += ["", f"## CROHME {results.year}", "", *year_tables(results), "", made_with(results)]
    lines += beyond_crohme()
    return "\n".join(lines) + "\n"


def beyond_crohme(folder: Path = RESULTS) -> list[str]:
    """Lone symbols, matrices and unknown symbols: `wide` on drawings that it was not trained on."""
    paths = [folder / f"{name}.json" for name in ("symbols", "matrices", "redrawn-matrices", "unknown")]
    if not all(path.exists() for path in paths):
        return []
    files = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    lone, grids, redrawn, unknown = (file["systems"][0] for file in files)
    usual, all_of_them = lone["usual_symbol"], lone["symbol"]
    first, five = (with_interval(all_of_them[key]) for key in ("first", "five"))
    rows = [
        [f"lone symbols ({all_of_them['drawings']} drawings), look-alikes merged: first answer", first],
        ["the same: among the first five", five],
        [
            f"`x ( ) \\| , . =` and digits alone ({usual['drawings']}): first answer",
            with_interval(usual["first"]),
        ],
        ["known symbols that are said to be outside the vocabulary", with_interval(lone["unknown"])],
        [
            f"matrices and cases of real entries in one hand ({grids['expressions']}): correct",
            with_interval(grids["tokens"]["exact"]),
        ],
        ["the same: structure correct", with_interval(grids["label_graph"]["structure"])],
        [
            f"the same of any parts, redrawn by other hands ({redrawn['expressions']}): correct",
            with_interval(redrawn["tokens"]["exact"]),
        ],
        ["the same: structure correct", with_interval(redrawn["label_graph"]["structure"])],
        [
            f"40 unknown classes ({unknown['drawings']} drawings): over 80 % confidence",
            with_interval(unknown["sure"]),
        ],
        ["the same: said to be outside the vocabulary", with_interval(unknown["found_out"])],
    ]
    made = [
        f"`{file['made']['command']}`, {file['made']['date']}, {file['made']['machine']}." for file in files
    ]
    head = ("`wide`, on drawings that were kept from its training", "percent")
    return ["", "## Beyond CROHME", "", *table(head, rows), "", *made]


def plain_name(name: str) -> str:
    """What a system is called in a table where none stands out."""
    return NAMES.get(name, f"`{name}`").strip("*")


def year_tables(results: Results) -> list[str]:
    """The tables of one test set."""
    systems = results.systems
    graph = [
        [*cells, ""]
        for cells in published_rows(results, ("I", "II", "IV", "V", "VI", "VII", "P1", "P2", "P3"))
    ]
    graph += [
        [
            plain_name(name),
            with_interval(system["label_graph"]["exact"]),
            *(percent(system["label_graph"][key]) for key in (*WITHIN[1:], "structure")),
        ]
        for name, system in systems.items()
    ]
    tokens = [
        [
            plain_name(name),
            with_interval(system["tokens"]["exact"]),
            *(percent(system["tokens"][key]) for key in WITHIN[1:]),
            with_interval(system["tokens"]["wer"]),
        ]
        for name, system in systems.items()
    ]
    lines = table(("by label graph", "correct", "≤ 1", "≤ 2", "≤ 3", "structure"), graph)
    lines += ["", *table(("by token edits", "correct", "≤ 1", "≤ 2", "≤ 3", "WER"), tokens)]
    lines += stroke_lines(results)
    lines += [
        "",
        *table(("token for token, by tokens of the truth", *map(plain_name, systems)), group_rows(systems)),
    ]
    return [
        *lines,
        "",
        *table(("wrong expressions, by kind of error", *map(plain_name, systems)), kind_rows(systems)),
    ]


def stroke_lines(results: Results) -> list[str]:
    """The competition's rates, beside the systems for which the paper cites them."""
    known = {name: s["stroke_graph"] for name, s in results.systems.items() if s["stroke_graph"]}
    if not known:
        return []
    rows = [[*cells, "", "", ""] for cells in published_rows(results, ("I", "II", "IV", "V", "VI", "VII"))]
    for name, rates in known.items():
        found = [rates[part] for part in ("segments", "classes", "relations")]
        rows.append(
            [
                plain_name(name),
                with_interval(rates["exact"]),
                *(percent(rates[key]) for key in WITHIN[1:]),
                *(f"{percent(part['recall'])} / {percent(part['precision'])}" for part in found),
            ]
        )
    parts = ("segments", "with class", "relations")
    head = ("by label graph of strokes", "correct", "≤ 1", "≤ 2", "≤ 3", *parts)
    count = next(iter(known.values()))["expressions"]
    total = next(iter(results.systems.values()))["expressions"]
    return ["", *table(head, rows), "", STROKES.format(count=count, total=total)]


def group_rows(systems: dict[str, dict[str, Any]]) -> list[list[str]]:
    """Rates by length: the same groups for every system."""
    same = zip(*(system["by_length"] for system in systems.values()), strict=True)
    return [
        [f"{groups[0]['name']} ({groups[0]['expressions']})", *(percent(group["exact"]) for group in groups)]
        for groups in same
    ]


def kind_rows(systems: dict[str, dict[str, Any]]) -> list[list[str]]:
    """How many wrong answers of each kind."""
    counted = [system["errors_by_kind"] for system in systems.values()]
    rows = [[kind, *(str(each[kind]) for each in counted)] for kind in counted[0]]
    return [*rows, ["all", *(str(sum(each.values())) for each in counted)]]


def with_figures(readme: str, figures: str) -> str:
    """The README with other figures between its marks."""
    before, rest = readme.split(BEGIN)
    return f"{before}{BEGIN}\n{figures}\n{END}{rest.split(END)[1]}"


def main() -> None:
    test, validation = Results.read("2014"), Results.read("2013")
    readme = ROOT / "README.md"
    text = with_figures(readme.read_text(encoding="utf-8"), readme_figures(test, validation))
    write_atomically(readme, text)
    write_atomically(ACCURACY, accuracy_page([test, validation]))


if __name__ == "__main__":
    main()
