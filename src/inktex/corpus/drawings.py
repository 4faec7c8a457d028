r"""Single symbols of the wide vocabulary, drawn by many people, split into training and test drawings.

`open_drawings("detexify", "train")` gives a `SymbolBank` whose labels are tokens of `latex.symbols.WIDE`.
Each collection is split once and for all, by writer where that is known and by drawing where it is not:
four fifths are "train", one fifth is "test". Of Detexify, `UNKNOWN` lists the 40 classes that no model
may ever see ("unknown", to test what a model says about them), and "strangers" are the other classes that
have no token and do not look like one of the 40, to set thresholds with. Mislabelled drawings are left
out (see `agreement`).

Licences: Detexify ODbL, mathnote Apache-2.0, Omniglot MIT.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

from inktex.corpus.agreement import agreeing, descriptors
from inktex.corpus.bank import MAX_POINTS, Glyph, SymbolBank
from inktex.corpus.bank_sources import cached_bank, find_collection, json_lines, mathnote_token
from inktex.corpus.locate import locate
from inktex.corpus.thinning import thinned_glyphs
from inktex.latex import symbols

Part = Literal["train", "test", "unknown", "strangers"]
PARTS: tuple[Part, ...] = ("train", "test", "unknown", "strangers")
COLLECTIONS = ("detexify", "mathnote", "omniglot")

_FORTY = r"""
    \Game \P \S \aquarius \bell \between \bigstar \blacktriangledown \boxdot \boxplus \cancer \circledR
    \circledast \circlearrowright \clock \clubsuit \copyright \divideontimes \fint \frownie \gtreqless
    \heartsuit \jupiter \lessgtr \lightning \llparenthesis \looparrowright \maltese \measuredangle
    \mercury \multimap \pisces \pounds \scorpio \skull \spadesuit \sun \taurus \triangleright \unlhd
"""
UNKNOWN: tuple[str, ...] = tuple(_FORTY.split())
# Drawn like one of the 40, or its mirror image: neither known nor a stranger.
_NEAR_UNKNOWN = r"""
    \mathparagraph \mathsection \mathsterling \sphericalangle \trianglelefteq \vartriangleright \rhd \RHD
    \RIGHTarrow \gtrless \lesseqgtr \circlearrowleft \looparrowleft \smiley \rrparenthesis \circledS
"""
_LIKE_UNKNOWN = frozenset(_NEAR_UNKNOWN.split())

_FORMAT = 1  # raised whenever the way drawings are chosen changes
_NEIGHBOURS = 20
_FOLDS = 5  # one of them is kept for testing

# Tokens of the wide vocabulary, and commands of Detexify that are drawn like them: other names for a symbol,
# heavier, longer or slanted forms of it, and what nobody could tell apart on paper.
_DRAWN_ALIKE = {
    command: row.split()[0]
    for row in r"""
    * \ast
    \dagger \dag
    | \mid \shortmid
    : \colon
    \cdot \cdotp \centerdot
    . \ldotp
    \ldots \dots \dotsc \dotso \mathellipsis
    \cdots \dotsb \dotsm \dotsi
    / \diagup
    \setminus \smallsetminus
    \nmid \nshortmid
    \parallel \shortparallel
    \emptyset \varnothing \diameter
    \hbar \hslash
    \kappa \varkappa
    \propto \varpropto
    \sim \thicksim
    \approx \thickapprox
    \leq \leqq \leqslant
    \geq \geqq \geqslant
    \preceq \preccurlyeq
    \succeq \succcurlyeq
    \models \vDash
    \top \intercal
    \rightarrow \longrightarrow \shortrightarrow
    \leftarrow \longleftarrow \shortleftarrow
    \leftrightarrow \longleftrightarrow
    \Rightarrow \Longrightarrow
    \Leftarrow \Longleftarrow
    \Leftrightarrow \Longleftrightarrow
    \mapsto \longmapsto
    \leadsto \rightsquigarrow
    \uparrow \shortuparrow
    \downarrow \shortdownarrow
    \triangle \bigtriangleup \vartriangle
    \nabla \bigtriangledown \triangledown
    \square \Box \Square
    \Omega \ohm
    \$ \mathdollar
    \subsetneq \varsubsetneq
    \oiint \varoiint
    \mathbb{1} \mathds{1}
    """.strip().splitlines()
    for command in row.split()[1:]
}
_LETTERS_ALIKE = {r"\mathds": r"\mathbb", r"\mathscr": r"\mathcal"}
# Capitals that are enlarged small letters: alone, the two cannot be told apart.
ENLARGED = {small.upper(): small for small in "ouwzsvxcpk"}


def open_drawings(name: str, part: Part, data: Path | None = None) -> SymbolBank:
    """Open a part of a collection; the drawings that were chosen are kept in the cache folder."""
    if name not in COLLECTIONS:
        raise ValueError(f"no collection of drawings is called {name!r}; there are {', '.join(COLLECTIONS)}")
    inner, read = _READERS[name]
    path = find_collection(data or locate(), inner)
    table = hashlib.sha256(" ".join((*symbols.WIDE, *_DRAWN_ALIKE)).encode()).hexdigest()[:12]
    bank = cached_bank(
        path, lambda: _clean(name, read(path)), f"drawings/{_FORMAT}/{table}", f"drawings-{name}"
    )
    return SymbolBank(name, parted(bank)[part])


def _clean(name: str, drawn: Iterable[Glyph]) -> SymbolBank:
    """The drawings with the right label, thinned to few points."""
    glyphs = [glyph for glyph in drawn if len(glyph.points) <= MAX_POINTS]
    kept = agreeing(descriptors(glyphs), [symbols.look_alike(glyph.label) for glyph in glyphs], _NEIGHBOURS)
    return SymbolBank(name, thinned_glyphs([glyph for glyph, good in zip(glyphs, kept, strict=True) if good]))


def parted(glyphs: Iterable[Glyph]) -> dict[Part, list[Glyph]]:
    """Divide drawings into parts: a fifth of every class, or a fifth of the drawers, is for testing."""
    parts: dict[Part, list[Glyph]] = {part: [] for part in PARTS}
    by_label: dict[str, list[tuple[str, Glyph]]] = {}
    for glyph in glyphs:
        if glyph.label in UNKNOWN:
            parts["unknown"].append(glyph)
        elif glyph.label not in _WIDE:
            if glyph.label not in _LIKE_UNKNOWN:
                parts["strangers"].append(glyph)
        elif drawer := glyph.writer.partition("/")[2]:
            held_out = int(_digest(drawer.encode()), 16) % _FOLDS == 0
            parts["test" if held_out else "train"].append(glyph)
        else:
            digest = _digest(glyph.points.round(3).tobytes())
            by_label.setdefault(glyph.label, []).append((digest, glyph))
    for members in by_label.values():
        members.sort(key=lambda member: member[0])
        held = -(-len(members) // _FOLDS) if len(members) > 1 else 0
        parts["test"] += [glyph for _, glyph in members[:held]]
        parts["train"] += [glyph for _, glyph in members[held:]]
    return parts


def _digest(drawn: bytes) -> str:
    return hashlib.sha256(drawn).hexdigest()[:16]


_WIDE = frozenset(symbols.WIDE)


def token_of(command: str) -> str:
    """The token that is drawn like a command of Detexify; the command itself where there is none."""
    if command in _WIDE or command in UNKNOWN:
        return command
    if command in _DRAWN_ALIKE:
        return _DRAWN_ALIKE[command]
    for prefix, other in _LETTERS_ALIKE.items():
        if command.startswith(prefix) and command.replace(prefix, other) in _WIDE:
            return command.replace(prefix, other)
    for prefix, change in ((r"\up", str.lower), (r"\Up", str.capitalize)):
        upright = "\\" + change(command.removeprefix(prefix))
        if command.startswith(prefix) and upright in symbols.GROUPS["greek"]:
            return upright
    return command


def _read_detexify(path: Path) -> Iterator[Glyph]:
    for line in json_lines(path):
        yield Glyph.from_strokes(token_of(line["command"]), line["strokes"], "detexify")


def _read_mathnote(path: Path) -> Iterator[Glyph]:
    for line in json_lines(path):
        yield Glyph.from_strokes(mathnote_token(line["name"]), line["strokes"], "mathnote")


def _read_omniglot(path: Path) -> Iterator[Glyph]:
    for line in json_lines(path):
        strokes = [[point[:2] for point in stroke] for stroke in line["strokes"]]
        yield Glyph.from_strokes(line["command"], strokes, f"omniglot/{line['alphabet']}-{line['drawer']}")


_READERS: dict[str, tuple[str, Callable[[Path], Iterator[Glyph]]]] = {
    "detexify": ("detexify/math_symbols.jsonl.xz", _read_detexify),
    "mathnote": ("mathnote/symbols.jsonl.xz", _read_mathnote),
    "omniglot": ("omniglot/letters.jsonl.xz", _read_omniglot),
}
