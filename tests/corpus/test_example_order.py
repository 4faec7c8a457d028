"""Tokens are brought into canonical order together with their strokes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_samples import write_alignment

from inktex.corpus import Corpus, load_all
from inktex.latex import tokenize

Captioned = Callable[..., Corpus]


@pytest.fixture
def captioned(tmp_path: Path, inkml: Callable[[str], bytes]) -> Captioned:
    """Imports a file of at least five strokes with a caption and its alignment."""

    def load(caption: str, alignment: str = "") -> Corpus:
        (tmp_path / "captions").mkdir()
        (tmp_path / "a.inkml").write_bytes(inkml("x+y=z"))
        (tmp_path / "captions" / "mine.txt").write_text(f"a\t{caption}\n")
        write_alignment(tmp_path / "captions" / "mine_alignment.tar.gz", {"a": alignment})
        return load_all([tmp_path / "a.inkml"], "mine")[0]

    return load


def test_scripts_move_with_their_strokes(captioned: Captioned) -> None:
    tokens = tokenize(r"\sum\limits^{n}_{i}")
    strokes = {r"\sum": "0", "n": "1", "i": "2 3"}
    alignment = "".join(f"{token} {strokes.get(token, '-1')}\n" for token in tokens)
    [example] = captioned(" ".join(tokens), alignment)
    assert example.tokens == tokenize(r"\sum_{i}^{n}")
    assert example.strokes_of == ((0,), (), (), (2, 3), (), (), (), (1,), ())


def test_nested_scripts_are_ordered_at_every_level(captioned: Captioned) -> None:
    [example] = captioned(" ".join(tokenize(r"x^{y^{a}_{b}}_{\frac{c^{1}_{2}}{d}}")))
    assert example.tokens == tokenize(r"x_{\frac{c_{2}^{1}}{d}}^{y_{b}^{a}}")


@pytest.mark.parametrize("tokens", ["x ^ { 2", "x } y", "{ x"])
def test_braces_that_do_not_match_are_named(captioned: Captioned, tokens: str) -> None:
    corpus = captioned(tokens)
    assert not len(corpus)
    assert any(brace in corpus.problems[0].reason for brace in "{}")
