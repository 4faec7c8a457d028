"""Typst math that says the same as the LaTeX; where the compiler is at hand, it accepts it."""

import random
from pathlib import Path

import pytest

from inktex.latex import Grammar, LatexError, Vocabulary, normalize, symbols, to_typst, wide_vocabulary

SYMBOLS = r"""
    a b x 0 1 2 + - = < > ( ) [ ] \{ \} | , . / ! ' \prime \sin \log \lim \int \sum \alpha \phi \Delta \infty
    \pi \times \div \pm \cdot \cdots \ldots \leq \neq \in \forall \exists \rightarrow \limits
    \frac \sqrt \hat \binom { } _ ^"""


@pytest.mark.parametrize(
    ("latex", "typst"),
    [
        ("ab", "a b"),
        ("12.5x", "12.5 x"),
        (r"\frac{a}{b+1}", "frac(a, b + 1)"),
        (r"\frac{a,b}{c}", r"frac(a \, b, c)"),
        (r"\sqrt{x}", "sqrt(x)"),
        (r"\sqrt[3]{x}", "root(3, x)"),
        ("x_1^2", "x_1^2"),
        ("x^{10}_{i,j}", "x_(i , j)^(10)"),
        (r"f'_1", "f'_1"),
        (r"(a+b)^2", "( a + b )^2"),
        (r"|x|", "lr(| x |)"),
        (r"[0,1)", r"\[ 0 , 1 \)"),
        ("(a", r"\( a"),
        ("a/b", "a slash b"),
        (r"\sum_{i=1}^n", "sum_(i = 1)^n"),
        (r"x\to\infty", "x arrow.r infinity"),
        (r"a\leq b\neq c", "a <= b != c"),
        (r"\{x\}", "{ x }"),
        (r"\hat{x}", "hat(x)"),
        (r"{}_n C", '""_n C'),
        (r"\frac{}{x}", 'frac("", x)'),
        (r"\foo", '"foo"'),
    ],
)
def test_the_same_in_typst(latex: str, typst: str) -> None:
    assert to_typst(normalize(latex)) == typst


def test_what_is_not_in_caption_form_is_refused() -> None:
    with pytest.raises(LatexError):
        to_typst(["x", "^", "2"])


def compile_typst(expressions: list[tuple[str, ...]], folder: Path) -> None:
    typst = pytest.importorskip("typst", reason="the Typst compiler is not installed (pip install typst)")
    source = folder / "formulas.typ"
    source.write_text("\n\n".join(f"$ {to_typst(tokens)} $" for tokens in expressions), encoding="utf-8")
    assert typst.compile(str(source), format="svg")


def test_the_compiler_accepts_whatever_the_grammar_allows(draw_expression, tmp_path: Path) -> None:
    vocabulary = Vocabulary(("<eol>", *SYMBOLS.split()))
    grammar, rng = Grammar(vocabulary), random.Random(7)
    expressions = [draw_expression(grammar, rng, 30) for _ in range(300)]
    compile_typst(expressions, tmp_path)


@pytest.mark.crohme
def test_the_compiler_accepts_every_caption(crohme, tmp_path: Path) -> None:
    captions = {*crohme.captions("train").values(), *crohme.captions("test2014").values()}
    compile_typst(sorted(captions), tmp_path)


@pytest.mark.parametrize(
    ("latex", "typst"),
    [
        (r"\mathbb{R}\mathcal{L}", "bb(R) cal(L)"),
        (r"\begin{pmatrix}a&b\\c&\end{pmatrix}", 'mat(delim: "(", a, b; c, "")'),
        (r"\begin{matrix}a,b&1\\c&d\end{matrix}", r"mat(delim: #none, a \, b, 1; c, d)"),
        (r"\begin{cases}x&x>0\\0\end{cases}", "cases(x & x > 0, 0)"),
        (r"\begin{aligned}a&=b\\&=c\end{aligned}", r"a & = b \  & = c"),
        (r"\underbrace{a+b}_{n}", "underbrace(a + b, n)"),
        (r"\overline{ab}+\bar{x}", "overline(a b) + macron(x)"),
        (r"\frac{\partial u}{\partial t}=\nabla u", "frac(partial u, partial t) = nabla u"),
    ],
)
def test_the_wide_vocabulary_in_typst(latex: str, typst: str) -> None:
    assert to_typst(normalize(latex)) == typst


def test_the_compiler_knows_every_symbol(tmp_path: Path) -> None:
    drawn = [token for group in symbols.GROUPS for token in symbols.GROUPS[group]]
    drawn = [token for token in drawn if symbols.symbol(token).group not in symbols.STRUCTURAL]
    expressions: list[tuple[str, ...]] = [(token, "x") for token in drawn]
    expressions += [(token, "{", "a", "b", "}") for token in symbols.GROUPS["accents"]]
    compile_typst(expressions, tmp_path)


def test_the_compiler_accepts_whatever_the_wide_grammar_allows(draw_expression, tmp_path: Path) -> None:
    grammar, rng = Grammar(wide_vocabulary()), random.Random(8)
    compile_typst([draw_expression(grammar, rng, 40) for _ in range(300)], tmp_path)
