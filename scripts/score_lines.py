"""Measure how well the lines of a page are found: `python scripts/score_lines.py`.

Composes pages of 2 to 6 expressions of one writer (`line_pages.py` says how) and counts those of which
every stroke is put into the right line; and counts the single expressions that are cut apart. The same seed
gives the same pages. `--sheet FILE.png` draws what went wrong, one colour per line (needs Pillow).

`--live` writes them stroke by stroke into a live session instead. It counts how often a line above changes
while the next one is written, and the pages that are right in the end.

`--braces` reads systems of two or three equations behind a brace, which is drawn before or after them.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from line_pages import STYLES, Page, compose_pages, compose_systems

from inktex.corpus import Example, load_split
from inktex.corpus.bank_sources import COLLECTIONS, open_drawings
from inktex.ink import Ink
from inktex.ink.lines import find_lines
from inktex.latex import in_lines
from inktex.recognizer import PageSession, Recognizer

COLORS = ["#c81e1e", "#1e5ac8", "#148c28", "#a03cb4", "#c87800", "#008c96", "#5a5a5a"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--split", default="test2013")
    parser.add_argument("--pages", type=int, default=500, help="of each style")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--styles", nargs="*", default=list(STYLES))
    parser.add_argument("--sheet", type=Path)
    parser.add_argument("--live", action="store_true", help="while they are written")
    parser.add_argument("--braces", action="store_true", help="systems behind a brace")
    args = parser.parse_args()
    examples = list(load_split(args.split))
    if args.braces:
        print(f"| {args.split}, systems behind a brace | |\n|---|---:|")
        print_systems(examples, args.pages, args.seed)
        return
    if args.live:
        print(f"| {args.split}, live | |\n|---|---:|")
        print_live(examples, args.styles, args.pages, args.seed)
        return
    wrong: list[tuple[Ink, list[tuple[int, ...]], str]] = []
    cut = 0
    for example in examples:
        found = find_lines(example.ink)
        if len(found) > 1:
            cut += 1
            wrong.append((example.ink, found, example.stem))
    print(f"| {args.split} | |\n|---|---:|")
    print(f"| single expressions cut apart | {cut} of {len(examples)} ({100 * cut / len(examples):.2f} %) |")
    for name in args.styles:
        right = 0
        for page in compose_pages(examples, STYLES[name], args.pages, args.seed):
            found = find_lines(page.ink)
            if found == lines_of(page):
                right += 1
            else:
                wrong.append((page.ink, found, f"{name}: {' '.join(page.sources)}"))
        print(f"| {name} pages without error | {right} of {args.pages} ({100 * right / args.pages:.1f} %) |")
    if args.sheet:
        draw(wrong, args.sheet)


def lines_of(page: Page) -> list[tuple[int, ...]]:
    """The lines that should be found."""
    line_of = np.array(page.line_of)
    return [tuple(np.flatnonzero(line_of == line).tolist()) for line in range(line_of.max() + 1)]


def print_live(examples: Sequence[Example], styles: Sequence[str], count: int, seed: int) -> None:
    """Write single expressions and pages stroke by stroke, and print what happens to their lines."""
    recognizer = Recognizer()
    singles = [Page(each.ink, (0,) * len(each.ink), (each.stem,)) for each in examples]
    for name in ("single expressions", *styles):
        pages = compose_pages(examples, STYLES[name], count, seed) if name in STYLES else singles
        written = [write(recognizer, page) for page in pages]
        right, below, changed = (sum(part) for part in zip(*written, strict=True))
        print(f"| {name}: right in the end | {right} of {len(pages)} ({100 * right / len(pages):.2f} %) |")
        if name in STYLES and not STYLES[name].delayed:
            share = f"{changed} of {below} ({100 * changed / below:.2f} %)"
            print(f"| {name}: lines written below others that change one of these | {share} |", flush=True)


def print_systems(examples: Sequence[Example], count: int, seed: int) -> None:
    """Read systems, and their rows alone."""
    braces = [
        list(glyph.strokes)
        for collection in COLLECTIONS
        for glyph in open_drawings(collection, "test")
        if glyph.label == r"\{"
    ]
    recognizer, truth = Recognizer(), {each.stem: each.tokens for each in examples}
    found = {"read as cases": 0, "without error": 0, "rows alone without error": 0}
    for page in compose_systems(examples, braces, count, seed):
        rows = [truth[stem] for stem in page.sources]
        wanted = in_lines(rows, "cases")
        texts = recognizer.recognize(page.ink, timeout=None).texts
        alone = [
            recognizer.recognize(page.ink.select(np.flatnonzero(np.array(page.line_of) == row)), lines=False)
            for row in range(len(rows))
        ]
        found["read as cases"] += (texts[0], texts[-1]) == (wanted[0], wanted[-1])
        found["without error"] += tuple(text for text in texts if text != "&") == wanted
        found["rows alone without error"] += [each.texts for each in alone] == [tuple(row) for row in rows]
    for name, number in found.items():
        print(f"| {name} | {number} of {count} ({100 * number / count:.1f} %) |")


def write(recognizer: Recognizer, page: Page) -> tuple[bool, int, int]:
    """Whether the page is right in the end, its lines below others, and how many of these change those."""
    session = PageSession(recognizer)
    line, above = 0, session.arranged()
    changed = set()
    for stroke, own in zip(page.ink.strokes, page.line_of, strict=True):
        if own != line:
            line, above = own, session.arranged()
        session.add(stroke)
        if line and not set(above) <= set(session.arranged()):
            changed.add(line)
    found = [strokes for _, _, strokes in session.arranged()]
    return found == lines_of(page), max(page.line_of), len(changed)


def draw(items: list[tuple[Ink, list[tuple[int, ...]], str]], path: Path, columns: int = 5) -> None:
    """A contact sheet, one colour per line that was found."""
    from PIL import Image, ImageDraw

    width, height = 360, 280
    sheet = Image.new("RGB", (columns * width, -(-len(items) // columns) * height), "white")
    pen = ImageDraw.Draw(sheet)
    for number, (ink, lines, title) in enumerate(items):
        x0, y0 = number % columns * width, number // columns * height
        left, top, right, bottom = ink.bounds
        scale = min((width - 20) / max(right - left, 1e-9), (height - 30) / max(bottom - top, 1e-9))
        for line, strokes in enumerate(lines):
            for stroke in strokes:
                points = (ink[stroke] - [left, top]) * scale + [x0 + 10, y0 + 20]
                pen.line([tuple(p) for p in np.repeat(points, 2, axis=0).tolist()], COLORS[line % 7], 2)
        pen.text((x0 + 4, y0 + 4), title[:58], fill="black")
    sheet.save(path)


if __name__ == "__main__":
    main()
