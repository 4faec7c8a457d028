"""The wide vocabulary: whatever its grammar accepts can be read, printed and compared."""

import random
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from well_formed import is_well_formed

from inktex.latex import (
    Grammar,
    LatexError,
    Layout,
    Vocabulary,
    join,
    normalize,
    parse_layout,
    symbols,
    to_mathml,
    tokenize,
    wide_vocabulary,
)

VOCABULARY = wide_vocabulary()
GRAMMAR = Grammar(VOCABULARY)
SOME = r"x 1 + - , . ( ) [ ] | \{ \} ' \prime \sin \int \sum \mathbb{R} \mathcal{L} \vdots \circ \mod"
# The same with few symbols, so that structure is drawn often.
FEW = Vocabulary(
    (
        "<eol>",
        *(token for group in symbols.STRUCTURAL for token in symbols.GROUPS[group]),
        *SOME.split(),
    )
)
STRUCTURE = Grammar(FEW)
MATRIX = r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}"


def walks(grammar: Grammar, budget: int = 50) -> st.SearchStrategy[tuple[str, ...]]:
    """Expressions drawn token by token from what the grammar allows."""

    def draw(seed: int, budget: int) -> tuple[str, ...]:
        rng, state, ids = random.Random(seed), grammar.start, []
        while index := rng.choice(grammar.mask_within(state, budget - len(ids)).nonzero()[0].tolist()):
            ids.append(index)
            state = grammar.advance(state, index)
        return grammar.vocabulary.decode(ids)

    return st.builds(draw, st.integers(0, 10**9), st.integers(1, budget))


@pytest.mark.parametrize(
    "text",
    [
        MATRIX,
        rf"{MATRIX} ^ {{ - 1 }}",
        r"\begin{matrix} x \\ y \end{matrix}",
        r"\begin{bmatrix} 1 & & \\ & \ddots & \\ & & 1 \end{bmatrix}",
        r"f ( x ) = \begin{cases} x & x > 0 \\ 0 \end{cases}",
        r"\begin{aligned} a & = b \\ & = c \end{aligned}",
        r"\frac { \begin{vmatrix} a & b \\ c & d \end{vmatrix} } { \mathbb{R} }",
        rf"\begin{{pmatrix}} {MATRIX} & 0 \\ 0 & {MATRIX} \end{{pmatrix}}",
        r"\hat { x } + \overline { a b } + \underbrace { x } _ { n } + \binom { n } { k }",
        r"\frac { \partial u } { \partial t } = \nabla u",
        r"A \cup B \subset D",
        r"a \equiv b ( \mod n ^ { 2 } )",
    ],
)
def test_what_people_write_is_accepted(text: str) -> None:
    tokens = text.split()
    assert GRAMMAR.accepts(tokens)
    assert is_well_formed(tokens)
    assert join(normalize(text)) == text
    assert parse_layout(tokens).tokens() == tuple(tokens)


@pytest.mark.parametrize(
    "text",
    [
        "a & b",
        r"a \\ b",
        r"\begin{matrix} \end{matrix}",
        r"\begin{matrix} a \end{pmatrix}",
        r"\begin{matrix} a & b \\ c \end{matrix}",
        r"\begin{matrix} a & b \\ c & d & e \end{matrix}",
        r"\begin{matrix} & \\ a & b \end{matrix}",
        r"\begin{matrix} a \\ \end{matrix}",
        r"\begin{matrix} a",
        r"\begin{matrix} { a & b } \end{matrix}",
        r"\begin{matrix} x ^ { a & b } \end{matrix}",
        r"\begin{cases} a & b & c \end{cases}",
        r"\begin{cases} a & \\ b \end{cases}",
        r"\sqrt [ \begin{matrix} ] \end{matrix} ] { x }",
        r"\mathbb { R }",
        r"\begin{foo} a \end{foo}",
        r"\hat x",
        r"\end{matrix}",
        r"\le",
        r"a \mod",
        r"a \mod ^ { n }",
        r"x ^ { \mod }",
        r"\begin{matrix} a \mod & b \end{matrix}",
    ],
)
def test_anything_else_is_not(text: str) -> None:
    assert not GRAMMAR.accepts(text.split())
    assert not is_well_formed(text.split())


def test_is_well_formed_knows_symbols_of_every_vocabulary() -> None:
    text = r"\foo ^ { ' } + \int \limits _ { a } \bigsqcup \acute { e }"
    assert is_well_formed(text.split())
    assert not is_well_formed(["x", "<eol>"])
    assert not is_well_formed([])


def test_cells_and_lines_are_offered_only_where_they_may_stand() -> None:
    def offered(text: str) -> set[str]:
        state = GRAMMAR.start
        for index in VOCABULARY.encode(text.split()):
            state = GRAMMAR.advance(state, index)
        return {VOCABULARY.tokens[index] for index in GRAMMAR.allowed(state)} & {
            *("&", r"\\", "<eol>"),
            *(token for token in VOCABULARY if token.startswith(r"\end{")),
        }

    assert offered("a") == {"<eol>"}
    assert offered(r"\begin{matrix}") == {"&"}
    assert offered(r"\begin{matrix} a") == {"&", r"\\", r"\end{matrix}"}
    assert offered(r"\begin{matrix} a & b \\ c") == {"&"}
    assert offered(r"\begin{matrix} a & b \\ c & d") == {r"\\", r"\end{matrix}"}
    assert offered(r"\begin{matrix} a & b \\ c &") == {r"\\", r"\end{matrix}"}
    assert offered(r"\begin{matrix} a & b \\ &") == set()
    assert offered(r"\begin{cases} a &") == set()
    assert offered(r"\begin{cases} a & b") == {r"\\", r"\end{cases}"}


@pytest.mark.parametrize("grammar", [GRAMMAR, STRUCTURE], ids=["wide", "structure"])
def test_every_walk_is_well_formed_and_ends_in_time(grammar: Grammar) -> None:
    @settings(max_examples=150, deadline=None)
    @given(st.data(), st.integers(1, 60))
    def check(data: st.DataObject, budget: int) -> None:
        tokens = data.draw(walks(grammar, budget))
        assert 1 <= len(tokens) <= budget
        assert grammar.accepts(tokens)
        assert is_well_formed(tokens)

    check()


@settings(max_examples=100, deadline=None)
@given(walks(STRUCTURE))
def test_the_shortest_end_is_exact(tokens: tuple[str, ...]) -> None:
    state = STRUCTURE.start
    for index in FEW.encode(tokens):
        needed = STRUCTURE.shortest_end(state)
        assert (needed == 0) == bool(STRUCTURE.mask(state)[0])
        nearest = min(
            STRUCTURE.shortest_end(STRUCTURE.advance(state, other))
            for other in STRUCTURE.allowed(state)
            if other
        )
        assert nearest >= needed - 1
        assert needed == 0 or nearest == needed - 1
        following = STRUCTURE.advance(state, index)
        assert STRUCTURE.shortest_end(following) <= needed + symbols.MAX_COLUMNS
        state = following


@settings(max_examples=200, deadline=None)
@given(st.one_of(walks(GRAMMAR), walks(STRUCTURE)))
def test_every_walk_is_its_own_caption_form(tokens: tuple[str, ...]) -> None:
    assert tokenize(join(tokens)) == tokens
    assert normalize(join(tokens), canonical=False) == tokens
    canonical = normalize(join(tokens))
    assert normalize(join(canonical)) == canonical
    assert is_well_formed(canonical)
    tree = parse_layout(tokens)
    assert parse_layout(tree.tokens()) == tree
    numbered = tree.numbered()
    assert [tree.tokens()[node.token or 0] for node in numbered.symbols()] == [
        node.label for node in numbered.symbols()
    ]


@settings(max_examples=200, deadline=None)
@given(st.one_of(walks(GRAMMAR), walks(STRUCTURE)), st.booleans())
def test_every_walk_is_well_formed_mathml(tokens: tuple[str, ...], ids: bool) -> None:
    root = ElementTree.fromstring(to_mathml(tokens, ids=ids))
    marks = [int(element.attrib["data-token"]) for element in root.iter() if "data-token" in element.attrib]
    written = {node.token for node in parse_layout(tokens).symbols()}
    assert set(marks) <= written
    assert not ids or len(marks) == len(set(marks))


def test_a_matrix_is_one_symbol_with_cells() -> None:
    tree = parse_layout(f"{MATRIX} ^ {{ 2 }} x".split())
    matrix, x = tree.row
    assert matrix.label == r"\begin{pmatrix}"
    assert [[cell[0].label for cell in line] for line in matrix.cells] == [["a", "b"], ["c", "d"]]
    assert matrix.sup[0].label == "2"
    assert x.token == 13
    labels = [(parent.label, child.label, relation) for parent, child, relation in tree.relations()]
    assert (r"\begin{pmatrix}", "d", "inside") in labels
    assert tree.renamed({"d": "e"}) == parse_layout(rf"{MATRIX.replace('d ', 'e ', 1)} ^ {{ 2 }} x".split())
    assert isinstance(tree, Layout)


@pytest.mark.parametrize(
    "tokens", ["a & b", r"\begin{matrix} a", r"a \end{matrix}", r"\begin{cases} } \end{cases}"]
)
def test_cells_outside_of_an_environment_have_no_layout(tokens: str) -> None:
    with pytest.raises(LatexError):
        parse_layout(tokens.split())
