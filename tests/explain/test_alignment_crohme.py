"""The alignment against the segmentation truth of CROHME 2013, with the model that comes with inktex."""

import pytest

from inktex.corpus import load_split, locate
from inktex.explain.accuracy import alignment_accuracy
from inktex.explain.reading import ReadingModel, read_inks


@pytest.mark.crohme
def test_nine_of_ten_strokes_of_correctly_read_expressions_are_at_the_right_sign():
    if locate() is None:
        pytest.skip("no CROHME data: set INKTEX_DATA")
    from inktex.runtime import ModelError, load_model

    try:
        model = ReadingModel.of(load_model())
    except ModelError as error:
        pytest.skip(f"no default model: {error}")
    corpus = load_split("test2013")
    examples = [corpus[place] for place in range(0, len(corpus), 11)]
    readings = read_inks(model, [example.ink for example in examples], beam=2)
    accuracy = alignment_accuracy(zip(examples, readings, strict=True))
    assert accuracy.expressions >= 15
    assert accuracy.stroke_share >= 0.9, accuracy
