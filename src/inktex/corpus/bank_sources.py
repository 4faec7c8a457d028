"""Symbol banks from data: the segmented symbols of CROHME, and the single symbols of Detexify and mathnote.

Turns a corpus or the file of a collection into a bank whose labels are the tokens of the captions.
`open_bank` finds the data by the bank's name.
"""

import json
import lzma
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from inktex.corpus.bank import MAX_POINTS, Glyph, SymbolBank, read_bank, write_bank
from inktex.corpus.container import ContainerError
from inktex.corpus.example import Example
from inktex.corpus.hershey import hershey_bank
from inktex.corpus.load import load_split
from inktex.corpus.locate import cache_folder, locate
from inktex.corpus.metrics import WORDS, metric
from inktex.corpus.packages import digest_of
from inktex.latex import LatexError, normalize

BANKS = ("hershey", "crohme", "detexify", "mathnote")
_FORMAT = 1  # raised whenever the way symbols are taken from data changes
_MAX_STROKES = 6  # of a symbol that is not a word

# Commands of Detexify that are drawn like a token of the captions, beyond the normaliser's synonyms.
_DRAWN_ALIKE = {
    r"\sqrt{}": r"\sqrt", r"\mathellipsis": r"\ldots", r"\ldotp": ".", r"\cdotp": r"\cdot",
    r"\centerdot": r"\cdot", r"\shortmid": "|", r"\diagup": "/", r"\shortrightarrow": r"\rightarrow",
    r"\varphi": r"\phi", r"\triangle": r"\Delta", r"\bigtriangleup": r"\Delta", r"\backprime": "",
}  # fmt: skip
_UPRIGHT_GREEK = re.compile(
    r"\\([Uu]p)(alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau"
    r"|upsilon|phi|chi|psi|omega)"
)
_MATHNOTE_NAMES = {
    "colon": ":", "dot": r"\cdot", "slash": "/", "lbrace": r"\{", "rbrace": r"\}", "prime": r"\prime",
}  # fmt: skip


def open_bank(name: str, data: Path | None = None) -> SymbolBank:
    """Open a bank by name; symbols that it lacks are taken from the built-in one.

    Banks made from data are kept in the cache folder, named after what they were made from.
    """
    if name == "hershey":
        return hershey_bank()
    if name == "crohme":
        corpus = load_split("train", data)
        return _filled_up(cached_bank(corpus.path, lambda: crohme_bank(corpus)))
    if name in _COLLECTIONS:
        inner, make = _COLLECTIONS[name]
        path = find_collection(data or locate(), inner)
        return _filled_up(cached_bank(path, lambda: make(path)))
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


def find_collection(folder: Path | None, inner: str) -> Path:
    """Find the file of a collection in the data folder."""
    path = folder / inner if folder is not None else None
    if path is None or not path.is_file():
        raise FileNotFoundError(f"no {inner} in the data folder; set INKTEX_DATA to the folder that holds it")
    return path


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


def detexify_bank(path: Path) -> SymbolBank:
    """Read the drawings of Detexify: `{"command": …, "strokes": [[[x, y], …], …]}` per line."""
    labels: dict[str, str] = {}
    glyphs = []
    for line in json_lines(path):
        command = line["command"]
        label = labels[command] if command in labels else labels.setdefault(command, _token_of(command))
        if label:  # who drew it is not recorded
            glyphs.append(Glyph.from_strokes(label, line["strokes"], "detexify"))
    return SymbolBank("detexify", (glyph for glyph in glyphs if len(glyph.points) <= MAX_POINTS))


def _token_of(command: str) -> str:
    """Give the token that is drawn like a command, "" to leave it out."""
    if command in _DRAWN_ALIKE:
        return _DRAWN_ALIKE[command]
    upright = _UPRIGHT_GREEK.fullmatch(command)
    if upright:
        command = "\\" + (upright[2].capitalize() if upright[1] == "Up" else upright[2])
    try:
        tokens = normalize(command)
    except LatexError:
        return command
    return tokens[0] if len(tokens) == 1 else command


def mathnote_bank(path: Path) -> SymbolBank:
    """Read the symbols of mathnote: `{"name": …, "strokes": [[[x, y], …], …]}` per line, by one writer."""
    glyphs = (
        Glyph.from_strokes(mathnote_token(line["name"]), line["strokes"], "mathnote")
        for line in json_lines(path)
    )
    return SymbolBank("mathnote", (glyph for glyph in glyphs if len(glyph.points) <= MAX_POINTS))


def mathnote_token(name: str) -> str:
    """Give the token of a class of mathnote: `A_cap` is A, `colon` is `:`."""
    stem = name.removesuffix("_cap").removesuffix("_up")
    if name in _MATHNOTE_NAMES:
        return _MATHNOTE_NAMES[name]
    return stem if len(stem) == 1 else "\\" + stem


_COLLECTIONS: dict[str, tuple[str, Callable[[Path], SymbolBank]]] = {
    "detexify": ("detexify/math_symbols.jsonl.xz", detexify_bank),
    "mathnote": ("mathnote/symbols.jsonl.xz", mathnote_bank),
}


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read a compressed file of one JSON object per line."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise ValueError(f"{path}: line {number}: not JSON: {error}") from error
