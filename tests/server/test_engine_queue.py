"""The queue: bounded, fair, live writing first, nothing lost and nothing done for those who left."""

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from inktex.server.engine import Engine, Lane
from inktex.server.errors import RequestError


def slowly(seconds: float, note: list[str] | None = None, name: str = "") -> Callable[[float], str]:
    def work(left: float) -> str:
        assert left > 0
        time.sleep(seconds)
        if note is not None:
            note.append(name)
        return name

    return work


def test_work_is_done_one_by_one_in_order() -> None:
    async def scenario() -> list[str]:
        engine, done = Engine(queue=10), list[str]()
        await asyncio.gather(*(engine.run(slowly(0.02, done, str(i)), seconds=5) for i in range(6)))
        assert engine.running == engine.waiting == 0
        return done

    assert asyncio.run(scenario()) == list("012345")


def test_more_than_the_queue_holds_is_refused_at_once() -> None:
    async def scenario() -> None:
        engine = Engine(queue=3)
        begun = time.perf_counter()
        results = await asyncio.gather(
            *(engine.run(slowly(0.1), seconds=5) for _ in range(20)), return_exceptions=True
        )
        refused = [result for result in results if isinstance(result, RequestError)]
        assert len(refused) == 16  # one works, three wait
        assert all(error.status == 503 and int(error.headers["Retry-After"]) >= 1 for error in refused)
        assert time.perf_counter() - begun < 3
        assert await engine.run(slowly(0.0, name="again"), seconds=5) == "again"

    asyncio.run(scenario())


def test_who_waits_too_long_is_told() -> None:
    async def scenario() -> None:
        engine = Engine(queue=3)
        long = asyncio.create_task(engine.run(slowly(0.5), seconds=5))
        await asyncio.sleep(0.05)
        with pytest.raises(RequestError) as error:
            await engine.run(slowly(0.0), seconds=0.1)
        assert error.value.status == 503
        await long

    asyncio.run(scenario())


def test_work_that_does_not_end_is_given_up_but_keeps_its_turn() -> None:
    async def scenario() -> None:
        engine = Engine(queue=3)
        stuck = threading.Event()
        with pytest.raises(RequestError) as error:
            await engine.run(lambda left: stuck.wait(5), seconds=0.1)
        assert error.value.status == 504
        assert engine.running == 1  # the thread is still busy, so nothing else may begin
        stuck.set()
        assert await engine.run(slowly(0.0, name="next"), seconds=5) == "next"

    asyncio.run(scenario())


def test_nothing_is_done_for_those_who_left() -> None:
    async def scenario() -> list[str]:
        engine, done = Engine(queue=10), list[str]()
        tasks = [asyncio.create_task(engine.run(slowly(0.1, done, str(i)), seconds=5)) for i in range(4)]
        await asyncio.sleep(0.05)
        tasks[1].cancel()
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert engine.running == 0
        return done

    assert asyncio.run(scenario()) == ["0", "3"]


def test_live_writing_goes_first() -> None:
    async def scenario() -> list[str]:
        engine, done = Engine(queue=10), list[str]()
        lane = Lane(engine)
        tasks = [asyncio.create_task(engine.run(slowly(0.05, done, str(i)), seconds=5)) for i in range(3)]
        await asyncio.sleep(0.01)
        tasks.append(asyncio.create_task(lane.run(slowly(0.01, done, "live"), seconds=5)))
        await asyncio.gather(*tasks)
        return done

    assert asyncio.run(scenario()) == ["0", "live", "1", "2"]


def test_newer_ink_does_not_wait_for_the_search_it_stops() -> None:
    async def scenario() -> None:
        engine = Engine(queue=10)
        lane, stop = Lane(engine), threading.Event()

        def newer(left: float) -> str:
            stop.set()  # as a newer request makes the older search stop
            return "newer"

        older = asyncio.create_task(lane.run(lambda left: stop.wait(5), seconds=5))
        await asyncio.sleep(0.05)
        assert lane.running
        assert await lane.run(newer, seconds=5) == "newer"
        assert await older is True
        assert engine.running == 0

    asyncio.run(scenario())


def test_errors_of_the_work_reach_the_caller_and_free_the_thread() -> None:
    async def scenario() -> None:
        engine = Engine(queue=2)

        def broken(left: float) -> None:
            raise ValueError("broken")

        with pytest.raises(ValueError, match="broken"):
            await engine.run(broken, seconds=1)
        assert engine.running == 0

    asyncio.run(scenario())


def test_a_lane_takes_no_more_than_its_share() -> None:
    async def scenario() -> int:
        engine, together, most = Engine(queue=10), 0, 0
        lane = Lane(engine)

        def work(left: float) -> None:
            nonlocal together, most
            together += 1
            most = max(most, together)
            time.sleep(0.05)
            together -= 1

        await asyncio.gather(*(lane.run(work, seconds=5) for _ in range(8)))
        assert engine.running == 0
        return most

    assert asyncio.run(scenario()) == 2
