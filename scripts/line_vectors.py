"""Test vectors for the lines of a page, which Python and the browser share: makes tests/vectors/lines.json.

    python scripts/line_vectors.py     # after a change of how lines are found, or of scripts/web_vectors.py

The ink is written with the built-in symbols, by seeds, and stacked to pages; some is drawn at random. Both
test suites read the file: `tests/test_web_vectors.py` says whether Python still gives what it says,
`web/test/lines.test.ts` whether the browser does. Answers are those of `tests/vectors/twin.inktex`, whose
random weights never change.
"""

import json
import random
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from line_pages import STYLES, compose_pages

from inktex.corpus.example import Example
from inktex.ink import Ink
from inktex.ink.line_features import Geometry
from inktex.ink.lines import find_lines
from inktex.recognizer import PageSession, Recognizer

sys.path.insert(0, str(Path(__file__).parent))
from web_vectors import TWIN, inks, strokes_of

PATH = TWIN.with_name("lines.json")
FORMULAS = 40
PAGES = 4  # of each style
RANDOM = 30
SESSIONS = 4
Strokes = list[list[list[float]]]


def thinned(ink: Ink, step: int = 6) -> Ink:
    """Fewer points of the same strokes: the file stays small."""
    kept = [np.concatenate([stroke[:-1:step], stroke[-1:]]) for stroke in ink.strokes]
    return Ink.from_strokes([np.round(stroke, 1) for stroke in kept])


def inked() -> list[tuple[str, Ink]]:
    """Formulas and their ink."""
    return [(name.partition(": ")[2], thinned(ink)) for name, ink in inks(FORMULAS, "lines")]


def pages() -> list[tuple[str, Strokes]]:
    """Single formulas, pages of them in every style, rows in brackets, columns, and strokes at random."""
    formulas = inked()
    found = [(name, strokes_of(ink)) for name, ink in formulas[:12]]
    examples = [Example(ink, (), (), name, "synthetic") for name, ink in formulas]
    for seed, (name, style) in enumerate(STYLES.items()):
        for number, page in enumerate(compose_pages(examples, style, PAGES, seed)):
            found.append((f"{name} {number}", strokes_of(thinned(page.ink, 1))))
    short = [ink for _, ink in formulas if len(ink) < 9][:4]
    found += [("brackets", bracketed(short)), ("columns", columns(short))]
    found += [("brackets drawn last", bracketed_late(short)), ("brace in parts", bracketed_late(short, 3))]
    chance = random.Random("strokes")
    for number in range(RANDOM):
        scale = 10 ** chance.uniform(-2, 3)
        found.append((f"random {number}", scribbles(chance, chance.randrange(1, 30), scale)))
    return found


def bracketed(formulas: list[Ink]) -> Strokes:
    """Rows beside a tall bracket, and a line below them."""
    rows = stacked(formulas[:3])
    bottom = max(y for stroke in rows[:-1] for _, y in stroke)
    bracket = [[-10.0, -10.0], [-20.0, -10.0], [-20.0, bottom + 5], [-10.0, bottom + 5]]
    return [bracket, *rows, *moved(strokes_of(formulas[3]), 0, bottom + 120)]


def bracketed_late(formulas: list[Ink], parts: int = 1) -> Strokes:
    """Rows, then a tall bracket before them, in one or more strokes, and a line below them."""
    rows = stacked(formulas[:3])
    bottom = max(y for stroke in rows for _, y in stroke)
    ends = np.linspace(-10.0, bottom + 5, parts + 1).tolist()
    bracket = [[[-12.0, a], [-20.0, (a + b) / 2], [-12.0, b]] for a, b in pairwise(ends)]
    return [*rows, *moved(bracket, 0, 0), *moved(strokes_of(formulas[3]), 0, bottom + 120)]


def columns(formulas: list[Ink]) -> Strokes:
    """Two columns of two lines."""
    left, right = stacked(formulas[:2]), stacked(formulas[2:])
    return [*left, *moved(right, max(x for stroke in left for x, _ in stroke) + 700, 0)]


def stacked(formulas: list[Ink]) -> Strokes:
    """One below the other, with little room between them."""
    found: Strokes = []
    y = 0.0
    for ink in formulas:
        left, top, _, bottom = ink.bounds
        found += moved(strokes_of(ink), -left, y - top)
        y += bottom - top + 25
    return found


def moved(strokes: Strokes, dx: float, dy: float) -> Strokes:
    """Strokes at another place."""
    return [[[round(x + dx, 1), round(y + dy, 1)] for x, y in stroke] for stroke in strokes]


def scribbles(chance: random.Random, count: int, scale: float) -> Strokes:
    """Strokes at random: letters, bars and dots in rows that overlap."""
    found: Strokes = []
    x = y = 0.0
    for _ in range(count):
        x += chance.uniform(0.2, 1.5)
        if chance.random() < 0.15:
            x, y = chance.uniform(0, 2), y + chance.uniform(0.3, 4)
        width, height = chance.choice([(0.6, 1), (0.2, 1.1), (1.5, 0.05), (3, 0.1), (0, 0), (0.3, 2.5)])
        points = [(chance.random() * width, chance.random() * height) for _ in range(chance.randrange(1, 6))]
        top = y + chance.uniform(-0.6, 0.6)
        found.append(
            [[float(f"{scale * (x + a):.5g}"), float(f"{scale * (top + b):.5g}")] for a, b in points]
        )
    return found


def lines_of(strokes: Strokes) -> list[list[int]]:
    """The lines that Python finds."""
    return [list(line) for line in find_lines(Ink.from_strokes(strokes))]


def evidence_of(strokes: Strokes) -> dict[str, Any]:
    """What speaks for bars, [stroke, first, last, passed, features], and for breaks, [place, features]."""
    page = Geometry(Ink.from_strokes(strokes))
    bars = [page.bar(stroke) for stroke in np.flatnonzero(page.flat).tolist()]
    return {
        "bars": [[bar.stroke, bar.first, bar.last, bar.passed, _short(bar.evidence)] for bar in bars],
        "cuts": [[place, _short(page.cut(0, place, len(page), 0.5))] for place in page.places().tolist()[:3]],
    }


def _short(evidence: Any) -> list[float]:
    return [float(f"{value:.6g}") for value in evidence.tolist()]


def session_steps() -> list[list[list[Any]]]:
    """What happens to a page while it is written."""
    chance = random.Random("sessions")
    written = [(name, strokes) for name, strokes in pages() if name.startswith(("natural", "own", "slanted"))]
    found = []
    for _, strokes in chance.sample(written, SESSIONS):
        steps: list[list[Any]] = [["add", place, stroke] for place, stroke in enumerate(strokes[:40])]
        places = list(range(len(steps)))
        for _ in range(8):
            place = chance.choice(places)
            if chance.random() < 0.5:
                steps.append(["remove", place])
                places.remove(place)
            else:
                other = moved([strokes[place]], 0, chance.choice([-90, 15, 200]))[0]
                steps.append(["replace", place, other])
        found.append(steps)
    # Many short lines, and then a stroke into the first, and one between it and the second.
    short = stacked([ink for _, ink in inked() if len(ink) < 9][:6])
    dots = [[[90.0, 30.0], [92.0, 34.0]], [[60.0, max(y for _, y in short[0]) + 5], [66.0, 80.0]]]
    # A sum with its limit below, and what is summed up: the pen goes down and up again.
    limit = moved(
        [[[0, 2], [4, 0], [4, 12]], [[8, 4], [18, 4]], [[8, 8], [18, 8]], [[22, 0], [26, 12]]], 0, 52
    )
    term = [[[40, 10], [60, 30]], [[60, 10], [40, 30]], [[70, 20], [85, 20]], [[77, 12], [78, 29]]]
    operator = [[[0, 0], [30, 0]], [[0, 0], [16, 20], [0, 40], [30, 40]]]
    more = ([*short, *dots, *short[:2]], [*operator, *limit, *term, *moved(term, 60, 0)])
    more = (*more, bracketed_late([ink for _, ink in inked() if len(ink) < 9][:4]))
    # A sum below an x, its bar drawn first, and a line that begins below the middle of another.
    sigma = [[[0, 20], [24, 21]], [[2, 22], [14, 34], [1, 46], [24, 46]], *moved(term[:2], -6, 18)]
    crosses = [[[x + a, 0], [x + 20 - a, 20]] for x in range(0, 240, 40) for a in (0, 20)]
    more = (*more, [[[4, 0], [18, 14]], [[18, 0], [4, 14]], *sigma], [*crosses, *moved(limit, 130, -24)])
    # A letter below ≤, one close below a short line, and a numerator right below the line above.
    relation = [*crosses[:2], [[60, 0], [40, 8], [60, 14]], [[40, 19], [62, 19]], *crosses[4:6]]
    letter = [[0, 0], [2, 20], [12, 18], [12, 10], [2, 12]]
    more = (*more, [*relation, *moved([letter, letter], 44, 34)])
    difference = [[[0, 20], [0, 0], [15, 20], [15, 0]], [[26, 10], [40, 10]], [[65, 2], [50, 10], [70, 11]]]
    more = (*more, [*difference, [[21, 23], [20, 25], [20, 43]], *moved([letter], 30, 23)])
    row = [*moved(crosses[:8], 0, 40), [[150, 40], [165, 40]], [[150, 46], [165, 46]]]
    more = (
        *more,
        [*crosses, *row, [[208, 22], [210, 31]], [[190, 43], [235, 43]], *moved([letter], 200, 50)],
    )
    return found + [[["add", place, stroke] for place, stroke in enumerate(strokes)] for strokes in more]


def session_lines(recognizer: Recognizer, steps: list[list[Any]]) -> list[list[list[Any]]]:
    """After each step the lines of the page: their numbers and strokes."""
    session = PageSession(recognizer)
    found = []
    for name, *arguments in steps:
        if name == "add":
            session.add(arguments[1])
        elif name == "remove":
            session.remove(arguments[0])
        else:
            session.replace(arguments[0], arguments[1])
        found.append([[number, list(strokes)] for number, _, strokes in session.arranged()])
    return found


def answer_of(recognizer: Recognizer, strokes: Strokes) -> dict[str, Any]:
    """The answer for a page, without times."""
    answer = recognizer.recognize(strokes, timeout=None).to_json()
    for each in (answer, *(line["recognition"] for line in answer["lines"])):
        del each["elapsed"]
    return answer


def make() -> dict[str, list[Any]]:
    """The content of the file."""
    recognizer = Recognizer(TWIN)
    cases: list[dict[str, Any]] = [
        {"name": name, "strokes": strokes, "lines": lines_of(strokes), "evidence": evidence_of(strokes)}
        for name, strokes in pages()
    ]
    several = [place for place, case in enumerate(cases) if len(case["lines"]) > 1]
    several.sort(key=lambda place: len(cases[place]["strokes"]))
    steps = session_steps()
    return {
        "pages": cases,
        "answers": [
            {"page": place, "answer": answer_of(recognizer, cases[place]["strokes"])} for place in several[:3]
        ],
        "sessions": [{"steps": each, "lines": session_lines(recognizer, each)} for each in steps],
    }


def main() -> None:
    """Write the file."""
    parts = [
        f'"{name}": [\n' + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]"
        for name, rows in make().items()
    ]
    PATH.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    print(f"{PATH.name}: {PATH.stat().st_size} bytes")


if __name__ == "__main__":
    main()
