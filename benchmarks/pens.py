"""CROHME 2013 as other pens would have recorded it: half the points, twice as many, a coarse mouse.

    python benchmarks/pens.py p2 twin wide

Prints the share of expressions that each model reads right, token for token, and how many of them differ from
the answer to the ink as it is.
"""

import argparse
from random import Random

from inktex.corpus import load_split
from inktex.corpus.pens import Pens, with_another_pen
from inktex.corpus.recombine import Piece
from inktex.evaluation.runner import read_answers
from inktex.ink import Ink
from inktex.reading import open_model

PENS = {
    "as it is": Pens(0.0, 0.0, 0.0),
    "every second point": Pens(0.0, 1.0, 0.0),
    "twice the points": Pens(0.0, 0.0, 1.0),
    "mouse": Pens(1.0, 0.0, 0.0),
}


def main() -> None:
    """Print a row per model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="+", help="names or files")
    parser.add_argument("--every", type=int, default=1, help="read one expression of so many")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    split = load_split("test2013")
    examples = [split[place] for place in range(0, len(split), given.every)]
    pieces = [Piece.of(example) for example in examples]
    print("| model | " + " | ".join(PENS) + " |")
    print("|---|" + "---:|" * len(PENS))
    for name in given.models:
        model = open_model(name)
        cells: list[str] = []
        first: tuple[tuple[str, ...] | None, ...] = ()
        for pens in PENS.values():
            inks = [
                Ink.from_strokes(with_another_pen(piece, pens, Random(f"pens/{number}")).strokes)
                for number, piece in enumerate(pieces)
            ]
            answers = read_answers(model, inks, jobs=given.jobs).tokens
            first = first or answers
            right = sum(answer == example.tokens for answer, example in zip(answers, examples, strict=True))
            other = sum(answer != before for answer, before in zip(answers, first, strict=True))
            cells.append(f"{100 * right / len(examples):.2f} ({other} differ)")
        print(f"| `{name}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
