"""Files that were good and then damaged, without end: bytes flipped, cut, doubled and moved, dangerous
words put in, parts of other files mixed in, numbers and JSON values exchanged; then packed in archives.

The same number always makes the same file. `make fuzz-readers CASES=1000000` runs this module and prints what
came of so many files; `test_reader_fuzz.py` runs some in CI.
"""

import argparse
import gzip
import io
import json
import random
import re
import sys
import tarfile
import time
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import ink_samples as samples
import numpy as np

from inktex.evaluation.provenance import provenance
from inktex.files import write_atomically
from inktex.ink import Ink, InkError, Limits, read_all

sys.path.insert(0, str(Path(__file__).parent.parent))
import attacks

Packing = Callable[[bytes], bytes]

RESULTS = Path(__file__).resolve().parents[2] / "docs/results"

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


def plain(data: bytes) -> bytes:
    return data


def gzipped(data: bytes) -> bytes:
    return gzip.compress(data, 1, mtime=0)


def zipped(method: int, *, zip64: bool = False, comment: bytes = b"") -> Packing:
    def pack(data: bytes) -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.comment = comment
            archive.writestr(zipfile.ZipInfo("a/"), b"")
            for name, content in (("a/ink.inkml", data), ("b.json", samples.plain_json()), (".c", b"hidden")):
                member = zipfile.ZipInfo(name)  # without the time of day
                member.compress_type = method
                with archive.open(member, "w", force_zip64=zip64) as file:
                    file.write(content)
        return stream.getvalue()

    return pack


def encrypted(data: bytes) -> bytes:
    """A zip that says that it has a password."""
    packed = bytearray(zip_of(data))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        packed[packed.index(mark) + place] |= 1
    return bytes(packed)


def tarred(kind: int, *, long_names: bool = False) -> Packing:
    def pack(data: bytes) -> bytes:
        stream = io.BytesIO()
        folder = "a" * 150 + "/é/" if long_names else "a/"
        with tarfile.open(fileobj=stream, mode="w", format=kind) as archive:
            for name, content in ((f"{folder}ink.inkml", data), ("b.json", samples.plain_json())):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                if kind == tarfile.PAX_FORMAT:
                    member.pax_headers = {"comment": "made by hand", "mtime": "1.5"}
                archive.addfile(member, io.BytesIO(content))
            for type in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE):
                link = tarfile.TarInfo(f"special{type.decode()}")
                link.type, link.linkname = type, "../../etc/passwd"
                archive.addfile(link)
        return stream.getvalue()

    return pack


def one_in(outer: Packing, inner: Packing) -> Packing:
    return lambda data: outer(inner(data))


def nested(packing: Packing, depth: int) -> Packing:
    def pack(data: bytes) -> bytes:
        for _ in range(depth):
            data = packing(data)
        return data

    return pack


zip_of = zipped(zipfile.ZIP_DEFLATED)
tar_of = tarred(tarfile.USTAR_FORMAT)

ARCHIVES: dict[str, Packing] = {
    "zip, stored": zipped(zipfile.ZIP_STORED),
    "zip, deflated": zip_of,
    "zip, bzip2": zipped(zipfile.ZIP_BZIP2),
    "zip, lzma": zipped(zipfile.ZIP_LZMA),
    "zip64 with a comment": zipped(zipfile.ZIP_DEFLATED, zip64=True, comment=b"by hand"),
    "zip, encrypted": encrypted,
    "zip, as deep as it may be": nested(zip_of, 4),
    "zip, deeper": nested(zip_of, 5),
    "tar, ustar": tar_of,
    "tar, GNU with long names": tarred(tarfile.GNU_FORMAT, long_names=True),
    "tar, pax with long names": tarred(tarfile.PAX_FORMAT, long_names=True),
    "tar, gzipped": one_in(gzipped, tarred(tarfile.PAX_FORMAT)),
    "zip in tar": one_in(tar_of, zip_of),
    "tar in zip": one_in(zip_of, tar_of),
    "zip in zip in gzipped tar": one_in(gzipped, one_in(tar_of, nested(zip_of, 2))),
    "gzipped ink in zip": one_in(zip_of, gzipped),
    "gzip in gzip": one_in(gzipped, gzipped),
}

# Limits that files of some kilobytes reach, so that what happens there is tried in every third case.
TIGHT = Limits(
    file_bytes=4000, points=200, strokes=20, depth=6, elements=60, attributes=5, nodes=220, values=700,
    archive_depth=2, members=4, total_bytes=60_000, ratio=20,
)  # fmt: skip


def _json_strokes(strokes: int, points: int) -> bytes:
    return json.dumps({"strokes": [[[n, m] for m in range(points)] for n in range(strokes)]}).encode()


def _inkml_strokes(strokes: int, points: int) -> bytes:
    trace = b"<trace>" + b", ".join(b"%d %d" % (n, n % 7) for n in range(points)) + b"</trace>\n"
    return b"<ink>" + trace * strokes + b"</ink>"


def at_the_limits(limits: Limits) -> list[bytes]:
    """Files that have just as much of something as the limits allow, and one more."""
    found = []
    for more in (0, 1):
        some = limits.points // limits.strokes
        inks = {f"{n}.scgink": samples.scgink() for n in range(min(limits.members, 2000) + more)}
        found += [
            _inkml_strokes(limits.strokes + more, some),
            _inkml_strokes(1, limits.points + more),
            _json_strokes(1, limits.points + more),
            b"<ink>" + b"<a/>" * (limits.elements - 2 + more) + b"<trace>1 2</trace></ink>",
            b"<ink>" + b"<traceGroup>" * (limits.depth - 2 + more) + b"<trace>1 2</trace>"
            + b"</traceGroup>" * (limits.depth - 2 + more) + b"</ink>",
            b"<ink><trace " + b" ".join(b'a%d=""' % n for n in range(limits.attributes + more))
            + b">1 2</trace></ink>",
            b'{"strokes": [[[1, 2]]], "a": ' + b"[" * (limits.depth - 1 + more)
            + b"]" * (limits.depth - 1 + more) + b"}",
            (b"<ink><trace>1 2</trace></ink>".ljust(limits.file_bytes + more)),
            gzipped(b"<ink><trace>1 2</trace></ink>".ljust(limits.file_bytes + more)),
            nested(zip_of, limits.archive_depth + more)(samples.scgink()),
            attacks.zip_of(inks),
            attacks.tar_of(inks),
        ]  # fmt: skip
    return found


@dataclass(frozen=True)
class Kind:
    """Good files of one kind, how a damaged one is packed before it is read, and up to which limits."""

    seeds: list[bytes]
    packings: tuple[Packing, ...] = (plain,)
    limits: tuple[Limits, ...] = (Limits(), Limits(), TIGHT)


INK_FILES = {
    "inkml-crohme": [samples.inkml_crohme()],
    "inkml-mathwriting": [samples.inkml_mathwriting()],
    "inkml-w3c": [samples.inkml_w3c()],
    "scgink": [samples.scgink()],
    "excalidraw": [samples.excalidraw()],
    "mathpix": [samples.mathpix()],
    "jiix": [samples.jiix()],
    "myscript-request": [samples.myscript_request()],
    "pointer-events": [samples.pointer_events()],
    "plain-json": [samples.plain_json(), samples.object_json()],
}
ANY_INK = [seed for seeds in INK_FILES.values() for seed in seeds]
KINDS: dict[str, Kind] = {
    **{name: Kind(seeds) for name, seeds in INK_FILES.items()},
    "xournal": Kind([samples.xournal_xml().encode(), samples.xournal_xml(3).encode()], (plain, gzipped)),
    "xopp-packed": Kind([samples.xopp(), samples.xopp(3)]),
    "damaged ink in archives": Kind(ANY_INK, tuple(ARCHIVES.values())),
    "damaged archives": Kind(
        [pack(seed) for pack in ARCHIVES.values() for seed in (samples.inkml_crohme(), samples.jiix())]
        + [attacks.sparse_tar(), attacks.pax_sparse_tar(), attacks.overlapping_zip(20)],
        (plain, plain, gzipped),
    ),
    "sizes at the limits": Kind(at_the_limits(TIGHT), limits=(TIGHT,)),
}
OTHERS = [seed for kind in KINDS.values() for seed in kind.seeds if len(seed) < 20_000]


def case(name: str, number: int) -> tuple[bytes, Limits]:
    """The damaged file of this number."""
    kind = KINDS[name]
    rng = random.Random(f"{name} {number}")
    data = rng.choice(kind.packings)(damaged(rng.choice(kind.seeds), OTHERS, rng))
    return data, rng.choice(kind.limits)


def large_case(number: int) -> bytes:
    """A damaged file that is as large as real limits allow; each takes seconds."""
    rng = random.Random(number)
    return damaged(rng.choice(at_the_limits(Limits())), OTHERS, rng)


def check(data: bytes, limits: Limits) -> bool:
    """Read everything in `data`; whatever comes is a sound ink or an error with a reason."""
    readable = False
    for name, item in read_all(data, name="case", limits=limits):
        if isinstance(item, Ink):
            assert item.source == name.strip()
            assert 0 < len(item) <= limits.strokes
            assert len(item.points) <= limits.points
            assert np.isfinite(item.points).all()
            readable = True
        else:
            assert isinstance(item, InkError)
            assert str(item).startswith("case")
            assert len(str(item)) < 2000
            assert (name + str(item)).encode("utf-8")
    return readable


def main() -> None:
    """Try so many files, the kinds in turn, and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--cases", type=int, default=20_000, help="files in all")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument(
        "--large", type=int, default=20_000, help="one file in so many is as large as allowed"
    )
    parser.add_argument("--record", action="store_true", help="write docs/results/fuzz-readers.json")
    asked = parser.parse_args()
    warnings.simplefilter("error")  # a warning of numpy would be a hole as well
    made = provenance(f"make fuzz-readers CASES={asked.cases} RECORD=1")  # now: the checkout may go on
    names, begun = list(KINDS), time.monotonic()
    readable, failures, slowest = 0, 0, (0.0, "")
    for number in range(asked.first, asked.first + asked.cases):
        name = names[number % len(names)]
        if number % asked.large == asked.large - 1:
            name, data, limits = "real sizes", large_case(number), Limits()
        else:
            data, limits = case(name, number // len(names))
        start = time.process_time()
        try:
            readable += check(data, limits)
        except Exception as error:  # the next cases may find something else
            failures += 1
            print(f"case {number} ({name}): {error!r} from {data[:3000]!r}", file=sys.stderr, flush=True)
        slowest = max(slowest, (time.process_time() - start, f"case {number}, {name}"))
        tried = number + 1 - asked.first
        if tried % 10_000 == 0 or tried == asked.cases:
            print(
                f"{tried:,} mutated files of {len(names)} kinds: {readable:,} gave ink, "
                f"{tried - readable - failures:,} only InkError, {failures} something else; "
                f"slowest {slowest[0]:.1f} s of CPU ({slowest[1]}); {time.monotonic() - begun:.0f} s",
                flush=True,
            )
    if asked.record:
        found = {"cases": asked.cases, "readable": readable, "failures": failures, "slowest": slowest}
        text = json.dumps({"made": asdict(made), **found}, indent=1)
        write_atomically(RESULTS / "fuzz-readers.json", text + "\n")
    if failures:
        sys.exit(1)


if __name__ == "__main__":
    main()
