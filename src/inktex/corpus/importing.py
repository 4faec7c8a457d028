"""From packages on disk (folders, zips) to splits in the cache.

The truth of an expression is its caption where one exists, otherwise the normalised LaTeX of the file. The
strokes of a token come from the file's MathML and segmentation or, where those have gaps, from the
alignment; otherwise they are unknown and empty.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import inktex.ink
import inktex.latex
from inktex.corpus.cache import FORMAT, Problem, write_corpus
from inktex.corpus.captions import Captions, caption_files, read_captions
from inktex.corpus.example import Example, StrokesOf, canonical_order
from inktex.corpus.packages import InkFile, Source, digest_of, walk
from inktex.ink import Ink, InkError, read
from inktex.latex import LatexError, layout_from_mathml, normalize, parse_layout

_WITHOUT_INK = frozenset({"{", "}", "_", "^", "[", "]"})  # brackets may be those of a root's index
_STRUCTURE = frozenset({"{", "}", "_", "^", "[", "]", r"\frac", r"\sqrt"})


def make_example(file: InkFile, captions: Captions) -> Example | Problem:
    """Turn one file into an example, or say why it gives none."""
    if file.data is None:
        return Problem(file.path, file.problem or "cannot be read")
    folder, stem = Path(file.path).parent.name, Path(file.path).stem
    try:
        ink = read(file.data, name=file.path)
    except InkError as error:
        return Problem(file.path, str(error).removeprefix(f"{file.path}: "))
    caption = captions.tokens.get(stem)
    if caption is None and not ink.truth:
        return Problem(file.path, "no truth in the file and no caption for it")
    try:
        tokens = normalize(ink.truth or "") if caption is None else caption
        order = canonical_order(tokens)
    except (LatexError, ValueError) as error:
        return Problem(file.path, f"truth {ink.truth!r}: {error}")
    if not order:
        return Problem(file.path, "the truth is empty")
    canonical = tuple(tokens[i] for i in order)
    aligned = captions.strokes_of.get(stem)
    # The file first: of scripts with equal symbols, as in x_x^x, the alignments exchange the strokes.
    known = [strokes_from_file(ink, canonical)]
    if aligned is not None:
        known.append(tuple(aligned[i] for i in order))
    usable = [each for each in known if all(stroke < len(ink) for strokes in each for stroke in strokes)]
    return Example(ink, canonical, min(usable, key=lambda each: _unknown(canonical, each)), stem, folder)


def _unknown(tokens: tuple[str, ...], strokes_of: StrokesOf) -> int:
    """Count the tokens that must have been written and have no strokes."""
    pairs = zip(tokens, strokes_of, strict=True)
    return sum(not strokes and token not in _WITHOUT_INK for token, strokes in pairs)


def strokes_from_file(ink: Ink, tokens: tuple[str, ...]) -> StrokesOf:
    """Find the strokes of each token from the MathML and segmentation of the file, or leave all empty."""
    unknown: StrokesOf = ((),) * len(tokens)
    if not ink.symbols:
        return unknown
    if not ink.mathml:
        return _strokes_in_order(ink, tokens) or unknown
    try:
        layout = layout_from_mathml(ink.mathml, [(each.label, each.strokes, each.id) for each in ink.symbols])
    except LatexError:
        return unknown
    # A caption may name a symbol otherwise than the file (dots for dots); its place is what counts.
    structure = [
        [token if token in _STRUCTURE else None for token in each] for each in (layout.tokens(), tokens)
    ]
    return layout.token_strokes() if structure[0] == structure[1] else unknown


def _strokes_in_order(ink: Ink, tokens: tuple[str, ...]) -> StrokesOf | None:
    """Where the symbols of a file are named in the order of its LaTeX, as in ink that was synthesised."""
    try:
        nodes = list(parse_layout(tokens).symbols())
    except LatexError:
        return None
    if [symbol.label for symbol in ink.symbols] != [node.label for node in nodes]:
        return None
    strokes = {node.token: symbol.strokes for node, symbol in zip(nodes, ink.symbols, strict=True)}
    return tuple(strokes.get(place, ()) for place in range(len(tokens)))


def build_split(
    split: str,
    sources: Sequence[Source],
    target: Path,
    captions: Sequence[Path],
    belongs: Callable[[str], bool],
    progress: Callable[[str], None] = lambda path: None,
) -> None:
    """Read all files of `sources` that belong to the split and write them to `target`."""
    known = read_captions(list(captions))
    problems: list[Problem] = []
    origin = {"paths": [str(source.path) for source in sources], "captions": [str(path) for path in captions]}

    def examples() -> Iterator[Example]:
        seen: dict[str, Example] = {}
        waiting: list[Problem] = []
        for source in sources:
            for file in walk(source, belongs):
                progress(file.path)
                made = make_example(file, known)
                if isinstance(made, Problem):
                    waiting.append(made)
                elif made.stem in seen and _same_ink(seen[made.stem].ink, made.ink):
                    waiting.append(Problem(file.path, "the same ink under the same name was read before"))
                else:
                    seen.setdefault(made.stem, made)
                    yield made
        # Test packages come twice, with and without truth: the poorer copy adds nothing.
        problems.extend(
            problem
            for problem in waiting
            if not (problem.reason.startswith("no truth") and Path(problem.path).stem in seen)
        )

    write_corpus(target, split, examples(), problems, origin)


def _same_ink(one: Ink, other: Ink) -> bool:
    return one.points.shape == other.points.shape and bool((one.points == other.points).all())


def captions_beside(sources: Iterable[Source], split: str) -> list[Path]:
    """List the caption files that lie in the folder of any source, or one above."""
    folders = sorted({folder for source in sources for folder in source.path.parents[:2]})
    return [path for folder in folders for path in caption_files(folder, split)]


def split_digest(split: str, sources: Sequence[Source], captions: Sequence[Path], whole: bool) -> str:
    """Name what a cache file was made from: the files, and the code and tables that read them.

    Without the code, tokens of an older normaliser would outlive it unnoticed.
    """
    rooms = [Path(room.__path__[0]) for room in (inktex.ink, inktex.latex)]
    code = [path for room in rooms for kind in ("*.py", "*.toml") for path in sorted(room.glob(kind))]
    files = [*(source.path for source in sources), *captions, *code, Path(__file__)]
    return digest_of(files, f"{FORMAT}/{split}/{whole}")
