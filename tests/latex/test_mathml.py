"""MathML that a browser can draw, for every expression the grammar allows."""

import random
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inktex.latex import Grammar, LatexError, Vocabulary, normalize, parse_layout, to_mathml

CHILDREN = {
    "mfrac": 2,
    "mroot": 2,
    "msub": 2,
    "msup": 2,
    "munder": 2,
    "mover": 2,
    "msubsup": 3,
    "munderover": 3,
}
SYMBOLS = r"""
    a b x 0 1 2 + - = < > ( ) [ ] \{ \} | , . / ! ' \prime \sin \log \lim \int \sum \alpha \phi \Delta \infty
    \pi \times \div \pm \cdot \cdots \ldots \leq \neq \in \forall \exists \rightarrow \limits
    \frac \sqrt \hat \binom { } _ ^"""
VOCABULARY = Vocabulary(("<eol>", *SYMBOLS.split()))
GRAMMAR = Grammar(VOCABULARY)


def mathml(latex: str) -> str:
    """Without the frame, and without spaces and attributes that the test is not about."""
    text = to_mathml(normalize(latex))
    return text[text.index(">") + 1 : -len("</math>")]


def assert_drawable(tokens: tuple[str, ...]) -> None:
    """Well-formed, each element with as many children as it needs, each symbol there exactly once."""
    root = ElementTree.fromstring(to_mathml(tokens, ids=True))
    for element in root.iter():
        name = element.tag.rpartition("}")[2]
        assert name not in CHILDREN or len(element) == CHILDREN[name], tokens
    marked = [int(element.get("data-token")) for element in root.iter() if element.get("data-token")]
    assert sorted(marked) == sorted(node.token for node in parse_layout(tokens).symbols())
    ElementTree.fromstring(to_mathml(tokens))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9))
def test_whatever_the_grammar_allows_can_be_drawn(draw_expression, seed: int) -> None:
    assert_drawable(draw_expression(GRAMMAR, random.Random(seed), 40))


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("x", "<mi>x</mi>"),
        ("12.5", "<mn>12.5</mn>"),
        (r"\frac{a}{2}", "<mfrac><mi>a</mi><mn>2</mn></mfrac>"),
        (r"\sqrt[3]{x}", "<mroot><mi>x</mi><mn>3</mn></mroot>"),
        ("x_1^2", "<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>"),
        (r"a\leq b", "<mrow><mi>a</mi><mo>≤</mo><mi>b</mi></mrow>"),
        (r"a<b", "<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>"),
        (r"\Delta", '<mi mathvariant="normal">Δ</mi>'),
        (r"{}^2", "<msup><mrow></mrow><mn>2</mn></msup>"),
    ],
)
def test_elements(latex: str, expected: str) -> None:
    assert mathml(latex) == expected


def test_limits_stand_above_and_below_sums_but_beside_integrals() -> None:
    assert mathml(r"\sum_i^n").startswith("<munderover>")
    assert mathml(r"\lim_{x\to 0}").startswith("<munder>")
    assert mathml(r"\int_a^b").startswith("<msubsup>")


def test_brackets_grow_with_their_content_only() -> None:
    text = mathml(r"f(x)=\left(\frac{1}{2}\right)^2")
    pair = '<mrow><mo form="prefix" stretchy="true">(</mo>{}<mo form="postfix" stretchy="true">)</mo></mrow>'
    assert pair.format("<mi>x</mi>") in text
    assert f"<msup>{pair.format('<mfrac><mn>1</mn><mn>2</mn></mfrac>')}<mn>2</mn></msup>" in text


def test_bars_find_their_partners() -> None:
    assert mathml("|a||b|").count('form="prefix"') == 2
    assert mathml("||a|-|b||").count('form="postfix"') == 3
    assert 'stretchy="true"' not in mathml("a|b")


def test_a_bracket_alone_stays_small() -> None:
    assert mathml("(a") == '<mrow><mo form="prefix" stretchy="false">(</mo><mi>a</mi></mrow>'
    assert 'stretchy="true">[' in mathml("[0,1)")


def test_functions_are_upright_and_apart_from_their_arguments() -> None:
    assert "<mi>sin</mi><mo>\N{FUNCTION APPLICATION}</mo><mspace" in mathml(r"\sin x")
    assert "<mspace" not in mathml(r"\sin(x)")
    assert '<mi>a</mi><mspace width="0.1667em"/><mi>log</mi>' in mathml(r"a\log x")


def test_a_sign_before_a_number_is_not_spaced_like_one_between_numbers() -> None:
    assert mathml("a=-1").count('form="prefix"') == 1
    assert 'form="prefix"' not in mathml("a-1")


def test_primes_are_raised() -> None:
    assert mathml("f'").startswith("<msup><mi>f</mi><mo")
    assert "′" in mathml("f^{'}")


def test_an_unknown_command_is_shown_by_its_name() -> None:
    assert mathml(r"\foo") == "<mtext>foo</mtext>"


def test_letters_of_other_alphabets_are_characters_of_their_own() -> None:
    assert mathml(r"\mathbb{R}") == "<mi>ℝ</mi>"
    assert "𝒜" in mathml(r"\mathcal{A}")
    assert "ℭ" in mathml(r"\mathfrak{C}")
    assert "<mi>α</mi>" in mathml(r"\mathbb{\alpha}")


def test_marks_link_elements_with_tokens() -> None:
    tokens = normalize(r"\frac{x}{12}")
    text = to_mathml(tokens, ids=True, display="inline")
    assert 'display="inline"' in text
    for place, shown in ((0, "<mfrac data-token"), (2, ">x<"), (5, ">1<"), (6, ">2<")):
        assert f'data-token="{place}"' in text
        assert shown in text


def test_what_is_not_in_caption_form_is_refused() -> None:
    with pytest.raises(LatexError):
        to_mathml([r"\frac", "1", "2"])


@pytest.mark.crohme
def test_every_caption_can_be_drawn(crohme) -> None:
    for split in ("train", "test2014"):
        for caption in set(crohme.captions(split).values()):
            assert_drawable(caption)
            assert "<mtext>" not in to_mathml(caption)
