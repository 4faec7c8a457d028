"""A recognizer with a small random network: enough for every promise that is not about reading well."""

import sys
from pathlib import Path

import pytest

from inktex.recognizer import Recognizer
from inktex.runtime import Model

sys.path.insert(0, str(Path(__file__).parent.parent / "runtime"))  # small_networks


@pytest.fixture(scope="session")
def small_model_file():
    from small_networks import small_model

    return small_model(seed=5)


@pytest.fixture(scope="session")
def recognizer(small_model_file):
    return Recognizer(Model(small_model_file, "small"))


@pytest.fixture(scope="session")
def model_path(small_model_file, tmp_path_factory):
    from inktex.runtime import write_model

    path = tmp_path_factory.mktemp("models") / "small.inktex"
    write_model(path, small_model_file)
    return path


CROSS = [[(0, 0), (10, 12), (20, 20)], [(20, 0), (9, 11), (0, 20)]]
PLUS = [[(30, 10), (45, 10)], [(37, 2), (38, 19)]]
ONE = [[(60, 5), (64, 0), (64, 20)]]


@pytest.fixture
def strokes():
    return CROSS + PLUS + ONE
