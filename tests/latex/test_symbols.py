"""The table of symbols: complete, consistent, and enough for everything that prints them."""

import unicodedata

import pytest

from inktex.latex import END_MARK, look_alike, symbol, symbols, wide_vocabulary
from inktex.latex.words import NOT_IN_CAPTIONS


def test_the_wide_vocabulary_has_what_people_write() -> None:
    vocabulary = wide_vocabulary()
    assert vocabulary.size > 300
    wanted = r"""
        D J K O Q U W Z \partial \nabla \cup \cap \subset \propto \Omega \hbar \ell \aleph \emptyset \degree
        \prod \coprod \oint \iint \bigcup \bigcap \bigoplus \langle \lfloor \lceil \| \vdots \ddots
        \mathbb{R} \mathcal{L} \ln \max \min \exp \arcsin \det \mod \hat \bar \vec \dot \ddot \tilde
        \overline \underline \overbrace \binom \begin{matrix} \begin{pmatrix} \begin{bmatrix} \begin{vmatrix}
        \begin{cases} \begin{aligned} \end{aligned} & \\ \varpi \varrho \varsigma \varepsilon \vartheta"""
    assert vocabulary.unknown(wanted.split()) == ()
    assert vocabulary.unknown("".join(map(chr, range(ord("a"), ord("z") + 1)))) == ()


def test_a_token_is_one_word_without_spaces_and_stands_once() -> None:
    assert len(set(symbols.WIDE)) == len(symbols.WIDE)
    assert [token for token in symbols.WIDE if token.split() != [token]] == []
    assert END_MARK not in symbols.WIDE


def test_no_token_is_another_spelling_of_a_token() -> None:
    assert NOT_IN_CAPTIONS & set(symbols.WIDE) <= {"&", r"\\"}


@pytest.mark.parametrize("group", [name for name in symbols.GROUPS if name not in symbols.STRUCTURAL])
def test_every_symbol_that_can_be_drawn_has_a_character(group: str) -> None:
    for token in symbols.GROUPS[group]:
        shown = symbol(token)
        assert shown.group == group
        assert shown.character
        assert shown.typst
        assert not any(unicodedata.category(character).startswith("C") for character in shown.character)


def test_alphabets_have_their_own_characters() -> None:
    assert symbol(r"\mathbb{R}").character == "ℝ"
    assert symbol(r"\mathcal{A}").character == "𝒜"
    assert symbol(r"\mathbb{1}").character == "𝟙"
    assert symbol(r"\mathfrak{g}").character == "𝔤"
    assert symbol(r"\mathfrak{g}").group == "other"


def test_what_looks_the_same_alone_is_one_class() -> None:
    assert look_alike("O") == look_alike("o") == look_alike("0")
    assert look_alike(r"\Sigma") == look_alike(r"\sum")
    assert look_alike("x") == look_alike(r"\times")
    assert look_alike("A") == "A"
    assert look_alike("(") != look_alike("1")
    members = [token for row in symbols.LOOK_ALIKES for token in row]
    assert len(members) == len(set(members))
