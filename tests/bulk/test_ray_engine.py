"""Ray: the same command on a laptop or a cluster; a worker that dies costs no input and doubles none."""

import json
import os
import signal
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("ray", reason="the Ray engine needs inktex[ray]")
pytest.importorskip("pyarrow", reason="the Ray engine needs inktex[ray]")

from inktex.cli import build_app
from inktex.ink import Ink
from inktex.reading import ModelError, find_model
from inktex.store.files import write_store
from inktex.store.row import StoreRow

UNITS, PER_UNIT = 24, 6


@pytest.fixture
def store(tmp_path: Path) -> Path:
    try:
        find_model()
    except ModelError as error:
        pytest.skip(f"no weights to recognise with: {error}")
    ink = Ink.from_strokes([[(0, 0), (10, 10)], [(0, 10), (10, 0)]])
    for unit in range(UNITS):
        rows = (StoreRow(f"{unit}/{number}", ink.scale(1 + unit)) for number in range(PER_UNIT))
        write_store(tmp_path / "inks" / f"{unit:03d}.parquet", rows)
    return tmp_path / "inks"


def kill_a_worker(folder: Path, killed: list[int]) -> None:
    while not list(folder.glob("part-*")):
        time.sleep(0.01)
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if b"_Reader" in (entry / "cmdline").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
                killed.append(int(entry.name))
                return
        except OSError:
            continue


@pytest.mark.timeout(600)
def test_every_input_has_exactly_one_output_though_a_worker_is_killed(tmp_path: Path, store: Path) -> None:
    out = tmp_path / "out"
    killed: list[int] = []
    threading.Thread(target=kill_a_worker, args=(out, killed), daemon=True).start()
    command = ["recognize", str(store), "--engine", "ray", "--jobs", "2", "--beam", "2", "-o", str(out)]
    done = CliRunner().invoke(build_app(), command)
    assert done.exit_code == 0, done.output
    assert f"{UNITS * PER_UNIT} inks, 0 failed" in done.output
    assert killed, "no worker was killed"
    rows = [json.loads(line) for part in out.glob("part-*.jsonl") for line in part.open()]
    assert Counter(row["source"] for row in rows) == {
        f"{unit}/{number}": 1 for unit in range(UNITS) for number in range(PER_UNIT)
    }
    assert all(row["latex"] for row in rows)
    assert (out / "_SUCCESS").exists()
    again = CliRunner().invoke(build_app(), command)  # nothing is left to do, so Ray is not even started
    assert again.exit_code == 0, again.output
