"""Files made to do harm are refused quickly, with a reason, and without filling the memory."""

import gzip
import io
import json
import resource
import struct
import time
import zipfile
import zlib

import pytest
from ink_samples import FILES

from inktex.ink import Ink, InkError, Limits, read, read_all

MIB = 2**20


def fails(data: bytes, words: str) -> None:
    with pytest.raises(InkError, match=words) as caught:
        read(data, name="evil")
    assert str(caught.value).startswith("evil")


@pytest.fixture(autouse=True)
def _little_time_and_memory():
    begin, peak = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert time.process_time() - begin < 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 500 * 1024  # KiB


def test_entity_bombs_are_refused():
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<?xml version="1.0"?><!DOCTYPE ink [<!ENTITY l0 "lol">{laughs}]><ink><trace>&l9;</trace></ink>'
    fails(bomb.encode(), "declares XML entities, which are refused")
    fails(bomb.encode("utf-16"), "declares XML entities, which are refused")
    fails(bomb.replace("<!DOCTYPE", "\n<!DOCTYPE").encode(), "line 2: declares XML entities")
    quadratic = f'<!DOCTYPE ink [<!ENTITY a "{"1 2," * 10000}">]><ink><trace>{"&a;" * 1000}</trace></ink>'
    fails(quadratic.encode(), "declares XML entities")
    fails(gzip.compress(bomb.replace("ink", "xournal").encode()), "declares XML entities")


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY secret SYSTEM "file:///etc/passwd">',
        '<!ENTITY secret PUBLIC "x" "http://127.0.0.1:1/x">',
        '<!ENTITY % all SYSTEM "http://127.0.0.1:1/x.dtd"> %all;',
    ],
)
def test_external_entities_are_refused(declaration):
    data = f'<!DOCTYPE ink [{declaration}]><ink><annotation type="truth">&secret;</annotation></ink>'
    fails(data.encode(), "declares XML entities, which are refused")


def test_a_document_type_elsewhere_is_not_fetched():
    data = b'<!DOCTYPE ink SYSTEM "http://127.0.0.1:1/inkml.dtd"><ink><trace>1 2</trace></ink>'
    assert read(data).points.tolist() == [[1, 2]]
    fails(data.replace(b"1 2", b"&x;"), "not well-formed|no strokes")


@pytest.mark.parametrize("name", FILES)
def test_every_truncated_file_is_an_error_or_less_ink(name):
    data = FILES[name]
    for cut in range(0, len(data), max(1, len(data) // 150)):
        [(_, item)] = read_all(data[:cut])
        assert isinstance(item, Ink) or str(item)


def test_deep_nesting_is_an_error():
    fails(b"[" * 100_000, "nested deeper than 200")
    fails(b"[" * 900 + b"]" * 900, "nested deeper than 200")
    fails(b'{"strokes":' * 50_000 + b"1" + b"}" * 50_000, "nested deeper than 200")
    deep = b'{"type":"Math","items":[' * 90 + b"]}" * 90
    fails(deep, "no strokes in this JIIX")
    fails(b"<ink>" * 200_000, "elements nested deeper than 200")
    mrows = b"<annotationXML><math>" + b"<mrow>" * 5000 + b"</mrow>" * 5000 + b"</math></annotationXML>"
    fails(b"<ink><trace>1 2</trace>" + mrows + b"</ink>", "elements nested deeper than 200")


def test_more_ink_than_the_limits():
    points = b"1 2," * 600_000
    two = b"<ink><trace>" + points + b"</trace><trace>" + points + b"</trace></ink>"
    fails(two, "limit of 1000000 points")
    fails(b"<ink>" + b"<trace>1 2</trace>" * 20_001 + b"</ink>", "limit of 20000 strokes")
    fails(b"[" + b"[[1,2]]," * 20_000 + b"[[1,2]]]", "limit of 20000 strokes")
    fails(b"[[" + b"[1,2]," * 1_000_000 + b"[1,2]]]", "limit of 1000000 points")
    fails(b"[" + b"[]," * 1_200_000 + b"[]]", "JSON lists and objects")
    fails(b"<ink>" + b"<a/>" * 300_001 + b"</ink>", "XML elements")
    fails(b'{"x":[[' + b"1," * 1_000_001 + b'1]],"y":[[1]]}', "limit of 1000000 points")
    fails(
        b"<xournal><page><layer><stroke>" + b"1 " * 5_000_000 + b"</stroke></layer></page></xournal>",
        "limit of 1000000",
    )
    fails(b"SCG_INK\n20000\n" + b"999999\n1 2\n", "the file ends")


def test_files_of_gigabytes_are_not_read_to_their_end():
    class Endless(io.RawIOBase):
        taken = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:
            self.taken += len(buffer)
            buffer[:] = b" " * len(buffer)
            return len(buffer)

    stream = Endless()
    with pytest.raises(InkError, match=r"larger than the limit of 64 MiB|empty"):
        read(stream)
    assert stream.taken < 70 * MIB


def test_gzip_bombs_stop_at_the_limit():
    bomb = gzip.compress(b"<ink>" + b" " * (65 * MIB))
    assert len(bomb) < 100_000
    fails(bomb, "unpacks to more than 250 times its size")
    with pytest.raises(InkError, match="more than the limit of 64 MiB when decompressed"):
        read(bomb, limits=Limits(ratio=2000))
    packer = zlib.compressobj(9, wbits=31)
    parts = [packer.compress(bytes(64 * MIB)) for _ in range(3)]
    fails(b"".join([*parts, packer.flush()]), "unpacks to more than 250 times its size")
    fails(gzip.compress(gzip.compress(FILES["crohme.inkml"])), "none of the known")


def zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def test_zip_bombs_are_refused_before_they_are_unpacked():
    items = list(read_all(zipped({f"{n}.inkml": b"<ink>" + b" " * (30 * MIB) for n in range(3)})))
    assert len(items) == 3
    assert all("refused" in str(error) for _, error in items)
    [(_, error)] = read_all(zipped({"a.zip": zipped({"b.inkml": bytes(30 * MIB)})}))
    assert "refused" in str(error)
    nested = zipped({"ink.json": FILES["plain.json"]})
    for _ in range(6):
        nested = zipped({"again.zip": nested})
    [(name, error)] = read_all(nested, name="quine.zip")
    assert name == "quine.zip/again.zip/again.zip/again.zip/again.zip"
    assert "nested deeper than 4" in str(error)


def test_damaged_archives_are_named():
    good = zipped({"a.inkml": FILES["crohme.inkml"], "b.json": FILES["plain.json"]})
    fails(good[:50], "damaged zip archive")
    fails(b"PK\x03\x04" + b"\0" * 100, "damaged zip archive")
    begin = good.index(FILES["crohme.inkml"][:0] + b"a.inkml") + 7
    spoiled = good[: begin + 40] + b"\xff" * 30 + good[begin + 70 :]
    items = dict(read_all(spoiled, name="z"))
    assert "damaged inside its zip archive" in str(items["z/a.inkml"])
    assert isinstance(items["z/b.json"], Ink)


def test_encrypted_members_are_named():
    data = bytearray(zipped({"a.inkml": FILES["crohme.inkml"]}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.index(signature) + offset
        flags = struct.unpack_from("<H", data, place)[0]
        struct.pack_into("<H", data, place, flags | 1)
    fails(bytes(data), "encrypted")


def test_absurd_sizes_and_names():
    huge = "9" * 5000
    fails(f"[[[1, {huge}]]]".encode(), "number too long|too large")
    fails(f"<ink><trace>1 {huge}</trace></ink>".encode(), "point of thousands of characters|finite")
    fails(f"<ink><trace>1 #{'F' * 2000}</trace></ink>".encode(), "finite|too")
    fails(b'<ink><trace id="' + b"x" * 100_000 + b'">1</trace></ink>', "one value")
    channels = "".join(f'<channel name="c{n}"/>' for n in range(100_000))
    fails(f"<ink><traceFormat>{channels}</traceFormat><trace>1 2</trace></ink>".encode(), "channels")
    fails(b"<" + b"a" * 1_000_000 + b"/>", "XML, but not ink")
    for data in (
        b'{"%s": 1}',
        b'[{"%s": 1}]',
        b'<ink><trace id="%s">1</trace></ink>',
        b"<%s/>",
        b"<ink><trace>%s",
    ):
        with pytest.raises(InkError) as caught:
            read(data % (b"k" * 100_000))
        assert len(str(caught.value)) < 300


def test_wrong_types_everywhere_are_errors():
    values = [
        None,
        True,
        0,
        -1.5,
        "x",
        [],
        {},
        [[]],
        [{}],
        [[[]]],
        {"x": []},
        {"strokes": {}},
        {"strokes": 3},
    ]
    for value in values:
        members = ({name: value} for name in ("strokes", "events", "strokeGroups"))
        typed = {"type": "excalidraw", "elements": value}, {"type": "Math", "items": value}
        columns = {"strokes": {"strokes": value}}, {"strokes": {"x": value, "y": value}}
        for wrapped in (value, [value], [[value]], *members, *typed, *columns):
            with pytest.raises(InkError):
                read(json.dumps(wrapped).encode())


def test_strange_encodings_are_no_way_out():
    for encoding in (
        "punycode",
        "idna",
        "utf-7",
        "hex",
        "rot13",
        "unicode_escape",
        "nonsense",
        "undefined",
        "cp0",
    ):
        data = (
            f'<?xml version="1.0" encoding="{encoding}"?><ink><trace>1 2</trace></ink>'.encode()
            + b"<!--\xff-->"
        )
        [(_, item)] = read_all(data)
        assert item.points.tolist() == [[1, 2]] if isinstance(item, Ink) else "XML" in str(item)
