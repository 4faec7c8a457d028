r"""Test sets for what CROHME does not test: lone symbols, matrices, symbols that no model knows.

`load_test_set(name)` makes them from drawings and expressions that no model was trained on, always the same:

- symbols: the held-out drawings of Detexify, mathnote and Omniglot, and symbols cut out of CROHME 2013;
- matrices: matrices and cases of 2 to 4 rows, of parts of CROHME 2013 that one would write as entries,
  each in one hand, with held-out drawings of brackets;
- redrawn-matrices: the same of any parts, with symbols redrawn by other hands and by other symbols;
- unknown: drawings of the 40 classes of Detexify that no model knows (`bank_sources.UNKNOWN`), each with its
  command as the only token.

"mixed" is for calibration and shares nothing with the others: CROHME 2013, held-out drawings that are not in
"symbols", and drawings of unknown classes other than the 40. "free" is for the calibration of models that owe
nothing to CROHME: expressions made by rules from held-out drawings, and the drawings of "mixed".
"""

from collections.abc import Iterable
from random import Random

from inktex.corpus.bank import Glyph
from inktex.corpus.bank_sources import COLLECTIONS, open_drawings, points_digest
from inktex.corpus.draft import Draft
from inktex.corpus.example import Example
from inktex.corpus.free import FreeInk, free_drawings
from inktex.corpus.grids import Hand, cases, matrix
from inktex.corpus.load import load_split
from inktex.corpus.placing import mark
from inktex.corpus.recombine import FITTED
from inktex.corpus.stock import Stock, looks_like_a_dash
from inktex.latex import symbols

TEST_SETS = ("symbols", "matrices", "redrawn-matrices", "unknown", "mixed", "free")
MATRICES = 500  # expressions of each set of matrices
MIXED = 400  # drawings of known and of unknown classes in the mixed set
FREE = 600  # made expressions of the free set
_MOST = 8  # symbols of a class that are taken from CROHME 2013, and from each collection
_KINDS = ("pmatrix", "bmatrix", "vmatrix", "pmatrix", "cases")

# A drawing of `\\` is two backslashes and not the end of a row.
_STRUCTURE = frozenset(token for group in symbols.STRUCTURAL for token in symbols.GROUPS[group])
_NOT_ALONE = _STRUCTURE | FITTED - {"-"}


def load_test_set(name: str) -> list[Example]:
    if name == "symbols":
        sources: dict[str, Iterable[Glyph]] = {each: open_drawings(each, "test") for each in COLLECTIONS}
        sources["crohme2013"] = _held_out_stock().cut_out
        few = ((source, _few_of_each(glyphs)) for source, glyphs in sources.items())
        return [each for source, glyphs in few for each in _all_alone(glyphs, source, source)]
    if name == "unknown":
        return _all_alone(open_drawings("detexify", "unknown"), "unknown", "detexify")
    if name in ("matrices", "redrawn-matrices"):
        return composed_matrices(_held_out_stock(), MATRICES, one_hand=name == "matrices")
    if name == "mixed":
        return [*load_split("test2013"), *_spare_drawings()]
    if name == "free":
        return [*FreeInk(free_drawings(part="test"), seed=2).examples(0, FREE), *_spare_drawings()]
    raise ValueError(f"no test set is called {name!r}; there are {', '.join(TEST_SETS)}")


def _spare_drawings() -> list[Example]:
    """Lone symbols for calibration, and symbols that no model knows; in no other test set."""
    spare = [
        glyph
        for collection in COLLECTIONS
        for bank in [open_drawings(collection, "test")]
        for kept in [set(map(id, _few_of_each(bank)))]
        for glyph in bank
        if id(glyph) not in kept
        and not looks_like_a_dash(glyph)
        and glyph.label not in {*FITTED, *_STRUCTURE}
    ]
    sources = {"known": spare, "strange": list(open_drawings("detexify", "strangers"))}
    some = {
        name: Random(f"mixed/{name}").sample(glyphs, min(MIXED, len(glyphs)))
        for name, glyphs in sources.items()
    }
    return [example for name, glyphs in some.items() for example in _all_alone(glyphs, name, name)]


def composed_matrices(stock: Stock, count: int, *, one_hand: bool) -> list[Example]:
    """Matrices and cases from a stock, always the same."""
    made = []
    for number in range(count):
        random = Random(f"matrices/{number}")
        kind, hand = _KINDS[number % len(_KINDS)], Hand(stock, random, random.random(), one_hand)
        made.append(_of_size(kind, hand).finished().to_example(f"{kind}-{number}", "matrices"))
    return made


def _of_size(kind: str, hand: Hand) -> Draft:
    """A draft of two to four rows; matrices have two to four columns."""
    while True:
        draft = cases(hand) if kind == "cases" else matrix(kind, hand)
        rows = draft.tokens.count(r"\\") + 1
        columns = draft.tokens.count("&") // rows + 1
        if kind == "cases" or (2 <= rows <= 4 and 2 <= columns <= 4):
            return draft


def _held_out_stock() -> Stock:
    banks = [(open_drawings(collection, "test"), 1.0) for collection in COLLECTIONS]
    return Stock(list(load_split("test2013")), banks)


def _few_of_each(glyphs: Iterable[Glyph]) -> list[Glyph]:
    """At most `_MOST` of each label, chosen by a hash of their points, not by their order."""
    by_label: dict[str, list[Glyph]] = {}
    for glyph in glyphs:
        if not looks_like_a_dash(glyph) and glyph.label not in _NOT_ALONE:
            by_label.setdefault(glyph.label, []).append(glyph)
    return [glyph for each in by_label.values() for glyph in sorted(each, key=points_digest)[:_MOST]]


def _all_alone(glyphs: Iterable[Glyph], stem: str, folder: str) -> list[Example]:
    """Each drawing as an expression of its own, by name and number."""
    marks = (mark(0, glyph.label, glyph, 1.0, 1.0, 0.0, 0.0) for glyph in glyphs)
    drafts = (Draft([each.label], [each]) for each in marks)
    return [draft.finished().to_example(f"{stem}-{n}", folder) for n, draft in enumerate(drafts)]
