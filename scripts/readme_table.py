"""Put the measured figures into the README, between its two marks.

inktex evaluate p1 p2 p3 --data test2014 --format json --out docs/results/test2014.json
inktex evaluate p1 p2 p3 --data test2013 --format json --out docs/results/test2013.json
python scripts/readme_table.py
"""

import json
from pathlib import Path
from typing import Any

from inktex.files import write_atomically

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- figures: made by scripts/readme_table.py -->", "<!-- end of figures -->"
WHAT = {"p1": "P1, no coverage", "p2": "**P2, coverage; the default**", "p3": "**P3, ensemble of 5**"}


def row(*cells: str) -> str:
    """One line of a table."""
    return "| " + " | ".join(cells) + " |"


def rate(part: dict[str, Any], key: str) -> str:
    """A percentage with two digits."""
    return f"{part[key]['percent']:.2f}"


def table() -> str:
    """The paper's figures, ours below, and what they were made with."""
    results = {
        year: json.loads((ROOT / f"docs/results/test{year}.json").read_text()) for year in ("2013", "2014")
    }
    lines = [
        row("CROHME 2014, 986 expressions", "exact", "≤ 1", "≤ 2", "≤ 3", "WER", "exact on 2013"),
        row("---", *["---:"] * 6),
    ]
    for published in results["2014"]["published"]:
        if published["system"].startswith("P") or published["system"] == "I":
            name = (
                "best of the 2014 competition (I)"
                if published["system"] == "I"
                else f"the paper's {published['system']}"
            )
            cells = (f"{published[key]:.2f}" for key in ("exact", "within_1", "within_2", "within_3"))
            lines.append(row(name, *cells, "", ""))
    validation = {system["system"]: system for system in results["2013"]["systems"]}
    for system in results["2014"]["systems"]:
        name, tokens = system["system"], system["tokens"]
        cells = (rate(tokens, key) for key in ("exact", "within_1", "within_2", "within_3", "wer"))
        lines.append(row(WHAT.get(name, name), *cells, rate(validation[name]["tokens"], "exact")))
    made = results["2014"]["made"]
    lines += [
        "",
        "Percent of expressions whose tokens are all right, or all but k edits. Trained on official CROHME",
        "data only; chosen on 2013, reported on 2014.",
        f"`{made['command']}`, {made['date']}, {made['machine']}.",
    ]
    return "\n".join(lines)


def main() -> None:
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    write_atomically(readme, f"{before}{BEGIN}\n{table()}\n{END}{after}")


if __name__ == "__main__":
    main()
