"""Captions and alignments beside the packages."""

from pathlib import Path

import pytest
from corpus_samples import write_alignment

from inktex.corpus.importing import caption_files, read_captions


def test_captions_and_alignments_are_found_beside_the_data(tmp_path: Path) -> None:
    folder = tmp_path / "captions"
    folder.mkdir()
    (folder / "train.txt").write_text("one\tx ^ { 2 }\ntwo\ty\n")
    write_alignment(
        folder / "train_alignment.tar.gz", {"one": "x 1 0\n^ -1\n{ -1\n2 2\n} -1\n", "two": "z 0\n"}
    )
    captions = read_captions(caption_files(tmp_path, "train"))
    assert captions.tokens == {"one": ("x", "^", "{", "2", "}"), "two": ("y",)}
    # The alignment of `two` is of another expression and would point at the wrong token.
    assert captions.strokes_of == {"one": ((0, 1), (), (), (2,), ())}
    assert caption_files(tmp_path, "test2013") == []


def test_no_captions_are_no_error() -> None:
    assert read_captions([]).tokens == {}


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "captions").mkdir()
    (tmp_path / "captions" / "train.txt").write_text("one\tx\nwithout tab\n")
    with pytest.raises(ValueError, match=r"train\.txt: line 2: expected a stem, a tab and the tokens"):
        read_captions(caption_files(tmp_path, "train"))


def test_a_broken_alignment_is_named(tmp_path: Path) -> None:
    (tmp_path / "captions").mkdir()
    write_alignment(tmp_path / "captions" / "train_alignment.tar.gz", {"one": "x first\n"})
    with pytest.raises(ValueError, match=r"one\.align: 'x first': expected a token and stroke numbers"):
        read_captions(caption_files(tmp_path, "train"))
