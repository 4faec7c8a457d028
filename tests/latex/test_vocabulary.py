"""The vocabulary gives every token its number and says clearly which tokens it does not know."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inktex.latex import LatexError, Vocabulary

token_sequences = st.lists(
    st.lists(st.text(min_size=1).filter(lambda t: t != "<eol>"), max_size=8), max_size=5
)


def test_the_end_mark_is_number_zero() -> None:
    vocabulary = Vocabulary.build([["x", "+", "y"], ["x"]])
    assert vocabulary.tokens == ("<eol>", "+", "x", "y")
    assert vocabulary.size == 4
    assert vocabulary.id("x") == 2


@given(token_sequences)
def test_what_is_encoded_decodes_to_itself(sequences: list[list[str]]) -> None:
    vocabulary = Vocabulary.build(sequences)
    for sequence in sequences:
        assert vocabulary.decode(vocabulary.encode(sequence)) == tuple(sequence)


def test_the_same_data_in_another_order_give_the_same_numbers() -> None:
    assert Vocabulary.build([["b"], ["a"]]) == Vocabulary.build([["a", "b"]])


def test_decoding_stops_at_the_end_mark() -> None:
    vocabulary = Vocabulary.build(["ab"])
    assert vocabulary.decode([1, 0, 2, 2]) == ("a",)


def test_unknown_tokens_are_named() -> None:
    vocabulary = Vocabulary.build(["ab"])
    with pytest.raises(LatexError, match=r"not in the vocabulary of 3 tokens: \\zeta q$"):
        vocabulary.encode(["a", r"\zeta", "q", r"\zeta"])
    assert vocabulary.unknown(["a", r"\zeta", "b", r"\zeta"]) == (r"\zeta", r"\zeta")
    assert "a" in vocabulary
    assert r"\zeta" not in vocabulary


@pytest.mark.parametrize("ids", [[3], [-1]])
def test_ids_outside_are_an_error(ids: list[int]) -> None:
    with pytest.raises(LatexError, match="outside the vocabulary"):
        Vocabulary.build(["ab"]).decode(ids)


@pytest.mark.parametrize("tokens", [["x"], [], ["<eol>", "x", "x"], ["<eol>", 3], ["<eol>", ""]])
def test_damaged_tokens_are_refused_with_a_reason(tokens: list[str]) -> None:
    with pytest.raises(LatexError, match="vocabulary"):
        Vocabulary(tokens)


@pytest.mark.crohme
def test_the_captions_need_the_tokens_of_the_paper(crohme) -> None:
    vocabulary = Vocabulary.build(crohme.captions("train").values())
    paper = (crohme.folder / "captions" / "vocabulary.txt").read_text().split()
    assert set(vocabulary.tokens) == set(paper)
    assert all(not vocabulary.unknown(caption) for caption in crohme.captions("test2014").values())
