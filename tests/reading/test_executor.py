"""Work on threads and processes: every chunk once, and nothing left behind."""

import os
from functools import partial

import pytest

from inktex.reading import Processes, Threads, WorkerDied


def squares(start: int):
    """Make a worker."""
    return lambda number: start + number * number


def deadly():
    return lambda number: os._exit(9)


@pytest.mark.parametrize("executor", [Threads(), Threads(3), Processes(2)])
def test_every_chunk_is_done_once(executor):
    found = list(executor.map(partial(squares, 7), range(20)))
    assert sorted(found) == [7 + number * number for number in range(20)]


@pytest.mark.parametrize("executor", [Threads(), Threads(2)])
def test_an_error_of_the_work_comes_out(executor):
    def make():
        return lambda number: 1 // number

    with pytest.raises(ZeroDivisionError):
        list(executor.map(make, [1, 0, 2]))


def test_a_worker_that_is_killed_is_an_error_for_people():
    with pytest.raises(WorkerDied, match="a worker process died"):
        list(Processes(2).map(deadly, range(4)))
