"""How fast ink is read, made and measured, and how well LaTeX and layout agree with the data's own.

    OMP_NUM_THREADS=1 python benchmarks/data.py

CPU time of one core (set OMP_NUM_THREADS=1), which a busy machine disturbs little. All but the synthesis
needs CROHME.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from inktex.augment import AugmentOptions, augment
from inktex.corpus import (
    Example,
    ExpressionModel,
    Synthesizer,
    load_split,
    locate,
    open_bank,
    synthetic_example,
)
from inktex.corpus.importing import caption_files, read_captions
from inktex.corpus.packages import find_sources, walk
from inktex.corpus.recombine import Piece, Recombiner
from inktex.evaluation.provenance import provenance
from inktex.features import FeatureOptions, PointBatch, extract_many
from inktex.ink import InkError, read
from inktex.latex import CROHME_CLASSES, LatexError, join, layout_from_mathml, normalize, parse_layout

SYNTHETIC = 2000


@contextmanager
def timed(found: Callable[[float], str]) -> Iterator[None]:
    """Print what came of the seconds that the block took."""
    begin = time.process_time()
    yield
    print(found(time.process_time() - begin), flush=True)


def agreement(folder: Path, split: str, package: str) -> None:
    """Read every file of a package; compare its LaTeX with the caption and its MathML with its LaTeX."""
    captions = read_captions(caption_files(folder, split)).tokens
    [source] = find_sources([folder / package])
    found: Counter[str] = Counter()
    seconds = 0.0
    for file in walk(source, lambda path: True):
        begin = time.process_time()
        try:
            ink = read(file.data or b"", name=file.path)
        except InkError:
            continue
        finally:
            seconds += time.process_time() - begin
        found["files"] += 1
        caption = captions.get(Path(file.path).stem)
        try:
            ours = normalize(ink.truth or "")
        except LatexError:
            ours = ()
        found["captions"] += caption is not None and ours == normalize(join(caption))
        try:
            expected = parse_layout(caption or ours)
            theirs = layout_from_mathml(ink.mathml or "", [(s.label, s.strokes, s.id) for s in ink.symbols])
        except LatexError:
            continue
        found["layouts"] += theirs == expected
        found["classes"] += theirs.renamed(CROHME_CLASSES) == expected.renamed(CROHME_CLASSES)
    count = found["files"]
    print(f"| {split}: files read | {count} in {seconds:.0f} s |")
    if captions:
        print(f"| {split}: LaTeX of the file equals the caption | {100 * found['captions'] / count:.2f} % |")
    same = f"{found['layouts']} of {count}, {found['classes']} in the 101 classes of CROHME"
    print(f"| {split}: layout from MathML and segmentation equals that of the LaTeX | {same} |", flush=True)


def speeds(examples: list[Example]) -> None:
    """Features, augmentation and recombination of real ink."""
    inks = [example.ink for example in examples]
    for name, options in (("paper", FeatureOptions.paper()), ("polyline", FeatureOptions.polyline())):
        begin = time.process_time()
        features = extract_many(inks, options)
        rate = len(inks) / (time.process_time() - begin)
        points = np.mean([len(each.rows) for each in features])
        print(f"| features, preset {name} | {rate:,.0f} expressions/s, {points:.0f} points on average |")
    batch = PointBatch.of(inks)
    with timed(lambda seconds: f"| augmentation | {len(inks) / seconds:,.0f} expressions/s |"):
        augment(batch, AugmentOptions(), np.random.default_rng(0))
    recombiner, random = Recombiner(examples), np.random.default_rng(0)
    pieces = [Piece.of(example) for example in examples]
    with timed(lambda seconds: f"| recombination | {60 * len(pieces) / seconds:,.0f} expressions/minute |"):
        for piece in pieces:
            recombiner.swap_group(piece, random)


def main() -> None:
    """Print a table."""
    print("| what | measured |\n|---|---|")
    synthesizer, model = Synthesizer(open_bank("hershey")), ExpressionModel.builtin()
    with timed(lambda seconds: f"| synthesis | {60 * SYNTHETIC / seconds:,.0f} expressions/minute |"):
        for number in range(SYNTHETIC):
            synthetic_example(synthesizer, model, 1, number)
    data = locate()
    if data is None:
        print("(the rest needs CROHME: set INKTEX_DATA)")
    else:
        corpus = load_split("train")
        with timed(lambda seconds: f"| opening the training set from the cache | {seconds:.2f} s |"):
            corpus = load_split("train")
        speeds([corpus[index] for index in range(0, len(corpus), 4)])
        folder = data / "crohme" if (data / "crohme").is_dir() else data
        for split in ("train", "test2013", "test2014"):
            if (folder / f"{split}.zip").is_file():
                agreement(folder, split, f"{split}.zip")
    print(f"\n*{provenance('OMP_NUM_THREADS=1 python benchmarks/data.py').line()}*")


if __name__ == "__main__":
    main()
