"""For tests of large collections: a recogniser that is quick rather than right."""

import pytest

from inktex.reading import ModelError
from inktex.recognizer import Recognizer


@pytest.fixture(scope="module")
def recognizer() -> Recognizer:
    try:
        return Recognizer(beam=1)
    except ModelError as error:
        pytest.skip(f"no weights to recognise with: {error}")
