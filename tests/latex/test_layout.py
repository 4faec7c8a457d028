"""The layout tree: the same places whatever the order of writing, and back to the same tokens."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inktex.latex import Grammar, LatexError, Node, Vocabulary, join, normalize, parse_layout

TOKENS = r"x y 1 + ( ) [ ] ' \prime \sin \int \sum \limits _ ^ { } \frac \sqrt \underline \binom"
VOCABULARY = Vocabulary(("<eol>", *TOKENS.split()))
GRAMMAR = Grammar(VOCABULARY)


def layout(latex: str):
    return parse_layout(normalize(latex, canonical=False))


def relations(latex: str) -> set[str]:
    found = layout(latex).relations()
    return {f"{parent.label} {relation} {child.label}" for parent, child, relation in found}


def test_the_order_of_scripts_does_not_matter() -> None:
    assert layout("x_1^2") == layout("x^2_1")
    assert layout(r"\int\limits_a^b") == layout(r"\int^b_a")
    assert hash(layout("x_1^2")) == hash(layout("x^2_1"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x_1", "x^1"),
        ("x_1y", "x_{1y}"),
        (r"\frac{a}{b}", r"\frac{b}{a}"),
        (r"\sqrt{x}y", r"\sqrt{xy}"),
        ("x", "y"),
    ],
)
def test_other_places_are_other_layouts(one: str, other: str) -> None:
    assert layout(one) != layout(other)


def test_relations_say_what_stands_where() -> None:
    assert relations("x_i^2+1") == {"x sub i", "x sup 2", "x right +", "+ right 1"}
    assert relations(r"\frac{a}{b}c") == {r"\frac above a", r"\frac below b", r"\frac right c"}
    assert relations(r"\sqrt[3]{x}") == {r"\sqrt above 3", r"\sqrt inside x"}
    assert relations(r"\sum_{i}^n x") == {r"\sum below i", r"\sum above n", r"\sum right x"}
    assert relations(r"\int_a^b") == {r"\int sub a", r"\int sup b"}
    assert relations("x") == set()


def test_symbols_know_their_tokens() -> None:
    tokens = normalize(r"\frac{x^2}{y}+1")
    assert [
        (node.label, tokens[node.token]) for node in parse_layout(tokens).symbols() if node.token is not None
    ] == [
        *((label, label) for label in (r"\frac", "x", "2", "y", "+", "1")),
    ]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9))
def test_tokens_come_back_in_canonical_order(draw_expression, seed: int) -> None:
    tokens = draw_expression(GRAMMAR, random.Random(seed), 40)
    tree = parse_layout(tokens)
    assert tree.tokens() == normalize(join(tokens))
    assert parse_layout(tree.tokens()) == tree
    assert sorted(node.token for node in tree.numbered().symbols()) == [
        place
        for place, token in enumerate(tree.tokens())
        if token not in ("{", "}", "_", "^") and not _is_index_bracket(tree.tokens(), place)
    ]
    assert len(list(tree.relations())) == len(list(tree.symbols())) - 1


def _is_index_bracket(tokens: tuple[str, ...], place: int) -> bool:
    """A bracket right behind a radical, or the first one at the level of that."""
    open_at: list[int | None] = []
    for index, token in enumerate(tokens):
        kind = None
        if token == "[" and tokens[index - 1] == r"\sqrt" and index:
            open_at.append(index)
            kind = "index"
        elif token == "{":
            open_at.append(None)
        elif token == "}" or (token == "]" and open_at and open_at[-1] is not None):
            kind = "index" if token == "]" else None
            open_at.pop()
        if index == place:
            return kind == "index"
    return False


def test_a_script_without_a_base_keeps_its_place() -> None:
    tree = layout(r"{}_n C_k")
    assert tree.tokens() == tuple("_ { n } C _ { k }".split())  # noqa: SIM905
    assert tree.row[0] == Node("", sub=(Node("n"),))


@pytest.mark.parametrize(
    ("tokens", "reason"),
    [
        ("{ x }", "out of place"),
        (r"\frac x y", r"expected \{, found x"),
        (r"\frac { x }", r"expected \{, found the end"),
        ("x ^ { 1 } ^ { 2 }", r"a second \^ on one symbol"),
        (r"\sqrt [ 3 { x }", "out of place"),
        ("x ^ { 1", r"expected \}, found the end"),
    ],
)
def test_what_is_not_in_caption_form_is_refused(tokens: str, reason: str) -> None:
    with pytest.raises(LatexError, match=reason):
        parse_layout(tokens.split())


def test_nesting_is_bounded() -> None:
    with pytest.raises(LatexError, match="nested more than"):
        parse_layout(["x", "^", "{"] * 2000)


@pytest.mark.crohme
def test_every_caption_comes_back(crohme) -> None:
    for split in ("train", "test2014"):
        for caption in crohme.captions(split).values():
            assert parse_layout(caption).tokens() == normalize(join(caption))
