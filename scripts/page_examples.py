"""Make the examples of the web page: formulas in, `src/inktex/server/static/examples.json` out.

The ink is written by the project's own synthesis with the public-domain Hershey glyphs. Of several ways to
write each formula, the one that the model reads most surely is taken, so that visitors see it succeed:

    python scripts/page_examples.py [--model FILE]
"""

import argparse
import json
from pathlib import Path

from inktex.corpus import SynthesisOptions, Synthesizer
from inktex.corpus.hershey import hershey_bank
from inktex.files import write_atomically
from inktex.latex import normalize
from inktex.recognizer import Recognizer

TARGET = Path(__file__).parents[1] / "src/inktex/server/static/examples.json"
FORMULAS = {  # with a star: on the welcome of the page
    r"x^{2} + 1": "",
    r"\frac{a + b}{c}": "*",
    r"e^{i\pi} + 1 = 0": "*",
    r"a^{2} + b^{2} = c^{2}": "",
    r"\sqrt{x + y}": "*",
    r"x = \frac{-b \pm \sqrt{b^{2} - 4ac}}{2a}": "",
    r"\sum_{n=1}^{\infty}\frac{1}{n^{2}} = \frac{\pi^{2}}{6}": "",
    r"\int_{0}^{1} x^{2} dx": "",
    r"\lim_{x \rightarrow 0}\frac{\sin x}{x} = 1": "",
}


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="model file or name (default: the one in the package)")
    parser.add_argument("--ways", type=int, default=16, help="ways to write each formula")
    arguments = parser.parse_args()
    recognizer = Recognizer(arguments.model)
    options = SynthesisOptions(scatter=0.7, slant=0.03, slope=0.008, wobble=0.02, jitter=0.0, size=44.0)
    synthesizer = Synthesizer(hershey_bank(writers=10), options)
    examples = [
        {
            "latex": latex,
            "first": bool(mark),
            "strokes": _best(latex, recognizer, synthesizer, arguments.ways),
        }
        for latex, mark in FORMULAS.items()
    ]
    write_atomically(TARGET, json.dumps(examples, separators=(",", ":")) + "\n")
    print(f"{TARGET.name}: {len(examples)} examples, {TARGET.stat().st_size // 1024} KB")


def _best(latex: str, recognizer: Recognizer, synthesizer: Synthesizer, ways: int) -> list[list[list[int]]]:
    """The strokes of the way of writing that is read right with the highest score."""
    tokens = normalize(latex)
    best, ink = -1.0, None
    for seed in range(ways):
        written = synthesizer.write(tokens, f"page/{seed}").ink
        answer = recognizer.recognize(written)
        if answer.texts == tokens and answer.score > best:
            best, ink = answer.score, written
    if ink is None:
        raise SystemExit(f"{latex}: not read right in any of {ways} ways")
    print(f"{latex}: {best:.2f}")
    left, top, _, bottom = ink.bounds
    scale = 1.4 if bottom - top < 300 else 1.0
    moved = ink.translate(-left, -top).scale(scale)
    return [[[round(x), round(y)] for x, y in stroke.tolist()] for stroke in moved.strokes]


if __name__ == "__main__":
    main()
