"""Throughput of recognising a collection: Ray against workers, and against the plain command.

    python benchmarks/bulk.py --inks 20000 --kill          # the proof: one output per input, a worker killed
    python benchmarks/bulk.py --inks 2000 --workers 1 2    # the table

Inks are synthetic, from the built-in generator. With --kill a worker process is killed by SIGKILL as soon as
some parts are there.
"""

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from itertools import islice
from pathlib import Path

from inktex.bulk.parts import Asking
from inktex.bulk.ray_engine import RayOptions, recognize_with_ray
from inktex.corpus import ExpressionModel, Synthesizer, synthesize
from inktex.corpus.hershey import hershey_bank
from inktex.recognizer import Recognizer
from inktex.store.files import InkStoreWriter, read_store
from inktex.store.row import StoreRow

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("RAY_worker_niceness", "0")  # as the plain path, to compare them


def make_inks(path: Path, count: int, longest: int) -> None:
    """A store of synthetic expressions, in files of 1,024; a small set of expressions is moved about."""
    bank = Synthesizer(hershey_bank(writers=3, repeats=1))
    some = (
        each for each in synthesize(bank, ExpressionModel.builtin(), seed=3) if len(each.tokens) <= longest
    )
    examples = list(islice(some, min(count, 500)))
    path.mkdir(parents=True)
    number = 0
    while number < count:
        with InkStoreWriter(path / f"inks-{number:07d}.parquet") as writer:
            for _ in range(min(1024, count - number)):
                ink = examples[number % len(examples)].ink.translate(number, -number)
                writer.add(StoreRow(f"ink {number}", ink))
                number += 1


def reader_processes() -> list[int]:
    """Processes of this machine in which Ray runs an actor that recognises."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if b"_Reader" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def kill_one(folder: Path, parts: int) -> None:
    """Wait until some parts are written, then kill a worker without warning."""
    while len(list(folder.glob("part-*"))) < parts:
        time.sleep(0.05)
    for process in reader_processes()[:1]:
        os.kill(process, signal.SIGKILL)
        print(f"killed worker process {process} after {len(list(folder.glob('part-*')))} parts", flush=True)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inks", type=int, default=2000)
    parser.add_argument("--longest", type=int, default=6, help="tokens per expression, at most")
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--beam", type=int, default=10)
    parser.add_argument("--model")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--plain", action="store_true", help="also the plain path, one and all threads")
    arguments = parser.parse_args()
    asking = Asking(beam=arguments.beam, timeout=None)
    with tempfile.TemporaryDirectory(prefix="inktex-bulk-") as temporary:
        store = Path(temporary) / "inks"
        make_inks(store, arguments.inks, arguments.longest)
        print(
            f"{arguments.inks} inks of at most {arguments.longest} tokens, beam {arguments.beam}", flush=True
        )
        print("engine    workers   seconds   inks/s   inks/s/worker", flush=True)
        if arguments.plain:
            for jobs in arguments.workers:
                recognizer = Recognizer(arguments.model, beam=arguments.beam)
                begin = time.perf_counter()
                inks = (row.ink for row, _ in read_store(store))
                done = sum(1 for _ in recognizer.stream(inks, jobs=jobs, timeout=None))
                _line("plain", jobs, time.perf_counter() - begin, done)
        for workers in arguments.workers:
            out = Path(temporary) / f"out-{workers}.parquet"
            if arguments.kill:
                threading.Thread(target=kill_one, args=(out, 3), daemon=True).start()
            begin = time.perf_counter()
            first: list[float] = []

            def note(inks: int, first: list[float] = first) -> None:
                if inks and not first:
                    first.append(time.perf_counter())

            count = recognize_with_ray(
                [str(store)],
                out,
                model=arguments.model,
                asking=asking,
                options=RayOptions(workers=workers),
                advance=note,
            )
            _line("ray", workers, time.perf_counter() - begin, count.inks)
            print(f"          first part after {first[0] - begin:.1f} s", flush=True)
            seen = Counter(row.source for row, _ in read_store(out))
            wanted = {f"ink {number}" for number in range(arguments.inks)}
            whole = set(seen) == wanted and set(seen.values()) == {1}
            print(
                f"          {len(seen)} different inputs have an output, at most {max(seen.values())} each, "
                f"{count.failures} failed: {'exactly one output per input' if whole else 'NOT EXACTLY ONE'}",
                flush=True,
            )
            if not whole:
                sys.exit(1)


def _line(engine: str, workers: int, seconds: float, inks: int) -> None:
    rate = inks / seconds
    print(f"{engine:9} {workers:7} {seconds:9.1f} {rate:8.1f} {rate / workers:15.1f}", flush=True)


if __name__ == "__main__":
    main()
