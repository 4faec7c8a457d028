"""The queue: bounded, fair, live writing first, nothing lost and nothing done for those who left."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from inktex.decoding import SearchCancelled
from inktex.server import engine as engine_room
from inktex.server.engine import Engine, Lane
from inktex.server.errors import RequestError
from inktex.server.shares import STOCK, Share

PATIENCE = 120.0


class Held:
    """Work that goes on until it is let go, taking a breath now and then."""

    def __init__(self, engine: Engine | None = None) -> None:
        self.begun, self.go_on, self.ended = threading.Event(), threading.Event(), threading.Event()
        self._engine = engine

    def __call__(self, left: float) -> str:
        assert left > 0
        self.begun.set()
        try:
            while not self.go_on.wait(0.005):
                if self._engine is not None and self._engine.breathe():
                    raise SearchCancelled
            return "held"
        finally:
            self.ended.set()


def noting(done: list[str], name: str) -> Callable[[float], str]:
    def work(left: float) -> str:
        done.append(name)
        return name

    return work


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.005)


def test_work_is_done_one_by_one_in_order() -> None:
    async def scenario() -> list[str]:
        engine, done = Engine(queue=10), list[str]()
        await asyncio.gather(*(engine.run(noting(done, str(i)), seconds=PATIENCE) for i in range(6)))
        assert engine.running == engine.waiting == 0
        return done

    assert asyncio.run(scenario()) == list("012345")


def test_more_than_the_queue_holds_is_refused_at_once() -> None:
    async def scenario() -> None:
        engine, held = Engine(queue=3), Held()
        first = asyncio.create_task(engine.run(held, seconds=PATIENCE))
        await until(held.begun.is_set)
        waiting = [asyncio.create_task(engine.run(noting([], ""), seconds=PATIENCE)) for _ in range(3)]
        await until(lambda: engine.waiting == 3)
        for _ in range(16):
            with pytest.raises(RequestError) as refused:
                await engine.run(noting([], ""), seconds=PATIENCE)
            assert refused.value.status == 503
            assert int(refused.value.headers["Retry-After"]) >= 1
        assert not held.ended.is_set()
        held.go_on.set()
        await asyncio.gather(first, *waiting)
        assert await engine.run(noting([], "again"), seconds=PATIENCE) == "again"

    asyncio.run(scenario())


def test_who_waits_too_long_is_told() -> None:
    async def scenario() -> None:
        engine, held = Engine(queue=3), Held()
        first = asyncio.create_task(engine.run(held, seconds=PATIENCE))
        await until(held.begun.is_set)
        with pytest.raises(RequestError) as error:
            await engine.run(noting([], ""), seconds=0.1)
        assert error.value.status == 503
        held.go_on.set()
        await first

    asyncio.run(scenario())


def test_work_that_does_not_end_is_given_up_but_keeps_its_turn() -> None:
    async def scenario() -> None:
        engine, held = Engine(queue=3), Held()
        with pytest.raises(RequestError) as error:
            await engine.run(held, seconds=0.1)
        assert error.value.status == 504
        assert engine.running == 1  # the thread is still busy, so nothing else may begin
        assert engine.late
        held.go_on.set()
        assert await engine.run(noting([], "next"), seconds=PATIENCE) == "next"
        assert not engine.late

    asyncio.run(scenario())


def test_nothing_is_done_for_those_who_left() -> None:
    async def scenario() -> list[str]:
        engine, held, done = Engine(queue=10), Held(), list[str]()
        tasks = [asyncio.create_task(engine.run(held, seconds=PATIENCE))]
        await until(held.begun.is_set)
        tasks += [
            asyncio.create_task(engine.run(noting(done, str(i)), seconds=PATIENCE)) for i in range(1, 4)
        ]
        await until(lambda: engine.waiting == 3)
        tasks[1].cancel()
        tasks[2].cancel()
        await until(lambda: engine.waiting == 1)
        held.go_on.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert engine.running == 0
        return done

    assert asyncio.run(scenario()) == ["3"]


def test_a_search_ends_when_its_client_leaves() -> None:
    async def scenario() -> None:
        engine = Engine(queue=10)
        held = Held(engine)
        task = asyncio.create_task(engine.run(held, seconds=PATIENCE))
        await until(held.begun.is_set)
        task.cancel()
        await until(held.ended.is_set)
        await until(lambda: engine.running == 0)

    asyncio.run(scenario())


def test_live_writing_goes_first_but_not_without_end() -> None:
    async def scenario() -> list[str]:
        engine, held, done = Engine(queue=10), Held(), list[str]()
        tasks: list[asyncio.Task[str]] = [asyncio.create_task(engine.run(held, seconds=PATIENCE))]
        await until(held.begun.is_set)
        tasks += [asyncio.create_task(engine.run(noting(done, str(i)), seconds=PATIENCE)) for i in range(2)]
        lanes = [Lane(engine, Share()) for _ in range(5)]
        tasks += [asyncio.create_task(lane.run(noting(done, "live"), seconds=PATIENCE)) for lane in lanes]
        await until(lambda: engine.waiting == 7)
        held.go_on.set()
        await asyncio.gather(*tasks)
        return done

    assert asyncio.run(scenario()) == ["live", "live", "live", "0", "live", "live", "1"]


def test_a_session_that_used_up_its_share_waits_like_all() -> None:
    async def scenario() -> list[str]:
        engine, held, done = Engine(queue=10), Held(), list[str]()
        share = Share()
        share.spend(STOCK)  # it owes nothing yet, but goes first no more
        greedy = Lane(engine, share)
        tasks: list[asyncio.Task[str]] = [asyncio.create_task(engine.run(held, seconds=PATIENCE))]
        await until(held.begun.is_set)
        tasks += [asyncio.create_task(engine.run(noting(done, str(i)), seconds=PATIENCE)) for i in range(2)]
        await until(lambda: engine.waiting == 2)
        tasks.append(asyncio.create_task(greedy.run(noting(done, "greedy"), seconds=PATIENCE)))
        await until(lambda: engine.waiting == 3)
        tasks.append(asyncio.create_task(engine.run(noting(done, "last"), seconds=PATIENCE)))
        await until(lambda: engine.waiting == 4)
        held.go_on.set()
        await asyncio.gather(*tasks)
        return done

    assert asyncio.run(scenario()) == ["0", "1", "greedy", "last"]


def test_long_work_lets_others_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_room, "_SLICE", 0.0)

    async def scenario() -> None:
        engine, done = Engine(queue=10), list[str]()
        held = Held(engine)
        long = asyncio.create_task(engine.run(held, seconds=PATIENCE))
        await until(held.begun.is_set)
        for name in ("a", "b"):
            assert await engine.run(noting(done, name), seconds=PATIENCE) == name
        assert not held.ended.is_set()
        held.go_on.set()
        assert await long == "held"
        assert engine.running == engine.waiting == 0

    asyncio.run(scenario())


def test_newer_ink_stops_the_search_it_replaces() -> None:
    async def scenario() -> None:
        engine = Engine(queue=10)
        lane, held = Lane(engine, Share()), Held(engine)
        older = asyncio.create_task(lane.run(held, seconds=PATIENCE, replaces=True))
        await until(held.begun.is_set)
        assert await lane.run(noting([], "newer"), seconds=PATIENCE, replaces=True) == "newer"
        with pytest.raises(SearchCancelled):
            await older
        assert engine.running == 0

    asyncio.run(scenario())


def test_errors_of_the_work_reach_the_caller_and_free_the_thread() -> None:
    async def scenario() -> None:
        engine = Engine(queue=2)

        def broken(left: float) -> None:
            raise ValueError("broken")

        with pytest.raises(ValueError, match="broken"):
            await engine.run(broken, seconds=PATIENCE)
        assert engine.running == 0

    asyncio.run(scenario())


def test_a_lane_does_one_thing_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while what it does lets others go first."""
    monkeypatch.setattr(engine_room, "_SLICE", 0.0)

    async def scenario() -> int:
        engine, together, most = Engine(queue=10), 0, 0
        lane = Lane(engine, Share())

        def work(left: float) -> None:
            nonlocal together, most
            together += 1
            most = max(most, together)
            time.sleep(0.01)
            engine.breathe()
            together -= 1

        await asyncio.gather(*(lane.run(work, seconds=PATIENCE) for _ in range(8)))
        assert engine.running == 0
        return most

    assert asyncio.run(scenario()) == 1


def test_how_many_wait_and_run_is_told() -> None:
    async def scenario() -> list[tuple[int, int]]:
        told: list[tuple[int, int]] = []
        engine, held = Engine(queue=2, changed=lambda w, r: told.append((w, r))), Held()
        tasks = [asyncio.create_task(engine.run(held, seconds=PATIENCE)) for _ in range(2)]
        await until(lambda: engine.waiting == 1)
        assert told[-1] == (1, 1)
        held.go_on.set()
        await asyncio.gather(*tasks)
        return told

    assert asyncio.run(scenario())[-1] == (0, 0)


def test_who_would_wait_too_long_is_refused_at_once() -> None:
    """On a slow machine a short queue is a long wait; who comes then would be answered too late anyway."""

    async def scenario() -> None:
        engine, slow = Engine(queue=100, longest_wait=0.5), Held()
        for _ in range(10):
            await engine.run(lambda _: time.sleep(0.3), seconds=PATIENCE)
        tasks = [asyncio.create_task(engine.run(slow, seconds=PATIENCE))]
        await until(slow.begun.is_set)
        for _ in range(20):
            tasks.append(asyncio.create_task(engine.run(noting([], ""), seconds=PATIENCE)))
            await asyncio.sleep(0)
        await until(lambda: sum(task.done() for task in tasks) >= 15)
        refused = [task for task in tasks if task.done()]
        assert all(isinstance(task.exception(), RequestError) for task in refused)
        assert engine.waiting >= 1  # one may always wait
        slow.go_on.set()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(scenario())


def test_a_busy_machine_makes_turns_no_shorter() -> None:
    """What counts is time of the processor: work that is held up by other processes is not interrupted."""

    async def scenario() -> list[str]:
        engine, done, begun = Engine(queue=10), list[str](), threading.Event()

        def held_up(left: float) -> None:
            begun.set()
            for _ in range(50):
                time.sleep(0.01)
                engine.breathe()
            done.append("held up")

        first = asyncio.create_task(engine.run(held_up, seconds=PATIENCE))
        await until(begun.is_set)
        await engine.run(noting(done, "next"), seconds=PATIENCE)
        await first
        return done

    assert asyncio.run(scenario()) == ["held up", "next"]
