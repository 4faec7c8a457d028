"""Tokens are brought into canonical order together with what belongs to them."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inktex.corpus import ExpressionModel
from inktex.corpus.example import canonical_order
from inktex.latex import normalize, tokenize


def test_scripts_move_with_their_strokes() -> None:
    tokens = tokenize(r"\sum\limits^{n}_{i}")
    strokes_of = ((0,), (), (), (), (1,), (), (), (), (2, 3), ())
    order = canonical_order(tokens)
    assert tuple(tokens[place] for place in order) == tokenize(r"\sum_{i}^{n}")
    moved = [strokes_of[place] for place in order]
    assert moved == [(0,), (), (), (2, 3), (), (), (), (1,), ()]


def test_nested_scripts_are_ordered_at_every_level() -> None:
    tokens = tokenize(r"x^{y^{a}_{b}}_{\frac{c^{1}_{2}}{d}}")
    ordered = tuple(tokens[i] for i in canonical_order(tokens))
    assert ordered == tokenize(r"x_{\frac{c_{2}^{1}}{d}}^{y_{b}^{a}}")


@pytest.mark.parametrize("tokens", ["x ^ { 2", "x } y", "{ x"])
def test_braces_that_do_not_match_are_named(tokens: str) -> None:
    with pytest.raises(ValueError, match=r"[{}]"):
        canonical_order(tokens.split())


@given(seed=st.integers(0, 10**6), data=st.data())
def test_the_order_agrees_with_the_normaliser(
    builtin_model: ExpressionModel, seed: int, data: st.DataObject
) -> None:
    written = list(builtin_model.sample(Random(seed)))
    for place in range(len(written) - 1, -1, -1):
        if written[place] == r"\sum" and data.draw(st.booleans()):
            written.insert(place + 1, r"\limits")
    assert tuple(written[i] for i in canonical_order(written)) == normalize(" ".join(written))
