"""The weights in the package are as right as when they were shipped, on a fixed sample of CROHME 2013."""

import pytest

from inktex.corpus import load_split, locate
from inktex.recognizer import Recognition, Recognizer

EVERY = 8  # each eighth expression
RIGHT_WHEN_SHIPPED = 37  # of 84


@pytest.mark.crohme
def test_shipped_weights_read_as_many_as_when_they_were_shipped() -> None:
    if locate() is None:
        pytest.skip("CROHME is not here: set INKTEX_DATA to its folder")
    corpus = load_split("test2013")
    examples = [corpus[i] for i in range(0, len(corpus), EVERY)]
    answers = Recognizer().recognize_many([example.ink for example in examples], jobs=2)
    right = sum(
        isinstance(answer, Recognition)
        and tuple(token.text for token in answer.tokens) == tuple(example.tokens)
        for answer, example in zip(answers, examples, strict=True)
    )
    assert right >= RIGHT_WHEN_SHIPPED, f"{right} of {len(examples)}"
