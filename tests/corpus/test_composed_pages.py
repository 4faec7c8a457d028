"""Pages composed of ink that the project made: lines are told apart, and what is one expression stays one."""

from random import Random

import numpy as np
import pytest
from line_pages import STYLES, PageStyle, compose_page, compose_pages

from inktex.corpus.hershey import hershey_bank
from inktex.corpus.synthesis import Synthesizer
from inktex.ink.lines import find_lines
from inktex.latex import normalize

LINES = [
    r"\frac{a+b}{c-1}",
    r"x=\frac{-b}{2a}",
    r"\sum_{i=1}^{n}i^{2}",
    r"\lim_{x\rightarrow 0}\frac{\sin x}{x}=1",
    r"\sqrt{\frac{a}{b}}+y",
    r"i+j=k",
    r"\int_{0}^{1}xdx",
    r"(\frac{x}{y})^{2}=z",
    r"-x+1=y",
    r"f(x)=x^{2}",
]


@pytest.fixture(scope="module")
def written():
    synthesizer = Synthesizer(hershey_bank(writers=3, repeats=1))
    return [synthesizer.write(normalize(text), seed, f"hand_{seed}") for seed, text in enumerate(LINES)]


def wanted(page):
    line_of = np.array(page.line_of)
    return [tuple(np.flatnonzero(line_of == line).tolist()) for line in range(max(page.line_of) + 1)]


def test_one_expression_is_one_line(written):
    found = [len(find_lines(example.ink)) for example in written]
    assert found == [1] * len(LINES), dict(zip(LINES, found, strict=True))


@pytest.mark.parametrize("name", ["natural", "slanted"])
def test_stacked_expressions_are_lines(written, name):
    pages = [
        compose_page(Random(seed).sample(written, 4), STYLES[name], np.random.default_rng(seed))
        for seed in range(20)
    ]
    right = sum(find_lines(page.ink) == wanted(page) for page in pages)
    assert right >= 19


def test_a_dot_that_is_drawn_last_goes_to_its_line(written):
    line = next(e for e, text in zip(written, LINES, strict=True) if text == "i+j=k")
    page = compose_page([line, written[1], written[9]], PageStyle(gap=(1.0, 1.0)), np.random.default_rng(0))
    heights = [np.ptp(stroke, axis=0).max() for stroke in page.ink.strokes[: len(line.ink)]]
    dot = int(np.argmin(heights))
    order = [stroke for stroke in range(len(page.ink)) if stroke != dot] + [dot]
    found = find_lines(page.ink.select(order))
    assert len(found) == 3
    assert found[0][-1] == len(order) - 1


def test_composing_follows_from_the_seed(written):
    one, same, other = (
        [page.ink for page in compose_pages(written, STYLES["tight"], 3, seed)] for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other
