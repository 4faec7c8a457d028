"""Who floods the server makes nobody wait: what is done for it between the calls of others is counted."""

import asyncio
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from inktex.server import engine as engine_room
from inktex.server import shares
from inktex.server.engine import Engine, Lane
from inktex.server.errors import RequestError
from inktex.server.shares import ABOUT_SECONDS, FLOODED_RATE, MOST_OWED, RESTING_RATE, STOCK, Crowd, Share

PATIENCE = 120.0


class Clock:
    """Time as the test wants it: only work takes time, so that a busy machine changes nothing."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        for room in (shares, engine_room):
            monkeypatch.setattr(room, "monotonic", lambda: self.now)
        monkeypatch.setattr(engine_room, "thread_time", lambda: self.now)

    def work(self, done: list[str], name: str, seconds: float) -> Callable[[float], None]:
        def work(left: float) -> None:
            self.now += seconds
            done.append(name)

        return work


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


async def flood(engine: Engine, work: Callable[[float], None]) -> None:
    """Ask again as soon as there is an answer; the next message waits already."""
    share = Share()
    lane = Lane(engine, share)
    with share.flooded():
        while True:
            await lane.run(work, seconds=PATIENCE)


@pytest.mark.parametrize("live", [False, True])
def test_hardly_anything_of_a_flood_comes_between_others(clock: Clock, live: bool) -> None:
    """A flood of long calls; another session, or a program, asks 100 times, as fast as people write."""

    async def scenario() -> list[str]:
        engine, done = Engine(queue=10), list[str]()
        other = Lane(engine, Share())
        flooding = asyncio.create_task(flood(engine, clock.work(done, "flood", 0.06)))
        while len(done) < 40:  # until it has used up what anybody may
            await asyncio.sleep(0)
        del done[:]
        for _ in range(100):
            ask = other.run if live else engine.run
            await ask(clock.work(done, "other", 0.015), seconds=PATIENCE)
            clock.now += 0.2  # a pause, in which the flood could have the thread
            await asyncio.sleep(0.002)
        flooding.cancel()
        return done

    done = asyncio.run(scenario())
    places = [place for place, name in enumerate(done) if name == "other"]
    between = [after - before - 1 for before, after in pairwise(places)]
    assert len(places) == 100
    # 22 seconds in all, of which it gets a two-hundredth: two calls, and one that had begun.
    assert sum(between) <= 3


def test_who_is_alone_waits_for_nobody(clock: Clock) -> None:
    async def scenario() -> int:
        engine, done = Engine(queue=10), list[str]()
        lane = Lane(engine, Share())
        for _ in range(100):
            await lane.run(clock.work(done, "call", 0.5), seconds=PATIENCE)
        return len(done)

    assert asyncio.run(scenario()) == 100


def test_who_owes_time_is_told_to_come_later(clock: Clock) -> None:
    async def scenario() -> None:
        engine, share = Engine(queue=10), Share()
        share.spend(2 * STOCK)
        engine.crowd.saw(None)
        with pytest.raises(RequestError) as refused:
            await Lane(engine, share).run(lambda _: None, seconds=0.05)
        assert refused.value.status == 503

    asyncio.run(scenario())


def test_a_share_fills_up_while_no_messages_wait(clock: Clock) -> None:
    share = Share()
    share.spend(STOCK + 0.2)
    with share.flooded():
        assert share.owed_seconds == pytest.approx(0.2 / FLOODED_RATE)
        clock.now += 10.0
        assert share.owed_seconds == pytest.approx(0.2 / FLOODED_RATE - 10.0)
    clock.now += 10.0
    assert share.owed_seconds == 0.0
    assert share.ample
    clock.now += 1000.0
    share.spend(STOCK)  # no more than the stock is kept
    assert not share.ample
    share.spend(1000.0)  # and no more than that is owed
    clock.now += MOST_OWED / RESTING_RATE
    assert share.owed_seconds == pytest.approx(0.0)


def test_others_are_about_for_a_while(clock: Clock) -> None:
    crowd, one, two = Crowd(), Share(), Share()
    crowd.saw(one)
    crowd.saw(one)
    assert not crowd.others_about(one)
    assert crowd.others_about(two)
    crowd.saw(two)
    crowd.saw(one)
    assert crowd.others_about(one)
    clock.now += ABOUT_SECONDS + 1
    crowd.saw(one)
    assert not crowd.others_about(one)
    crowd.saw(None)
    assert crowd.others_about(one)


def test_a_busy_machine_makes_nothing_dearer() -> None:
    """What counts is time of the processor: work that is held up by others costs its session nothing."""

    async def scenario() -> float:
        share = Share()
        await Lane(Engine(queue=1), share).run(lambda _: time.sleep(0.3), seconds=PATIENCE)
        left: Any = share._left
        return STOCK - float(left)

    assert asyncio.run(scenario()) < 0.1
