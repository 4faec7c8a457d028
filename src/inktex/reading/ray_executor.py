"""Work on Ray actors, on this machine or on a cluster. Needs `inktex[ray]`.

Ray Data hands chunks to actors, restarts actors that die and gives their chunks to others, so a chunk may
be started twice.
"""

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from .executor import Chunk, Result

# Of a Ray that this process starts. Workers have its priority; they are started when they are needed, and on
# a busy machine they may take their time.
LOCAL_SETTINGS = {
    "worker_niceness": 0,
    "prestart_worker_first_driver": False,
    "worker_register_timeout_seconds": 600,
}


@dataclass(frozen=True)
class RayActors:
    """Actors of a cluster, or of this machine where no address is given."""

    address: str | None = None  # "auto" for the cluster that this machine belongs to
    count: int | None = None  # default: one per core
    chunks_per_block: int = 8  # at most, where there are many: Ray keeps account of every block

    def map(self, make: Callable[[], Callable[[Chunk], Result]], chunks: Iterable[Chunk]) -> Iterator[Result]:
        """Do the work on every chunk; chunks and results are what fits into Ray Data's rows."""
        try:
            ray: Any = import_module("ray")  # Ray has no types, and may be missing where types are checked
            import_module("ray.data")
        except ImportError as error:
            raise ImportError(f"the Ray engine needs Ray ({error}): pip install 'inktex[ray]'") from None
        started = not ray.is_initialized()
        if started:
            self._join(ray)
        try:
            for row in self._answers(ray, make, list(chunks)).iter_rows():
                yield row["result"]
        except ray.exceptions.RayError as error:
            said = str(error).strip().splitlines() or [type(error).__name__]
            raise OSError(
                f"a Ray worker failed: {said[-1].strip()}; finished work is kept; "
                "run the command again to resume"
            ) from error
        finally:
            if started:
                ray.shutdown()

    def _answers(self, ray: Any, make: Callable[[], Callable[[Chunk], Result]], chunks: list[Chunk]) -> Any:
        workers = self.count or max(1, int(ray.cluster_resources().get("CPU", 1)) - 1)
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        ray.data.DataContext.get_current().enable_progress_bars = False
        blocks = max(min(len(chunks), 64 * workers), -(-len(chunks) // self.chunks_per_block))
        rows = [{"chunk": chunk} for chunk in chunks]
        return ray.data.from_items(rows, override_num_blocks=blocks).map_batches(
            _Reader,
            # In a list, so that it arrives as a reference and is fetched once per actor.
            fn_constructor_args=([ray.put(make)],),
            batch_size=1,
            # One at a time: otherwise the actor that is there first is given the others' blocks as well.
            compute=ray.data.ActorPoolStrategy(
                min_size=1, max_size=workers, initial_size=workers, max_tasks_in_flight_per_actor=1
            ),
            num_cpus=1,
        )

    def _join(self, ray: Any) -> None:
        quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
        try:
            if self.address is not None:
                ray.init(address=self.address, **quiet)
                return
            # One core more than actors: Ray Data's own small tasks need one too.
            ray.init(
                address="local",
                num_cpus=(self.count or os.cpu_count() or 1) + 1,
                include_dashboard=False,
                object_store_memory=512 * 2**20,
                _system_config=LOCAL_SETTINGS,
                **quiet,
            )
        except ConnectionError as error:
            raise OSError(f"no Ray cluster answers at {self.address} ({error}); is it up?") from None
        except Exception as error:  # what Ray raises when its own processes do not start has no type
            raise OSError(
                f"Ray did not start ({str(error).splitlines()[0] if str(error) else type(error).__name__}); "
                "try again when the machine is less busy, or leave out --engine ray"
            ) from error


class _Reader:
    """An actor: made ready once, chunks done one after the other."""

    def __init__(self, reference: Any) -> None:
        import ray

        self._work = ray.get(reference[0])()

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        return {"result": [self._work(chunk) for chunk in batch["chunk"]]}
