"""What goes wrong on real machines, made to happen here."""

import os
import resource
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

NOBODY = 65534


@contextmanager
def no_room_past(size: int) -> Iterator[None]:
    """Writes past so many bytes of a file fail, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def full_disk() -> Callable[[int], AbstractContextManager[None]]:
    return no_room_past


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """A folder that this process cannot write to, also when the tests run as root."""
    base = Path(tempfile.mkdtemp(prefix="inktex-faults-"))
    base.chmod(0o755)
    folder = base / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    as_root = os.geteuid() == 0
    if as_root:
        os.seteuid(NOBODY)
    try:
        yield folder
    finally:
        if as_root:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(base)
