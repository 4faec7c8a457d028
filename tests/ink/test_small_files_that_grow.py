"""A small file cannot take much: seconds, memory and disk are bounded, and the reason is said."""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import attacks
from inktex.ink import Ink, InkError, Limits, read, read_all
from inktex.ink.archives import ArchiveError
from inktex.ink.limits import MAX_POINTS, Budget, LimitError

# Reads a file in a process of its own, which is held to its CPU seconds and to the disk it may write.
READ = """
import json, resource, sys, time
from inktex.ink import read_all
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
resource.setrlimit(resource.RLIMIT_FSIZE, (200 << 20, 200 << 20))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
begun = time.process_time()
items = [str(item)[:200] for _, item in read_all(sys.argv[1])]
print(json.dumps({
    "seconds": time.process_time() - begun,
    "mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024,
    "items": items[-3:],
}))
"""


@pytest.mark.parametrize("name", attacks.FILES)
def test_hostile_files_take_little(name: str, tmp_path: Path) -> None:
    path = tmp_path / "evil"
    path.write_bytes(attacks.FILES[name]())
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-500:])
    cost = json.loads(done.stdout)
    assert cost["seconds"] < 6, cost
    assert cost["mb"] < 200, cost


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("tar of zips of blanks", "250 times its size"),
        ("pax header", "a tar header of more than 16 KiB"),
        ("global pax headers", "more than 100 attributes"),
        ("chain of long names", "damaged tar archive"),
        ("sparse tar", "a sparse file"),
        ("sparse tar, pax", "a sparse file"),
        ("overlapping zip", "250 times its size"),
        ("packed table of contents", "250 times its size"),
        ("elements", "limit of 300000 XML elements"),
        ("attributes", "limit of 100 attributes|tag or comment"),
        ("one huge tag", "a tag or comment of more than 1 MiB"),
        ("deep elements", "elements nested deeper than 200"),
        ("deep JSON", "JSON nested deeper than 200"),
        ("objects", "1200000 JSON lists and objects"),
        ("texts", "6000000 JSON values"),
        ("commas", "limit of 1000000 points"),
        ("marked values", "limit of 2000000 values"),
    ],
)
def test_the_reason_is_said(name: str, reason: str) -> None:
    items = [item for _, item in read_all(attacks.FILES[name](), name="evil")]
    assert isinstance(items[-1], InkError)
    with pytest.raises(InkError, match=reason):
        raise items[-1]


def test_nothing_is_read_from_an_archive_after_its_limit() -> None:
    files = {f"{n}.inkml": attacks.GOOD for n in range(10)}
    for archive in (attacks.zip_of(files), attacks.tar_of(files, tarfile.USTAR_FORMAT)):
        items = [item for _, item in read_all(archive, limits=Limits(members=4))]
        assert [isinstance(item, Ink) for item in items] == [True] * 4 + [False]
        assert "more than the limit of 4 files" in str(items[-1])
        assert sum(isinstance(item, Ink) for _, item in read_all(archive, limits=Limits(members=10))) == 10


def test_archives_inside_share_the_limits_of_the_outer_one() -> None:
    inner = attacks.zip_of({f"{n}.inkml": attacks.GOOD for n in range(4)})
    outer = {"a.zip": inner, "b.zip": inner, "c.inkml": attacks.GOOD}
    for archive in (attacks.zip_of(outer), attacks.tar_of(outer, tarfile.USTAR_FORMAT)):
        items = [item for _, item in read_all(archive, limits=Limits(members=8))]
        assert [isinstance(item, Ink) for item in items] == [True] * 6 + [False]


def test_the_total_size_counts_over_all_members() -> None:
    files = {f"{n}.inkml": attacks.GOOD + b" " * 100_000 for n in range(10)}
    for archive in (attacks.zip_of(files), attacks.tar_of(files)):
        items = [item for _, item in read_all(archive, limits=Limits(total_bytes=450_000))]
        assert [isinstance(item, Ink) for item in items[:3]] == [True] * 3
        assert len(items) <= 5
        assert "when unpacked" in str(items[-1])


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_how_deep_archives_may_nest_is_an_option(depth: int) -> None:
    archive = attacks.GOOD
    for _ in range(depth):
        archive = attacks.zip_of({"again.zip" if archive[:2] == b"PK" else "a.inkml": archive})
    assert isinstance(read(archive, limits=Limits(archive_depth=depth)), Ink)
    with pytest.raises(InkError, match="archive"):
        read(archive, limits=Limits(archive_depth=depth - 1))


def test_archives_can_be_refused() -> None:
    files = {"a.inkml": attacks.GOOD}
    tar = attacks.tar_of(files)
    for archive in (attacks.zip_of(files), tar, attacks.gzip.compress(tar)):
        assert isinstance(read(archive), Ink)
        with pytest.raises(ArchiveError, match="an archive; send the ink files in it one by one"):
            read(archive, limits=Limits(archive_depth=0))


@pytest.mark.parametrize(
    ("limits", "data", "reason"),
    [
        (Limits(file_bytes=30), attacks.GOOD, "limit of 30 bytes"),
        (
            Limits(file_bytes=30),
            attacks.gzip.compress(attacks.GOOD, mtime=0),
            "limit of 30 bytes when decompressed",
        ),
        (Limits(points=1), attacks.GOOD, "2 points, more than the limit of 1"),
        (Limits(strokes=0), attacks.GOOD, "1 strokes, more than the limit of 0"),
        (Limits(depth=1), attacks.GOOD, "nested deeper than 1"),
        (Limits(elements=1), attacks.GOOD, "limit of 1 XML elements"),
        (Limits(attributes=1), b'<ink a="" b=""/>', "limit of 1 attributes"),
        (Limits(depth=2), b"[[[1, 2]]]", "nested deeper than 2"),
        (Limits(nodes=2), b"[[[1, 2]]]", "limit of 2 JSON lists"),
        (Limits(values=3), b"[[[1, 2]]]", "limit of 3 JSON values"),
    ],
)
def test_every_limit_is_an_option(limits: Limits, data: bytes, reason: str) -> None:
    with pytest.raises(InkError, match=reason):
        read(data, limits=limits)
    assert isinstance(read(attacks.GOOD, limits=Limits(file_bytes=34, points=2, depth=2, elements=2)), Ink)


def test_brackets_in_texts_do_not_nest() -> None:
    text = json.dumps({"strokes": [[[0, 0], [1, 1]]], "truth": '\\"[' + "[{" * 300 + '"'})
    assert len(read(text.encode())) == 1
    hidden = (
        json.dumps({"strokes": [[[0, 0], [1, 1]]], "a": "]" * 400})[:-1]
        + ',"b":'
        + "[" * 210
        + "]" * 210
        + "}"
    )
    with pytest.raises(InkError, match="nested deeper than 200"):
        read(hidden.encode())


def test_a_file_of_exactly_the_depth_is_read() -> None:
    deep = b"[" * 199 + b"]" * 199
    assert len(read(b'{"strokes": [[[0, 0]]], "more": %s}' % deep)) == 1
    groups = b"<traceGroup>" * 198, b"</traceGroup>" * 198
    assert len(read(b"<ink>%s<trace>1 2</trace>%s</ink>" % groups)) == 1


def test_continued_traces_are_one_stroke() -> None:
    ink = read(attacks.continuation_chain(3))
    assert [len(stroke) for stroke in ink.strokes] == [4]


def test_impossible_limits_are_refused() -> None:
    with pytest.raises(ValueError, match="at most"):
        Limits(points=MAX_POINTS + 1)
    with pytest.raises(ValueError, match="negative"):
        Limits(members=-1)


def test_a_budget_says_when_it_is_spent() -> None:
    packed = 0
    budget = Budget(Limits(ratio=2), lambda: packed)
    budget.spend(16 * 2**20)  # below this the ratio does not matter
    packed = 10 * 2**20
    budget.spend(4 * 2**20)
    assert not budget.exhausted
    with pytest.raises(LimitError, match="2 times its size"):
        budget.spend(1)
    assert budget.exhausted
