"""Random expressions: well formed, like the corpus, the same for the same seed."""

from collections import Counter
from random import Random

import pytest
from corpus_samples import CROHME_SYMBOLS
from hypothesis import given, settings
from hypothesis import strategies as st

from inktex.corpus import ExpressionModel, language
from inktex.corpus.language import FORMULAS
from inktex.latex import Grammar, Vocabulary, normalize


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Grammar(Vocabulary.build([normalize(formula) for formula in FORMULAS]))


@given(seed=st.integers(0, 2**40))
@settings(max_examples=300, deadline=None)
def test_whatever_is_drawn_is_well_formed(
    builtin_model: ExpressionModel, grammar: Grammar, seed: int
) -> None:
    tokens = builtin_model.sample(Random(seed))
    assert grammar.accepts(tokens), " ".join(tokens)
    assert normalize(" ".join(tokens)) == tokens
    for opening, closing in (("(", ")"), (r"\{", r"\}")):
        assert tokens.count(opening) == tokens.count(closing)


def test_the_same_seed_draws_the_same(builtin_model: ExpressionModel) -> None:
    again = ExpressionModel.builtin()
    assert [builtin_model.sample(Random(n)) for n in range(50)] == [
        again.sample(Random(n)) for n in range(50)
    ]


def test_most_of_what_is_drawn_is_new_and_varied(builtin_model: ExpressionModel) -> None:
    known = {normalize(formula) for formula in FORMULAS}
    drawn = [builtin_model.sample(Random(n)) for n in range(500)]
    assert len(set(drawn)) > 400
    assert sum(tokens not in known for tokens in drawn) > 350


def test_all_symbols_of_the_vocabulary_occur_without_any_data(builtin_model: ExpressionModel) -> None:
    counts = Counter(token for n in range(3000) for token in builtin_model.sample(Random(n)))
    assert [symbol for symbol in CROHME_SYMBOLS if not counts[symbol]] == []


def test_expressions_resemble_what_was_learnt() -> None:
    model = ExpressionModel([("a", "+", "b"), ("a", "-", "b")])
    drawn = {" ".join(model.sample(Random(n))) for n in range(200)}
    assert {"a + b", "a - b"} <= drawn
    assert all(set(each.split()) <= {"a", "b", "+", "-"} for each in drawn)


def test_length_and_depth_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "MAX_TOKENS", 30)
    monkeypatch.setattr(language, "MAX_DEPTH", 3)
    nested = normalize(r"\sqrt{\sqrt{\sqrt{\sqrt{\sqrt{\sqrt{x+x+x+x+x+x+x+x}}}}}}")
    model = ExpressionModel([nested])
    for n in range(100):
        tokens = model.sample(Random(n))
        assert tokens.count(r"\sqrt") <= 30
        assert len(tokens) < 60
        depth = deepest = 0
        for token in tokens:
            depth += (token == "{") - (token == "}")
            deepest = max(deepest, depth)
        assert deepest <= 3


def test_nothing_to_learn_from_is_an_error() -> None:
    with pytest.raises(ValueError, match="no expressions to learn from"):
        ExpressionModel([])
    with pytest.raises(ValueError, match="can begin a row"):
        ExpressionModel([(")",)]).sample(Random(0))
