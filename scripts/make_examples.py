"""Make the ink in `examples/`: formulas written with the built-in symbols, in every format that inktex reads.

    python scripts/make_examples.py [--model NAME] [--tries 40]

Each formula is written with several seeds; of those that the model reads right, the one it is surest of is
kept, so that the examples show what works. `examples/answers.json` lists what every file says. The same model
gives the same files.
"""

import argparse
import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import example_formats as formats
import numpy as np

from inktex.corpus import SynthesisOptions, Synthesizer, open_bank
from inktex.files import write_atomically
from inktex.ink import Ink
from inktex.latex import normalize, print_latex
from inktex.recognizer import Recognizer

FOLDER = Path(__file__).resolve().parent.parent / "examples"

EXAMPLES: dict[str, tuple[str, Callable[[Ink], bytes]]] = {
    "pythagoras.inkml": ("a^2 + b^2 = c^2", formats.inkml),
    "quadratic.xopp": (r"x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}", lambda ink: formats.xournal([ink])),
    "integral.excalidraw": (r"\int_0^1 x^2 d x", formats.excalidraw),
    "series.scgink": (r"\sum_{n=1}^{\infty} \frac{1}{n^2}", formats.scgink),
    "euler.mathpix.json": (r"e^{i \pi} + 1 = 0", formats.mathpix),
    "limit.jiix": (r"\lim_{x \rightarrow 0} x = 0", formats.jiix),
    "root.myscript.json": (r"\sqrt{x + 1}", formats.myscript_request),
    "identity.events.json": (r"\sin \theta + \cos \theta", formats.pointer_events),
    "recursion.json": ("a_{n+1} = 2 a_n", formats.plain_json),
    "proportion.json": (r"\frac{a}{b} = \frac{c}{d}", formats.object_json),
}
PAGE = "page.xopp"
PAGE_FORMULAS = ("x + y = 7", "x - y = 3", "2 x = 1 0", "x = 5")
ARCHIVE = "archive.zip"


def write_best(latex: str, synthesizer: Synthesizer, recognizer: Recognizer, tries: int) -> Ink | None:
    """The ink of a formula that the model reads right and is surest of; None if it never does."""
    tokens = normalize(latex)
    best: tuple[float, Ink] | None = None
    for seed in range(tries):
        ink = tidy(synthesizer.write(tokens, f"example/{latex}/{seed}").ink)
        answer = recognizer.recognize(ink)
        if answer.texts == tokens and (best is None or answer.score > best[0]):
            best = (answer.score, ink)
    return None if best is None else best[1]


def tidy(ink: Ink) -> Ink:
    """Ink of a usual size near the corner of a page, coordinates with one digit after the point."""
    left, top, _, bottom = ink.bounds
    heights = [float(np.ptp(stroke[:, 1])) for stroke in ink.strokes]
    scale = 28.0 / max(float(np.median(heights)), 0.2 * (bottom - top))
    moved = ink.translate(-left, -top).scale(scale).translate(40.0, 60.0)
    return moved.replace(points=np.round(moved.points, 1), source=None, writer=None)


def main() -> None:
    """Write the folder; exit code 1 if a formula was never read right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", default=None)
    parser.add_argument("--tries", type=int, default=40)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    recognizer = Recognizer(arguments.model)
    synthesizer = Synthesizer(open_bank("hershey"), SynthesisOptions(scatter=0.6))
    answers: dict[str, str | list[str]] = {}
    missing: list[str] = []
    made: dict[str, bytes] = {}
    for name, (latex, write) in EXAMPLES.items():
        ink = write_best(latex, synthesizer, recognizer, arguments.tries)
        if ink is None:
            missing.append(name)
            continue
        made[name] = write(ink)
        answers[name] = print_latex(normalize(latex))
        print(f"{name}: {answers[name]}", flush=True)
    page = [write_best(latex, synthesizer, recognizer, arguments.tries) for latex in PAGE_FORMULAS]
    if all(ink is not None for ink in page):
        lines = [ink.translate(0.0, 120.0 * number) for number, ink in enumerate(page) if ink is not None]
        made[PAGE] = formats.xournal([sum(lines[1:], lines[0])])
        answers[PAGE] = [print_latex(normalize(latex)) for latex in PAGE_FORMULAS]
    else:
        missing.append(PAGE)
    inside = [name for name in ("pythagoras.inkml", "root.myscript.json") if name in made]
    made[ARCHIVE] = archive({name: made[name] for name in inside})
    answers[ARCHIVE] = [str(answers[name]) for name in inside]
    for name, content in made.items():
        write_atomically(arguments.folder / name, content)
    write_atomically(arguments.folder / "answers.json", json.dumps(answers, indent=1) + "\n")
    if missing:
        sys.exit(f"never read right in {arguments.tries} tries: {', '.join(missing)}")


def archive(files: dict[str, bytes]) -> bytes:
    """A zip of files, the same bytes every time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in files.items():
            target.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


if __name__ == "__main__":
    main()
