"""Write `tests/vectors/latex.json`: tokens and the LaTeX that is printed for them, for every printer to pass.

    python scripts/latex_vectors.py

The printers of the package and of the browser are both tested with this file.
"""

import json
import random
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from inktex.latex import Grammar, in_lines, normalize, print_latex, symbols, wide_vocabulary

TARGET = Path(__file__).parents[1] / "tests/vectors/latex.json"
WRITTEN = r"""
x
x^2+\frac{a}{b}
\alpha x
\alpha 2
\alpha\beta_1
\sin x+\sin\alpha+\sin 2x+\sin(x)
\pi r^2
\sqrt[3]{x+1}
\sqrt{[x]}
\lim_{n\to\infty}\left(1+\frac 1n\right)^n=e
\int_0^1 f(x)\,dx
\sum_{i=1}^n i
f'(x)+f''
\{x\mid x\in\mathbb R\}
\mathcal{L}\mathbb{N}a
\|v\|a
\hat x+\overline{ab}+\vec{v}b
\underbrace{a+b}_{n}
\binom nk
5\%x
90^\circ
a\mod b
\frac{\partial u}{\partial t}=\nabla u
A\cup B\subset D
\begin{pmatrix}a&b\\c&d\end{pmatrix}^{-1}
\begin{bmatrix}1&&\\&\ddots&\\&&1\end{bmatrix}
\begin{matrix}a\\ [b]\\ *\end{matrix}
f(x)=\begin{cases}x&x>0\\0\end{cases}
\begin{aligned}[x]&=1\\y&=2\end{aligned}
\begin{aligned} [ x ] &=1\\y&=2\end{aligned}
"""
PAGES = [
    ["a=b", "c+d=e"],
    ["a=b"],
    ["a+b", "c=d"],
    [r"\frac{x=1}{2}<3", r"x\to y", r"\alpha\leq b"],
]
WALKS = 120


def walk(grammar: Grammar, rng: random.Random, budget: int) -> tuple[str, ...]:
    """An expression drawn token by token from what the grammar allows."""
    state = grammar.start
    ids: list[int] = []
    while index := rng.choice(grammar.mask_within(state, budget - len(ids)).nonzero()[0].tolist()):
        ids.append(index)
        state = grammar.advance(state, index)
    return grammar.vocabulary.decode(ids)


def spans(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Where each token stands in the printed text, which has spaces between some of them."""
    ends = list(accumulate(tokens, lambda end, token: text.index(token, end) + len(token), initial=0))[1:]
    return [(end - len(token), end) for end, token in zip(ends, tokens, strict=True)]


def vectors() -> dict[str, Any]:
    """All vectors."""
    grammar, rng = Grammar(wide_vocabulary()), random.Random(1)
    expressions = [normalize(text, canonical=False) for text in WRITTEN.strip().splitlines()]
    expressions += [walk(grammar, rng, rng.randint(2, 40)) for _ in range(WALKS)]
    drawn = [token for token in symbols.WIDE if symbols.symbol(token).group not in symbols.STRUCTURAL]
    expressions += [(token, "x", token, "1", token, "+") for token in drawn]
    pages = [[normalize(line, canonical=False) for line in page] for page in PAGES]
    return {
        "expressions": [
            {
                "tokens": tokens,
                "latex": print_latex(tokens),
                "spans": spans(print_latex(tokens), tokens),
            }
            for tokens in dict.fromkeys(expressions)
        ],
        "styles": [
            {"tokens": expressions[1], "style": style, "latex": print_latex(expressions[1], style)}
            for style in ("plain", "spaced", "inline", "display", "markdown")
        ],
        "lines": [
            {
                "lines": lines,
                "environment": environment,
                "tokens": in_lines(lines, environment),
                "latex": print_latex(in_lines(lines, environment)),
            }
            for lines in pages
            for environment in ("aligned", "cases")
        ],
    }


def as_text() -> str:
    """The vectors as JSON text, one vector per line."""
    kinds = (
        f'  "{kind}": [\n'
        + ",\n".join("    " + json.dumps(each, ensure_ascii=False) for each in rows)
        + "\n  ]"
        for kind, rows in vectors().items()
    )
    return "{\n" + ",\n".join(kinds) + "\n}\n"


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(as_text(), encoding="utf-8")
    print(f"{TARGET.name}: {len(as_text())} characters")
