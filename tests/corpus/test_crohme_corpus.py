"""The real data, where it is there."""

import time
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from inktex.corpus import (
    BANKS,
    Corpus,
    ExpressionModel,
    Synthesizer,
    open_bank,
    synthetic_example,
)
from inktex.corpus.pictures import split_stats
from inktex.latex import normalize, tokenize

pytestmark = pytest.mark.crohme
Load = Callable[[str], Corpus]


@pytest.mark.parametrize(("split", "usable"), [("train", 8835), ("test2013", 671), ("test2014", 986)])
def test_all_usable_expressions_are_there(crohme: Load, split: str, usable: int) -> None:
    assert len(crohme(split)) == usable


def test_only_the_empty_file_is_unusable(crohme: Load) -> None:
    [problem] = crohme("train").problems
    assert problem.path.endswith("MfrDB3088.inkml")
    assert crohme("test2013").problems == crohme("test2014").problems == ()


def test_a_split_loads_in_under_a_second(crohme: Load) -> None:
    crohme("train")
    took = []
    for _ in range(3):  # another process on the same core makes one of them slow
        start = time.process_time()
        crohme("train")
        took.append(time.process_time() - start)
    assert min(took) < 1.0


def test_training_tokens_are_canonical_and_every_written_one_has_strokes(crohme: Load) -> None:
    train = crohme("train")
    without = Counter(
        token
        for index in range(len(train))
        for token, strokes in zip(train.tokens(index), train[index].strokes_of, strict=True)
        if not strokes
    )
    assert r"\limits" not in {token for index in range(len(train)) for token in train.tokens(index)}
    assert {"{", "}", "_", "^"} <= set(without)
    assert sum(count for token, count in without.items() if token not in ("{", "}", "_", "^", "[", "]")) < 20
    for index in range(0, len(train), 37):
        assert normalize(" ".join(train.tokens(index))) == train.tokens(index)


def test_strokes_of_test_expressions_come_from_the_files(crohme: Load) -> None:
    validation = crohme("test2013")
    assert sum(any(validation[index].strokes_of) for index in range(len(validation))) >= 665


def test_scripts_with_equal_symbols_are_not_mixed_up(crohme: Load) -> None:
    train = crohme("train")
    wanted = tokenize("x_{x}^{x}+y")
    found = [index for index in range(len(train)) if train.tokens(index)[:11] == wanted]
    assert found
    for index in found:
        example = train[index]
        lower, upper = (example.ink.select(example.strokes_of[place]).points for place in (3, 7))
        assert lower[:, 1].mean() > upper[:, 1].mean(), example.stem


def test_stats_know_collections_and_writers(crohme: Load) -> None:
    stats = split_stats(crohme("train"))
    assert dict(stats.expressions_of) == {
        "MathBrush": 2989, "HAMEX": 2484, "MfrDB": 1666, "KAIST": 1051, "expressmatch": 620, "extension": 25
    }  # fmt: skip
    assert stats.writers > 300
    assert 100 <= stats.classes <= 106


@pytest.mark.parametrize("name", BANKS)
def test_every_bank_writes_expressions_like_those_of_the_training_set(crohme: Load, name: str) -> None:
    try:
        synthesizer = Synthesizer(open_bank(name))
    except FileNotFoundError as error:
        pytest.skip(str(error))
    train = crohme("train")
    model = ExpressionModel(train.tokens(index) for index in range(0, len(train), 8))
    for number in range(100):
        example = synthetic_example(synthesizer, model, 0, number)
        assert np.isfinite(example.ink.points).all()
        assert len(example.ink.points) < 10_000


def test_no_ink_is_shared_between_training_and_tests(crohme: Load) -> None:
    def inks(split: str) -> set[bytes]:
        return {example.ink.points.tobytes() for example in crohme(split)}

    train = inks("train")
    assert not train & inks("test2013")
    assert not train & inks("test2014")
