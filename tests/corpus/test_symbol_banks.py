"""Symbol banks: built in, and from data."""

import json
import lzma
from pathlib import Path
from random import Random

import numpy as np
import pytest
from corpus_samples import CROHME_SYMBOLS

from inktex.corpus import Example, Glyph, SymbolBank, Synthesizer, open_bank
from inktex.corpus.bank import read_bank, write_bank
from inktex.corpus.bank_sources import collection_bank, crohme_bank
from inktex.corpus.hershey import hershey_bank
from inktex.corpus.roles import WORDS
from inktex.latex import normalize


def test_the_built_in_bank_can_write_the_whole_vocabulary(bank: SymbolBank) -> None:
    assert [symbol for symbol in CROHME_SYMBOLS if symbol not in bank and symbol not in WORDS] == []
    assert Synthesizer(bank).missing(tuple(CROHME_SYMBOLS)) == ()


def test_the_built_in_bank_is_the_same_every_time() -> None:
    one, other = hershey_bank(writers=2, repeats=1), hershey_bank(writers=2, repeats=1)
    assert all(np.array_equal(a.points, b.points) for a, b in zip(one, other, strict=True))
    some = hershey_bank(writers=2, repeats=1, without=[label for label in one.labels if label != "k"])
    assert some.labels == ("k",)
    assert all(np.array_equal(a.points, b.points) for a, b in zip(one.glyphs("k"), some, strict=True))
    different = hershey_bank(writers=2, repeats=1, seed=1)
    assert not all(np.array_equal(a.points, b.points) for a, b in zip(one, different, strict=True))


def test_glyphs_look_drawn_and_not_constructed(bank: SymbolBank) -> None:
    for glyph in bank:
        assert glyph.points.min() == 0.0
        assert 2 <= len(glyph.points) < 400, glyph.label
        assert all(len(stroke) >= 2 for stroke in glyph.strokes)
    minus = bank.glyphs("-")
    assert len({glyph.height for glyph in minus}) == len(minus)  # no two lines alike
    assert all(glyph.height > 0 for glyph in minus)


@pytest.mark.parametrize(
    ("label", "strokes"),
    [("1", {1}), ("x", {1, 2}), ("=", {2}), (r"\neq", {3}), ("i", {2}), (r"\ldots", {3})],
)
def test_symbols_have_as_many_strokes_as_people_give_them(
    bank: SymbolBank, label: str, strokes: set[int]
) -> None:
    assert {len(glyph.offsets) - 1 for glyph in bank.glyphs(label)} <= strokes


def test_a_bank_is_cut_out_of_examples(bank: SymbolBank) -> None:
    examples = [Synthesizer(bank).write(normalize(latex), 0) for latex in (r"\frac{a}{b}", r"\sin x_{1}")]
    cut = crohme_bank(examples)
    assert sorted(cut.labels) == sorted(["a", "b", "x", "1", r"\frac", r"\sin"])
    assert "_" not in cut
    assert crohme_bank([Example(examples[0].ink, ("a",), ((),), "s", "f")]).labels == ()


def test_a_bank_names_the_symbol_that_it_lacks() -> None:
    small = SymbolBank("small", [Glyph.from_strokes("a", [[[0, 0], [1, 2]]], "me")])
    with pytest.raises(KeyError, match="the symbol bank 'small' has no b"):
        small.pick("b", Random(0))


def test_a_bank_is_read_back_as_it_was_written(bank: SymbolBank, tmp_path: Path) -> None:
    write_bank(tmp_path / "some.bank", bank)
    again = read_bank(tmp_path / "some.bank")
    assert again.writers == bank.writers
    for one, other in zip(bank, again, strict=True):
        assert np.array_equal(one.points, other.points)
        assert (one.label, one.offsets, one.width, one.writer) == (
            other.label,
            other.offsets,
            other.width,
            other.writer,
        )


def write_lines(path: Path, lines: list[dict[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(path, "wt") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return path


STROKES = [[[0.0, 0.0], [0.5, 0.2], [1.0, 0.0]]]


def test_detexify_commands_become_tokens(tmp_path: Path) -> None:
    commands = [
        r"\alpha",
        r"\upalpha",
        r"\Updelta",
        r"\sqrt{}",
        r"\dotsc",
        r"\mid",
        r"\to",
        r"\aleph",
        "[",
        r"\upuparrows",
    ]
    lines: list[dict[str, object]] = [{"command": command, "strokes": STROKES} for command in commands]
    bank = collection_bank("detexify", write_lines(tmp_path / "d.xz", lines))
    assert set(bank.labels) == {
        r"\alpha", r"\Delta", r"\sqrt", r"\ldots", "|", r"\rightarrow", r"\aleph", "[", r"\upuparrows"
    }  # fmt: skip
    assert len(bank.glyphs(r"\alpha")) == 2


def test_mathnote_names_become_tokens(tmp_path: Path) -> None:
    names = ["A_cap", "a", "Delta_cap", "Omega_up", "alpha", "slash", "lbrace", "7", "prime", "dot", "+"]
    lines: list[dict[str, object]] = [{"name": name, "strokes": STROKES} for name in names]
    bank = collection_bank("mathnote", write_lines(tmp_path / "m.xz", lines))
    assert list(bank.labels) == [
        "A",
        "a",
        r"\Delta",
        r"\Omega",
        r"\alpha",
        "/",
        r"\{",
        "7",
        r"\prime",
        r"\cdot",
        "+",
    ]


def test_banks_are_opened_by_name_and_cached(tmp_path: Path, own_cache: Path) -> None:
    write_lines(tmp_path / "mathnote" / "symbols.jsonl.xz", [{"name": "a", "strokes": STROKES}])
    first = open_bank("mathnote", tmp_path)
    assert {glyph.writer for glyph in first.glyphs("a")} == {"mathnote"}
    assert "b" in first  # from the built-in bank
    cached = list((own_cache / "banks").iterdir())
    assert len(cached) == 1
    cached[0].write_bytes(b"damaged")
    assert len(open_bank("mathnote", tmp_path)) == len(first)
    write_lines(tmp_path / "mathnote" / "symbols.jsonl.xz", [{"name": "a", "strokes": STROKES}] * 3)
    assert len(open_bank("mathnote", tmp_path).glyphs("a")) == 3


def test_unknown_and_missing_banks_are_explained(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there are hershey, crohme, detexify, mathnote"):
        open_bank("quill")
    with pytest.raises(FileNotFoundError, match=r"no detexify/math_symbols\.jsonl\.xz in the data folder"):
        open_bank("detexify", tmp_path)
    broken = tmp_path / "broken.xz"
    with lzma.open(broken, "wt") as file:
        file.write('{"name": "a", "strokes": [[[0, 0]]]}\nnot json\n')
    with pytest.raises(ValueError, match=r"broken\.xz: line 2: not JSON"):
        collection_bank("mathnote", broken)
