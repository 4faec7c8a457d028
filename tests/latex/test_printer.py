"""LaTeX as people write it: few spaces, the same tokens when it is read again, and wrappers."""

import json
import random
import runpy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from well_formed import is_well_formed

from inktex.latex import (
    Grammar,
    in_lines,
    normalize,
    print_latex,
    symbols,
    tokenize,
    wide_vocabulary,
)

ROOT = Path(__file__).parents[2]
VECTORS = json.loads((ROOT / "tests/vectors/latex.json").read_text(encoding="utf-8"))
GRAMMAR = Grammar(wide_vocabulary())


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("x ^ 2 + \\frac a b", r"x^{2}+\frac{a}{b}"),
        (r"\alpha x + \sin x", r"\alpha x+\sin x"),
        (r"\alpha \beta \sin ( x ) + \pi 2", r"\alpha\beta\sin(x)+\pi2"),
        (r"\mathbb{R} x \| y", r"\mathbb{R}x\|y"),
        (r"\begin{matrix} a & b \\ [ c ] & d \end{matrix}", r"\begin{matrix}a&b\\ [c]&d\end{matrix}"),
        (r"\begin{matrix} [ t ] & b \\ * & d \end{matrix}", r"\begin{matrix} [t]&b\\ *&d\end{matrix}"),
        (r"\begin{aligned} [ c ] & d \\ e \end{aligned}", r"\begin{aligned} [c]&d\\e\end{aligned}"),
    ],
)
def test_spaces_stand_only_where_tex_needs_them(written: str, printed: str) -> None:
    assert print_latex(normalize(written, canonical=False)) == printed


def test_wrappers() -> None:
    tokens = normalize("x^2")
    assert print_latex(tokens, "spaced") == "x ^ { 2 }"
    assert print_latex(tokens, "inline") == "$x^{2}$"
    assert print_latex(tokens, "display") == r"\[x^{2}\]"
    assert print_latex(tokens, "markdown") == "$$x^{2}$$"


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 50))
def test_the_printed_text_has_the_same_tokens(draw_expression, seed: int, budget: int) -> None:
    tokens = draw_expression(GRAMMAR, random.Random(seed), budget)
    text = print_latex(tokens)
    assert tokenize(text) == tokens
    assert normalize(text, canonical=False) == tokens
    assert len(text) <= len(" ".join(tokens))


@given(st.lists(st.sampled_from(symbols.WIDE), max_size=6))
def test_tokens_of_any_order_stay_apart(tokens: list[str]) -> None:
    assert tokenize(print_latex(tokens)) == tuple(tokens)


@pytest.mark.parametrize("kind", ["expressions", "styles"])
def test_the_shared_vectors(kind: str) -> None:
    for vector in VECTORS[kind]:
        assert print_latex(vector["tokens"], vector.get("style", "plain")) == vector["latex"]
        if "spans" in vector:
            assert [vector["latex"][start:end] for start, end in vector["spans"]] == vector["tokens"]


def test_the_shared_vectors_of_lines() -> None:
    for vector in VECTORS["lines"]:
        tokens = in_lines(vector["lines"], vector["environment"])
        assert list(tokens) == vector["tokens"]
        assert print_latex(tokens) == vector["latex"]
        assert is_well_formed(tokens)


def test_the_vectors_are_what_the_script_writes() -> None:
    script = runpy.run_path(str(ROOT / "scripts/latex_vectors.py"))
    assert script["as_text"]() == (ROOT / "tests/vectors/latex.json").read_text(encoding="utf-8")


def test_lines_are_aligned_at_their_first_relations() -> None:
    lines = [normalize(text) for text in ("a=b=c", r"\frac{x=y}{2}\leq d")]
    assert print_latex(in_lines(lines)) == r"\begin{aligned}a&=b=c\\\frac{x=y}{2}&\leq d\end{aligned}"
    assert print_latex(in_lines([normalize("a=b"), normalize("x")])) == (
        r"\begin{aligned}&a=b\\&x\end{aligned}"
    )
    assert in_lines([normalize("a=b")]) == ("a", "=", "b")
    assert in_lines([]) == ()
