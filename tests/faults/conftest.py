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


@contextmanager
def as_nobody() -> Iterator[None]:
    """Permissions hold also when the tests run as root."""
    as_root = os.geteuid() == 0
    if as_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if as_root:
            os.seteuid(0)


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """A folder that this process cannot write to, also when the tests run as root."""
    base = Path(tempfile.mkdtemp(prefix="inktex-faults-"))
    base.chmod(0o755)
    folder = base / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    try:
        with as_nobody():
            yield folder
    finally:
        folder.chmod(0o755)
        shutil.rmtree(base)


@pytest.fixture
def partly_locked_folder() -> Iterator[Path]:
    """An ink that may be read, one that may not, and a subfolder that may not be listed."""
    from inktex.ink import Ink, save

    base = Path(tempfile.mkdtemp(prefix="inktex-faults-"))
    base.chmod(0o755)
    (base / "locked").mkdir()
    for name in ("open.json", "secret.json", "locked/deep.json"):
        save(Ink.from_strokes([[(0, 0), (5, 5)]]), base / name)
    (base / "open.json").chmod(0o644)
    for name in ("secret.json", "locked"):
        (base / name).chmod(0)
    try:
        with as_nobody():
            yield base
    finally:
        (base / "locked").chmod(0o755)
        shutil.rmtree(base)
