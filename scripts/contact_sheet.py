"""Draw contact sheets of ink to look at: real, synthetic from each bank, recombined, augmented, wide, free.

    python scripts/contact_sheet.py FOLDER [--kind hershey] [--count 64] [--seed 0]

Kinds that need data that is not there are passed over with a note.
"""

import argparse
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from random import Random

import numpy as np

from inktex.augment import AugmentOptions, augment
from inktex.corpus import (
    BANKS,
    Corpus,
    Example,
    ExpressionModel,
    Synthesizer,
    load_split,
    open_bank,
    synthetic_example,
)
from inktex.corpus.free import FreeInk, free_drawings
from inktex.corpus.pictures import draw_sheet
from inktex.corpus.recombine import Piece, Recombiner
from inktex.corpus.wide import WideInk, WideMix, wide_banks
from inktex.features import PointBatch
from inktex.ink import Ink

WIDE_KINDS = tuple(f"wide-{each.name}" for each in fields(WideMix) if each.name != "real")
KINDS = (*BANKS, "real", "swapped-symbols", "swapped-groups", "parts", "augmented", *WIDE_KINDS, "free")


def synthetic(bank: str, corpus: Corpus | None, count: int, seed: int) -> list[Example]:
    """Write expressions like those of the corpus, or like the built-in ones, with a bank."""
    model = ExpressionModel(map(corpus.tokens, range(len(corpus)))) if corpus else ExpressionModel.builtin()
    synthesizer = Synthesizer(open_bank(bank))
    return [synthetic_example(synthesizer, model, seed, number) for number in range(count)]


def recombined(kind: str, corpus: Corpus, count: int, seed: int) -> list[Example]:
    """Make expressions out of parts of real ones; only those that did change."""
    random = np.random.default_rng(seed)
    recombiner = Recombiner(list(corpus))
    made: list[Example] = []
    while len(made) < count:
        before = Piece.of(corpus[int(random.integers(len(corpus)))])
        if kind == "swapped-symbols":
            after: Piece | None = recombiner.swap_symbols(before, 0.5, random)
        elif kind == "swapped-groups":
            after = recombiner.swap_group(before, random)
        else:
            after = recombiner.part(before, random)
        if after is not None and after is not before:
            made.append(after.to_example(f"{kind}-{len(made)}"))
    return made


def augmented(examples: Sequence[Example], seed: int) -> list[Example]:
    """Move the points of real ink as training does."""
    batch = augment(
        PointBatch.of([each.ink for each in examples]), AugmentOptions(), np.random.default_rng(seed)
    )
    made = []
    for number, example in enumerate(examples):
        first, last = batch.first_stroke[number : number + 2]
        strokes = [batch.xy[batch.stroke == stroke] for stroke in range(first, last)]
        ink = Ink.from_strokes(strokes)
        made.append(Example(ink, example.tokens, example.strokes_of, example.stem, "augmented"))
    return made


def wide(kind: str, corpus: Corpus, count: int, seed: int) -> list[Example]:
    """Make expressions of the wide vocabulary."""
    ink = WideInk(list(corpus), wide_banks(), seed=seed)
    return [ink.piece(kind, 0, number).to_example(f"{kind}-{number}", "wide") for number in range(count)]


def make(kind: str, count: int, seed: int) -> list[Example]:
    """Make the examples of a kind."""
    if kind == "free":
        return FreeInk(free_drawings(), seed=seed).examples(0, count)
    try:
        corpus: Corpus | None = load_split("train")
    except FileNotFoundError:
        corpus = None
    if kind in BANKS:
        return synthetic(kind, corpus, count, seed)
    if corpus is None:
        raise FileNotFoundError("needs the training set")
    if kind in ("real", "augmented"):
        real = [corpus[index] for index in Random(seed).sample(range(len(corpus)), count)]
        return real if kind == "real" else augmented(real, seed)
    if kind in WIDE_KINDS:
        return wide(kind.removeprefix("wide-"), corpus, count, seed)
    return recombined(kind, corpus, count, seed)


def main() -> None:
    """Draw what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--count", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for kind in arguments.kind or KINDS:
        try:
            examples = make(kind, arguments.count, arguments.seed)
        except FileNotFoundError as error:
            print(f"{kind}: passed over: {error}")
            continue
        path = arguments.folder / f"sheet-{kind}.png"
        draw_sheet([each.ink for each in examples], path, titles=[" ".join(each.tokens) for each in examples])
        print(f"{kind}: {path}")


if __name__ == "__main__":
    main()
