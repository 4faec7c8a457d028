"""The alignment against the segmentation truth of CROHME 2013, with the model that comes with inktex."""

from dataclasses import replace

import pytest

from inktex.corpus import load_split, locate
from inktex.reading import ModelError, Reader, open_model
from inktex.report.tally import alignment_accuracy


@pytest.mark.crohme
def test_nine_of_ten_strokes_of_correctly_read_expressions_are_at_the_right_symbol():
    if locate() is None:
        pytest.skip("no CROHME data: set INKTEX_DATA")
    try:
        model = open_model()
    except ModelError as error:
        pytest.skip(f"no default model: {error}")
    corpus = load_split("test2013")
    examples = [corpus[place] for place in range(0, len(corpus), 11)]
    readings = Reader(model, replace(model.search, beam=2)).read([example.ink for example in examples])
    accuracy = alignment_accuracy(zip(examples, readings, strict=True))
    assert accuracy.expressions >= 15
    assert accuracy.stroke_share >= 0.9, accuracy
