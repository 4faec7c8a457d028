"""Large collections on Ray, on this machine or on a cluster: writes a folder of part files.

A unit may be done twice after a machine failed. Its part is renamed into place when complete, so every input
has exactly one output.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from inktex.bulk.parts import PartCount, count_part, do_unit
from inktex.bulk.units import Plan, Unit, units_of
from inktex.ink import Limits
from inktex.ink.limits import DEFAULT_LIMITS
from inktex.reading import Executor, Model, ModelFile, find_model, read_model
from inktex.reading.opening import read_folder
from inktex.recognizer import RecognizeOptions, Recognizer


def recognize_in_parts(
    sources: Sequence[str],
    out: Path,
    *,
    model: str | None = None,
    beam: int = 10,
    options: RecognizeOptions,
    executor: Executor,
    fresh: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    advance: Callable[[int], None] = lambda count: None,
) -> PartCount:
    """Recognise all sources into part files in `out`; what is there from a run before is not done again."""
    path = find_model(model)
    file = read_folder(path) if path.is_dir() else read_model(path)
    plan = Plan(tuple(units_of(sources)), out.absolute(), parquet=out.suffix.casefold() == ".parquet")
    with plan.lock():
        remaining = plan.open(
            {"model": file.sha256, "beam": beam, **asdict(options), **asdict(limits)}, fresh=fresh
        )
        done = sorted(set(range(len(plan.units))) - set(remaining))
        counts = [count_part(plan.part(number)) for number in done]
        advance(sum(each.inks for each in counts))
        if remaining:
            name = path.name if path.is_dir() else path.stem
            # The model's content is sent along, so the machines of a cluster need no copy of it.
            worker = (file, name, beam, options, limits, replace(plan, units=()), os.getcwd())
            make = partial(_unit_worker, *worker)
            for count in executor.map(make, [(number, plan.units[number]) for number in remaining]):
                counts.append(count)
                advance(count.inks)
        lost = [plan.part(number).name for number in remaining if not plan.part(number).exists()]
        if lost:
            raise OSError(
                f"{out}: {len(lost)} parts did not arrive here ({lost[0]} is the first); "
                "name a folder that all machines of the cluster share"
            )
        plan.finish()
    return PartCount(sum(each.inks for each in counts), sum(each.failures for each in counts))


def _unit_worker(
    file: ModelFile,
    name: str,
    beam: int,
    options: RecognizeOptions,
    limits: Limits,
    plan: Plan,
    folder: str,
) -> Callable[[tuple[int, Unit]], PartCount]:
    """In a worker: load the model and give what does a unit."""
    if os.path.isdir(folder):  # that of the command: sources may be relative to it
        os.chdir(folder)
    recognizer = Recognizer(Model.of_file(file, name), beam=beam)

    def work(numbered: tuple[int, Unit]) -> PartCount:
        number, unit = numbered
        return do_unit(unit, plan.part(number), recognizer, options, limits)

    return work
