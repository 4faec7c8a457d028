r"""Collections of single symbols as files of their own format: Detexify, mathnote, Omniglot.

`read_collection` gives their drawings with tokens for labels. Commands of Detexify that are drawn like a
token of the wide vocabulary get its label (`drawn_alike.txt`: other names for a symbol, heavier, longer or
slanted forms of it, and what nobody could tell apart on paper); one that has no token keeps its own name.
"""

import json
import lzma
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from inktex.corpus.bank import Glyph
from inktex.corpus.packages import locate
from inktex.latex import symbols

_FILES = {
    "detexify": "detexify/math_symbols.jsonl.xz",
    "mathnote": "mathnote/symbols.jsonl.xz",
    "omniglot": "omniglot/letters.jsonl.xz",
}
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


def find_collection(name: str, data: Path | None = None) -> Path:
    """Find the file of a collection in the data folder."""
    if name not in _FILES:
        raise ValueError(f"no collection of drawings is called {name!r}; there are {', '.join(_FILES)}")
    folder = data or locate()
    path = folder / _FILES[name] if folder is not None else None
    if path is None or not path.is_file():
        raise FileNotFoundError(
            f"no {_FILES[name]} in the data folder; set INKTEX_DATA to the folder that holds it"
        )
    return path


def read_collection(name: str, path: Path) -> Iterator[Glyph]:
    """All drawings of a collection, one JSON object with `strokes` per line."""
    for line in _json_lines(path):
        if name == "detexify":  # who drew it is not recorded
            yield Glyph.from_strokes(token_of(line["command"]), line["strokes"], name)
        elif name == "mathnote":
            yield Glyph.from_strokes(_mathnote_token(line["name"]), line["strokes"], name)
        else:
            strokes = [[point[:2] for point in stroke] for stroke in line["strokes"]]
            writer = f"{name}/{line['alphabet']}-{line['drawer']}"
            yield Glyph.from_strokes(line["command"], strokes, writer)


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
    """The objects of a compressed file."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise ValueError(f"{path}: line {number}: not JSON: {error}") from error
