"""Under more load than it can carry the server still answers, sheds the rest, and recovers at once."""

import asyncio
import logging
import re
import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from inktex.recognizer import Recognition, Recognizer
from inktex.server import Limits, protocols, running
from running_server import until

INK = {"strokes": [[[0, 0], [9, 9]], [[0, 9], [9, 0]]]}


class Held(Recognizer):
    """The recogniser, but answers wait until they are let go; only so can overload be tested exactly."""

    def __init__(self, real: Recognizer) -> None:
        super().__init__(real.model)
        self.go_on = threading.Event()
        self.calls = -1  # without the one that warms up

    def recognize(self, ink: Any, **options: Any) -> Recognition:
        self.calls += 1
        if self.calls:
            assert self.go_on.wait(120)
        return super().recognize(ink, **options)


PATIENT = {"seconds": 120.0, "body_seconds": 120.0}


def post(url: str) -> httpx.Response:
    return httpx.post(f"{url}/v1/recognize", json=INK, timeout=120)


def test_the_rest_is_shed_and_nothing_is_lost(serve: Callable[..., Any], recognizer: Recognizer) -> None:
    held = Held(recognizer)
    server = serve(held, limits=Limits(queue=4, **PATIENT))
    with ThreadPoolExecutor(40) as pool:
        asked = [pool.submit(post, server.url) for _ in range(40)]
        until(lambda: sum(each.done() for each in asked) == 35)  # one works, four wait
        refused = [each.result() for each in asked if each.done()]
        counted = httpx.get(f"{server.url}/metrics", timeout=60).text
        held.go_on.set()
        answered = [each.result() for each in asked if each.result() not in refused]
    assert {answer.status_code for answer in answered} == {200}
    for answer in refused:
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) >= 1
        assert answer.json()["error"]["code"] == "busy"
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert re.search(r"^inktex_shed_total 35$", counted, re.MULTILINE)
    assert 'inktex_requests_total{endpoint="recognize",status="503"} 35' in counted
    assert post(server.url).status_code == 200


def test_it_says_when_it_is_not_ready(serve: Callable[..., Any], recognizer: Recognizer) -> None:
    held = Held(recognizer)
    server = serve(held, limits=Limits(queue=1, **PATIENT))
    with ThreadPoolExecutor() as pool:
        asked = [pool.submit(post, server.url) for _ in range(2)]
        until(lambda: server.app.service.engine.waiting == 1)
        answer = httpx.get(f"{server.url}/readyz", timeout=60)
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
        assert httpx.get(f"{server.url}/healthz", timeout=60).status_code == 200  # alive nevertheless
        assert httpx.get(f"{server.url}/", timeout=60).status_code == 200
        held.go_on.set()
        assert [each.result().status_code for each in asked] == [200, 200]
    assert httpx.get(f"{server.url}/readyz", timeout=60).status_code == 200


def test_requests_of_clients_that_left_cost_nothing(
    serve: Callable[..., Any], recognizer: Recognizer
) -> None:
    held = Held(recognizer)
    server = serve(held, limits=Limits(queue=20, **PATIENT))
    engine = server.app.service.engine

    async def leave() -> None:
        async with httpx.AsyncClient(base_url=server.url, timeout=120) as client:
            requests = [asyncio.create_task(client.post("/v1/recognize", json=INK)) for _ in range(10)]
            await asyncio.to_thread(until, lambda: engine.waiting == 9)
            for request in requests:
                request.cancel()
            await asyncio.gather(*requests, return_exceptions=True)

    asyncio.run(leave())
    until(lambda: engine.waiting == 0)
    held.go_on.set()
    until(lambda: engine.running == 0)
    assert held.calls == 1


def test_the_log_holds_ink_only_when_asked(
    serve: Callable[..., Any], recognizer: Recognizer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for wanted in (False, True):
        caplog.clear()
        server = serve(recognizer, log_ink=wanted)
        ink = {"strokes": [[[0, 0], [9, 9.125]], [[0, 9], [9, 0]]]}
        assert httpx.post(f"{server.url}/v1/recognize?ink=9.125", json=ink, timeout=60).status_code == 200
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
        drip.settimeout(60)
        assert drip.recv(4000).startswith(b"HTTP/1.1 408")


def test_headers_that_come_too_slowly_are_given_up(
    serve: Callable[..., Any], recognizer: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocols, "HEADER_SECONDS", 0.3)
    server = serve(recognizer)
    with socket.create_connection(("127.0.0.1", server.port)) as drip:
        drip.sendall(b"GET / HTTP/1.1\r\nHost: local")
        drip.settimeout(60)
        assert drip.recv(100) == b""
    with socket.create_connection(("127.0.0.1", server.port)) as silent:
        silent.settimeout(60)
        assert silent.recv(100) == b""


def test_a_client_that_does_not_read_is_let_go(
    serve: Callable[..., Any], recognizer: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocols, "READING_SECONDS", 0.5)
    server = serve(recognizer)
    with socket.socket() as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.connect(("127.0.0.1", server.port))
        lazy.settimeout(60)
        request = b"GET /examples.json HTTP/1.1\r\nHost: localhost\r\n\r\n"

        def ask_on() -> None:
            end = time.monotonic() + 60
            while time.monotonic() < end:
                lazy.sendall(request)
                time.sleep(0.01)

        with pytest.raises(OSError, match=r"reset|pipe"):
            ask_on()
    assert httpx.get(f"{server.url}/healthz", timeout=60).status_code == 200


def test_the_loop_has_the_interpreter_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that computes beside it keeps it waiting several times in every request."""
    seen: list[float] = []

    class Server:
        def run(self, sockets: Any) -> None:
            seen.append(sys.getswitchinterval())

    class App:
        service = SimpleNamespace(held_up=False)

    before = sys.getswitchinterval()
    monkeypatch.setattr(running.signal, "signal", lambda *_: None)
    try:
        running._serve(Server(), App())  # type: ignore[arg-type]
    finally:
        sys.setswitchinterval(before)
    assert seen[0] <= 0.001
