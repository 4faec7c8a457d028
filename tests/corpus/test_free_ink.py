"""Training ink without CROHME: made of formulas of our own and single drawings, so that it needs no data."""

import os
import subprocess
import sys
from random import Random

import numpy as np
import pytest

from inktex.corpus import Glyph, SymbolBank, placing, roles, testsets
from inktex.corpus import draft as draft_module
from inktex.corpus.free import FreeInk, free_vocabulary
from inktex.corpus.free_formulas import FREE_TOKENS, FormulaGrammar
from inktex.corpus.free_hand import Drawings, FreeHand
from inktex.corpus.hershey import MORE_WAYS, hershey_bank
from inktex.corpus.placing import box_of
from inktex.corpus.roles import function_letters
from inktex.latex import normalize, parse_layout, symbols

WITHOUT_INK = {"{", "}", "^", "_"}


@pytest.fixture(scope="module")
def drawings() -> Drawings:
    """The built-in bank, and a scribble for every symbol that it lacks."""
    known = hershey_bank(writers=3, repeats=1)
    rng = np.random.default_rng(3)
    scribbles = [
        Glyph.from_strokes(token, [np.cumsum(rng.normal(size=(9, 2)), axis=0)], "scribble")
        for token in FREE_TOKENS
        if token not in known and not function_letters(token)
    ]
    return Drawings([(known, 1.0), (SymbolBank("scribbles", scribbles), 1.0)])


@pytest.fixture(scope="module")
def ink(drawings: Drawings) -> FreeInk:
    return FreeInk(drawings, count=40, seed=3)


def written(drawings: Drawings, latex: str, seed: int):
    return FreeHand(drawings, Random(seed)).write(normalize(latex))


def boxes(draft):
    """The box of each symbol, by its place among the tokens."""
    found = {}
    for each in draft.marks:
        found.setdefault(each.token, []).append(each)
    return {token: box_of(marks) for token, marks in found.items()}


def test_formulas_are_in_the_caption_form_and_of_real_lengths():
    grammar, random = FormulaGrammar(), Random(5)
    drawn = [grammar.sample(random) for _ in range(1500)]
    for tokens in drawn:
        assert set(tokens) <= set(FREE_TOKENS)
        assert len(tokens) == 1 or parse_layout(tokens).tokens() == tokens
    lengths = sorted(map(len, drawn))
    assert lengths[0] == 1
    assert 8 <= lengths[len(lengths) // 2] <= 16
    assert lengths[-1] <= 60


def test_every_symbol_of_the_vocabulary_is_written(ink):
    random = Random(1)
    seen = {token for _ in range(8000) for token in ink.grammar.sample(random)}
    assert seen == set(FREE_TOKENS)
    assert set(FREE_TOKENS) <= set(symbols.WIDE)
    assert set(free_vocabulary().tokens[1:]) == set(FREE_TOKENS)


def test_every_stroke_belongs_to_one_token_and_every_symbol_has_ink(ink):
    for number in range(200):
        piece = ink.piece(2, number)
        owned = [stroke for strokes in piece.strokes_of for stroke in strokes]
        assert sorted(owned) == list(range(len(piece.strokes)))
        for token, strokes in zip(piece.tokens, piece.strokes_of, strict=True):
            index_of_root = token in "[]" and r"\sqrt" in piece.tokens
            assert strokes or token in WITHOUT_INK or index_of_root, (token, piece.tokens)
        assert all(np.isfinite(stroke).all() and len(stroke) for stroke in piece.strokes)


def test_equal_seeds_give_equal_formulas_in_every_process():
    program = (
        "from random import Random; from inktex.corpus.free_formulas import FormulaGrammar as G; "
        "random, grammar = Random(1), G(); print([grammar.sample(random) for _ in range(100)])"
    )
    drawn = [
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert drawn[0] == drawn[1]


def test_equal_seeds_give_equal_ink_and_epochs_differ(drawings, ink):
    again = FreeInk(drawings, count=40, seed=3)
    for first, second in zip(ink.pieces(1), again.pieces(1), strict=True):
        assert first.tokens == second.tokens
        assert all(np.array_equal(a, b) for a, b in zip(first.strokes, second.strokes, strict=True))
    assert [piece.tokens for piece in ink.pieces(0)] != [piece.tokens for piece in ink.pieces(1)]


def test_nothing_that_was_measured_on_crohme_is_asked(ink, monkeypatch):
    def refused(*_: object) -> None:
        raise AssertionError("a statistic of CROHME was used")

    for module, name in ((roles, "metric"), (roles, "gap"), (draft_module, "metric"), (placing, "Hand")):
        monkeypatch.setattr(module, name, refused)
    for number in range(50):
        ink.piece(0, number)


@pytest.mark.parametrize("seed", range(12))
def test_parts_stand_where_the_formula_says(drawings, seed):
    box = boxes(written(drawings, r"\frac{a+b}{c}", seed))
    top, bar, bottom = box[2], box[0], box[7]
    assert top.bottom < bar.bottom < bottom.bottom
    assert bar.left < bottom.left < bar.right

    box = boxes(written(drawings, "x^{2}", seed))
    assert (box[3].top + box[3].bottom) / 2 < (box[0].top + box[0].bottom) / 2
    box = boxes(written(drawings, "x_{n}", seed))
    assert (box[3].top + box[3].bottom) / 2 > (box[0].top + box[0].bottom) / 2

    box = boxes(written(drawings, r"\sqrt{x+1}", seed))
    assert box[0].left < box[2].left
    assert box[0].top < box[2].top

    box = boxes(written(drawings, r"(\frac{a}{b})", seed))
    assert box[0].right < box[1].right < box[8].right
    assert box[8].bottom - box[8].top > 1.5 * (box[3].bottom - box[3].top)


def test_a_writer_draws_a_symbol_in_one_way(drawings):
    draft = written(drawings, "x+x+x+x", 4)
    assert len({each.glyph.writer for each in draft.marks if each.label == "x"}) == 1


def test_ways_of_writing_can_all_be_drawn():
    drawn = hershey_bank(writers=1, repeats=1, ways_of=MORE_WAYS)
    assert set(drawn.labels) == set(MORE_WAYS)
    for glyph in drawn:
        assert glyph.width + glyph.height > 0 or glyph.label in (".", r"\cdot")


def test_the_set_for_calibration_asks_for_no_crohme_ink(monkeypatch, drawings):
    def refuse(name, data=None):
        raise AssertionError(f"{name} of CROHME was opened")

    monkeypatch.setattr(testsets, "load_split", refuse)
    monkeypatch.setattr(testsets, "FREE", 5)
    monkeypatch.setattr(testsets, "free_drawings", lambda part: parts.append(part) or drawings)
    monkeypatch.setattr(testsets, "open_drawings", lambda name, part: SymbolBank(name, []))
    parts: list[str] = []
    found = testsets.load_test_set("free")
    assert parts == ["test"]
    assert [example.folder for example in found] == ["free"] * 5
    with pytest.raises(AssertionError, match="test2013 of CROHME was opened"):
        testsets.load_test_set("mixed")
