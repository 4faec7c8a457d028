"""Symbol banks from data: the segmented symbols of CROHME, and the single symbols of Detexify and mathnote.

Turns a corpus or the file of a collection into a bank whose labels are the tokens of the captions.
`open_bank` finds the data by the bank's name.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from inktex.corpus.bank import MAX_POINTS, Glyph, SymbolBank, read_bank, write_bank
from inktex.corpus.cache import ContainerError
from inktex.corpus.example import Example
from inktex.corpus.hershey import hershey_bank
from inktex.corpus.load import load_split
from inktex.corpus.packages import cache_folder, digest_of
from inktex.corpus.roles import WORDS, metric
from inktex.corpus.symbol_files import find_collection, read_collection
from inktex.latex import LatexError, normalize

BANKS = ("hershey", "crohme", "detexify", "mathnote")
_FORMAT = 2  # raised whenever the way symbols are taken from data changes
_MAX_STROKES = 6  # of a symbol that is not a word


def open_bank(name: str, data: Path | None = None) -> SymbolBank:
    """Open a bank by name; symbols that it lacks are taken from the built-in one.

    Banks made from data are kept in the cache folder, named after what they were made from.
    """
    if name == "hershey":
        return hershey_bank()
    if name == "crohme":
        corpus = load_split("train", data)
        return _filled_up(cached_bank(corpus.path, lambda: crohme_bank(corpus)))
    if name in BANKS:
        path = find_collection(name, data)
        return _filled_up(cached_bank(path, lambda: collection_bank(name, path)))
    raise ValueError(f"no symbol bank is called {name!r}; there are {', '.join(BANKS)}")


def _filled_up(bank: SymbolBank) -> SymbolBank:
    return SymbolBank(bank.name, [*bank, *hershey_bank(without=bank)])


def cached_bank(
    source: Path, make: Callable[[], SymbolBank], kind: str = f"bank/{_FORMAT}", name: str = ""
) -> SymbolBank:
    """Open the cached bank of this kind that was made from a file, or make it."""
    digest = digest_of([source], kind)
    name = name or source.name.split("-")[0].split(".")[0]
    path = cache_folder() / "banks" / f"{name}-{digest}.bank"
    if path.exists():
        try:
            return read_bank(path)
        except (ContainerError, OSError, KeyError):
            pass  # damaged: made again below
    bank = make()
    write_bank(path, bank)
    return bank


def crohme_bank(examples: Iterable[Example]) -> SymbolBank:
    """Cut out every symbol of examples whose strokes are known."""
    return SymbolBank("crohme", (glyph for example in examples for glyph in _symbols_of(example)))


def _symbols_of(example: Example) -> Iterator[Glyph]:
    writer = f"{example.folder}/{example.ink.writer or example.stem}"
    strokes = example.ink.strokes
    for token, numbers in zip(example.tokens, example.strokes_of, strict=True):
        if numbers and (token in WORDS or len(numbers) <= _MAX_STROKES):
            glyph = Glyph.from_strokes(token, [strokes[number] for number in numbers], writer)
            if _plausible(glyph):
                yield glyph


def _plausible(glyph: Glyph) -> bool:
    """Leave out scribbles, and symbols that were cut out wrongly and have a shape they cannot have."""
    if len(glyph.points) > (3 if glyph.label in WORDS else 1) * MAX_POINTS:
        return False
    usual = metric(glyph.label)
    if usual.flat:
        return glyph.width > 0 and glyph.height < 1.5 * glyph.width * max(0.3, usual.height / usual.width)
    if usual.height < 0.3:
        return True  # dots are of any shape
    return glyph.height > 0 and glyph.width < 3.0 * glyph.height * max(0.4, usual.width / usual.height)


def collection_bank(name: str, path: Path) -> SymbolBank:
    """All drawings of a collection of single symbols."""
    drawn = (replace(glyph, label=_written_as(glyph.label)) for glyph in read_collection(name, path))
    return SymbolBank(name, (glyph for glyph in drawn if len(glyph.points) <= MAX_POINTS))


@cache
def _written_as(label: str) -> str:
    r"""The token that expressions have for a label: `\rightarrow` for `\to`, `\sqrt` for `\sqrt{}`."""
    label = label.removesuffix("{}")
    try:
        tokens = normalize(label)
    except LatexError:
        return label
    return tokens[0] if len(tokens) == 1 else label
