"""What the default model reads beyond CROHME's symbols, on ink that this project draws itself."""

import math
from random import Random

import numpy as np
import pytest

from inktex.corpus import Glyph, SymbolBank
from inktex.corpus.free_hand import Drawings, FreeHand
from inktex.corpus.hershey import hershey_bank
from inktex.ink import Ink
from inktex.latex import normalize
from inktex.reading import known_models
from inktex.recognizer import Recognizer

pytestmark = pytest.mark.skipif(
    "wide" not in dict(known_models()), reason="no weights in this checkout (src/inktex/weights/wide.inktex)"
)
SEEDS = range(8)


@pytest.fixture(scope="module")
def recognizer():
    return Recognizer("wide")


@pytest.fixture(scope="module")
def bank():
    return hershey_bank(writers=12, repeats=1)


def arc(begin, end, width, height):
    angles = np.linspace(begin * math.pi, end * math.pi, 15)
    return np.column_stack((width * np.cos(angles), height * np.sin(angles)))


# Symbols that the built-in bank lacks, y pointing down.
DRAWN = {
    r"\nabla": [(0, 0), (6, 11), (12, 24), (18, 12), (24, 0), (12, 0), (0, 0)],
    r"\cup": [(-10, -14), *arc(1, 0, 10, 14), (10, -14)],
    r"\subset": [(14, -12), *arc(-0.5, -1.5, 10, 12), (14, 12)],
}


@pytest.fixture(scope="module")
def drawings(bank):
    glyphs = [Glyph.from_strokes(token, [np.array(line, float)], "own") for token, line in DRAWN.items()]
    return Drawings([(bank, 1.0), (SymbolBank("own", glyphs), 1.0)])


@pytest.mark.parametrize("latex", [r"\frac{\partial u}{\partial t}=\nabla u", r"A\cup B\subset D"])
def test_formulas_with_symbols_that_crohme_lacks(recognizer, drawings, latex):
    tokens = normalize(latex)
    hands = [FreeHand(drawings, Random(seed)).write(tokens).finished() for seed in SEEDS]
    answers = [recognizer.recognize(Ink.from_strokes(hand.strokes), lines=False).latex for hand in hands]
    assert sum(answer.replace(" ", "") == latex.replace(" ", "") for answer in answers) >= 6, answers


@pytest.mark.parametrize("label", ["(", ")", "[", "|", "x", "="])
def test_a_symbol_alone(recognizer, bank, label):
    glyphs = [glyph for glyph in bank if glyph.label == label][: len(SEEDS)]
    answers = [recognizer.recognize(Ink.from_strokes(glyph.strokes)).latex for glyph in glyphs]
    assert sum(answer == label for answer in answers) >= len(glyphs) - 1, answers


def test_a_matrix(recognizer, bank):
    def at(label, random, x, y, width, height):
        glyph = random.choice([each for each in bank if each.label == label])
        points = np.concatenate(glyph.strokes)
        low, high = points.min(axis=0), points.max(axis=0)
        scale = np.array([width, height]) / np.maximum(high - low, 1e-6)
        scale = scale if label in "()" else np.full(2, scale.min())
        return [(stroke - (low + high) / 2) * scale + (x, y) for stroke in glyph.strokes]

    answers = []
    for seed in SEEDS:
        random = Random(seed)
        cells = [("a", 30, 25), ("b", 110, 22), ("c", 30, 95), ("d", 110, 92)]
        strokes = at("(", random, 0, 60, 12, 130)
        for label, x, y in cells:
            strokes += at(label, random, x, y, 24, 34 if label in "bd" else 24)
        strokes += at(")", random, 140, 60, 12, 130)
        answers.append(recognizer.recognize(Ink.from_strokes(strokes), lines=False).latex)
    assert sum(answer == r"\begin{pmatrix}a&b\\c&d\end{pmatrix}" for answer in answers) >= 6, answers


BRACE = np.array(
    [(14, 0), (8, 3), (7, 12), (7, 40), (5, 48), (0, 52), (5, 56), (7, 64), (7, 92), (8, 101), (14, 104)],
    float,
)


@pytest.mark.parametrize("brace_first", [True, False])
def test_lines_behind_a_drawn_brace_are_cases(recognizer, drawings, brace_first):
    answers = []
    for seed in SEEDS:
        strokes, y = [], 0.0
        for latex in ("x+y=3", "x-y=1"):
            hand = FreeHand(drawings, Random(f"{seed}{latex}")).write(normalize(latex)).finished()
            row = Ink.from_strokes(hand.strokes)
            left, top, _, bottom = row.bounds
            strokes += row.translate(-left, y - top).strokes
            height, y = bottom - top, y + 1.5 * (bottom - top)
        whole = max(stroke[:, 1].max() for stroke in strokes)
        size = np.array([0.14, 1.1]) * whole
        brace = BRACE / BRACE.max(axis=0) * size - (size[0] + 0.2 * height, 0.05 * whole)
        ink = Ink.from_strokes([brace, *strokes] if brace_first else [*strokes, brace])
        answers.append(recognizer.recognize(ink).latex)
    assert sum(answer == r"\begin{cases}x+y=3\\x-y=1\end{cases}" for answer in answers) >= 6, answers


def test_ink_after_typed_latex_is_read_on(recognizer):
    """What was typed has no ink: the strokes written after it are not taken for it."""
    one = [[(6, 5), (11, 0), (11, 26)]]
    plus = [[(30, 15), (46, 14)], [(38, 7), (38, 23)]]
    two = [[(60, 6), (66, 0), (72, 5), (70, 14), (60, 26), (75, 26)]]
    session = recognizer.session()
    ids = [session.add(stroke) for stroke in one + plus + two]
    assert session.answer().latex == "1+2"
    session.pin(ids[-1:], "2+7")
    for stroke, right in zip(plus + one, (70, 70, 125), strict=True):
        session.add([(x + right, y) for x, y in stroke])
    assert session.answer().latex == "1+2+7+1"
