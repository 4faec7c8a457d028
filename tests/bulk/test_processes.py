"""All cores of one machine: the same answers as from one process, each once, and nothing left behind."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from inktex.cli import build_app
from inktex.ink import Ink, InkError, save
from inktex.reading import reader

CROSS = Ink.from_strokes([[(0, 0), (10, 10)], [(0, 10), (10, 0)]])
LINE = Ink.from_strokes([[(0, 0), (0, 20)]])


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A collection of a dozen inks counts as a large one."""
    monkeypatch.setattr(reader, "CHUNK", 4)
    monkeypatch.setattr(reader, "FEW", 4)


def children_of(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_answers_are_those_of_one_process_each_once(recognizer, small_chunks):
    inks = [CROSS, LINE, Ink.from_strokes([]), CROSS.scale(9)] * 5
    alone = dict(recognizer.stream(inks, jobs=1, timeout=None))
    shared = list(recognizer.stream(inks, jobs=2, timeout=None, processes=True))
    assert Counter(place for place, _ in shared) == dict.fromkeys(range(len(inks)), 1)
    for place, answer in shared:
        if isinstance(answer, InkError):
            assert str(answer) == str(alone[place])
        else:
            expected = {**alone[place].to_json(), "elapsed": 0}
            assert {**answer.to_json(), "elapsed": 0} == expected


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_a_killed_worker_is_told_and_the_same_command_goes_on(tmp_path, recognizer, small_chunks):
    for number in range(24):
        save(CROSS.scale(1 + number), tmp_path / "inks" / f"{number:02d}.inkml")
    out = tmp_path / "read.jsonl"
    command = ["recognize", str(tmp_path / "inks"), "-o", str(out), "--jobs", "2", "--beam", "1"]
    before = set(children_of(os.getpid()))

    def kill() -> None:
        while not (out.exists() and out.stat().st_size):
            time.sleep(0.005)
        for worker in set(children_of(os.getpid())) - before:
            os.kill(worker, signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    broken = CliRunner().invoke(build_app(), command)
    killer.join(30)
    if broken.exit_code:  # on a fast machine all may be done before the signal comes
        assert isinstance(broken.exception, OSError)
        assert "run the same command again with -o to resume" in str(broken.exception)
    again = CliRunner().invoke(build_app(), command)
    assert again.exit_code == 0, again.output
    rows = [json.loads(line)["source"] for line in out.read_text().splitlines()]
    assert Counter(Path(row).name for row in rows) == {f"{number:02d}.inkml": 1 for number in range(24)}


ENDLESS = """
import sys
from inktex.ink import Ink
from inktex.reading import reader
from inktex.recognizer import Recognizer

def inks():
    while True:
        yield Ink.from_strokes([[(0, 0), (10, 10)], [(0, 10), (10, 0)]])

if __name__ == "__main__":
    reader.CHUNK = reader.FEW = 4
    for _ in Recognizer(beam=1).stream(inks(), jobs=2, processes=True):
        print("answer", flush=True)
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_workers_end_with_a_command_that_is_killed(tmp_path, recognizer):
    script = tmp_path / "endless.py"
    script.write_text(ENDLESS)
    command = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    try:
        assert command.stdout is not None
        assert command.stdout.readline() == "answer\n"
        workers = children_of(command.pid)
        assert len(workers) >= 2
    finally:
        command.kill()
        command.wait(30)
    until = time.monotonic() + 60
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < until, "workers outlive the command"
        time.sleep(0.1)
