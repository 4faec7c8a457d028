"""For all tests: a property is about what happens, not about how busy the machine is; the shipped weights."""

from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("inktex", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("inktex")


@pytest.fixture(scope="session")
def recognizer() -> Any:
    """A recogniser with the weights of the package."""
    from inktex.recognizer import Recognizer
    from inktex.runtime import ModelError

    try:
        return Recognizer()
    except ModelError as error:
        pytest.skip(f"no weights to recognise with: {error}")
