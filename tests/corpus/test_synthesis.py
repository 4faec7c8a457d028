"""New expressions: laid out as they read, with truth and segmentation, the same for the same seed."""

import time
from itertools import islice, pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inktex.corpus import (
    ExpressionModel,
    SymbolBank,
    SynthesisOptions,
    Synthesizer,
    synthesize,
    synthetic_example,
)
from inktex.corpus.example import Example
from inktex.corpus.roles import STRETCHED
from inktex.ink import read, write_inkml
from inktex.latex import normalize


def boxes(example: Example) -> dict[int, tuple[float, float, float, float]]:
    """The box of every token that was written."""
    return {
        number: example.ink.select(strokes).bounds
        for number, strokes in enumerate(example.strokes_of)
        if strokes
    }


def write(
    bank: SymbolBank, latex: str, seed: int
) -> tuple[Example, dict[str, tuple[float, float, float, float]]]:
    neat = SynthesisOptions(scatter=0.5, slant=0.0, slope=0.0, wobble=0.0)
    example = Synthesizer(bank, neat).write(normalize(latex), seed)
    return example, {example.tokens[number]: box for number, box in boxes(example).items()}


@given(seed=st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_truth_segmentation_and_strokes_agree(
    bank: SymbolBank, builtin_model: ExpressionModel, seed: int
) -> None:
    example = synthetic_example(Synthesizer(bank), builtin_model, seed, 0)
    assert normalize(example.ink.truth or "") == example.tokens
    assert sorted(stroke for strokes in example.strokes_of for stroke in strokes) == list(
        range(len(example.ink))
    )
    for token, strokes in zip(example.tokens, example.strokes_of, strict=True):
        assert bool(strokes) == (token not in ("{", "}", "_", "^")) or token in ("[", "]")
    assert [(s.label, s.strokes) for s in example.ink.symbols] == [
        (token, strokes) for token, strokes in zip(example.tokens, example.strokes_of, strict=True) if strokes
    ]
    assert np.isfinite(example.ink.points).all()


def test_the_same_seed_writes_the_same_ink(bank: SymbolBank, builtin_model: ExpressionModel) -> None:
    synthesizer = Synthesizer(bank)
    first = list(islice(synthesize(synthesizer, builtin_model, seed=5), 20))
    second = list(islice(synthesize(synthesizer, builtin_model, seed=5), 20))
    assert [each.ink for each in first] == [each.ink for each in second]
    later = list(islice(synthesize(synthesizer, builtin_model, seed=5, start=10), 10))
    assert [each.ink for each in first[10:]] == [each.ink for each in later]
    other = list(islice(synthesize(synthesizer, builtin_model, seed=6), 20))
    assert [each.ink for each in first] != [each.ink for each in other]


@pytest.mark.parametrize("seed", range(20))
def test_symbols_stand_where_the_latex_says(bank: SymbolBank, seed: int) -> None:
    _, box = write(bank, r"\frac{a}{b}", seed)
    assert box["a"][3] < box[r"\frac"][3] < box["b"][3]
    assert box[r"\frac"][0] < min(box["a"][0], box["b"][0])
    assert box[r"\frac"][2] > max(box["a"][2], box["b"][2])

    _, box = write(bank, "x^{2}", seed)
    assert box["2"][0] > box["x"][0]
    assert box["2"][1] + box["2"][3] < box["x"][1] + box["x"][3]

    _, box = write(bank, "x_{2}", seed)
    assert box["2"][3] > box["x"][3]

    _, box = write(bank, r"\sqrt{abc}", seed)
    assert box[r"\sqrt"][0] < box["a"][0]
    assert box[r"\sqrt"][1] < min(box[letter][1] for letter in "abc")
    assert box[r"\sqrt"][2] > box["b"][2]


def test_sums_have_their_bounds_above_and_below(bank: SymbolBank) -> None:
    stacked = 0
    for seed in range(40):
        _, box = write(bank, r"\sum_{k}^{n} x", seed)
        stacked += box["n"][3] < box[r"\sum"][1] + 1 and box["k"][1] > box[r"\sum"][3] - 1
    assert stacked > 30  # some people write them at the side


@pytest.mark.parametrize("seed", range(10))
def test_delimiters_grow_with_what_they_hold(bank: SymbolBank, seed: int) -> None:
    _, small = write(bank, "(x)", seed)
    _, large = write(bank, r"(\frac{\frac{a}{b}}{c})", seed)

    def relative(box: dict[str, tuple[float, float, float, float]], of: str) -> float:
        return (box["("][3] - box["("][1]) / (box[of][3] - box[of][1])

    assert large["("][1] < large["a"][1] + 0.2 * (large["a"][3] - large["a"][1])
    assert large["("][3] > large["c"][3] - 0.2 * (large["c"][3] - large["c"][1])
    assert relative(large, "a") > relative(small, "x")


def test_a_line_is_written_from_left_to_right(bank: SymbolBank) -> None:
    example, _ = write(bank, "a+b=c+d", 3)
    lefts = [box[0] for _, box in sorted(boxes(example).items())]
    assert all(one < other for one, other in pairwise(lefts))
    assert [strokes[0] for strokes in example.strokes_of] == sorted(
        strokes[0] for strokes in example.strokes_of
    )


def test_function_names_are_one_symbol(bank: SymbolBank) -> None:
    example, _ = write(bank, r"\sin x", 0)
    assert [symbol.label for symbol in example.ink.symbols] == [r"\sin", "x"]
    assert len(example.strokes_of[0]) >= 3


def test_numerator_and_bar_come_in_the_orders_people_use(bank: SymbolBank) -> None:
    firsts = set()
    for seed in range(60):
        example, _ = write(bank, r"\frac{1}{2}", seed)
        firsts.add(
            min(zip(example.strokes_of, example.tokens, strict=True), key=lambda pair: pair[0] or (99,))[1]
        )
    assert firsts == {"1", "2", r"\frac"}


def test_synthetic_ink_survives_being_written_to_a_file(bank: SymbolBank) -> None:
    ink = Synthesizer(bank).write(normalize("x^{2}+1"), 0).ink
    again = read(write_inkml(ink).encode())
    assert again.truth == ink.truth
    assert [(s.label, s.strokes) for s in again.symbols] == [(s.label, s.strokes) for s in ink.symbols]


def test_what_cannot_be_written_is_said(bank: SymbolBank) -> None:
    synthesizer = Synthesizer(bank)
    with pytest.raises(ValueError, match=r"the symbol bank 'hershey' has no \\aleph"):
        synthesizer.write((r"\aleph",), 0)
    with pytest.raises(ValueError, match="no tokens"):
        synthesizer.write((), 0)


def test_every_delimiter_can_be_alone(bank: SymbolBank) -> None:
    for label in sorted(STRETCHED):
        assert len(Synthesizer(bank).write((label,), 0).ink) >= 1


def test_ten_thousand_expressions_take_less_than_a_minute(
    bank: SymbolBank, builtin_model: ExpressionModel
) -> None:
    synthesizer = Synthesizer(bank)
    synthetic_example(synthesizer, builtin_model, 0, 0)
    start = time.process_time()
    for number in range(500):
        synthetic_example(synthesizer, builtin_model, 0, number)
    assert 500 / (time.process_time() - start) > 10_000 / 60


def test_writers_differ_and_one_expression_has_one_writer(bank: SymbolBank) -> None:
    writers = {Synthesizer(bank).write(("a", "a"), seed).ink.writer for seed in range(30)}
    assert writers == set(bank.writers)
    assert bank.pick("a", Random(0), "hershey-1").writer == "hershey-1"
