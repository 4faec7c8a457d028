"""Recognising with Ray: sources in, a folder of part files out, on this machine or on a cluster.

Ray Data hands numbered units to actors; each actor holds the model, which travels to it through Ray's object
store. Ray restarts actors that die and gives their units to others, so a unit may be begun twice; its part
is renamed into place whole, so every input has exactly one output.
"""

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from inktex.bulk.asking import Asking
from inktex.bulk.parts import PartCount, count_part, do_unit
from inktex.bulk.units import Plan, Unit, units_of
from inktex.recognizer import Recognizer
from inktex.runtime import Model, ModelFile, find_model, join_models, read_model

# Of a Ray that the command starts. Workers have the command's priority, as those of the plain engine have;
# they are started when they are needed, and on a busy machine they may take their time.
LOCAL_SETTINGS = {
    "worker_niceness": 0,
    "prestart_worker_first_driver": False,
    "worker_register_timeout_seconds": 600,
}


@dataclass(frozen=True)
class RayOptions:
    """Where and with how many actors."""

    address: str | None = None  # of a cluster, "auto" for the one this machine belongs to; None: this machine
    workers: int | None = None  # actors; default: one per core
    units_per_block: int = 8  # at most, where there are many units: Ray keeps account of every block


class _Reader:
    """An actor: the model loaded once, units done one after the other."""

    def __init__(self, reference: Any, name: str, asking: Asking, plan: Plan, folder: str) -> None:
        import ray

        if os.path.isdir(folder):  # that of the command: sources may be relative to it
            os.chdir(folder)
        file: ModelFile = ray.get(reference[0])
        self._recognizer = Recognizer(Model(file, name), beam=asking.beam)
        self._asking = asking
        self._plan = plan

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[int]]:
        done = [
            do_unit(Unit.from_json(unit), self._plan.part(int(number)), self._recognizer, self._asking)
            for number, unit in zip(batch["number"], batch["unit"], strict=True)
        ]
        return {"inks": [each.inks for each in done], "failures": [each.failures for each in done]}


def recognize_with_ray(
    sources: Sequence[str],
    out: Path,
    *,
    model: str | None = None,
    asking: Asking,
    options: RayOptions,
    fresh: bool = False,
    advance: Callable[[int], None] = lambda count: None,
) -> PartCount:
    """Recognise all sources into part files in `out`; what is there from a run before is not done again."""
    path = find_model(model)
    file = _model_file(path)
    plan = Plan(tuple(units_of(sources)), out.absolute(), parquet=out.suffix.casefold() == ".parquet")
    remaining = plan.open(file.sha256, fresh=fresh)
    before = [
        count_part(plan.part(number)) for number in sorted(set(range(len(plan.units))) - set(remaining))
    ]
    inks, failures = sum(each.inks for each in before), sum(each.failures for each in before)
    advance(inks)
    if remaining:
        name = path.name if path.is_dir() else path.stem
        for row in _run(plan, remaining, file, name, asking, options):
            inks += int(row["inks"])
            failures += int(row["failures"])
            advance(int(row["inks"]))
    lost = [plan.part(number).name for number in remaining if not plan.part(number).exists()]
    if lost:
        raise OSError(
            f"{out}: {len(lost)} parts did not arrive here ({lost[0]} is the first); "
            "name a folder that all machines of the cluster share"
        )
    plan.finish()
    return PartCount(inks, failures)


def _run(
    plan: Plan, remaining: Sequence[int], file: ModelFile, name: str, asking: Asking, options: RayOptions
) -> Any:
    try:
        ray: Any = import_module("ray")  # any: Ray has no types, and may be missing where types are checked
        import_module("ray.data")
    except ImportError as error:
        raise ImportError(f"the Ray engine needs Ray ({error}): pip install 'inktex[ray]'") from None

    started = not ray.is_initialized()
    if started:
        try:
            _join(ray, options.address, options.workers or os.cpu_count() or 1)
        except ConnectionError as error:
            raise OSError(f"no Ray cluster answers at {options.address} ({error}); is it up?") from None
        except Exception as error:  # what Ray raises when its own processes do not start has no type
            raise OSError(
                f"Ray did not start ({str(error).splitlines()[0] if str(error) else type(error).__name__}); "
                "try again when the machine is less busy, or leave out --engine ray"
            ) from error
    try:
        workers = options.workers or max(1, int(ray.cluster_resources().get("CPU", 1)) - 1)
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        # In a list, so that it arrives as a reference and is fetched once per actor.
        reference = [ray.put(file)]
        blocks = max(min(len(remaining), 64 * workers), -(-len(remaining) // options.units_per_block))
        numbers = ray.data.from_items(
            [{"number": n, "unit": plan.units[n].to_json()} for n in remaining], override_num_blocks=blocks
        )
        answers = numbers.map_batches(
            _Reader,
            fn_constructor_args=(reference, name, asking, replace(plan, units=()), os.getcwd()),
            batch_size=1,
            # One at a time: otherwise the actor that is there first is given the others' blocks as well.
            compute=ray.data.ActorPoolStrategy(
                min_size=1, max_size=workers, initial_size=workers, max_tasks_in_flight_per_actor=1
            ),
            num_cpus=1,
        )
        yield from answers.iter_rows()
    except ray.exceptions.RayError as error:
        said = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
        raise OSError(
            f"a Ray worker failed: {said[-1]}; what is done is kept, and the same command goes on"
        ) from error
    finally:
        if started:
            ray.shutdown()


def _join(ray: Any, address: str | None, workers: int) -> None:
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is not None:
        ray.init(address=address, **quiet)
    else:
        # One core more than actors: Ray Data's own small tasks need one too.
        ray.init(
            address="local",
            num_cpus=workers + 1,
            include_dashboard=False,
            object_store_memory=512 * 2**20,
            _system_config=LOCAL_SETTINGS,
            **quiet,
        )


def _model_file(path: Path) -> ModelFile:
    """The file's content: it is sent along, so the machines of a cluster need no copy of it."""
    if not path.is_dir():
        return read_model(path)
    return join_models([read_model(part) for part in sorted(path.glob("*.inktex"))])
