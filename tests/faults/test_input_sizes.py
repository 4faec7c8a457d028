"""Nothing and far too much: files of 0 bytes and of 1 GB end in a message, soon and in little memory."""

import gzip
import io
import resource
import time
import zipfile

import pytest
from typer.testing import CliRunner

from inktex.cli import build_app
from inktex.ink import InkError, read, read_all

GIGABYTE = 1 << 30
SUFFIXES = ["inkml", "json", "xopp", "scgink", "excalidraw", "jiix", "svg", "txt", "zip", "bin"]


class Zeros(io.RawIOBase):
    """A pipe that gives a gigabyte of spaces, or any other byte."""

    def __init__(self, byte: bytes) -> None:
        self._byte, self.given = byte, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        size = min(size if size >= 0 else GIGABYTE, GIGABYTE - self.given)
        self.given += size
        return self._byte * size


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_empty_file_is_said_to_be_empty(tmp_path, suffix):
    path = tmp_path / f"nothing.{suffix}"
    path.write_bytes(b"")
    with pytest.raises(InkError, match=rf"nothing\.{suffix}: .*empty; save or export the ink again"):
        read(path)


def test_an_empty_file_on_the_command_line(tmp_path):
    (tmp_path / "nothing.inkml").write_bytes(b"")
    done = CliRunner().invoke(build_app(), ["recognize", str(tmp_path / "nothing.inkml")])
    assert done.exit_code == 1
    assert "nothing.inkml: the file is empty; save or export the ink again" in done.output


@pytest.mark.parametrize("lead", [b"<ink><trace>", b'{"strokes": [[', b"SCG_INK\n", b"", b"1 2\n"])
def test_a_gigabyte_is_refused_soon_and_in_little_memory(tmp_path, lead):
    path = tmp_path / "huge.inkml"
    with path.open("wb") as file:
        file.write(lead)
        file.truncate(GIGABYTE)
    before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(InkError, match=r"huge\.inkml: .*(64 MiB; split it|empty; save)"):
        read(path)
    assert time.process_time() - begun < 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400 * 1024  # KB


def test_a_gigabyte_from_a_pipe_is_not_read_to_its_end():
    pipe = Zeros(b" ")
    with pytest.raises(InkError):
        read(pipe, name="pipe")
    assert pipe.given < GIGABYTE // 8


def test_a_gigabyte_in_a_small_file_is_refused(tmp_path):
    """Compressed: as Xournal++ files are, and inside a zip."""
    packed = tmp_path / "bomb.xopp"
    with gzip.open(packed, "wb", compresslevel=1) as file:
        for _ in range(1024):
            file.write(b" " * (1 << 20))
    with pytest.raises(InkError, match=r"bomb\.xopp"):
        read(packed)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("huge.inkml", "w", force_zip64=True) as member:
            for _ in range(1024):
                member.write(b" " * (1 << 20))
        archive.writestr("good.json", '{"strokes": [[[0, 0], [1, 1]]]}')
    found = dict(read_all(tmp_path / "bomb.zip"))
    assert sorted(isinstance(item, InkError) for item in found.values()) == [False, True]


def test_a_gigabyte_instead_of_a_store(tmp_path):
    pytest.importorskip("pyarrow", reason="the ink store needs inktex[store]")
    from inktex.store.files import read_store
    from inktex.store.row import StoreError

    for size in (0, GIGABYTE):
        with (tmp_path / "inks.parquet").open("wb") as file:
            file.truncate(size)
        with pytest.raises(StoreError, match="damaged or not a Parquet file"):
            list(read_store(tmp_path / "inks.parquet"))
