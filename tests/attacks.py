"""Files made to do harm, each small: what readers, the command and the server are tried with."""

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Callable

GOOD = b"<ink><trace>0 0, 5 5</trace></ink>"


def zip_of(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def tar_of(files: dict[str, bytes], format: int = tarfile.PAX_FORMAT) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=format) as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return stream.getvalue()


def tar_of_zips_of_blanks(zips: int = 2, blanks: int = 20_000) -> bytes:
    """Blank files are nearly free to pack, and take seconds to go through."""
    inner = zip_of({f"{number}": b" " for number in range(blanks)})
    return gzip.compress(tar_of({f"{number}.zip": inner for number in range(zips)}))


def zip_of_zips_of_blanks() -> bytes:
    inner = zip_of({f"{number}": b" " for number in range(20_000)})
    return zip_of({f"{number}.zip": inner for number in range(3)})


def continuation_chain(traces: int = 90_000) -> bytes:
    """Every trace goes on with the first stroke."""
    more = b'<trace continuation="middle" priorRef="#a">1 2</trace>' * traces
    return gzip.compress(b'<ink><trace id="a">1 2</trace>' + more + b"</ink>")


def pax_header(size: int = 40_000_000) -> bytes:
    """A header of attributes that older versions of Python read in quadratic time."""
    header = tarfile.TarInfo("pax")
    header.type = tarfile.XHDTYPE
    header.size = size
    return gzip.compress(header.tobuf(tarfile.USTAR_FORMAT) + b"1" * size + bytes(1024))


def global_headers(number: int = 150) -> bytes:
    """Attributes for all members, more with each header; each member gets a copy of all of them."""
    parts = []
    for place in range(number):
        records = b"".join(b"%d k%06d=1\n" % (len(b"00 k000000=1\n"), place * 1000 + n) for n in range(1000))
        header = tarfile.TarInfo("g")
        header.type = tarfile.XGLTYPE
        header.size = len(records)
        parts.append(header.tobuf(tarfile.USTAR_FORMAT) + records + bytes(-len(records) % 512))
    return gzip.compress(b"".join(parts) + tar_of({"a": b""}), 9)


def long_name_chain(number: int = 5000) -> bytes:
    """A name that is followed by a name that is followed by …"""
    header = tarfile.TarInfo("././@LongLink")
    header.type = tarfile.GNUTYPE_LONGNAME
    header.size = 4
    one = header.tobuf(tarfile.GNU_FORMAT) + b"abc\0" + bytes(508)
    return gzip.compress(one * number + tar_of({"a": b""}))


def sparse_tar(size: int = 3 * 2**30) -> bytes:
    """An old GNU sparse file: begins like a zip, and the rest of its gigabytes is a hole."""
    header = bytearray(512)
    header[0:5] = b"a.zip"
    header[100:108] = b"0000644\0"
    header[108:116] = header[116:124] = b"0000000\0"
    header[124:136] = b"%011o\0" % 512
    header[136:148] = b"%011o\0" % 0
    header[156:157] = b"S"
    header[257:265] = b"ustar  \0"
    header[386:398] = b"%011o\0" % 0
    header[398:410] = b"%011o\0" % 512
    header[410:422] = b"%011o\0" % size
    header[422:434] = b"%011o\0" % 0
    header[483:495] = b"%011o\0" % size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + b"PK\x03\x04".ljust(512, b"\0") + bytes(1024)


def pax_sparse_tar() -> bytes:
    """A sparse file of the newer kind, whose map promises more entries than there are bytes."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("a.zip")
        member.pax_headers = {
            "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "a.zip",
            "GNU.sparse.realsize": str(3 * 2**30),
        }  # fmt: skip
        member.size = 512
        archive.addfile(member, io.BytesIO(b"99999999\n".ljust(512, b"0")))
    return stream.getvalue()


def overlapping_zip(entries: int = 3000) -> bytes:
    """Every entry of the table of contents stands for the same packed megabyte."""
    one = zip_of({"a": b"<ink>" + b" " * 2**20})
    start = one.index(b"PK\x01\x02")
    end = one.index(b"PK\x05\x06")
    table = one[start:end] * entries
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, entries, entries, len(table), start, 0)
    return one[:start] + table + tail


def packed_table_of_contents(entries: int = 400_000) -> bytes:
    """A zip in a zip whose table of contents is megabytes of the same entry."""
    one = zip_of({"a": b""})
    start, end = one.index(b"PK\x01\x02"), one.index(b"PK\x05\x06")
    table = one[start:end] * entries
    tail = struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, entries % 65536, entries % 65536, len(table), start, 0
    )
    return gzip.compress(tar_of({"a.zip": one[:start] + table + tail}))


def zip_of_whitespace() -> bytes:
    """Packs 200 times: just not a bomb by its ratio, but 60 of them are gigabytes."""
    return zip_of({f"{n}.inkml": (b"<ink>%06d" % n + b" " * 1000) * 14_000 for n in range(12)})


def many_elements() -> bytes:
    return gzip.compress(b"<ink>" + b"<a/>" * 3_900_000 + b"</ink>")


def many_attributes() -> bytes:
    return b"<ink><a " + b" ".join(b'a%d=""' % n for n in range(150_000)) + b"/></ink>"


def one_huge_tag() -> bytes:
    return b"<ink><a " + b'b="" ' * 2_000_000 + b"/></ink>"


def deep_elements() -> bytes:
    return b"<ink>" + b"<traceGroup>" * 500 + b"</traceGroup>" * 500 + b"<trace>1 2</trace></ink>"


def deep_json() -> bytes:
    return b'{"strokes": [[[0, 0], [1, 1]]], "more": ' + b"[" * 500 + b"]" * 500 + b"}"


def many_objects() -> bytes:
    return gzip.compress(b"[" + b'{"a":1},' * 1_900_000 + b"[]]", 1)


def many_texts() -> bytes:
    return gzip.compress(b"[" + b'"ab",' * 6_500_000 + b"[]]", 1)


def commas() -> bytes:
    return b"<ink><trace>" + b"," * 30_000_000 + b"</trace></ink>"


def many_values() -> bytes:
    """Points of two thousand values each."""
    return b"<ink><trace>" + b",".join([b"1 " * 2000] * 8000) + b"</trace></ink>"


def marked_values() -> bytes:
    """The same, in the notation that is read value by value."""
    return b"<ink><trace>" + b",".join([b"'1" * 2000] * 4000) + b"</trace></ink>"


# Those that stay under a megabyte: what one request can carry.
UPLOADS: dict[str, Callable[[], bytes]] = {
    "tar of zips of blanks": tar_of_zips_of_blanks,
    "zip of zips of blanks": zip_of_zips_of_blanks,
    "continuation chain": continuation_chain,
    "pax header": pax_header,
    "global pax headers": global_headers,
    "chain of long names": long_name_chain,
    "sparse tar": sparse_tar,
    "sparse tar, pax": pax_sparse_tar,
    "overlapping zip": overlapping_zip,
    "packed table of contents": packed_table_of_contents,
    "zip of whitespace": zip_of_whitespace,
    "elements": many_elements,
    "deep elements": deep_elements,
    "deep JSON": deep_json,
    "objects": many_objects,
    "texts": many_texts,
}
FILES: dict[str, Callable[[], bytes]] = {
    **UPLOADS,
    "attributes": many_attributes,
    "one huge tag": one_huge_tag,
    "commas": commas,
    "values": many_values,
    "marked values": marked_values,
}
