"""From packages on disk (folders, zips) to splits in the cache.

The truth of an expression is its caption where one exists, otherwise the normalised LaTeX of the file. The
strokes of a token come from the file's MathML and segmentation or, where those have gaps, from the
alignment; otherwise they are unknown and empty. Captions (the paper's normalised truth) and alignments lie
in the folder that holds the ink packages:

- `captions/<split>.txt`: one expression per line, `stem<TAB>tokens`;
- `captions/<split>_alignment.tar.gz`: one member `<stem>.align` per expression, one line per token: the token
  and its 0-based strokes, -1 for a token without ink.
"""

import tarfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import inktex.ink
import inktex.latex
from inktex.corpus.cache import FORMAT, Problem, write_corpus
from inktex.corpus.example import Example, StrokesOf
from inktex.corpus.packages import InkFile, Source, digest_of, walk
from inktex.ink import Ink, InkError, read
from inktex.latex import LatexError, Layout, layout_from_mathml, normalize, parse_layout

_WITHOUT_INK = frozenset({"{", "}", "_", "^", "[", "]"})  # brackets may be those of a root's index
_STRUCTURE = frozenset({"{", "}", "_", "^", "[", "]", r"\frac", r"\sqrt"})


@dataclass(frozen=True)
class Captions:
    """The truth of a split that does not come from the ink files themselves."""

    tokens: dict[str, tuple[str, ...]] = field(default_factory=dict)
    strokes_of: dict[str, StrokesOf] = field(default_factory=dict)


def caption_files(folder: Path, split: str) -> list[Path]:
    """List the caption and alignment files that exist for a split of the packages in `folder`."""
    names = (f"{split}.txt", f"{split}_alignment.tar.gz")
    return [path for name in names if (path := folder / "captions" / name).is_file()]


def read_captions(files: Iterable[Path]) -> Captions:
    """Read what `caption_files` found; nothing found means no captions."""
    captions = Captions()
    for path in sorted(files, key=lambda path: path.suffix != ".txt"):  # alignments after all captions
        if path.suffix == ".txt":
            captions.tokens.update(_read_table(path))
            continue
        for stem, tokens, strokes_of in _read_alignments(path):
            # An alignment of another wording of the same expression would point at the wrong tokens.
            if captions.tokens.get(stem) == tokens:
                captions.strokes_of[stem] = strokes_of
    return captions


def _read_table(path: Path) -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        stem, tab, words = line.partition("\t")
        if not tab or not words.strip():
            raise ValueError(f"{path}: line {number}: expected a stem, a tab and the tokens")
        table[stem] = tuple(words.split())
    return table


def _read_alignments(path: Path) -> Iterator[tuple[str, tuple[str, ...], StrokesOf]]:
    """Yield stem, tokens and the strokes of each token."""
    with tarfile.open(path, "r:*") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".align") else None
            if file is None:
                continue
            tokens: list[str] = []
            strokes_of: list[tuple[int, ...]] = []
            for line in filter(str.strip, file.read().decode("utf-8").splitlines()):
                token, *numbers = line.split()
                tokens.append(token)
                try:
                    strokes_of.append(tuple(sorted(int(number) for number in numbers if number != "-1")))
                except ValueError as error:
                    raise ValueError(
                        f"{path}: {member.name}: {line!r}: expected a token and stroke numbers"
                    ) from error
            yield Path(member.name).stem, tuple(tokens), tuple(strokes_of)


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
        layout = parse_layout(normalize(ink.truth or "") if caption is None else caption)
    except LatexError as error:
        return Problem(file.path, f"truth {ink.truth!r}: {error}")
    tokens = layout.tokens()
    if not tokens:
        return Problem(file.path, "the truth is empty")
    # The file first: of scripts with equal symbols, as in x_x^x, the alignments exchange the strokes.
    known = [strokes_from_file(ink, tokens)]
    if stem in captions.strokes_of:
        aligned = dict(enumerate(captions.strokes_of[stem])) | {None: ()}
        known.append(layout.changed(lambda node: replace(node, strokes=aligned[node.token])).token_strokes())
    usable = [each for each in known if all(stroke < len(ink) for strokes in each for stroke in strokes)]
    return Example(ink, tokens, min(usable, key=lambda each: _unknown(tokens, each)), stem, folder)


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
    layout = annotated_layout(ink)
    if layout is None:
        return unknown
    # A caption may name a symbol otherwise than the file (dots for dots); its place is what counts.
    one, other = ([token in _STRUCTURE and token for token in each] for each in (layout.tokens(), tokens))
    return layout.token_strokes() if one == other else unknown


def annotated_layout(ink: Ink) -> Layout | None:
    """The layout that a file is annotated with, by its MathML and its segmentation; None where it has none.

    In a few files of CROHME (6 of 2013, 18 of 2014) the MathML differs from the LaTeX, so the strokes of the
    LaTeX tokens are unknown (`Example.strokes_of` is empty). The competition scored strokes by the MathML.
    """
    if not (ink.mathml and ink.symbols):
        return None
    try:
        return layout_from_mathml(ink.mathml, [(each.label, each.strokes, each.id) for each in ink.symbols])
    except LatexError:
        return None


def _strokes_in_order(ink: Ink, tokens: tuple[str, ...]) -> StrokesOf | None:
    """Where the symbols of a file are named in the order of its LaTeX, as in ink that was synthesised."""
    nodes = list(parse_layout(tokens).symbols())
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
    known = read_captions(captions)
    origin = {"paths": [str(source.path) for source in sources], "captions": [str(path) for path in captions]}
    examples: list[Example] = []
    seen: dict[str, Example] = {}
    problems: list[Problem] = []
    for file in (file for source in sources for file in walk(source, belongs)):
        progress(file.path)
        made = make_example(file, known)
        if isinstance(made, Problem):
            problems.append(made)
        elif made.stem in seen and np.array_equal(seen[made.stem].ink.points, made.ink.points):
            problems.append(Problem(file.path, "the same ink under the same name was read before"))
        else:
            seen.setdefault(made.stem, made)
            examples.append(made)
    # Test packages come twice, with and without truth: the poorer copy adds nothing.
    poorer = {
        each for each in problems if each.reason.startswith("no truth") and Path(each.path).stem in seen
    }
    write_corpus(target, split, examples, [each for each in problems if each not in poorer], origin)


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
