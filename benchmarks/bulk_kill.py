"""The proof that every input has exactly one output: a worker of a Ray run is killed in the middle.

    python benchmarks/bulk_kill.py                    # 20,000 inks, 2 workers; recorded in docs/scale.md
    python benchmarks/bulk_kill.py --inks 2000        # a look; nothing is recorded

The command is given as a person would: `inktex recognize STORE --engine ray --jobs 2 -o OUT.parquet`. As soon
as a tenth of the parts is there, one worker process is killed by SIGKILL. Then the output is counted. Leaves
with 1 unless every input has exactly one output. The inks are short and read with beam 1, since it is about
counting, not about reading.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path

from bulk_inks import DOCS, make_inks, put_into_docs

from inktex.evaluation.provenance import provenance
from inktex.files import write_atomically
from inktex.store.files import read_store

INKS, WORKERS = 20_000, 2
PER_FILE = 500


def workers_of(command: int) -> list[int]:
    """The processes below the command in which Ray runs an actor that recognises."""
    children: dict[int, list[int]] = defaultdict(list)
    titles: dict[int, bytes] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            children[int((entry / "stat").read_text().rpartition(")")[2].split()[1])].append(int(entry.name))
            titles[int(entry.name)] = (entry / "cmdline").read_bytes()
        except OSError:
            continue
    found, queue = [], [command]
    while queue:
        process = queue.pop()
        queue += children[process]
        if b"_Reader" in titles.get(process, b""):
            found.append(process)
    return sorted(found)


def kill_one(command: "subprocess.Popen[str]", out: Path, parts: int) -> tuple[int, int]:
    """Wait until some parts are written, then kill a worker; gives its process and the parts so far."""
    while command.poll() is None:
        there = len(list(out.glob("part-*")))
        running = workers_of(command.pid) if there >= parts else []
        if running:
            os.kill(running[0], signal.SIGKILL)
            return running[0], there
        time.sleep(0.1)
    sys.exit(f"the run ended before a worker could be killed: {command.communicate()[1]}")


def main() -> None:
    """Run, kill, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inks", type=int, default=INKS)
    parser.add_argument("--workers", type=int, default=WORKERS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inktex-kill-") as temporary:
        store, out = Path(temporary) / "inks", Path(temporary) / "read.parquet"
        per_file = min(PER_FILE, -(-arguments.inks // (10 * arguments.workers)))
        make_inks(store, arguments.inks, longest=3, per_file=per_file)
        units = -(-arguments.inks // per_file)
        command = [sys.executable, "-m", "inktex", "recognize", str(store), "--engine", "ray", "-o", str(out)]
        command += ["--jobs", str(arguments.workers), "--beam", "1"]
        print(f"{arguments.inks:,} inks in {units} units, {arguments.workers} workers", flush=True)
        begin = time.perf_counter()
        run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        killed, parts = kill_one(run, out, max(1, units // 10))
        print(f"killed worker process {killed} after {parts} of {units} parts", flush=True)
        said = run.communicate()[1].strip()
        seconds = time.perf_counter() - begin
        seen = Counter(row.source for row, _ in read_store(out)) if out.exists() else Counter()
        failed = sum(row.error is not None for row, _ in read_store(out)) if out.exists() else 0
    wanted = {f"ink {number}" for number in range(arguments.inks)}
    missing, twice = len(wanted - set(seen)), sum(count > 1 for count in seen.values())
    whole = run.returncode == 0 and not missing and not twice and set(seen) == wanted
    verdict = (
        f"{len(seen):,} of {arguments.inks:,} inputs have an output, {missing} have none, "
        f"{twice} have several, {failed} could not be read; {seconds:.0f} s: "
        f"{'EXACTLY ONE OUTPUT PER INPUT' if whole else 'NOT exactly one output per input'}"
    )
    print(said, verdict, sep="\n", flush=True)
    if not whole:
        sys.exit(1)
    if (arguments.inks, arguments.workers) == (INKS, WORKERS):
        made = provenance("python benchmarks/bulk_kill.py")
        record = {"made": asdict(made), "inks": arguments.inks, "workers": arguments.workers, "units": units}
        record |= {"parts_when_killed": parts, "outputs": len(seen), "missing": missing, "several": twice}
        record |= {"failed": failed, "seconds": round(seconds, 1)}
        write_atomically(DOCS / "results" / "bulk-kill.json", json.dumps(record, indent=1) + "\n")
        put_into_docs(
            "the proof",
            f"`{made.command}`, {made.date}, {made.machine}:\n\n```text\n"
            f"{arguments.inks:,} inks in {units} units, {arguments.workers} workers\n"
            f"killed a worker process by SIGKILL after {parts} of {units} parts\n{verdict}\n```",
        )


if __name__ == "__main__":
    main()
