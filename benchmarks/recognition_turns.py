"""Two checkouts read the same inks with the same model, by turns: `recognition.py --against`.

Each checkout has a process of its own that reads one ink when it is told to and says how much CPU time that
took. The turns change with every ink, so that a machine that slows down is no advantage to either.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from inktex.ink import Ink, save

ROOT = Path(__file__).resolve().parent.parent
# Only what every version of the library has: `Recognizer(model, beam=)` and `recognize(ink, timeout=)`. Those
# before `lines` read all strokes as one expression, as later ones do when they are told to.
READER = """
import sys, time
from inktex.ink import read
from inktex.recognizer import Recognizer
recognizer = Recognizer(sys.argv[1], beam=int(sys.argv[2]))
inks = [read(path) for path in sys.argv[4:]]
options = {"timeout": None, "lines": False} if sys.argv[3] == "one" else {"timeout": None}
try:
    recognizer.recognize(inks[0], **options)
except TypeError:
    options.pop("lines", None)
for line in sys.stdin:
    begin = time.process_time()
    answer = recognizer.recognize(inks[int(line)], **options)
    words = (getattr(token, "text", token) for token in answer.tokens)
    print(time.process_time() - begin, *words, flush=True)
"""


class Turn:
    """The process of one checkout."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def read(self, place: int) -> tuple[float, str]:
        """CPU seconds and the tokens of one ink."""
        asked, answered = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answered is not None
        asked.write(f"{place}\n")
        asked.flush()
        seconds, tokens = answered.readline().split(" ", 1)
        return float(seconds), tokens.strip()


@contextmanager
def reader_of(checkout: Path, model: str, beam: int, one: bool, paths: Sequence[Path]) -> Iterator[Turn]:
    """The reader of a checkout, ended afterwards."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src")}
    lines = "one" if one else "found"
    command = [sys.executable, "-c", READER, model, str(beam), lines, *map(str, paths)]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Turn(process)
        process.stdin.close()  # type: ignore[union-attr]


def by_turns(other: Path, model: str, beam: int, one: bool, inks: Sequence[Ink], repeats: int) -> None:
    """Read every ink some times with both checkouts and print the two medians and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{place}.inkml" for place in range(len(inks))]
        for path, ink in zip(paths, inks, strict=True):
            save(ink, path)
        both_ways = (model, beam, one, paths)
        with reader_of(ROOT, *both_ways) as this, reader_of(other, *both_ways) as that:
            both, times = (this, that), np.full((2, len(inks)), np.inf)
            alike = 0
            for turn in range(repeats):
                for place in range(len(inks)):
                    answers = ["", ""]
                    for side in (0, 1) if (turn + place) % 2 == 0 else (1, 0):
                        seconds, answers[side] = both[side].read(place)
                        times[side, place] = min(times[side, place], seconds)
                    alike += answers[0] == answers[1]
    for name, of in zip(("this code", "the other"), 1e3 * times, strict=True):
        median, late = np.median(of), np.quantile(of, 0.95)
        print(f"{name}: {len(inks)} inks, median {median:.2f} ms, mean {of.mean():.2f}, p95 {late:.2f} (CPU)")
    ratios = times[0] / times[1]
    print(f"this code over the other: {np.median(ratios):.3f} at the median ink, "
          f"{times[0].sum() / times[1].sum():.3f} of the sum; "
          f"{alike / (repeats * len(inks)):.1%} of the answers are the same")  # fmt: skip
