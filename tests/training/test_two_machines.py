"""Training on two machines: two launches that meet over the network; one dies, and both go on.

Here both are on loopback, each with its own launcher and one worker, as on two machines that share the folder
of the run.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs inktex[train]")

from inktex.training.run import RunFolder

SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {here!r})
import torch
from inktex.training import Launch
from small_runs import small_recipe, written
from inktex.training import begin
torch.set_num_threads(1)
examples = written(48)
end = begin(
    small_recipe(epochs=4, batch=4, log_every=1), Launch(Path(sys.argv[1])), (examples, examples[:4])
)
"""


def launch(script: Path, folder: Path, port: int, log: Path) -> "subprocess.Popen[bytes]":
    """One machine: what an operator types there."""
    command = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1"]
    command += ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"127.0.0.1:{port}", "--rdzv-id", "test"]
    command += ["--max-restarts", "3", "--monitor-interval", "0.2", str(script), str(folder)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
    with log.open("wb") as output:
        return subprocess.Popen(command, stdout=output, stderr=output, env=environment)


def worker_of(launcher: int) -> int | None:
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == launcher:
                return int(entry.name)
        except OSError:
            continue
    return None


@pytest.mark.timeout(600)
def test_a_killed_worker_is_replaced_and_training_goes_on_from_the_checkpoint(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.format(here=str(Path(__file__).parent)))
    run = RunFolder(tmp_path / "run")
    logs = [tmp_path / f"machine{number}.log" for number in (1, 2)]
    machines = [launch(script, run.path, port, log) for log in logs]
    try:
        until = time.monotonic() + 240
        while not run.previous_file.exists():
            assert time.monotonic() < until, logs[0].read_text() + logs[1].read_text()
            time.sleep(0.02)
        victim = worker_of(machines[1].pid)
        assert victim is not None
        os.kill(victim, signal.SIGKILL)
        state = run.load_state()
        assert state is not None
        killed_at = state.position.step
        assert not run.last_file.exists(), "the run ended before the worker was killed"
        for machine in machines:
            assert machine.wait(300) == 0, logs[0].read_text() + logs[1].read_text()
    finally:
        for machine in machines:
            if machine.poll() is None:
                machine.terminate()  # which ends its worker too
                machine.wait(60)
    end = run.load_state()
    assert end is not None
    assert end.position.finished
    assert end.position.epoch == 4
    said = logs[0].read_text() + logs[1].read_text()
    assert "goes on from step" in said
    steps = [row["step"] for row in run.metrics() if row["kind"] == "train"]
    assert steps == sorted(set(steps)), "a step was counted twice"
    resumed = max(int(part.split()[0]) for part in said.split("goes on from step ")[1:])
    # A checkpoint is written after every step here: what is lost is at most the step under way.
    assert resumed >= killed_at - 1
