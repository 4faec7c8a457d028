"""How many more requests a worker is given: those that it has not put into its queue yet count too."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from inktex.server import ServerOptions, dispatch
from inktex.server.dispatch import _Worker
from inktex.server.engine import Engine
from inktex.server.metrics import Metrics, SharedMetrics
from inktex.server.service import Service
from inktex.server.worker import ANSWERING, ASKED, IDLE, NEW, QUEUED


def on_their_way(worker: _Worker, *states: int) -> int:
    return worker.on_their_way(bytearray(states))


def given(*places: int) -> _Worker:
    nothing: Any = None
    return _Worker(0, nothing, nothing, unread=dict.fromkeys(places))


def test_a_request_is_on_its_way_until_the_queue_has_it() -> None:
    worker = given(0, 1)
    assert on_their_way(worker, NEW, NEW) == 2
    assert on_their_way(worker, NEW, ASKED) == 2
    assert on_their_way(worker, ASKED, QUEUED) == 1
    assert on_their_way(worker, QUEUED, NEW) == 0  # the second is another connection by now


@pytest.mark.parametrize("state", [QUEUED, ANSWERING, IDLE])
def test_who_is_queued_or_answered_is_not_on_its_way(state: int) -> None:
    assert on_their_way(given(0), state) == 0


def test_who_sends_a_body_slowly_takes_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(dispatch, "monotonic", lambda: now)
    worker = given(0)
    now += 50.0  # nobody has read its headers, however long that takes
    assert on_their_way(worker, NEW) == 1
    assert on_their_way(worker, ASKED) == 1
    now += 0.05
    assert on_their_way(worker, ASKED) == 1
    now += 0.1
    assert on_their_way(worker, ASKED) == 0


def test_an_engine_has_room_for_those_who_work_and_those_who_wait() -> None:
    async def scenario() -> None:
        engine = Engine(queue=2)
        end = asyncio.Event()
        loop = asyncio.get_running_loop()

        def work(seconds: float) -> None:
            asyncio.run_coroutine_threadsafe(end.wait(), loop).result(60)

        rooms, calls = [engine.room], []
        for _ in range(3):
            calls.append(asyncio.create_task(engine.run(work, seconds=60)))
            await asyncio.sleep(0)
            rooms.append(engine.room)
        assert rooms == [3, 2, 1, 0]
        end.set()
        await asyncio.gather(*calls)
        await asyncio.sleep(0)
        assert engine.room == 3
        engine.close()

    asyncio.run(scenario())


def test_the_parent_is_told_when_the_queue_has_a_request() -> None:
    async def scenario() -> None:
        notes: list[object] = []
        service = Service(ServerOptions(), Metrics(SharedMetrics(1)))
        service.tell_room = lambda room, seconds: notes.append(room)
        request: Any = SimpleNamespace(
            scope={"inktex.note": lambda state: notes.append("queued" if state == QUEUED else state)},
            receive=lambda: asyncio.sleep(60, {"type": "http.disconnect"}),
        )
        assert await service.in_turn(request, lambda seconds: 5) == 5
        assert notes[:2] == ["queued", 16]  # of 17, of whom one works
        service.close()

    asyncio.run(scenario())
