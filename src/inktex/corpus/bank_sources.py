r"""Symbol banks from data: the segmented symbols of CROHME, and collections of single symbols.

`open_bank` finds the data by the bank's name; the labels are the tokens of the captions.
`open_drawings("detexify", "train")` gives a bank whose labels are tokens of `latex.symbols.WIDE`. Each
collection is split once and for all, by writer where that is known and by drawing where it is not: four
fifths are "train", one fifth is "test". Of Detexify, `UNKNOWN` lists the 40 classes that no model may ever
see ("unknown", to test what a model says about them), and "strangers" are the other classes that have no
token and do not look like one of the 40, to set thresholds with. Mislabelled drawings are left out (see
`agreement`). Commands of Detexify that are drawn like a token get its label (`drawn_alike.txt`: other names
for a symbol, heavier, longer or slanted forms of it, and what nobody could tell apart on paper).

Licences: Detexify ODbL, mathnote Apache-2.0, Omniglot MIT.
"""

import hashlib
import json
import lzma
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

from inktex.corpus.agreement import agreeing, descriptors
from inktex.corpus.bank import MAX_POINTS, Glyph, SymbolBank, read_bank, write_bank
from inktex.corpus.cache import ContainerError
from inktex.corpus.example import Example
from inktex.corpus.hershey import hershey_bank
from inktex.corpus.load import load_split
from inktex.corpus.packages import digest_of, locate
from inktex.corpus.roles import WORDS, metric
from inktex.corpus.thinning import thinned_glyphs
from inktex.files import cache_folder
from inktex.latex import LatexError, normalize, symbols

BANKS = ("hershey", "crohme", "detexify", "mathnote")
_FORMAT = 3  # raised whenever the way symbols are taken from data changes
_MAX_STROKES = 6  # of a symbol that is not a word
_FILES = {
    "detexify": "detexify/math_symbols.jsonl.xz",
    "mathnote": "mathnote/symbols.jsonl.xz",
    "omniglot": "omniglot/letters.jsonl.xz",
}
COLLECTIONS = tuple(_FILES)
WIDE = frozenset(symbols.WIDE)
# The 40 classes of Detexify that no model may ever see.
_FORTY = r"""
    \Game \P \S \aquarius \bell \between \bigstar \blacktriangledown \boxdot \boxplus \cancer \circledR
    \circledast \circlearrowright \clock \clubsuit \copyright \divideontimes \fint \frownie \gtreqless
    \heartsuit \jupiter \lessgtr \lightning \llparenthesis \looparrowright \maltese \measuredangle
    \mercury \multimap \pisces \pounds \scorpio \skull \spadesuit \sun \taurus \triangleright \unlhd
"""
UNKNOWN: tuple[str, ...] = tuple(_FORTY.split())
DRAWN_ALIKE: dict[str, str] = {
    command: row.split()[0]
    for row in files("inktex.corpus").joinpath("drawn_alike.txt").read_text("utf-8").splitlines()
    for command in row.split()[1:]
}
_LETTERS_ALIKE = {r"\mathds": r"\mathbb", r"\mathscr": r"\mathcal"}
_MATHNOTE_NAMES = {
    "colon": ":", "dot": r"\cdot", "slash": "/", "lbrace": r"\{", "rbrace": r"\}", "prime": r"\prime",
}  # fmt: skip
Part = Literal["train", "test", "unknown", "strangers"]

# Drawn like one of the 40, or its mirror image: neither known nor a stranger.
_NEAR_UNKNOWN = r"""
    \mathparagraph \mathsection \mathsterling \sphericalangle \trianglelefteq \vartriangleright \rhd \RHD
    \RIGHTarrow \gtrless \lesseqgtr \circlearrowleft \looparrowleft \smiley \rrparenthesis \circledS
"""
_LIKE_UNKNOWN = frozenset(_NEAR_UNKNOWN.split())

_DRAWINGS_FORMAT = 2  # raised whenever the way drawings are chosen changes
_NEIGHBOURS = 20
_FOLDS = 5  # one of them is kept for testing

# Capitals that are enlarged small letters: alone, the two cannot be told apart.
ENLARGED = {small.upper(): small for small in "ouwzsvxcpk"}


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


def find_collection(name: str, data: Path | None = None) -> Path:
    if name not in _FILES:
        raise ValueError(f"no collection of drawings is called {name!r}; there are {', '.join(_FILES)}")
    folder = data or locate()
    if folder is None or not (path := folder / _FILES[name]).is_file():
        raise FileNotFoundError(
            f"no {_FILES[name]} in the data folder; set INKTEX_DATA to the folder that holds it"
        )
    return path


def read_collection(name: str, path: Path) -> Iterator[Glyph]:
    """All drawings of a collection, one JSON object with `strokes` per line."""
    for line in _json_lines(path):
        strokes, writer = line["strokes"], name  # who drew it, only Omniglot records
        if name == "omniglot":
            strokes = [[point[:2] for point in stroke] for stroke in strokes]
            label, writer = line["command"], f"{name}/{line['alphabet']}-{line['drawer']}"
        else:
            label = token_of(line["command"]) if name == "detexify" else _mathnote_token(line["name"])
        yield Glyph.from_strokes(label, strokes, writer)


def token_of(command: str) -> str:
    """The token that is drawn like a command of Detexify; the command itself where there is none."""
    if command in WIDE or command in UNKNOWN:
        return command
    if command in DRAWN_ALIKE:
        return DRAWN_ALIKE[command]
    for prefix, other in _LETTERS_ALIKE.items():
        if command.startswith(prefix) and command.replace(prefix, other) in WIDE:
            return command.replace(prefix, other)
    for prefix, change in ((r"\up", str.lower), (r"\Up", str.capitalize)):
        upright = "\\" + change(command.removeprefix(prefix))
        if command.startswith(prefix) and upright in symbols.GROUPS["greek"]:
            return upright
    return command


def _mathnote_token(name: str) -> str:
    """The token of a class of mathnote: `A_cap` is A, `colon` is `:`."""
    stem = name.removesuffix("_cap").removesuffix("_up")
    if name in _MATHNOTE_NAMES:
        return _MATHNOTE_NAMES[name]
    return stem if len(stem) == 1 else "\\" + stem


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise ValueError(f"{path}: line {number}: not JSON: {error}") from error


def open_drawings(name: str, part: Part, data: Path | None = None) -> SymbolBank:
    """Open a part of a collection; the drawings that were chosen are kept in the cache folder."""
    path = find_collection(name, data)
    table = hashlib.sha256(" ".join((*symbols.WIDE, *DRAWN_ALIKE)).encode()).hexdigest()[:12]
    kind = f"drawings/{_DRAWINGS_FORMAT}/{table}"
    bank = cached_bank(path, lambda: _clean(name, read_collection(name, path)), kind, f"drawings-{name}")
    return SymbolBank(name, parted(bank)[part])


def _clean(name: str, drawn: Iterable[Glyph]) -> SymbolBank:
    """The drawings with the right label, thinned to few points."""
    glyphs = [glyph for glyph in drawn if len(glyph.points) <= MAX_POINTS]
    kept = agreeing(descriptors(glyphs), [symbols.look_alike(glyph.label) for glyph in glyphs], _NEIGHBOURS)
    return SymbolBank(name, thinned_glyphs([glyph for glyph, good in zip(glyphs, kept, strict=True) if good]))


def parted(glyphs: Iterable[Glyph]) -> dict[Part, list[Glyph]]:
    """Divide drawings into parts: a fifth of every class, or a fifth of the drawers, is for testing."""
    parts: dict[Part, list[Glyph]] = {part: [] for part in get_args(Part)}
    by_label: dict[str, list[Glyph]] = {}
    for glyph in glyphs:
        if glyph.label in UNKNOWN:
            parts["unknown"].append(glyph)
        elif glyph.label not in WIDE:
            if glyph.label not in _LIKE_UNKNOWN:
                parts["strangers"].append(glyph)
        elif drawer := glyph.writer.partition("/")[2]:
            held_out = int(hashlib.sha256(drawer.encode()).hexdigest()[:16], 16) % _FOLDS == 0
            parts["test" if held_out else "train"].append(glyph)
        else:
            by_label.setdefault(glyph.label, []).append(glyph)
    for members in by_label.values():
        members.sort(key=points_digest)
        held = -(-len(members) // _FOLDS) if len(members) > 1 else 0
        parts["test"] += members[:held]
        parts["train"] += members[held:]
    return parts


def points_digest(glyph: Glyph) -> str:
    """A hash to choose drawings by, whatever order they come in."""
    return hashlib.sha256(glyph.points.round(3).tobytes()).hexdigest()
