"""One process or several: wraps what `torchrun` provides, so that the loop is the same either way."""

import gc
import os
import sys
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

# Read by torchrun: workers get a new table of addresses each time they meet.
FRESH_TABLE = "TORCH_DISABLE_SHARE_RDZV_TCP_STORE"


@dataclass(frozen=True)
class Workers:
    """This process among the workers of a job."""

    rank: int = 0
    count: int = 1
    local_rank: int = 0

    @classmethod
    def join(cls, device: str) -> "Workers":
        """Join the job that torchrun started, if it did."""
        count = int(os.environ.get("WORLD_SIZE", "1"))
        if count == 1:
            return cls()
        _warn_about_old_addresses()
        local = int(os.environ.get("LOCAL_RANK", "0"))
        on_gpu = device.startswith("cuda") or (device == "auto" and torch.cuda.is_available())
        dist.init_process_group("nccl" if on_gpu else "gloo")
        return cls(dist.get_rank(), dist.get_world_size(), local)

    @property
    def is_first(self) -> bool:
        """Whether this is the worker that writes files and prints."""
        return self.rank == 0

    def share(self, network: nn.Module) -> nn.Module:
        """Gradients of the returned module are averaged over workers."""
        return network if self.count == 1 else DistributedDataParallel(network)

    def total(self, values: Tensor) -> Tensor:
        """Sum over workers."""
        if self.count > 1:
            dist.all_reduce(values)
        return values

    def wait(self) -> None:
        """Wait until all workers are here."""
        if self.count > 1:
            dist.barrier()

    def leave(self) -> None:
        """Leave the job together; what holds its connections must be gone by then."""
        if self.count > 1:
            gc.collect()  # a shared network is part of cycles
            dist.barrier()
            dist.destroy_process_group()


def _warn_about_old_addresses() -> None:
    """Launchers on several machines keep one table of addresses by default, with those of dead workers."""
    several = int(os.environ.get("GROUP_WORLD_SIZE", "1")) > 1
    if several and os.environ.get(FRESH_TABLE) != "1" and os.environ.get("RANK") == "0":
        print(
            f"inktex: set {FRESH_TABLE}=1 on every machine before torchrun; "
            "without it workers may not find each other again after one died",
            file=sys.stderr,
        )
