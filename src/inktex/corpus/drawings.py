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
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from inktex.corpus.agreement import agreeing, descriptors
from inktex.corpus.bank import MAX_POINTS, Glyph, SymbolBank
from inktex.corpus.bank_sources import cached_bank
from inktex.corpus.symbol_files import DRAWN_ALIKE, UNKNOWN, WIDE, find_collection, read_collection
from inktex.corpus.thinning import thinned_glyphs
from inktex.latex import symbols

Part = Literal["train", "test", "unknown", "strangers"]
PARTS: tuple[Part, ...] = ("train", "test", "unknown", "strangers")

COLLECTIONS = ("detexify", "mathnote", "omniglot")
# Drawn like one of the 40, or its mirror image: neither known nor a stranger.
_NEAR_UNKNOWN = r"""
    \mathparagraph \mathsection \mathsterling \sphericalangle \trianglelefteq \vartriangleright \rhd \RHD
    \RIGHTarrow \gtrless \lesseqgtr \circlearrowleft \looparrowleft \smiley \rrparenthesis \circledS
"""
_LIKE_UNKNOWN = frozenset(_NEAR_UNKNOWN.split())

_FORMAT = 1  # raised whenever the way drawings are chosen changes
_NEIGHBOURS = 20
_FOLDS = 5  # one of them is kept for testing

# Capitals that are enlarged small letters: alone, the two cannot be told apart.
ENLARGED = {small.upper(): small for small in "ouwzsvxcpk"}


def open_drawings(name: str, part: Part, data: Path | None = None) -> SymbolBank:
    """Open a part of a collection; the drawings that were chosen are kept in the cache folder."""
    path = find_collection(name, data)
    table = hashlib.sha256(" ".join((*symbols.WIDE, *DRAWN_ALIKE)).encode()).hexdigest()[:12]
    bank = cached_bank(
        path,
        lambda: _clean(name, read_collection(name, path)),
        f"drawings/{_FORMAT}/{table}",
        f"drawings-{name}",
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
        elif glyph.label not in WIDE:
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
