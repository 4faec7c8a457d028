"""The grammar lets through every expression in caption form and leads every prefix to a well-formed end."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inktex.latex import Grammar, LatexError, State, Vocabulary, normalize, tokenize

TOKENS = r"x y 1 + = ( ) [ ] \{ \} | ' \prime \sin \int \sum \lim \limits _ ^ { } \frac \sqrt \hat"
VOCABULARY = Vocabulary(("<eol>", *TOKENS.split()))
GRAMMAR = Grammar(VOCABULARY)


def after(text: str, grammar: Grammar = GRAMMAR) -> State:
    state = grammar.start
    for index in VOCABULARY.encode(text.split()):
        state = grammar.advance(state, index)
    return state


def next_tokens(text: str, grammar: Grammar = GRAMMAR) -> set[str]:
    return {VOCABULARY.tokens[index] for index in grammar.allowed(after(text, grammar))}


@pytest.mark.parametrize(
    "text",
    [
        "x",
        r"\frac { x } { y }",
        r"\sqrt { x }",
        r"\sqrt [ 1 ] { x }",
        r"\sqrt { [ x ] }",
        r"\sqrt [ \frac { [ x ] } { y } ] { x }",
        r"\sqrt { x } [ 1 ]",
        "x _ { 1 } ^ { y }",
        "x ^ { y } _ { 1 }",
        r"\int \limits _ { 1 } ^ { x } y",
        r"\frac { x } { y } ^ { 1 }",
        "( x ] )",
        "x ^ { ' }",
        "x ^ { ' ' }",
        r"\hat { x } _ { 1 }",
    ],
)
def test_the_caption_form_is_accepted(text: str) -> None:
    assert GRAMMAR.accepts(text.split())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{ x }",
        "x }",
        r"\frac x y",
        r"\frac { x }",
        r"\frac { } { y }",
        r"\sqrt [ ] { x }",
        r"\sqrt [ 1 { x }",
        r"\sqrt [ \sqrt [ 1 ] { x } ] { y }",
        "^ { x }",
        "( x ^ { _ { 1 } } )",
        "x ^ { 1 } ^ { y }",
        "x _ { 1 } ^ { y } _ { 1 }",
        "x ^ 1",
        r"x \limits _ { 1 }",
        r"\int \limits x",
        r"\int _ { 1 } \limits ^ { x }",
        "x ^ { 1 } '",
        "x z",
        "x <eol>",
    ],
)
def test_anything_else_is_not(text: str) -> None:
    assert not GRAMMAR.accepts(text.split())


def test_it_knows_what_may_follow() -> None:
    assert next_tokens(r"\frac") == {"{"}
    assert next_tokens(r"\frac { x }") == {"{"}
    assert next_tokens(r"\sqrt") == {"{", "["}
    assert next_tokens(r"\int \limits") == {"_", "^"}
    assert next_tokens(r"x ^ { 1 }") & {"^", "_", "}", "<eol>"} == {"_", "<eol>"}
    assert next_tokens(r"x ^ {") & {"}", "<eol>", "^", "_"} == set()
    assert next_tokens(r"x <eol>") == set()


def test_a_bracket_ends_an_index_only_at_its_level() -> None:
    assert after(r"\sqrt [ x ]") != after(r"\sqrt { x ]")
    assert next_tokens(r"\sqrt [ x ]") == {"{"}
    assert "]" not in next_tokens(r"\sqrt [")
    assert "}" in next_tokens(r"\sqrt [ \frac { x ]")


def test_delimiters_need_no_partner() -> None:
    for text in ("( x", "x )", r"\{ x )", "( x ^ { ) }", r"\frac { ( x } { y ) }"):
        assert GRAMMAR.accepts(text.split())


def test_equal_prefix_structure_gives_equal_states() -> None:
    assert after("x + y") == after("1")
    assert hash(after("x ^ { 1")) == hash(after("y ^ { x + 1"))


def test_a_token_out_of_place_is_refused() -> None:
    with pytest.raises(LatexError, match=r"the token \} cannot come here"):
        GRAMMAR.advance(GRAMMAR.start, VOCABULARY.id("}"))
    with pytest.raises(LatexError, match="id 99"):
        GRAMMAR.advance(GRAMMAR.start, 99)


def test_masks_are_shared_and_cannot_be_changed() -> None:
    mask = GRAMMAR.mask(after("x + 1"))
    assert mask is GRAMMAR.mask(after("y"))
    with pytest.raises(ValueError, match="read-only"):
        mask[0] = False


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**9), budget=st.integers(1, 60))
def test_every_walk_ends_in_time_and_in_caption_form(draw_expression, seed: int, budget: int) -> None:
    tokens = draw_expression(GRAMMAR, random.Random(seed), budget)
    assert 1 <= len(tokens) <= budget
    assert GRAMMAR.accepts(tokens)
    assert normalize(" ".join(tokens), canonical=False) == tokens


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_the_shortest_end_is_always_reachable_and_never_shorter(draw_expression, seed: int) -> None:
    state = GRAMMAR.start
    for index in VOCABULARY.encode(draw_expression(GRAMMAR, random.Random(seed), 40)):
        needed = GRAMMAR.shortest_end(state)
        assert (needed == 0) == bool(GRAMMAR.mask(state)[0])
        nearest = min(
            GRAMMAR.shortest_end(GRAMMAR.advance(state, other)) for other in GRAMMAR.allowed(state) if other
        )
        assert nearest >= needed - 1
        assert needed == 0 or nearest == needed - 1
        state = GRAMMAR.advance(state, index)


def test_structure_that_a_vocabulary_cannot_complete_is_never_offered() -> None:
    grammar = Grammar(Vocabulary(("<eol>", "x", "^", r"\frac", "&")))
    assert grammar.allowed(grammar.start) == {1}
    assert grammar.allowed(grammar.advance(grammar.start, 1)) == {0, 1}


def test_depth_is_bounded() -> None:
    grammar = Grammar(VOCABULARY, max_depth=2)
    assert grammar.accepts(tokenize("x^{x^{x}}"))
    assert not grammar.accepts(tokenize("x^{x^{x^{x}}}"))


@pytest.mark.crohme
def test_every_caption_is_accepted(crohme) -> None:
    captions = [*crohme.captions("train").values(), *crohme.captions("test2014").values()]
    vocabulary = Vocabulary.build(captions)
    grammar = Grammar(vocabulary)
    assert [caption for caption in captions if not grammar.accepts(caption)] == []


@pytest.mark.crohme
def test_the_2013_truths_are_accepted(crohme) -> None:
    truths = [normalize(file.truth) for file in crohme.split("test2013")]
    grammar = Grammar(Vocabulary.build(truths))
    assert [truth for truth in truths if not grammar.accepts(truth)] == []
