"""The annotation inside an ink file gives the layout of its LaTeX, and says which strokes are which token."""

from collections import Counter

import pytest

from inktex.latex import CROHME_CLASSES, LatexError, layout_from_mathml, normalize, parse_layout

X_SQUARED_OVER_TWO = """
<annotationXML type="truth" encoding="Content-MathML"><math xmlns="http://www.w3.org/1998/Math/MathML">
  <mfrac xml:id="bar"><msup><mi xml:id="x">x</mi><mn xml:id="2a">2</mn></msup><mn xml:id="2b">2</mn></mfrac>
</math></annotationXML>"""
SYMBOLS = [("x", (0, 1), "x"), ("2", (2,), "2a"), ("-", (3,), "bar"), ("2", (4,), "2b")]


def in_math(content: str) -> str:
    return f"<math>{content}</math>"


def test_strokes_stand_at_their_tokens() -> None:
    layout = layout_from_mathml(X_SQUARED_OVER_TWO, SYMBOLS)
    assert str(layout) == r"\frac { x ^ { 2 } } { 2 }"
    assert layout.token_strokes() == ((3,), (), (0, 1), (), (), (2,), (), (), (), (4,), ())
    assert layout == parse_layout(normalize(r"\frac{x^2}{2}"))


@pytest.mark.parametrize(
    ("content", "latex"),
    [
        ("<mrow><mi>a</mi><mrow><mo>+</mo><mrow><mi>b</mi></mrow></mrow></mrow>", "a+b"),
        ("<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>", r"\sqrt{a+b}"),
        ("<mroot><mi>a</mi><mn>3</mn></mroot>", r"\sqrt[3]{a}"),
        ("<munderover><mo>sum</mo><mi>i</mi><mi>n</mi></munderover>", r"\sum_i^n"),
        ("<msup><mrow><mo>(</mo><mi>a</mi><mo>)</mo></mrow><mn>2</mn></msup>", "(a)^2"),
        ("<msup><msub><mi>a</mi><mn>1</mn></msub><mn>2</mn></msup>", "a_1^2"),
        ("<mo>{</mo><mi>x</mi><mo>rarr</mo><mi>infin</mi><mo>\\}</mo>", r"\{x\to\infty\}"),
        ("<mo>.</mo><mo>.</mo><mo>.</mo>", r"\ldots"),
        ("<mi>f</mi><mo>\\lt</mo>", "f <"),
    ],
)
def test_all_structures_are_understood(content: str, latex: str) -> None:
    assert layout_from_mathml(in_math(content)) == parse_layout(normalize(latex))


def test_pieces_of_one_leaf_are_put_together() -> None:
    layout = layout_from_mathml(in_math("<mo xml:id='e'>=</mo>"), [("-", (4,), "e"), ("-", (2, 4), "e")])
    assert layout.token_strokes() == ((4, 2),)


def test_a_leaf_that_cannot_be_read_is_named_by_its_symbol() -> None:
    layout = layout_from_mathml(in_math("<mo xml:id='a'>?</mo>"), [(r"\rightarrow", (0,), "a")])
    assert str(layout) == r"\rightarrow"


@pytest.mark.parametrize(
    "mathml",
    [
        "<math>",
        "",
        "<!DOCTYPE m [<!ENTITY a 'b'>]><math>&a;</math>",
        "<math><mtable/></math>",
        in_math("<msqrt>" * 300 + "</msqrt>" * 300),
    ],
)
def test_what_is_no_layout_is_refused(mathml: str) -> None:
    with pytest.raises(LatexError, match="MathML"):
        layout_from_mathml(mathml)


def test_rows_may_nest_as_deep_as_an_expression_is_long() -> None:
    deep = "<mrow><mi>x</mi>" * 3000 + "</mrow>" * 3000
    assert len(layout_from_mathml(in_math(deep)).tokens()) == 3000


@pytest.mark.crohme
@pytest.mark.parametrize(
    ("split", "exact", "classes"), [("train", 8492, 8705), ("test2013", 664, 664), ("test2014", 961, 967)]
)
def test_most_files_agree_with_their_latex(crohme, split: str, exact: int, classes: int) -> None:
    """How many annotations have the layout of the caption: to the letter, and in CROHME's 101 classes.

    Those that differ: MathML that nests scripts or orders symbols unlike the truth (MathBrush), roots with
    index and radicand exchanged and `t g` for `\\tan` (MfrDB), symbols that one of the two lacks, captions
    that differ from the file (see test_normalize).
    """
    found = Counter()
    layouts = crohme.layouts(split)
    for file in crohme.split(split):
        if theirs := layouts.get(file.stem):
            ours = parse_layout(file.caption or normalize(file.truth))
            same = ours == theirs
            found["exact"] += same
            found["classes"] += same or ours.renamed(CROHME_CLASSES) == theirs.renamed(CROHME_CLASSES)
    assert found == {"exact": exact, "classes": classes}
