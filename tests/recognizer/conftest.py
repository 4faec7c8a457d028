"""A recognizer with a small random network: enough for every promise that is not about reading well."""

import pytest

from inktex.reading import Model
from inktex.recognizer import Recognizer


@pytest.fixture(scope="session")
def recognizer(small_model_file):
    return Recognizer(Model.of_file(small_model_file, "small"))


CROSS = [[(0, 0), (10, 12), (20, 20)], [(20, 0), (9, 11), (0, 20)]]
PLUS = [[(30, 10), (45, 10)], [(37, 2), (38, 19)]]
ONE = [[(60, 5), (64, 0), (64, 20)]]


@pytest.fixture
def strokes():
    return CROSS + PLUS + ONE
