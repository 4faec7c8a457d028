"""Training ink for the wide vocabulary: made of the project's own ink, so that it needs no data."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from inktex.corpus import ExpressionModel, Glyph, SymbolBank, Synthesizer, synthetic_example
from inktex.corpus.agreement import agreeing, descriptors
from inktex.corpus.bank_sources import UNKNOWN, parted, token_of
from inktex.corpus.draft import Draft, gather
from inktex.corpus.grids import is_entry
from inktex.corpus.hershey import hershey_bank
from inktex.corpus.pens import Pens, with_another_pen
from inktex.corpus.recombine import Piece, ink_complete
from inktex.corpus.redraw import redraw
from inktex.corpus.roles import PAIRS, function_letters, role_of, shape_of, stand_ins
from inktex.corpus.rows import _TEMPLATES
from inktex.corpus.stock import Stock
from inktex.corpus.testsets import _few_of_each, composed_matrices
from inktex.corpus.wide import CORPUS_MIX, DRAWN, WideInk, WideMix, weight_alone, with_other_ways
from inktex.latex import parse_layout, symbols

KINDS = ("real", "redrawn", "lone", "short", "joined", "grids", "decorated")
SMALL = WideMix(real=12, redrawn=12, lone=12, short=12, joined=12, grids=12, decorated=12)
WITHOUT_INK = {"{", "}", "^", "_", "&", r"\\"}


@pytest.fixture(scope="module")
def examples():
    synthesizer = Synthesizer(hershey_bank(writers=3, repeats=1))
    model = ExpressionModel.builtin()
    return [synthetic_example(synthesizer, model, 5, number) for number in range(60)]


@pytest.fixture(scope="module")
def bank():
    """Drawings of every symbol; what the built-in bank lacks is a scribble of its own."""
    known = hershey_bank(writers=3, repeats=1)
    rng = np.random.default_rng(3)
    scribbles = [
        Glyph.from_strokes(token, [np.cumsum(rng.normal(size=(9, 2)), axis=0)], "scribble")
        for token in DRAWN
        if token not in known
    ]
    return SymbolBank("all", [*known, *scribbles])


@pytest.fixture(scope="module")
def ink(examples, bank):
    return WideInk(examples, [(bank, 1.0)], SMALL, seed=7)


def test_an_epoch_has_every_kind_in_the_stated_number(ink):
    assert len(ink.pieces(0)) == 7 * 12


def test_equal_seeds_give_equal_ink(examples, bank, ink):
    again = WideInk(examples, [(bank, 1.0)], SMALL, seed=7)
    for first, second in zip(ink.pieces(1), again.pieces(1), strict=True):
        assert first.tokens == second.tokens
        assert all(np.array_equal(a, b) for a, b in zip(first.strokes, second.strokes, strict=True))


def test_a_piece_does_not_depend_on_those_made_before_it(examples, bank):
    first, second = (WideInk(examples, [(bank, 1.0)], SMALL, seed=7) for _ in range(2))
    first.pieces(0)
    for kind in KINDS[1:]:
        for number in range(30):
            one, other = first.piece(kind, 5, number), second.piece(kind, 5, number)
            assert one.tokens == other.tokens
            assert all(np.array_equal(a, b) for a, b in zip(one.strokes, other.strokes, strict=True))


def test_epochs_differ(ink):
    assert [piece.tokens for piece in ink.pieces(0)] != [piece.tokens for piece in ink.pieces(1)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_stroke_belongs_to_one_token_and_every_symbol_has_ink(ink, kind):
    for number in range(60):
        piece = ink.piece(kind, 3, number)
        owned = [stroke for strokes in piece.strokes_of for stroke in strokes]
        assert sorted(owned) == list(range(len(piece.strokes)))
        for token, strokes in zip(piece.tokens, piece.strokes_of, strict=True):
            environment = token.startswith((r"\begin", r"\end"))
            assert strokes or token in WITHOUT_INK or environment, (token, piece.tokens)
        assert all(np.isfinite(stroke).all() and len(stroke) for stroke in piece.strokes)


@pytest.mark.parametrize("kind", KINDS)
def test_all_tokens_are_of_the_wide_vocabulary(ink, kind):
    for number in range(60):
        assert set(ink.piece(kind, 4, number).tokens) <= set(symbols.WIDE)


def test_braces_pair_up_and_environments_close(ink):
    for kind in KINDS:
        for number in range(60):
            tokens = ink.piece(kind, 2, number).tokens
            assert tokens.count("{") == tokens.count("}")
            assert sum(t.startswith(r"\begin") for t in tokens) == sum(t.startswith(r"\end") for t in tokens)


def test_lone_symbols_cover_every_class_and_lone_brackets(examples, bank):
    ink = WideInk(examples, [(bank, 1.0)], SMALL, seed=1)
    seen = {ink.piece("lone", 0, number).tokens for number in range(6000)}
    assert all(len(tokens) == 1 for tokens in seen)
    missing = set(DRAWN) - {tokens[0] for tokens in seen}
    assert not missing
    assert {"(", ")", "|", "["} <= {tokens[0] for tokens in seen}


def test_the_mix_says_how_often_usual_symbols_are_drawn_alone(examples, bank):
    def share(usual: float) -> float:
        ink = WideInk(examples, [(bank, 1.0)], replace(SMALL, usual=usual), seed=1)
        tokens = [ink.piece("lone", 0, number).tokens[0] for number in range(400)]
        return sum(token in "0123456789x(),." for token in tokens) / len(tokens)

    assert share(3.0) > 1.5 * share(1.0)


def test_redrawing_keeps_the_layout(examples, bank):
    stock = Stock(examples, [(bank, 1.0)])
    changed = 0
    for number, draft in enumerate(stock.drafts):
        before = draft.copy()
        after = redraw(draft.copy(), stock, Random(number), share=1.0)
        assert len(after.tokens) == len(before.tokens)
        for old, new in zip(before.marks, after.marks, strict=True):
            changed += old.label != new.label
            middle = new.x + new.width / 2
            assert abs(middle - (old.x + old.width / 2)) < 1e-6 + 0.01 * old.width
            structure = [t in WITHOUT_INK or t in (r"\frac", r"\sqrt") for t in before.tokens]
            assert structure == [t in WITHOUT_INK or t in (r"\frac", r"\sqrt") for t in after.tokens]
    assert changed > 100


def test_redrawn_brackets_still_pair_up(examples, bank):
    stock = Stock(examples, [(bank, 1.0)])
    for number, draft in enumerate(stock.drafts):
        if r"\sqrt" in draft.tokens or not _paired(draft.tokens):
            continue
        assert _paired(redraw(draft.copy(), stock, Random(number), share=1.0).tokens)


def _paired(tokens):
    opened = []
    for token in tokens:
        if opened and PAIRS[opened[-1]] == token:
            opened.pop()
        elif token in PAIRS:
            opened.append(token)
        elif token in PAIRS.values():
            return False
    return not opened


def test_a_draft_of_real_ink_gives_the_same_ink_back(examples):
    for example in examples:
        piece = Piece.of(example)
        if ink_complete(piece) and sum(map(len, piece.strokes_of)) == len(piece.strokes):
            back = Draft.of(piece).finished()
            assert back.tokens == piece.tokens
            assert back.strokes_of == piece.strokes_of
            for old, new in zip(piece.strokes, back.strokes, strict=True):
                assert np.allclose(old, new)


def test_the_line_of_a_part_is_found(examples, bank):
    stock = Stock(examples, [(bank, 1.0)])
    for number in range(50):
        part = stock.part(Random(number), (1, 3, 5))
        unit, base = part.line()
        assert unit == pytest.approx(1.0)
        assert base == pytest.approx(0.0, abs=1e-6)


def test_cells_of_a_matrix_stand_beside_and_under_each_other(examples, bank):
    stock = Stock(examples, [(bank, 1.0)])
    for example in composed_matrices(stock, 40, one_hand=False):
        rows = _cell_boxes(example)
        assert 2 <= len(rows) <= 4
        for row in rows:
            for (_, right), (left, _) in pairwise([(low[0], high[0]) for low, high in row]):
                assert right < left
        for upper, lower in pairwise(rows):
            assert min(high[1] for _, high in upper) < min(high[1] for _, high in lower)


def _cell_boxes(example):
    rows = [[[]]]
    for token, strokes in zip(example.tokens, example.strokes_of, strict=True):
        if token == "&":
            rows[-1].append([])
        elif token == r"\\":
            rows.append([[]])
        elif not token.startswith((r"\begin", r"\end")):
            rows[-1][-1] += [example.ink.strokes[stroke] for stroke in strokes]
    return [
        [(np.concatenate(cell).min(axis=0), np.concatenate(cell).max(axis=0)) for cell in row] for row in rows
    ]


def test_every_symbol_has_a_role_and_letters_stand_in_for_letters_of_their_shape():
    for token in symbols.WIDE:
        assert role_of(token)
        assert shape_of(token).height > 0
    assert "y" in stand_ins("g")
    assert "x" not in stand_ins("g")
    assert r"\cup" in stand_ins("+")
    assert r"\subset" in stand_ins("=")
    assert r"\prod" in stand_ins(r"\sum")
    assert r"\oint" in stand_ins(r"\int")
    assert r"\sum" not in stand_ins(r"\int")
    assert not stand_ins("(")
    assert not stand_ins(r"\frac")


def test_names_are_spelt_as_they_are_written():
    assert function_letters(r"\arctan") == "arctan"
    assert function_letters(r"\mod") == "mod"
    assert not function_letters(r"\sum")


def test_templates_use_only_symbols_that_exist():
    words = {word for template in _TEMPLATES for word in template if not word.startswith("<") or word == "<"}
    assert words <= set(symbols.WIDE)


def test_drawings_that_show_something_else_are_found():
    rng = np.random.default_rng(0)

    def drawing(label, points):
        return Glyph.from_strokes(label, [np.array(points) + rng.normal(0, 0.02, (len(points), 2))], "")

    corner = [(0, 0), (1, 0), (1, 1)]
    line = [(0, 0), (0.5, 0.5), (1, 1)]
    glyphs = [drawing("corner", corner) for _ in range(10)] + [drawing("line", line) for _ in range(10)]
    glyphs.append(drawing("corner", line))
    kept = agreeing(descriptors(glyphs), [glyph.label for glyph in glyphs], neighbours=5)
    assert kept[:20].all()
    assert not kept[20]


def test_the_forty_unknown_classes_are_never_trained_on():
    assert len(set(UNKNOWN)) == 40
    assert not set(UNKNOWN) & set(symbols.WIDE)
    assert all(token_of(command) == command for command in UNKNOWN)
    parts = parted(Glyph.from_strokes(command, [[(0, 0), (1, 1)]], "detexify") for command in UNKNOWN)
    assert {part for part, glyphs in parts.items() if glyphs} == {"unknown"}


def test_a_fifth_of_every_class_is_held_out_whatever_else_there_is():
    rng = np.random.default_rng(1)
    drawn = [
        Glyph.from_strokes(label, [rng.normal(size=(5, 2))], "detexify")
        for label, count in (("x", 200), ("Z", 20), (r"\mathbb{J}", 3))
        for _ in range(count)
    ]
    parts = parted(drawn)
    assert Counter(glyph.label for glyph in parts["test"]) == {"x": 40, "Z": 4, r"\mathbb{J}": 1}
    assert len(parts["train"]) + len(parts["test"]) == len(drawn)
    assert {id(glyph) for glyph in parted(drawn[::-1])["test"]} == {id(glyph) for glyph in parts["test"]}


def test_drawings_are_held_out_by_drawer_where_the_drawer_is_known():
    rng = np.random.default_rng(1)
    drawn = [
        Glyph.from_strokes(label, [rng.normal(size=(5, 2))], f"omniglot/Latin-{drawer}")
        for label in "abcde"
        for drawer in range(40)
    ]
    parts = parted(drawn)
    held_out, kept = ({glyph.writer for glyph in parts[part]} for part in ("test", "train"))
    assert held_out
    assert not held_out & kept


def test_detexify_commands_that_look_alike_are_one_token():
    assert token_of(r"\upalpha") == r"\alpha"
    assert token_of(r"\Upgamma") == r"\Gamma"
    assert token_of(r"\mathds{R}") == r"\mathbb{R}"
    assert token_of(r"\mathscr{L}") == r"\mathcal{L}"
    assert token_of(r"\longrightarrow") == r"\rightarrow"
    assert token_of(r"\geqslant") == r"\geq"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_made_is_in_the_caption_form(ink, kind):
    for number in range(60):
        tokens = ink.piece(kind, 6, number).tokens
        assert kind == "lone" or parse_layout(tokens).tokens() == tokens


def test_a_dot_alone_is_never_a_line(examples):
    drawn = [[(0, 0), (1, 0)]] * 2 + [[(0, 0)]] * 2
    dots = SymbolBank("dots", [Glyph.from_strokes(".", [points], "") for points in drawn])
    ink = WideInk(examples[:1], [(dots, 50.0)], SMALL)
    seen = [ink.piece("lone", 0, number) for number in range(2000)]
    dots_alone = [piece for piece in seen if piece.tokens == (".",)]
    assert dots_alone
    assert all(np.ptp(piece.strokes[0], axis=0).max() < 0.5 for piece in dots_alone)


@pytest.mark.parametrize("pens", [Pens(1, 0, 0), Pens(0, 1, 0), Pens(0, 0, 1)])
def test_another_pen_changes_points_and_not_what_is_written(ink, pens):
    piece = ink.piece("redrawn", 0, 5)
    other = with_another_pen(piece, pens, Random(1))
    assert other.tokens == piece.tokens
    assert other.strokes_of == piece.strokes_of
    assert any(not np.array_equal(a, b) for a, b in zip(piece.strokes, other.strokes, strict=True))
    reach = np.ptp(np.concatenate(piece.strokes), axis=0).max()
    for old, new in zip(piece.strokes, other.strokes, strict=True):
        assert np.abs(old[0] - new[0]).max() < 0.2 * reach


def test_the_points_of_a_draft_are_those_of_its_marks(examples):
    draft = Draft.of(Piece.of(examples[0]))
    counts = np.cumsum([0, *(len(each.points) for each in draft.marks)])
    points = gather(draft.marks)
    for (start, end), each in zip(pairwise(counts), draft.marks, strict=True):
        assert points[start:end].min(axis=0) == pytest.approx((each.x, each.y))


def test_ink_of_a_corpus_alone_has_no_other_symbols(examples):
    known = sorted({token for example in examples for token in example.tokens} | {r"\prime"})
    mix = replace(CORPUS_MIX, real=5, redrawn=60, lone=40, short=40, joined=60)
    made = WideInk(examples, [], mix, seed=3, known=known).pieces(0)
    assert len(made) == 205
    assert {token for piece in made for token in piece.tokens} <= set(known)
    written = {tuple(example.tokens) for example in examples}
    redrawn = [piece for piece in made[5:65] if tuple(piece.tokens) not in written]
    assert len(redrawn) > 30  # most expressions have other symbols than any of the corpus


def test_alone_every_kind_of_letter_is_drawn_about_as_often():
    for token in (*symbols.GROUPS["calligraphic"], *symbols.GROUPS["blackboard"]):
        assert weight_alone(token) >= 0.8 * weight_alone("B")


def test_test_drawings_are_symbols_and_not_structure():
    drawn = [
        Glyph.from_strokes(label, [[(0, 0), (4, number), (9, 9)]], "detexify")
        for number, label in enumerate([r"\\", "x", r"\sqrt", r"\hat", "-"])
    ]
    assert [glyph.label for glyph in _few_of_each(drawn)] == ["x", "-"]


@pytest.mark.parametrize(
    ("tokens", "entry"),
    [
        ("1", True),
        ("- x", True),
        ("a _ { 1 2 }", True),
        (r"\frac { a } { b }", True),
        (r"\sin x + 1", True),
        ("|", False),
        ("1 /", False),
        ("- x |", False),
        ("( x )", False),
        (r"\ldots", False),
        ("1 , 2", False),
    ],
)
def test_what_people_write_as_an_entry(tokens, entry):
    assert is_entry(tokens.split()) is entry


def test_one_hand_writes_matrices_of_entries_as_they_were_written(examples, bank):
    stock = Stock(examples, [(bank, 1.0)])
    cells = [
        cell.split()
        for example in composed_matrices(stock, 40, one_hand=True)
        if "cases" not in example.tokens[0]
        for line in " ".join(example.tokens[1:-1]).split(r" \\ ")
        for cell in line.split(" & ")
    ]
    assert all(is_entry(cell) or cell[0].endswith("dots") for cell in cells)
    assert not {token for cell in cells for token in cell} & set(symbols.GROUPS["calligraphic"])


def test_the_mix_says_how_many_grids_are_of_real_entries(examples, bank):
    """Whatever stands in a cell of many hands, `1 +` or a calligraphic letter, no real entry has it."""

    def share(one_hand):
        ink = WideInk(examples, [(bank, 1.0)], replace(SMALL, one_hand=one_hand), seed=7)
        grids = [ink.piece("grids", 0, number).tokens for number in range(80)]
        cells = [
            [cell.split() for cell in " ".join(tokens[1:-1]).replace(r" \\ ", " & ").split(" & ")]
            for tokens in grids
            if tokens[0] in (r"\begin{pmatrix}", r"\begin{bmatrix}") and tokens[-1].startswith(r"\end")
        ]
        plain = [all(is_entry(c) or c[0].endswith("dots") for c in each if c) for each in cells]
        return sum(plain) / len(plain)

    assert share(1.0) == 1.0
    assert share(0.0) < 0.9


def test_the_same_picture_is_drawn_in_other_ways(ink):
    for kind in ("lone", "redrawn", "grids"):
        piece = ink.piece(kind, 1, 2)
        other = with_other_ways(piece, 1.0, Random(3))
        assert (other.tokens, other.strokes_of) == (piece.tokens, piece.strokes_of)
        for own in piece.strokes_of:
            before, after = ([tuple(map(tuple, each.strokes[n])) for n in own] for each in (piece, other))
            assert sorted(map(sorted, before)) == sorted(map(sorted, after))


def test_only_a_share_of_the_symbols_is_drawn_in_other_ways(examples, bank):
    usual = WideInk(examples, [(bank, 1.0)], SMALL, seed=7)
    other = WideInk(examples, [(bank, 1.0)], replace(SMALL, other_ways=0.5), seed=7)

    pairs = [(usual.piece("lone", 0, number), other.piece("lone", 0, number)) for number in range(200)]
    same = sum(all(map(np.array_equal, one.strokes, two.strokes)) for one, two in pairs)
    assert 100 < same < 180  # half are chosen; some of them happen to stay as they are
