"""No exception but `InkError` ever leaves a reader, whatever happened to the file.

Every reader gets files that were good and then damaged: bytes flipped, cut, doubled and moved, dangerous
words put in, parts of other files mixed in, numbers and JSON values exchanged. The default run is short; the
full one (`INKTEX_FUZZ_CASES=20000`, `make fuzz-readers`) throws 20,000 files at each reader. A failure names
the number of the case, and the same number always makes the same file.
"""

import gzip
import io
import json
import os
import random
import re
import tarfile
import warnings
import zipfile
from collections.abc import Callable

import ink_samples as samples
import numpy as np
import pytest

from inktex.ink import Ink, InkError, read_all

CASES = int(os.environ.get("INKTEX_FUZZ_CASES", "300"))

# Words that break parsers, or that mean something to one of the readers.
WORD_LIST = r"""
    NaN nan inf -inf Infinity 1e999 -1e308 1e-999 0x1F 1_0 --1 + - . , #FFFF * ? T ! 999999999 -1 0 20001 ٣ é
    null true false {} [] [[]] [ ] { } " ' \ \ud800 : < > </ /> <!-- --> <![CDATA[ ]]> &lt; &#0; &#xD800; &x;
    <!ENTITY <!DOCTYPE xmlns="u" xmlns:a="" xml:id="0" id="0" <trace> </trace> <traceGroup> <stroke> <page> &
    "strokes" "x" "type" "stroke" "pointerdown" "elements" "items" "points" "timestamp" "label" "excalidraw"
    "Math" SCG_INK
"""
WORDS = [word.encode() for word in WORD_LIST.split()]
WORDS += [b" ", b"\n", b"\t", b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc3\x28", b"\xed\xa0\x80"]
WORDS += [b"PK\x03\x04", b"\x1f\x8b", b"9" * 400, b"9" * 5000, b'width="1 nan 2"', "\u2028".encode()]
WORDS += [b"<?xml version='1.0' encoding='utf-16'?>", b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"<!DOCTYPE ink>"]
VALUES = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1.5,
        1e308,
        -1e308,
        10**400,
        "",
        "x",
        "\ud800",
        "NaN",
        "pointerdown",
        "stroke",
    ),
    *([], {}, [[]], [{}], [None], [1, 2], [[1, 2]], {"x": 1, "y": 2}, {"x": [1], "y": [2]}, {"strokes": []}),
]


def damaged(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Return `data` after one to six accidents."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        data = rng.choice(ACCIDENTS)(data, others, rng)
    return data


def _span(data: bytes, rng: random.Random, longest: int = 200) -> tuple[int, int]:
    begin = rng.randrange(len(data) + 1)
    return begin, min(len(data), begin + rng.randrange(longest))


def _flip(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randrange(1, 9)):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _replace_byte(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    position = rng.randrange(len(data) + 1)
    return data[:position] + bytes([rng.randrange(256)]) + data[position + 1 :]


def _delete(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    begin, end = _span(data, rng)
    return data[:begin] + data[end:]


def _double(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    begin, end = _span(data, rng)
    return data[:end] + data[begin:end] * rng.choice((1, 1, 2, 30)) + data[end:]


def _move(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    begin, end = _span(data, rng)
    rest = data[:begin] + data[end:]
    position = rng.randrange(len(rest) + 1)
    return rest[:position] + data[begin:end] + rest[position:]


def _cut(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _insert_word(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    begin, end = _span(data, rng, 10)
    return data[:begin] + rng.choice(WORDS) + data[rng.choice((begin, end)) :]


def _exchange_number(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    found = list(re.finditer(rb"-?\d+(\.\d+)?", data))
    if not found:
        return data
    match = rng.choice(found)
    return data[: match.start()] + rng.choice(WORDS) + data[match.end() :]


def _exchange_quoted(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    found = list(re.finditer(rb'"[^"]*"', data))
    if not found:
        return data
    match, other = rng.choice(found), rng.choice(found)
    return data[: match.start()] + rng.choice((other.group(), b'""', b"5")) + data[match.end() :]


def _mix(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    other = rng.choice(others)
    begin, end = _span(other, rng, 400)
    position = rng.randrange(len(data) + 1)
    return data[:position] + other[begin:end] + data[position:]


def _exchange_json(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Exchange one value anywhere in a JSON tree for another; whatever is no JSON stays."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return data
    places: list[tuple[object, object]] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        pairs = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, child in list(pairs):
            places.append((node, key))
            waiting.append(child)
    if not places:
        return json.dumps(rng.choice(VALUES)).encode()
    node, key = rng.choice(places)
    action = rng.randrange(3)
    if action == 0:
        del node[key]
    elif action == 1 and isinstance(node, dict):
        node[rng.choice(("x", "X", "type", "points", "strokes", "t", "items", "label"))] = node.pop(key)
    else:
        node[key] = rng.choice(VALUES)
    return json.dumps(tree).encode()


ACCIDENTS: list[Callable[[bytes, list[bytes], random.Random], bytes]] = [
    _flip, _replace_byte, _delete, _double, _move, _cut, _insert_word, _insert_word, _exchange_number,
    _exchange_quoted, _mix, _exchange_json, _exchange_json, _exchange_json,
]  # fmt: skip


def zip_of(data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in (("a/ink.inkml", data), ("b.json", samples.plain_json())):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # without the time of day
    return stream.getvalue()


def tar_of(data: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in (("a/ink.inkml", data), ("b.json", samples.plain_json())):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def plain(data: bytes) -> bytes:
    return data


def gzipped(data: bytes) -> bytes:
    return gzip.compress(data, 1, mtime=0)


# For each reader the good files, and how a damaged one is packed before it is read.
READERS: dict[str, tuple[list[bytes], list[Callable[[bytes], bytes]]]] = {
    "inkml-crohme": ([samples.inkml_crohme()], [plain]),
    "inkml-mathwriting": ([samples.inkml_mathwriting()], [plain]),
    "inkml-w3c": ([samples.inkml_w3c()], [plain]),
    "scgink": ([samples.scgink()], [plain]),
    "xournal": ([samples.xournal_xml().encode(), samples.xournal_xml(3).encode()], [plain, gzipped]),
    "xopp-packed": ([samples.xopp(), samples.xopp(3)], [plain]),
    "excalidraw": ([samples.excalidraw()], [plain]),
    "mathpix": ([samples.mathpix()], [plain]),
    "jiix": ([samples.jiix()], [plain]),
    "myscript-request": ([samples.myscript_request()], [plain]),
    "pointer-events": ([samples.pointer_events()], [plain]),
    "plain-json": ([samples.plain_json(), samples.object_json()], [plain]),
    "zip": ([zip_of(samples.inkml_crohme()), zip_of(zip_of(samples.jiix()))], [plain]),
    "tar": ([tar_of(samples.inkml_crohme()), tar_of(zip_of(samples.jiix()))], [plain, gzipped]),
}


def check(data: bytes) -> bool:
    """Read everything in `data`; whatever comes is a sound ink or an error with a reason."""
    readable = False
    for name, item in read_all(data, name="case"):
        if isinstance(item, Ink):
            assert item.source == name
            assert len(item) > 0
            assert np.isfinite(item.points).all()
            readable = True
        else:
            assert isinstance(item, InkError)
            assert str(item).startswith("case")
            assert len(str(item)) < 2000
            assert str(item).encode("utf-8", "surrogatepass")
    return readable


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("reader", READERS)
def test_from_mutated_files_only_ink_errors_come(reader):
    seeds, packings = READERS[reader]
    others = seeds + [good for goods, _ in READERS.values() for good in goods]
    readable = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning of numpy would be a hole as well
        for number in range(CASES):
            rng = random.Random(f"{reader} {number}")
            data = rng.choice(packings)(damaged(rng.choice(seeds), others, rng))
            try:
                readable += check(data)
            except Exception as error:
                raise AssertionError(f"case {number} of {reader}: {error!r} from {data[:3000]!r}") from error
    # Damage that leaves nothing readable, or hurts nothing, would test nothing.
    assert 0 < readable < CASES
