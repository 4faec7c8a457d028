"""For all tests: where CROHME may be, properties that do not depend on how busy the machine is, models."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Where CROHME lies on machines that test inktex; people name their folder by the variable.
_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
if _BESIDE.is_dir():
    os.environ.setdefault("INKTEX_DATA", str(_BESIDE))

settings.register_profile("inktex", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("inktex")


@pytest.fixture(scope="session")
def recognizer() -> Any:
    """A recogniser with the weights of the package."""
    from inktex.reading import ModelError
    from inktex.recognizer import Recognizer

    try:
        return Recognizer()
    except ModelError as error:
        pytest.skip(f"no weights to recognise with: {error}")


@pytest.fixture(scope="session")
def small_model_file() -> Any:
    """A small random network as a model file: enough for every promise that is not about reading well."""
    pytest.importorskip("torch", reason="making a model file needs inktex[train]")
    from small_networks import small_model

    return small_model(seed=5)


@pytest.fixture(scope="session")
def model_path(small_model_file: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same on disk."""
    from inktex.reading import write_model

    path = tmp_path_factory.mktemp("models") / "small.inktex"
    write_model(path, small_model_file)
    return path
