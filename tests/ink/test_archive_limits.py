"""Archives, member by member: what is counted, what is refused, and in which words."""

import gzip
import io
import tarfile
import zipfile
from typing import Any

import pytest

import attacks
from inktex.ink import archives
from inktex.ink.archives import Rejoined, is_hidden, is_tar, is_zip, members, spool, tar_members
from inktex.ink.errors import InkError
from inktex.ink.limits import (
    FREE_BYTES,
    MAX_POINTS,
    MAX_STROKES,
    MEMBER_COST,
    MIB,
    Budget,
    LimitError,
    Limits,
)

GOOD = attacks.GOOD


def budget(**limits: int) -> Budget:
    return Budget(Limits(**limits), lambda: 10**9)


class Spending(Budget):
    """Notes what is spent."""

    def __init__(self, **limits: int) -> None:
        super().__init__(Limits(**limits), lambda: 10**9)
        self.spent: list[int] = []

    def spend(self, size: int) -> None:
        self.spent.append(size)
        super().spend(size)


def said(found: Any) -> list[tuple[str, Any]]:
    return [(name, str(item) if isinstance(item, InkError) else item) for name, item in found]


def in_zip(data: bytes, counted: Budget | None = None, **limits: int) -> list[tuple[str, Any]]:
    return said(members(io.BytesIO(data), "z", counted or budget(**limits)))


def in_tar(data: bytes, counted: Budget | None = None, **limits: int) -> list[tuple[str, Any]]:
    stream = Rejoined(data[:512], io.BytesIO(data[512:]))
    return said(tar_members(stream, "t", counted or budget(**limits), packed=data[:2] == b"\x1f\x8b"))


def zip_with(name: str = "a.inkml", data: bytes = GOOD, method: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr(zipfile.ZipInfo(name), data, method)
    return stream.getvalue()


def marked(data: bytes, bits: int) -> bytes:
    """A zip whose first member has these flags."""
    changed = bytearray(data)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[changed.index(mark) + place] |= bits
    return bytes(changed)


# Limits -----------------------------------------------------------------------------------------------------


def test_the_defaults_are_what_the_docs_say() -> None:
    assert vars(Limits()) == {
        "file_bytes": 64 * 2**20, "points": 1_000_000, "strokes": 20_000, "depth": 200, "elements": 300_000,
        "attributes": 100, "nodes": 1_200_000, "values": 6_000_000, "archive_depth": 4, "members": 1_000_000,
        "total_bytes": 16 * 2**30, "ratio": 250,
    }  # fmt: skip
    assert (MIB, MEMBER_COST, FREE_BYTES) == (2**20, 4096, 16 * 2**20)


def test_limits_have_limits() -> None:
    Limits(points=MAX_POINTS, strokes=MAX_STROKES, archive_depth=0, members=0)
    for wrong in ({"points": MAX_POINTS + 1}, {"strokes": MAX_STROKES + 1}):
        with pytest.raises(ValueError, match=r"^an ink has at most 20000 strokes and 1000000 points$"):
            Limits(**wrong)
    for name in vars(Limits()):
        with pytest.raises(ValueError, match=r"^limits cannot be negative$"):
            Limits(**{name: -1})


def test_how_much_may_be_unpacked() -> None:
    limits = Limits(ratio=10, total_bytes=100 * MIB)
    assert [limits.unpacked(size) for size in (0, MIB, 2 * MIB, 9 * MIB, 50 * MIB)] == [
        FREE_BYTES, FREE_BYTES, 20 * MIB, 90 * MIB, 100 * MIB,
    ]  # fmt: skip
    assert limits.too_packed == "unpacks to more than 10 times its size, which ink does not; refused"


def test_a_budget_counts_bytes() -> None:
    counted = Budget(Limits(total_bytes=3 * MIB), lambda: 10**9)
    counted.spend(MIB)
    counted.spend(2 * MIB)
    assert counted.exhausted is False
    with pytest.raises(LimitError, match=r"^more than the limit of 3 MiB when unpacked$"):
        counted.spend(1)
    assert counted.exhausted is True


def test_a_budget_counts_files() -> None:
    counted = Budget(Limits(members=2, total_bytes=3 * MEMBER_COST), lambda: 10**9)
    counted.member()
    counted.member()
    counted.spend(MEMBER_COST)  # two files cost as much as twice this
    with pytest.raises(LimitError, match="when unpacked"):
        counted.spend(1)
    counted = budget(members=1)
    counted.member()
    with pytest.raises(LimitError, match=r"^more than the limit of 1 files in one archive$"):
        counted.member()
    assert counted.exhausted


def test_a_budget_grows_with_what_was_read() -> None:
    packed = [2 * MIB]
    counted = Budget(Limits(ratio=10), lambda: packed[0])
    counted.spend(20 * MIB)
    with pytest.raises(LimitError, match=r"^unpacks to more than 10 times its size"):
        counted.spend(1)
    packed[0] = 3 * MIB
    counted.spend(9 * MIB)


# Zip --------------------------------------------------------------------------------------------------------


def test_files_of_a_zip_without_folders_and_hidden_ones() -> None:
    data = attacks.zip_of({
        "d/": b"", ".hidden": b"x", "__MACOSX/a": b"x", "d/.x/a": b"x", "d/a.inkml": GOOD, "b": b"",
    })  # fmt: skip
    assert in_zip(data) == [("z/d/a.inkml", GOOD), ("z/b", b"")]
    assert [is_hidden(name) for name in (".a", "a.", "__MACOSX", "__macosx", "")] == [
        True,
        False,
        True,
        False,
        False,
    ]


def test_every_member_and_its_bytes_are_counted() -> None:
    counted = Spending()
    in_zip(attacks.zip_of({"a": GOOD, ".b": GOOD, "c": b"12345"}), counted)
    assert counted.spent == [4096, len(GOOD), 4096, 4096, 5]


def test_archives_in_archives_are_read_as_deep_as_they_may_be() -> None:
    twice = zip_with("b.zip", zip_with())
    assert in_zip(twice) == [("z/b.zip/a.inkml", GOOD)]
    assert in_zip(twice, archive_depth=2) == [("z/b.zip/a.inkml", GOOD)]
    assert in_zip(twice, archive_depth=1) == [("z/b.zip", "z/b.zip: archives nested deeper than 1")]
    mixed = attacks.zip_of({"b.zip": zip_with(), "c": b"5"})
    assert in_zip(mixed, archive_depth=1)[-1] == ("z/c", b"5")


def test_damage_is_said_where_it_is() -> None:
    assert in_zip(b"PK\x03\x04 and no more") == [("z", "z: damaged zip archive (File is not a zip file)")]
    data = attacks.zip_of({"a": GOOD, "b": b"fine"})
    torn = bytearray(data)
    torn[data.index(b"PK\x01\x02") + 16] ^= 255  # the checksum in the table of contents
    assert in_zip(bytes(torn)) == [
        ("z/a", "z/a: damaged inside its zip archive (Bad CRC-32 for file 'a')"), ("z/b", b"fine"),
    ]  # fmt: skip


def test_long_words_of_the_zip_module_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any) -> None:
        raise zipfile.BadZipFile("x" * 500)

    data = zip_with()
    monkeypatch.setattr(archives, "_unpack", broken)
    assert in_zip(data) == [("z/a.inkml", f"z/a.inkml: damaged inside its zip archive ({'x' * 100})")]
    monkeypatch.setattr(zipfile, "ZipFile", broken)
    assert in_zip(data) == [("z", f"z: damaged zip archive ({'x' * 100})")]


def test_what_cannot_be_unpacked_is_said() -> None:
    assert in_zip(marked(zip_with(), 1)) == [
        ("z/a.inkml", "z/a.inkml: encrypted; unpack it with its password first")
    ]
    assert in_zip(marked(zip_with(), 2)) == [("z/a.inkml", GOOD)]
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert in_zip(zip_with(method=method)) == [
            ("z/a.inkml", "z/a.inkml: packed by a method other than deflate; unpack it first")
        ]
    assert in_zip(zip_with(method=zipfile.ZIP_DEFLATED)) == [("z/a.inkml", GOOD)]


def test_files_in_a_zip_have_a_largest_size() -> None:
    assert in_zip(zip_with(data=b"x" * MIB), file_bytes=MIB) == [("z/a.inkml", b"x" * MIB)]
    assert in_zip(zip_with(data=b"x" * (MIB + 1)), file_bytes=MIB) == [
        ("z/a.inkml", "z/a.inkml: larger than the limit of 1 MiB; split it into its expressions")
    ]


def test_a_member_far_larger_than_its_packed_bytes_is_refused_unread() -> None:
    packed = zip_with(data=b" " * MIB, method=zipfile.ZIP_DEFLATED)
    assert in_zip(packed, ratio=2) == [("z/a.inkml", b" " * MIB)]  # small enough to do no harm
    counted = Spending(ratio=2)
    assert in_zip(zip_with(data=b" " * (MIB + 1), method=zipfile.ZIP_DEFLATED), counted) == [
        ("z/a.inkml", "z/a.inkml: unpacks to more than 2 times its size, which ink does not; refused")
    ]
    assert counted.spent == [4096]
    assert in_zip(zip_with(data=b" " * (MIB + 1)), ratio=1)[0][1] == b" " * (MIB + 1)  # exactly its size


def test_the_table_of_contents_counts_while_it_is_read() -> None:
    counted = Spending()
    directory = archives._Directory(io.BytesIO(bytes(200_000)), counted)
    assert directory.seekable() is True
    assert len(directory.read(65_636)) == 65_636
    assert counted.spent == []
    assert len(directory.read(65_637)) == 65_637
    assert counted.spent == [16 * 65_637]
    directory.counted = False
    assert len(directory.read()) == 200_000 - 65_636 - 65_637
    assert counted.spent == [16 * 65_637]
    table = attacks.zip_of({f"{number:060d}": b"" for number in range(700)})
    assert in_zip(table, total_bytes=MIB) == [("z", "z: more than the limit of 1 MiB when unpacked")]
    assert len(in_zip(zip_with(data=b"x" * 200_000), total_bytes=300_000)[0][1]) == 200_000


def test_after_a_limit_nothing_more_comes() -> None:
    inner = attacks.zip_of({"1": b"", "2": b"", "3": b""})
    data = attacks.zip_of({"a": b"", "b.zip": inner, "c": b""})
    assert in_zip(data, members=3) == [
        ("z/a", b""), ("z/b.zip/1", b""),
        ("z/b.zip/2", "z/b.zip/2: more than the limit of 3 files in one archive"),
    ]  # fmt: skip


def test_a_stream_is_copied_whole_and_counted() -> None:
    counted = Spending()
    with spool(io.BytesIO(b"y" * (MIB + 5)), b"head", counted) as copy:
        assert copy.read() == b"head" + b"y" * (MIB + 5)
    assert counted.spent == [MIB, 5]
    with pytest.raises(LimitError, match="1 MiB when unpacked"):
        spool(io.BytesIO(b"y" * (MIB + 5)), b"head", budget(total_bytes=MIB))


def test_zips_are_told_by_their_first_bytes() -> None:
    assert is_zip(b"PK\x03\x04 more")
    assert is_zip(b"PK\x05\x06")
    assert not is_zip(b"PK\x01\x02")
    assert not is_zip(b"PK")


# Tar --------------------------------------------------------------------------------------------------------


def special(name: str, type: bytes, size: int = 0) -> bytes:
    header = tarfile.TarInfo(name)
    header.type, header.size, header.linkname = type, size, "../../etc/passwd" if not size else ""
    return header.tobuf(tarfile.USTAR_FORMAT)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_files_of_a_tar_in_their_order(kind: int, packed: bool) -> None:
    files = {"./a.inkml": GOOD, "d/b": b"5", "d/.hidden": b"x", ".top": b"7", "d/" + "n" * 120 + "/é": b"8"}
    data = attacks.tar_of(files, kind)
    assert is_tar(data[:512])
    data = gzip.compress(data) if packed else data
    assert is_tar(data[:512])
    assert in_tar(data) == [
        ("t/a.inkml", GOOD),
        ("t/d/b", b"5"),
        ("t/.top", b"7"),
        ("t/d/" + "n" * 120 + "/é", b"8"),
    ]


def test_what_is_no_file_in_a_tar_is_passed_over() -> None:
    kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE)
    data = b"".join(special(f"l{type.decode()}", type) for type in kinds) + attacks.tar_of({"a": GOOD})
    assert in_tar(data) == [("t/a", GOOD)]


def test_every_byte_and_header_of_a_tar_counts() -> None:
    counted = Spending()
    in_tar(attacks.tar_of({"a": GOOD, "b": GOOD}, tarfile.USTAR_FORMAT), counted)
    assert counted.spent.count(4096) == 2
    assert sum(counted.spent) == 2 * 4096 + 10_240
    assert in_tar(attacks.tar_of({"a": b"1", "b": b"2", "c": b"3"}, tarfile.USTAR_FORMAT), members=2) == [
        ("t/a", b"1"), ("t/b", b"2"), ("t", "t: more than the limit of 2 files in one archive"),
    ]  # fmt: skip


def test_a_tar_is_damaged_where_it_cannot_be_followed() -> None:
    data = attacks.tar_of({"a": GOOD, "b": GOOD}, tarfile.USTAR_FORMAT)
    for length in (1024, 1300, 1536):  # in front of, within and behind the second header
        assert in_tar(data[:length])[:1] == [("t/a", GOOD)]
        assert in_tar(data[:length])[-1][1].startswith("t: damaged tar archive (")
    assert in_tar(data[:1024])[-1] == (
        "t",
        "t: damaged tar archive (it ends too early; the file is truncated)",
    )
    assert in_tar(data[:3072]) == [("t/a", GOOD), ("t/b", GOOD)]  # two blank blocks are the end
    assert in_tar(b"\0" * 100) == [("t", "t: damaged tar archive (truncated header)")]
    packed = gzip.compress(data)
    assert str(in_tar(packed[: len(packed) // 2])[-1][1]).startswith("t: damaged tar archive (")


def test_long_words_of_the_tar_module_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any, **more: Any) -> None:
        raise tarfile.TarError("x" * 500)

    data = attacks.tar_of({"a": GOOD})
    monkeypatch.setattr(archives, "_unpack", broken)
    assert in_tar(data) == [("t", f"t: damaged tar archive ({'x' * 100})")]
    monkeypatch.setattr(tarfile, "open", broken)
    assert in_tar(data) == [("t", f"t: damaged tar archive ({'x' * 100})")]


def test_archives_in_a_tar_count_as_the_second_level() -> None:
    data = attacks.tar_of({"b.zip": zip_with(), "c": b"5"})
    assert in_tar(data) == [("t/b.zip/a.inkml", GOOD), ("t/c", b"5")]
    assert in_tar(data, archive_depth=2)[0] == ("t/b.zip/a.inkml", GOOD)
    assert in_tar(data, archive_depth=1) == [
        ("t/b.zip", "t/b.zip: archives nested deeper than 1"),
        ("t/c", b"5"),
    ]


def test_files_in_a_tar_have_a_largest_size() -> None:
    data = attacks.tar_of({"a": b"x" * 10, "b": b"x" * 11, "c": b"y"})
    large = ("t/b", "t/b: larger than the limit of 0 MiB; split it into its expressions")
    assert in_tar(data, file_bytes=10) == [
        ("t/a", b"x" * 10), large, ("t/c", b"y"),
    ]  # fmt: skip


@pytest.mark.parametrize("type", [b"x", b"g", b"X", b"L", b"K"])  # as tarfile calls them, XHDTYPE and so on
def test_large_headers_are_refused_before_they_are_read(type: bytes) -> None:
    counted = Spending()
    size = 16 * 1024 + 1
    data = special("h", type, size) + b"1" * size + bytes(-size % 512) + attacks.tar_of({"a": GOOD})
    assert in_tar(data, counted) == [("t", "t: a tar header of more than 16 KiB; refused")]
    size = 16 * 1024
    record = b"%d comment=" % size
    content = (
        record + b"x" * (size - len(record) - 1) + b"\n" if type not in b"LK" else b"n" * (size - 1) + b"\0"
    )
    data = special("h", type, size) + content + attacks.tar_of({"a": GOOD}, tarfile.USTAR_FORMAT)
    [(name, item)] = in_tar(data)
    assert item == GOOD
    assert name.startswith("t/n") if type == tarfile.GNUTYPE_LONGNAME else name == "t/a"


def test_attributes_for_all_files_are_limited() -> None:
    def with_attributes(number: int) -> bytes:
        records = b"".join(b"13 k%06d=1\n" % each for each in range(number))
        return special("g", tarfile.XGLTYPE, len(records)) + records + bytes(-len(records) % 512)

    tail = attacks.tar_of({"a": GOOD}, tarfile.USTAR_FORMAT)
    assert in_tar(with_attributes(100) + tail) == [("t/a", GOOD)]
    assert in_tar(with_attributes(101) + tail) == [
        ("t", "t: more than 100 attributes for all files in a tar archive")
    ]


def test_sparse_files_are_refused() -> None:
    words = "t: a sparse file in a tar archive; refused, pack it without --sparse"
    assert in_tar(attacks.sparse_tar()) == [("t", words)]
    assert in_tar(attacks.pax_sparse_tar()) == [("t", words)]
    for headers in ({"GNU.sparse.map": "0,1", "GNU.sparse.size": "9"}, {"GNU.sparse.size": "9"}):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
            member = tarfile.TarInfo("a")
            member.pax_headers = dict(headers)
            archive.addfile(member)
        assert in_tar(stream.getvalue()) == [("t", words)]


def test_the_first_bytes_are_read_again() -> None:
    stream = Rejoined(b"abc", io.BytesIO(b"defgh"))
    assert [stream.read(2), stream.read(3), stream.read(10), stream.read(1)] == [b"ab", b"cde", b"fgh", b""]
    assert stream.given == 8


def test_what_is_no_tar_is_told() -> None:
    assert not is_tar(GOOD)
    assert not is_tar(gzip.compress(GOOD))
    assert not is_tar(b"\x1f\x8b and no more")
    assert not is_tar(b"")
