"""Ink is found wherever it is: paths, bytes, open files, stdin, folders, archives, archives in archives."""

import io
import os
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from ink_samples import BARE, FILES, INK, xopp

import attacks
from inktex.ink import Ink, InkError, Limits, read, read_all
from inktex.ink.errors import printable
from inktex.ink.formats import UnknownFormatError


def zipped(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for number, (name, data) in enumerate(FILES.items()):
        (tmp_path / ("deep/er" if number % 2 else "deep") / name).write_bytes(data)
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_the_content_tells_the_format_and_the_name_does_not(name, tmp_path):
    path = tmp_path / "ink.txt"
    path.write_bytes(FILES[name])
    assert np.allclose(read(path).points, BARE.points)
    assert read(path).source == str(path)


def test_one_ink_from_everything_that_can_be_read(tmp_path, monkeypatch):
    path = tmp_path / "a.inkml"
    path.write_bytes(FILES["crohme.inkml"])
    data = FILES["crohme.inkml"]
    assert (
        read(path) == read(str(path)) == read(data) == read(bytearray(data)) == read(memoryview(data)) == INK
    )
    with path.open("rb") as stream:
        assert read(stream) == INK
    with path.open(encoding="utf-8") as stream:
        assert read(stream).source == str(path)
    assert read(io.BytesIO(data), name="upload").source == "upload"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read("-").source == "stdin"
    monkeypatch.setattr(sys, "stdin", io.StringIO(data.decode()))
    assert read("-") == INK
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InkError, match=r"^stdin: "):
        read("-")


def test_a_pipe_can_bring_ink_or_an_archive_of_it():
    for data in (FILES["plain.json"], zipped({"a.inkml": FILES["crohme.inkml"]})):
        reading, writing = os.pipe()
        with os.fdopen(writing, "wb") as stream:
            stream.write(data)
        with os.fdopen(reading, "rb") as stream:
            assert np.allclose(read(stream).points, BARE.points)


def test_a_folder_gives_all_its_inks_in_order(folder):
    items = list(read_all(folder))
    assert len(items) == len(FILES)
    assert all(isinstance(ink, Ink) for _, ink in items)
    names = [name for name, _ in items]
    assert names[0] == f"{folder.as_posix()}/deep/crohme.inkml"
    assert names == [ink.source for _, ink in items]
    assert list(read_all(str(folder))) == items


def test_what_lies_beside_ink_is_passed_over_and_what_claims_to_be_ink_is_reported(folder):
    (folder / "README.md").write_text("# My ink\n")
    (folder / "page.html").write_text("<html><body/></html>")
    (folder / "settings.json").write_text('{"theme": "dark"}')
    (folder / "empty.txt").touch()
    (folder / ".DS_Store").write_bytes(b"\x00\x01")
    (folder / ".git").mkdir()
    (folder / ".git" / "a.inkml").write_bytes(FILES["crohme.inkml"])
    (folder / "empty.inkml").touch()
    (folder / "notes.xopp").write_bytes(b"hello")
    (folder / "broken.json").write_text("[[[1, 2]")
    errors = {
        name.removeprefix(f"{folder.as_posix()}/"): str(e)
        for name, e in read_all(folder)
        if isinstance(e, InkError)
    }
    assert set(errors) == {"empty.inkml", "notes.xopp", "broken.json"}
    assert (
        errors["empty.inkml"]
        == f"{folder.as_posix()}/empty.inkml: the file is empty; save or export the ink again"
    )
    assert "none of the known ink formats" in errors["notes.xopp"]
    assert "broken.json: line 1, column" in errors["broken.json"]


def test_a_file_asked_for_by_name_is_never_passed_over(folder):
    (folder / "README.md").write_text("# My ink\n")
    [(name, error)] = read_all(folder / "README.md")
    assert name == str(folder / "README.md")
    assert isinstance(error, InkError)
    assert "InkML, SCGINK" in str(error)


def test_archives_and_archives_in_archives(tmp_path):
    inner = zipped({"x/a.inkml": FILES["crohme.inkml"], "x/b.scgink": FILES["sample.scgink"]})
    outer = {
        "readme.txt": b"hi",
        "set/inner.zip": inner,
        "c.xopp": xopp(3),
        "__MACOSX/._c.xopp": b"\0\0",
        "d/": b"",
    }
    (tmp_path / "all.zip").write_bytes(zipped(outer))
    (tmp_path / "plain.json").write_bytes(FILES["plain.json"])
    names = [
        name.removeprefix(f"{tmp_path.as_posix()}/")
        for name, item in read_all(tmp_path)
        if isinstance(item, Ink)
    ]
    assert names == [
        "all.zip/set/inner.zip/x/a.inkml",
        "all.zip/set/inner.zip/x/b.scgink",
        "all.zip/c.xopp#page 1",
        "all.zip/c.xopp#page 3",
        "plain.json",
    ]
    assert len(list(read_all((tmp_path / "all.zip").read_bytes()))) == 4
    assert read(zipped({"only.inkml": FILES["crohme.inkml"]})) == INK


def tarred(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return stream.getvalue()


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_tar_archives_as_mathwriting_comes_in(mode, tmp_path):
    inner = zipped({"x/a.inkml": FILES["crohme.inkml"]})
    files = {
        "./m/readme.md": b"hi",
        "m/1.inkml": FILES["mathwriting.inkml"],
        "m/2.zip": inner,
        "m/bad.inkml": b"",
    }
    data = tarred(files, mode)
    (tmp_path / "m.tgz").write_bytes(data)
    items = {name.removeprefix(f"{tmp_path}/"): item for name, item in read_all(tmp_path / "m.tgz")}
    assert [type(item) for item in items.values()] == [Ink, Ink, UnknownFormatError]
    assert list(items) == ["m.tgz/m/1.inkml", "m.tgz/m/2.zip/x/a.inkml", "m.tgz/m/bad.inkml"]
    cut = list(read_all(data[: len(data) // 2], name="cut.tgz"))
    assert isinstance(cut[-1][1], InkError)


def test_links_in_an_archive_are_not_followed(tmp_path):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
            member = tarfile.TarInfo("a.inkml")
            member.type, member.linkname = kind, str(tmp_path / "secret")
            archive.addfile(member)
    assert list(read_all(stream.getvalue())) == []


def test_streams_that_give_a_few_bytes_at_a_time():
    class Dripping:
        def __init__(self, data: bytes) -> None:
            self.stream = io.BytesIO(data)

        def read(self, size: int) -> bytes:
            return self.stream.read(min(size, 7))

    for data in (
        FILES["crohme.inkml"],
        zipped({"a": FILES["crohme.inkml"]}),
        tarred({"a": FILES["crohme.inkml"]}),
    ):
        assert read(Dripping(data)) == INK


def test_several_sources_at_once(folder):
    sources = [folder / "deep" / "crohme.inkml", FILES["plain.json"], str(folder / "nothing.inkml"), 3]
    items = list(read_all(sources))
    assert [type(item) for _, item in items] == [Ink, Ink, InkError, InkError]
    assert "nothing.inkml: No such file or directory" in str(items[2][1])
    assert "not from int" in str(items[3][1])


@pytest.mark.parametrize("source", ["", "no/such/file.inkml", "bad\0name", 5, None, 2.5, object()])
def test_a_source_that_cannot_be_read_is_an_ink_error(source):
    with pytest.raises(InkError):
        read(source)
    [(_, error)] = read_all(source)
    assert isinstance(error, InkError)


@pytest.mark.parametrize("text", ["[[[1, 2]]]", "<ink><trace>1 2</trace></ink>", "SCG_INK\n1\n1\n1 2\n"])
def test_ink_given_as_a_path_is_told_from_a_missing_file(text):
    with pytest.raises(InkError, match="if this is ink itself, give it as bytes"):
        read(text)
    assert len(read(text.encode())) == 1


def test_a_path_of_bytes_is_an_ink_error():
    class BytesPath:
        def __fspath__(self) -> bytes:
            return b"a.inkml"

    with pytest.raises(InkError, match="must be text"):
        read(BytesPath())


def test_a_file_that_breaks_while_reading_is_an_ink_error():
    class Broken(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            raise OSError("the disk is gone")

    with pytest.raises(InkError, match="the disk is gone"):
        read(Broken())
    closed = io.BytesIO(b"[]")
    closed.close()
    with pytest.raises(InkError, match="closed"):
        read(closed)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_file_in_a_folder_is_not_waited_for(folder):
    os.mkfifo(folder / "pipe.inkml")
    assert all(isinstance(item, Ink) for _, item in read_all(folder))


def test_a_broken_link_in_a_folder_is_said(folder):
    (folder / "gone.inkml").symlink_to(folder / "nowhere.inkml")
    errors = [str(item) for _, item in read_all(folder) if isinstance(item, InkError)]
    assert errors == [f"{folder}/gone.inkml: No such file or directory"]


def test_a_bug_in_a_reader_would_not_be_hidden(monkeypatch):
    def broken(data: bytes, limits: Limits) -> None:
        raise ValueError("a mistake in the program")

    monkeypatch.setattr("inktex.ink.sources.read_bytes", broken)
    with pytest.raises(ValueError, match="a mistake"):
        read(FILES["crohme.inkml"])
    with pytest.raises(ValueError, match="a mistake"):
        read(zipped({"a.inkml": FILES["crohme.inkml"]}))


def test_an_archive_without_ink_says_so():
    with pytest.raises(InkError, match=r"^a\.zip: holds no ink$"):
        read(zipped({"readme.txt": b"hello"}), name="a.zip")
    with pytest.raises(InkError, match="holds no ink"):
        read(zipped({}), name="a.zip")


def test_no_file_stays_open(folder):
    iterator = read_all(folder)
    next(iterator)
    iterator.close()
    open_files = (
        [
            os.readlink(f"/proc/self/fd/{fd}")
            for fd in os.listdir("/proc/self/fd")
            if fd.isdigit() and int(fd) > 2 and os.path.lexists(f"/proc/self/fd/{fd}")
        ]
        if Path("/proc/self/fd").exists()
        else []
    )
    assert not [path for path in open_files if path.startswith(str(folder))]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("two\nlines", "two\\x0alines"),
        ("caf\udce9", "caf\\xe9"),
        ("\ud800", "\\ud800"),
        ("\x9b1m", "\\x9b1m"),
        ("größe ∑ 式", "größe ∑ 式"),
    ],
)
def test_names_can_be_shown_on_any_terminal(tmp_path, name, shown):
    """A name of an archive or a folder neither clears the screen, nor breaks a line, nor stops the output."""
    assert printable(name) == shown
    if "\ud800" not in name:
        data = attacks.tar_of({f"{name}.inkml": attacks.GOOD, f"{name}2.inkml": b"<ink>"}, tarfile.GNU_FORMAT)
        for label, item in read_all(data, name="archive"):
            assert label.startswith(f"archive/{shown}")
            assert str(item if isinstance(item, InkError) else item.source).startswith(f"archive/{shown}")
        (tmp_path / f"{name}.inkml").write_bytes(attacks.GOOD)
        assert [label for label, _ in read_all(tmp_path)] == [f"{tmp_path}/{shown}.inkml"]


def test_names_in_zips_can_be_shown_on_any_terminal():
    data = attacks.zip_of({"\x1b[2J.inkml": attacks.GOOD, "b\n.inkml": b"<ink>"})
    assert [label for label, _ in read_all(data, name="z")] == ["z/\\x1b[2J.inkml", "z/b\\x0a.inkml"]
