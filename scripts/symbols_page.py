"""Write `docs/symbols.md`: every symbol, drawn, with its LaTeX and how often it is read right.

    python scripts/symbols_page.py

One sheet of drawings per group goes to `docs/figures/symbols/`. A drawing is ink of the project's own bank
where it has the symbol, and the printed character elsewhere. How often a symbol is read right comes from
`docs/results/symbols.json`, if it is there, which this writes:

    inktex evaluate wide --data symbols --format json --out docs/results/symbols.json
"""

import json
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from inktex.corpus.bank import Glyph, SymbolBank
from inktex.corpus.hershey import hershey_bank
from inktex.latex import symbol, symbols

DOCS = Path(__file__).parents[1] / "docs"
FIGURES = DOCS / "figures" / "symbols"
RATES = DOCS / "results" / "symbols.json"
COLUMNS, CELL_WIDTH, CELL_HEIGHT, BOX = 8, 110, 92, 44
INTRODUCTION = """# Symbols

The wide vocabulary has {count} tokens: {drawn} symbols, and {structure} tokens that arrange them. Each is
written here as inktex prints it; other commands for the same symbol (`\\le`, `\\varnothing`, `\\R`) are
understood where LaTeX is read. The models `p1` to `p3` know the smaller vocabulary of CROHME.

{rates}

This page is written by `python scripts/symbols_page.py` from the table in `src/inktex/latex/symbols.toml`.
"""
NOT_MEASURED = "How often each symbol is read right is not measured yet."
MEASURED = """The last column says how often `{model}` takes drawings of the symbol alone, which were kept
from its training, for the symbol or for one that looks the same alone: {first:.1f} % of all {drawings}
drawings, and {five:.1f} % are among its first five answers.{note}"""


def main() -> None:
    """Write the page and its sheets."""
    bank = hershey_bank(writers=1, repeats=1)
    stored: dict[str, Any] = json.loads(RATES.read_text(encoding="utf-8")) if RATES.exists() else {}
    rates = {**stored["systems"][0], "whole": stored["whole"]} if stored else {}
    FIGURES.mkdir(parents=True, exist_ok=True)
    for old in FIGURES.glob("*.svg"):
        old.unlink()
    for group, tokens in symbols.GROUPS.items():
        if group not in ("scripts", "environments"):
            (FIGURES / f"{_slug(group)}.svg").write_text(_sheet(tokens, bank), encoding="utf-8")
    (DOCS / "symbols.md").write_text("\n".join(_page(rates)), encoding="utf-8")
    print(f"symbols.md: {len(symbols.WIDE)} tokens in {len(symbols.GROUPS)} groups")


def _page(rates: dict[str, Any]) -> Iterator[str]:
    structure = sum(len(symbols.GROUPS[group]) for group in symbols.STRUCTURAL)
    read = rates.get("symbols", {})
    yield INTRODUCTION.format(
        count=len(symbols.WIDE),
        drawn=len(symbols.WIDE) - structure,
        structure=structure,
        rates=MEASURED.format(model=rates["system"], **_shares(rates)) if read else NOT_MEASURED,
    )
    for group, tokens in symbols.GROUPS.items():
        yield f"## {group.capitalize()}\n"
        if group not in ("scripts", "environments"):
            yield f"![{group}, drawn](figures/symbols/{_slug(group)}.svg)\n"
        yield "| LaTeX | printed | Typst | looks the same alone | read right |"
        yield "|---|---|---|---|---:|"
        for token in tokens:
            shown = symbol(token)
            alike = next((row for row in symbols.LOOK_ALIKES if token in row), ())
            others = " ".join(_code(other) for other in alike if other != token and other in symbols.WIDE)
            rate = read.get(token)
            share = f"{rate['right']} of {rate['of']}" if rate else ""
            character = escape(shown.character).replace("|", "&#124;").replace("_", "&#95;")
            typst = _code(shown.typst) if shown.typst else ""
            yield f"| {_code(token)} | {character} | {typst} | {others} | {share} |"
        yield ""


def _shares(rates: dict[str, Any]) -> dict[str, Any]:
    hits = rates["symbol"]
    return {
        "drawings": hits["drawings"],
        "first": hits["first"]["percent"],
        "five": hits["five"]["percent"],
        "note": "" if rates["whole"] else " This is a part of the test drawings.",
    }


def _code(text: str) -> str:
    """Text as code in a cell of a table, where a bar would end the cell."""
    return f"`{text}`".replace("|", r"\|")


def _slug(group: str) -> str:
    return group.replace(" ", "-")


def _sheet(tokens: Sequence[str], bank: SymbolBank) -> str:
    """Drawings in a grid, each above its LaTeX; readable on light and dark pages."""
    lines = -(-len(tokens) // COLUMNS)
    width, height = COLUMNS * CELL_WIDTH, lines * CELL_HEIGHT
    cells = (
        f'<g transform="translate({CELL_WIDTH * (place % COLUMNS)} {CELL_HEIGHT * (place // COLUMNS)})">'
        f"{_drawing(token, bank)}"
        f'<text class="latex" x="{CELL_WIDTH / 2}" y="{CELL_HEIGHT - 10}">{escape(token)}</text></g>'
        for place, token in enumerate(tokens)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}">\n<style>{_STYLE}</style>\n'
        f'<rect class="paper" width="{width}" height="{height}" rx="6"/>\n' + "\n".join(cells) + "\n</svg>\n"
    )


_STYLE = (
    ".paper{fill:#fff}"
    ".ink{fill:none;stroke:#1b2a4a;stroke-width:2.2;stroke-linecap:round;stroke-linejoin:round}"
    ".print{font:34px 'STIX Two Math','Cambria Math',serif;fill:#1b2a4a;text-anchor:middle}"
    ".latex{font:11px ui-monospace,monospace;fill:#555;text-anchor:middle}"
)


def _drawing(token: str, bank: SymbolBank) -> str:
    strokes = _ink(token, bank)
    if not strokes:
        shown = symbol(token)
        text = shown.character or "(n k)"
        size = ' style="font-size:24px"' if len(text) > 3 else ""
        return f'<text class="print" x="{CELL_WIDTH / 2}" y="{BOX + 6}"{size}>{escape(text)}</text>'
    points = np.concatenate(strokes)
    low, high = points.min(axis=0), points.max(axis=0)
    scale = min(BOX / max(high[1] - low[1], 1.0), (CELL_WIDTH - 24) / max(high[0] - low[0], 1.0), 2.2)
    offset = np.array([CELL_WIDTH / 2, 12 + BOX / 2]) - scale * (low + high) / 2
    path = "".join(
        "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in (scale * stroke + offset).tolist())
        for stroke in strokes
    )
    return f'<path class="ink" d="{path}"/>'


# The marks of accents, as strokes of x,y over a box of width 1: above it (y < 0) or below (y > 1).
_MARKS = {
    r"\hat": "0.2,-0.2 0.5,-0.5 0.8,-0.2",
    r"\bar": "0.1,-0.35 0.9,-0.35",
    r"\vec": "0,-0.4 1,-0.4; 0.75,-0.6 1,-0.4 0.75,-0.2",
    r"\dot": "0.48,-0.4 0.52,-0.38",
    r"\ddot": "0.28,-0.4 0.32,-0.38; 0.68,-0.4 0.72,-0.38",
    r"\tilde": "0.1,-0.25 0.25,-0.42 0.4,-0.42 0.6,-0.25 0.75,-0.25 0.9,-0.42",
    r"\overline": "-0.05,-0.3 1.05,-0.3",
    r"\underline": "-0.05,1.35 1.05,1.35",
    r"\widehat": "0,-0.15 0.5,-0.5 1,-0.15",
    r"\widetilde": "0,-0.2 0.2,-0.45 0.4,-0.42 0.6,-0.25 0.8,-0.22 1,-0.45",
    r"\overrightarrow": "0,-0.4 1,-0.4; 0.88,-0.6 1,-0.4 0.88,-0.2",
    r"\overbrace": "0,-0.2 0.05,-0.4 0.45,-0.42 0.5,-0.65 0.55,-0.42 0.95,-0.4 1,-0.2",
    r"\underbrace": "0,1.2 0.05,1.4 0.45,1.42 0.5,1.65 0.55,1.42 0.95,1.4 1,1.2",
}
_WIDE_MARKS = frozenset(list(_MARKS)[6:])


def _accented(token: str, bank: SymbolBank) -> list[np.ndarray]:
    """An accent over `x`, a long one over `x` twice."""
    letter = bank.glyphs("x")[0]
    count = 2 if token in _WIDE_MARKS else 1
    steps = [np.array([number * 1.3 * letter.width, 0.0]) for number in range(count)]
    box = np.array([letter.width + steps[-1][0], letter.height])
    marks = (
        np.array([[float(value) for value in point.split(",")] for point in stroke.split()])
        for stroke in _MARKS[token].split(";")
    )
    return [stroke + step for step in steps for stroke in letter.strokes] + [mark * box for mark in marks]


def _ink(token: str, bank: SymbolBank) -> list[np.ndarray]:
    """Strokes of the project's own bank, the letters of a function's name side by side; [] if it has none."""
    if token in bank:
        return list(bank.glyphs(token)[0].strokes)
    shown = symbol(token)
    if token in _MARKS:
        return _accented(token, bank)
    return _side_by_side(shown.character, bank) if shown.group == "functions" else []


def _side_by_side(letters: str, bank: SymbolBank) -> list[np.ndarray]:
    strokes: list[np.ndarray] = []
    x = 0.0
    for letter in letters:
        glyph: Glyph = bank.glyphs(letter)[0]
        top = -glyph.height + (glyph.height / 3 if letter in "gpq" else 0.0)
        strokes += [stroke + np.array([x, top]) for stroke in glyph.strokes]
        x += glyph.width + 4.0
    return strokes


if __name__ == "__main__":
    main()
