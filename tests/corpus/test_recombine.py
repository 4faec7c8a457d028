"""Recombined ink: every token keeps its strokes, every stroke its token, and the LaTeX stays valid."""

from functools import cache
from itertools import islice

import numpy as np

from inktex.corpus import Example, ExpressionModel, Synthesizer, synthesize
from inktex.corpus.hershey import hershey_bank
from inktex.corpus.recombine import Piece, Recombiner, cut, groups, ink_complete, paste, top_items
from inktex.latex import Grammar, Vocabulary, tokenize


@cache
def written() -> list[Example]:
    bank = hershey_bank(writers=3, repeats=1)
    return list(islice(synthesize(Synthesizer(bank), ExpressionModel.builtin(), seed=3), 150))


def grammar() -> Grammar:
    return Grammar(Vocabulary.build(example.tokens for example in written()))


def pieces() -> list[Piece]:
    return [piece for piece in map(Piece.of, written()) if ink_complete(piece)]


def test_groups_know_their_place() -> None:
    tokens = tokenize(r"\frac { a ^ { 2 } } { \sqrt { x } } _ { i }")
    found = {(" ".join(tokens[g.start : g.end]), g.place) for g in groups(tokens)}
    assert found == {
        ("2", "^"),
        ("a ^ { 2 }", r"\frac 0"),
        ("x", r"\sqrt"),
        (r"\sqrt { x }", r"\frac 1"),
        ("i", "_"),
    }


def test_items_of_the_top_line_keep_what_belongs_to_them() -> None:
    tokens = tokenize(r"a _ { i } ^ { 2 } + \sqrt [ 3 ] { x } \frac { 1 } { 2 }")
    assert [" ".join(tokens[a:b]) for a, b in top_items(tokens)] == [
        "a _ { i } ^ { 2 }",
        "+",
        r"\sqrt [ 3 ] { x }",
        r"\frac { 1 } { 2 }",
    ]


def test_cutting_and_pasting_back_gives_the_same_strokes() -> None:
    for piece in pieces()[:40]:
        for group in groups(piece.tokens):
            part = cut(piece, group.start, group.end)
            again = paste(piece, group.start, group.end, part)
            assert again.tokens == piece.tokens
            assert sum(map(len, again.strokes)) == sum(map(len, piece.strokes))
            assert ink_complete(again)


def test_swapped_symbols_keep_tokens_place_and_size() -> None:
    recombiner, random = Recombiner(written()), np.random.default_rng(0)
    changed = 0
    for piece in pieces():
        swapped = recombiner.swap_symbols(piece, 0.5, random)
        assert swapped.tokens == piece.tokens
        assert ink_complete(swapped)
        whole, other = np.concatenate(piece.strokes), np.concatenate(swapped.strokes)
        assert (
            np.abs(np.ptp(whole, axis=0) - np.ptp(other, axis=0)).max()
            < 0.7 * np.ptp(whole, axis=0).max() + 30
        )
        changed += any(len(a) != len(b) for a, b in zip(piece.strokes, swapped.strokes, strict=False))
    assert changed > len(pieces()) / 4


def test_swapped_groups_and_parts_are_valid_latex_with_all_their_ink() -> None:
    recombiner, random, accepts = Recombiner(written()), np.random.default_rng(0), grammar().accepts
    swapped = [recombiner.swap_group(piece, random) for piece in pieces()]
    parts = [part for piece in pieces() if (part := recombiner.part(piece, random)) is not None]
    assert any(new.tokens != old.tokens for new, old in zip(swapped, pieces(), strict=True))
    assert len(parts) > 50
    for piece in (*swapped, *parts):
        assert accepts(piece.tokens), " ".join(piece.tokens)
        assert ink_complete(piece)


def test_same_generator_same_recombination() -> None:
    recombiner = Recombiner(written())
    results = [
        [recombiner.swap_group(piece, random).tokens for piece in pieces()]
        for random in (np.random.default_rng(5), np.random.default_rng(5))
    ]
    assert results[0] == results[1]
