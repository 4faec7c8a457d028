"""The results file: never another file, rows safe at once, one run at a time, one row per ink."""

import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from inktex.bulk.results import ResultsError, ResultsFile, input_digest, result_row, settings_of
from inktex.ink import Ink, InkError
from inktex.recognizer.answer import SCHEMA

CROSS = Ink.from_strokes([[(0, 0), (10, 10)], [(0, 10), (10, 0)]])
LINE = Ink.from_strokes([[(0, 0), (0, 20)]])
SETTINGS = {"model": "m", "beam": 10}


def fill(path: Path, items, *, settings=SETTINGS, **options) -> list[str]:
    """Put rows for all that remains; gives the names."""
    with ResultsFile(path, settings, **options) as results:
        names = []
        for name, ink in results.remaining(items):
            names.append(name)
            if isinstance(ink, InkError):
                results.add(result_row(name, ink))
            else:
                results.add({"source": name, "latex": str(len(ink)), "score": 1.0})
    return names


def rows_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_row_is_in_the_file_when_add_returns(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with ResultsFile(path, SETTINGS) as results:
        for number in range(3):
            results.add({"source": f"{number}", "latex": "x", "score": 0.5})
            assert [row["source"] for row in rows_of(path)] == [f"{each}" for each in range(number + 1)]


@pytest.mark.parametrize("ending", ["os._exit(9)", "os.kill(os.getpid(), 9)"])
def test_rows_survive_a_process_that_ends_at_once(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "r.jsonl"
    code = f"""
import os, sys
from pathlib import Path
from inktex.bulk.results import ResultsFile
results = ResultsFile(Path(sys.argv[1]), {{}})
for number in range(5):
    results.add({{"source": str(number), "latex": "x", "score": 1}})
{ending}
"""
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert done.returncode in (9, -9), done.stderr
    assert [row["source"] for row in rows_of(path)] == [str(number) for number in range(5)]
    ResultsFile(path, {}).__exit__(None, None, None)  # and its lock went with it


@pytest.mark.parametrize(
    "content",
    [
        b'{"strokes": [[[0, 0], [5, 5]]]}',
        b'{"strokes": [[[0, 0], [5, 5]]]}\n',
        b"my thesis\n",
        b"my thesis",
        b"[]\n",
        b'{"source": "a", "note": 1}\n',
        b'{"source": "a", "latex": "x"}\n',
        b'{"source": 5, "latex": "x", "score": 1}\n',
        b'{"source": "a", "strokes": [',
        b"\xff\xfe\x00",
        b'{"source": "a", "latex": "x", "score": 1}\nand my notes\n',
    ],
)
@pytest.mark.parametrize("options", [{}, {"fresh": True}, {"retry": True}])
def test_a_file_of_something_else_is_never_touched(tmp_path: Path, content: bytes, options: dict) -> None:
    path = tmp_path / "mine"
    path.write_bytes(content)
    with pytest.raises(
        ResultsError,
        match=r"mine: not a results file of inktex \(line \d\); it was left as it is, choose another file$",
    ):
        ResultsFile(path, SETTINGS, **options)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["mine"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_what_has_no_end_is_not_read(tmp_path: Path) -> None:
    """Reading /dev/full to see what is in it took all memory; reading a pipe waits for somebody to write."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path(os.devnull)):
        with pytest.raises(ResultsError, match="a device or a pipe, which cannot be resumed"):
            ResultsFile(path, SETTINGS)
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]


def test_an_empty_file_and_a_torn_first_row_are_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.touch()
    fill(path, [("a", CROSS)])
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert fill(path, [("a", CROSS)]) == ["a"]
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({**SETTINGS, "beam": 5}, r"another beam \(10, not 5\)"),
        ({**SETTINGS, "model": "n"}, r"another model \('m', not 'n'\)"),
        ({**SETTINGS, "model_sha256": "ab"}, r"another content of the model \(None, not 'ab'\)"),
    ],
)
def test_rows_of_other_settings_are_not_mixed_in(tmp_path: Path, other: dict, said: str) -> None:
    path = tmp_path / "r.jsonl"
    fill(path, [("a", CROSS)])
    before = path.read_bytes()
    with pytest.raises(
        ResultsError, match=rf"r\.jsonl: holds results with {said}; choose another file, or use --fresh"
    ):
        ResultsFile(path, other)
    assert path.read_bytes() == before
    fill(path, [("a", CROSS)], settings=other, fresh=True)
    assert [row["settings"] for row in rows_of(path)] == [other]


def test_rows_that_do_not_say_their_settings_are_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    old = b'{"source": "a", "latex": "x", "score": 1}\n'
    path.write_bytes(old)
    with pytest.raises(ResultsError, match="line 1 does not say with which settings"):
        ResultsFile(path, SETTINGS)
    assert path.read_bytes() == old
    assert fill(path, [("a", CROSS)], fresh=True) == ["a"]
    assert len(rows_of(path)) == 1


def _hold(path: str, ready, done) -> None:
    with ResultsFile(Path(path), SETTINGS) as results:
        results.add({"source": "a", "latex": "x", "score": 1})
        ready.set()
        done.wait(60)


@pytest.mark.skipif(sys.platform == "win32", reason="no such lock on Windows")
def test_a_second_run_on_the_same_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(str(path), ready, done))
    other.start()
    try:
        assert ready.wait(60)
        before = path.read_bytes()
        for options in ({}, {"fresh": True}, {"retry": True}):
            with pytest.raises(ResultsError, match="another run is writing to it; wait until it ends"):
                ResultsFile(path, SETTINGS, **options)
        assert path.read_bytes() == before
    finally:
        done.set()
        other.join(60)
    assert fill(path, [("a", CROSS), ("b", LINE)]) == ["a", "b"]  # "a" was not of that ink


@pytest.mark.skipif(sys.platform == "win32", reason="no such lock on Windows")
def test_the_lock_holds_also_when_the_file_was_replaced(tmp_path: Path) -> None:
    """Who opened the old file in time must not take its lock for that of the new one."""
    from inktex.files import FileLock

    path = tmp_path / "file"
    first = FileLock(path)
    fresh = tmp_path / "fresh"
    fresh.touch()
    os.replace(fresh, path)
    first.release()
    with FileLock(path), pytest.raises(BlockingIOError):
        FileLock(path)
    with FileLock(path):
        pass


def test_ink_that_changed_is_read_again_and_keeps_one_row(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    torn = InkError("torn")
    assert fill(path, [("a", CROSS), ("b", LINE), ("c", torn)]) == ["a", "b", "c"]
    passed: list[int] = []
    with ResultsFile(path, SETTINGS) as results:
        assert list(results.remaining([("a", CROSS), ("b", LINE)], lambda: passed.append(1))) == []
    assert len(passed) == 2
    assert fill(path, [("a", CROSS), ("b", CROSS), ("c", torn)]) == ["b"]
    assert [(row["source"], row["latex"]) for row in rows_of(path)] == [("a", "2"), ("c", None), ("b", "2")]
    assert fill(path, [("a", CROSS), ("b", CROSS), ("c", LINE)]) == ["c"]  # it can be read now
    with ResultsFile(path, SETTINGS) as results:
        assert (results.total, results.failures) == (3, 0)


def test_a_run_that_is_killed_while_it_reads_again_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    fill(path, [("a", CROSS), ("b", LINE)])
    results = ResultsFile(path, SETTINGS)
    for name, ink in results.remaining([("a", LINE)]):
        results.add({"source": name, "latex": f"new {len(ink)}", "score": 1.0})
    results._stream.close()  # killed: nothing is tidied up
    results._lock.release()
    assert len(rows_of(path)) == 3
    assert fill(path, [("a", LINE), ("b", LINE)]) == []
    assert [(row["source"], row["latex"]) for row in rows_of(path)] == [("b", "1"), ("a", "new 1")]


def test_what_failed_is_tried_again_only_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    items = [("a", CROSS), ("b", InkError("bad"))]
    fill(path, items)
    assert fill(path, items) == []
    assert fill(path, items, retry=True) == ["b"]
    with ResultsFile(path, SETTINGS) as results:
        assert (results.total, results.failures, results.read) == (2, 1, 0)
    assert len(rows_of(path)) == 2


def test_a_name_that_comes_twice_has_two_rows(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    items = [("a", CROSS), ("a", LINE), ("b", LINE), ("a", CROSS)]
    assert fill(path, items) == ["a", "a (2)", "b", "a (3)"]
    assert fill(path, items) == []
    assert [row["latex"] for row in rows_of(path)] == ["2", "1", "1", "2"]


def test_the_digest_of_an_ink_is_of_its_strokes() -> None:
    assert input_digest(CROSS) == input_digest(CROSS.replace(truth="x", source="elsewhere"))
    moved = {input_digest(CROSS), input_digest(CROSS.translate(1, 0)), input_digest(LINE)}
    joined = Ink.from_strokes([[(0, 0), (10, 10), (0, 10), (10, 0)]])
    assert len(moved | {input_digest(joined)}) == 4
    assert (
        input_digest(InkError("a")) == input_digest(InkError("a", source="b")) != input_digest(InkError("b"))
    )


def test_settings_are_all_that_answers_depend_on() -> None:
    options: Any = SimpleNamespace(top=4, symbols="digits", timeout=2.0, lines=False)
    model: Any = SimpleNamespace(name="m", sha256="ab")
    assert settings_of(model, 3, options) == {
        "model": "m", "model_sha256": hashlib.sha256(b"ab").hexdigest()[:16], "beam": 3, "top": 4,
        "symbols": "digits", "timeout": 2.0, "lines": "one",
    }  # fmt: skip
    options.lines, model.sha256 = True, ""
    assert settings_of(model, 3, options)["lines"] == "found"
    assert settings_of(model, 3, options)["model_sha256"] == ""
    assert settings_of(model, 3, options, page=True)["lines"] == "page"


def test_rows_are_counted_and_the_newest_kept(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with ResultsFile(path, SETTINGS) as results:
        for name in ("a", "b", "a", "c"):
            results.add({"source": name, "latex": f"{results.read}", "score": 1})
        assert (results.read, results.total) == (4, 3)
        assert len(rows_of(path)) == 4
    assert [(row["source"], row["latex"], row["input"]) for row in rows_of(path)] == [
        ("b", "1", ""), ("a", "2", ""), ("c", "3", ""),
    ]  # fmt: skip


def test_a_row_that_does_not_say_its_input_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"source": "a", "latex": "x", "score": 1, "settings": SETTINGS}) + "\n")
    with pytest.raises(
        ResultsError, match=r"line 1 does not say .*; choose another file, or use --fresh to start over$"
    ):
        ResultsFile(path, SETTINGS)


def test_a_full_disk_says_what_to_do(tmp_path: Path) -> None:
    class Full:
        def write(self, data: bytes) -> None:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            raise OSError(28, "No space left on device")

    path = tmp_path / "r.jsonl"
    results = ResultsFile(path, SETTINGS)
    results._stream.close()
    results._stream = Full()  # type: ignore[assignment]
    words = (
        r"r\.jsonl: could not be written \(No space left on device\); free space, then run the same command"
    )
    with pytest.raises(OSError, match=words + " again to resume$"), results:
        results.add({"source": "a", "latex": "x", "score": 1})
    assert results.read == 0
    results = ResultsFile(path, SETTINGS)  # the lock was given back
    results._stream.close()
    results._stream = Full()  # type: ignore[assignment]
    with pytest.raises(OSError, match="No space left"), results:
        pass


def test_a_row_of_an_answer_and_of_an_error() -> None:
    answer: Any = SimpleNamespace(to_json=lambda: {"schema": SCHEMA, "latex": "x"})
    assert result_row("a", answer) == {"schema": SCHEMA, "source": "a", "latex": "x"}
    assert result_row("a", InkError("torn")) == {
        "schema": SCHEMA, "source": "a", "latex": None, "score": None, "error": "a: torn",
    }  # fmt: skip


def test_rows_say_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    fill(path, [("größe ∑.inkml", CROSS), ("bad", InkError("torn", place="line 3"))])
    good, bad = rows_of(path)
    assert "größe ∑" in path.read_text(encoding="utf-8")  # for people, too
    assert list(good) == ["schema", "source", "input", "settings", "latex", "score"]
    assert good["source"] == "größe ∑.inkml"
    assert good["settings"] == SETTINGS
    assert good["input"] == input_digest(CROSS)
    assert (bad["latex"], bad["score"], bad["error"]) == (None, None, "bad: line 3: torn")
