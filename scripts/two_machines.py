"""Training on two machines, one of which loses its worker: does the run go on from its last checkpoint?

    python scripts/two_machines.py              # prints what happened, and puts it into docs/scale.md
    python scripts/two_machines.py --trial      # does not touch the documentation

Two independent launches of `torchrun --nnodes 2 … -m inktex train` meet on loopback, with one worker each, as
on two machines that share the folder of the run. In the middle of the second epoch, the worker of one is
killed by SIGKILL. Leaves with 1 unless both launches end well, the run went on from the newest checkpoint
there was, that one was not older than `--checkpoint-minutes` allows, and all epochs were done.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from safetensors import SafetensorError, safe_open

from inktex.evaluation.provenance import provenance
from inktex.files import write_atomically
from inktex.training.run import Position, RunFolder

ROOT = Path(__file__).resolve().parents[1]
MARKS = "<!-- two machines: made by a command, see there -->", "<!-- end of two machines -->"
MINUTES = 0.1  # between checkpoints
SLACK = 10.0  # seconds that a step and writing a checkpoint may take besides, also on a busy machine
TRAIN = f"--recipe p2 --synthetic --expressions 192 --epochs 2 --batch 8 --checkpoint-minutes {MINUTES}"
TORCHRUN = "--nnodes 2 --nproc-per-node 1 --rdzv-backend c10d --rdzv-id proof --max-restarts 3"


@dataclass(frozen=True)
class Killed:
    """How things were when the worker was killed."""

    process: int
    position: Position  # of the newest checkpoint
    age: float  # of that checkpoint, seconds


def launch(run: Path, port: int, log: Path) -> "subprocess.Popen[bytes]":
    """What an operator types on one machine."""
    command = [sys.executable, "-m", "torch.distributed.run", *TORCHRUN.split()]
    command += ["--rdzv-endpoint", f"127.0.0.1:{port}", "-m", "inktex", "train", str(run), *TRAIN.split()]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
    with log.open("wb") as output:
        return subprocess.Popen(command, stdout=output, stderr=output, env=environment)


def checkpoint(run: RunFolder) -> tuple[Position, float] | None:
    """Where the newest checkpoint is, and when it was written."""
    try:
        written = run.state_file.stat().st_mtime
        with safe_open(run.state_file, framework="np") as content:
            return Position(**json.loads(content.metadata()["position"])), written
    except (OSError, SafetensorError):  # not there yet, or just being replaced
        return None


def kill_a_worker(run: RunFolder, machine: "subprocess.Popen[bytes]") -> Killed:
    """Wait for a checkpoint in the middle of the second epoch, go on a little, then kill the worker."""
    while machine.poll() is None:
        found = checkpoint(run)
        if found is not None and found[0].epoch == 1 and found[0].batch > 0:
            time.sleep(20 * MINUTES)  # a third of the way to the next checkpoint: there is work to lose
            found = checkpoint(run) or found
            children = Path(f"/proc/{machine.pid}/task/{machine.pid}/children").read_text().split()
            os.kill(int(children[0]), signal.SIGKILL)
            return Killed(int(children[0]), found[0], time.time() - found[1])
        time.sleep(0.05)
    sys.exit("the launch ended before a worker could be killed")


def main() -> None:
    """Launch, kill, wait, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trial", action="store_true", help="leave the documentation alone")
    arguments = parser.parse_args()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="inktex-machines-") as temporary:
        run = RunFolder(Path(temporary) / "run")
        logs = [Path(temporary) / f"machine-{number}.log" for number in (1, 2)]
        begin = time.monotonic()
        machines = [launch(run.path, port, log) for log in logs]
        try:
            killed = kill_a_worker(run, machines[1])
            print(f"killed worker process {killed.process} of machine 2", flush=True)
            codes = [machine.wait(1800) for machine in machines]
        finally:
            for machine in machines:
                if machine.poll() is None:
                    machine.terminate()
                    machine.wait(60)
        seconds = time.monotonic() - begin
        said = "".join(log.read_text(errors="replace") for log in logs)
        end = checkpoint(run)
    resumed = [int(part.split()[0]) for part in said.split("goes on from step ")[1:]]
    lines = [
        f"$ torchrun {TORCHRUN} --rdzv-endpoint HOST:PORT \\",
        f"      -m inktex train RUN {TRAIN}          (on both)",
        f"killed the worker of machine 2 in epoch 2, {killed.age:.1f} s after the checkpoint of step "
        f"{killed.position.step}",
        f"goes on from step {resumed[-1] if resumed else 'NONE'}",
        f"both launches ended with {codes}, {seconds:.0f} s; epochs done: {end[0].epoch if end else 0} of 2, "
        f"step {end[0].step if end else 0}",
    ]
    checks = {
        "both launches ended well": codes == [0, 0],
        "went on from the newest checkpoint": resumed[-1:] == [killed.position.step],
        f"lost no more than the {60 * MINUTES:.0f} s between checkpoints and the step under way": killed.age
        <= 60 * MINUTES + SLACK,
        "the run is finished": end is not None and end[0].finished and end[0].epoch == 2,
    }
    lines += [f"{'yes' if held else 'NO'}: {name}" for name, held in checks.items()]
    print("\n".join(lines))
    if not all(checks.values()):
        print(said[-4000:], file=sys.stderr)
        sys.exit(1)
    if not arguments.trial:
        made = provenance("python scripts/two_machines.py")
        page = ROOT / "docs/scale.md"
        before, _, rest = page.read_text(encoding="utf-8").partition(MARKS[0])
        text = f"`{made.command}`, {made.date}, {made.machine}:\n\n```text\n" + "\n".join(lines) + "\n```"
        write_atomically(page, f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.partition(MARKS[1])[2]}")


if __name__ == "__main__":
    main()
