"""Under more load than it can carry the server still answers, sheds the rest, and recovers at once."""

import asyncio
import logging
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from inktex.recognizer import Recognition, Recognizer
from inktex.server import Limits, protocols

INK = {"strokes": [[[0, 0], [9, 9]], [[0, 9], [9, 0]]]}


class Slow(Recognizer):
    """The recogniser, but each answer takes a known time; only so can overload be tested exactly."""

    def __init__(self, real: Recognizer, seconds: float) -> None:
        super().__init__(real.model)
        self.seconds = seconds
        self.calls = 0

    def recognize(self, ink: Any, **options: Any) -> Recognition:
        self.calls += 1
        time.sleep(self.seconds)
        return super().recognize(ink, **options)


async def burst(url: str, number: int) -> list[httpx.Response]:
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=30, limits=limits) as client:
        return await asyncio.gather(*(client.post("/v1/recognize", json=INK) for _ in range(number)))


def test_the_rest_is_shed_and_nothing_is_lost(serve: Callable[..., Any], recognizer: Recognizer) -> None:
    server = serve(Slow(recognizer, 0.1), limits=Limits(queue=4))
    answers = asyncio.run(burst(server.url, 40))
    statuses = Counter(answer.status_code for answer in answers)
    assert set(statuses) <= {200, 503}
    assert statuses[200] >= 5
    assert statuses[503] >= 20
    for answer in answers:
        if answer.status_code == 503:
            assert int(answer.headers["retry-after"]) >= 1
            assert answer.json()["error"]["code"] == "busy"
    begun = time.perf_counter()
    assert (
        httpx.post(f"{server.url}/v1/recognize", json=INK).status_code == 200
    )  # at once, not after a backlog
    assert time.perf_counter() - begun < 2
    assert "inktex_shed_total" in httpx.get(f"{server.url}/metrics").text


def test_it_says_when_it_is_not_ready(serve: Callable[..., Any], recognizer: Recognizer) -> None:
    server = serve(Slow(recognizer, 0.4), limits=Limits(queue=1))
    loaders = [
        threading.Thread(target=httpx.post, args=[f"{server.url}/v1/recognize"], kwargs={"json": INK})
        for _ in range(2)
    ]
    for loader in loaders:
        loader.start()
    time.sleep(0.25)
    answer = httpx.get(f"{server.url}/readyz")
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert httpx.get(f"{server.url}/healthz").status_code == 200  # alive nevertheless
    assert httpx.get(f"{server.url}/").status_code == 200
    for loader in loaders:
        loader.join()


def test_requests_of_clients_that_left_cost_nothing(
    serve: Callable[..., Any], recognizer: Recognizer
) -> None:
    slow = Slow(recognizer, 0.3)
    server = serve(slow, limits=Limits(queue=20))
    warm_up = slow.calls

    async def leave() -> None:
        async with httpx.AsyncClient(base_url=server.url, timeout=0.1) as client:
            requests = [client.post("/v1/recognize", json=INK) for _ in range(10)]
            await asyncio.gather(*requests, return_exceptions=True)

    asyncio.run(leave())
    time.sleep(0.8)
    assert slow.calls - warm_up <= 3


def test_the_log_holds_ink_only_when_asked(
    serve: Callable[..., Any], recognizer: Recognizer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for wanted in (False, True):
        caplog.clear()
        server = serve(recognizer, log_ink=wanted)
        ink = {"strokes": [[[0, 0], [9, 9.125]], [[0, 9], [9, 0]]]}
        assert httpx.post(f"{server.url}/v1/recognize?ink=9.125", json=ink).status_code == 200
        assert ("9.125" in caplog.text.replace("?ink=9.125", "")) is wanted


def test_a_request_that_comes_too_slowly_is_given_up(
    serve: Callable[..., Any], recognizer: Recognizer
) -> None:
    server = serve(recognizer, limits=Limits(body_seconds=0.5))
    with socket.create_connection(("127.0.0.1", server.port)) as drip:
        drip.sendall(
            b"POST /v1/recognize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 1000\r\n\r\n{"
        )
        drip.settimeout(5)
        assert drip.recv(4000).startswith(b"HTTP/1.1 408")


def test_headers_that_come_too_slowly_are_given_up(
    serve: Callable[..., Any], recognizer: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocols, "HEADER_SECONDS", 0.3)
    server = serve(recognizer)
    with socket.create_connection(("127.0.0.1", server.port)) as drip:
        drip.sendall(b"GET / HTTP/1.1\r\nHost: local")
        drip.settimeout(5)
        assert drip.recv(100) == b""
    with socket.create_connection(("127.0.0.1", server.port)) as silent:
        silent.settimeout(5)
        assert silent.recv(100) == b""


def test_a_client_that_does_not_read_is_let_go(
    serve: Callable[..., Any], recognizer: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocols, "READING_SECONDS", 0.5)
    server = serve(recognizer)
    with socket.socket() as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.connect(("127.0.0.1", server.port))
        request = b"GET /examples.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with pytest.raises(OSError, match=r"reset|pipe|timed out"):  # noqa: PT012 - it may come at either step
            lazy.settimeout(20)
            for _ in range(400):
                lazy.sendall(request)
                time.sleep(0.01)
    assert httpx.get(f"{server.url}/healthz").status_code == 200
