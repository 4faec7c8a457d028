"""When too many wait, the next is told so as soon as its headers are there: nothing else is done for it."""

import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from test_overload import INK, PATIENT, Held, post

from inktex.recognizer import Recognizer
from inktex.server import Limits
from inktex.server.guard import Guard
from running_server import until

TOKEN = "a-good-long-token"


@contextmanager
def overloaded(serve: Callable[..., Any], recognizer: Recognizer, **options: Any) -> Iterator[Any]:
    """A server that has as much to do as it takes on: one call runs, one waits."""
    held = Held(recognizer)
    server = serve(held, limits=Limits(queue=1, **PATIENT), **options)
    headers = {"Authorization": f"Bearer {options.get('token')}"}
    with ThreadPoolExecutor(2) as pool:
        asked = [
            pool.submit(httpx.post, f"{server.url}/v1/recognize", json=INK, headers=headers, timeout=120)
            for _ in range(2)
        ]
        until(lambda: server.app.service.engine.full)
        try:
            yield server
        finally:
            held.go_on.set()
        assert [each.result().status_code for each in asked] == [200, 200]


@pytest.mark.parametrize("path", ["/v1/recognize", "/v1/symbol", "/v3/strokes"])
def test_nothing_is_done_for_a_request_that_is_refused(
    serve: Callable[..., Any], recognizer: Recognizer, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    looked_at: list[str] = []
    real = Guard.__call__

    async def noted(self: Guard, scope: Any, receive: Any, send: Any) -> None:
        looked_at.append(scope.get("path", ""))
        await real(self, scope, receive, send)

    with overloaded(serve, recognizer) as server:
        monkeypatch.setattr(Guard, "__call__", noted)
        with httpx.Client(base_url=server.url, timeout=120) as client:
            for _ in range(20):
                answer = client.post(path, json=INK)
                assert answer.status_code == 503
                assert int(answer.headers["retry-after"]) >= 1
                assert answer.headers["x-content-type-options"] == "nosniff"
                assert answer.json()["error"]
            assert looked_at == []
            counted = client.get("/metrics").text
        assert "inktex_shed_total 20" in counted
        endpoint = path.rpartition("/")[2]
        assert f'inktex_requests_total{{endpoint="{endpoint}",status="503"}} 20' in counted


def test_the_connection_goes_on_after_a_refusal(serve: Callable[..., Any], recognizer: Recognizer) -> None:
    with overloaded(serve, recognizer) as server, Wire(server.port) as wire:
        head, body = request()
        for _ in range(3):
            wire.say(head + body[:5])
            assert wire.is_silent()  # who still sends does not read
            wire.say(body[5:])
            assert wire.hear() == 503
        wire.say(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert wire.hear() == 200
        wire.say(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") + body)
        assert wire.hear() == 503
        assert wire.file.read(1) == b""  # as it asked for
    with Wire(server.port) as wire:
        wire.say(head + body)
        assert wire.hear() == 200


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (421, {"Host": "evil.example"}),
        (403, {"Origin": "https://evil.example"}),
        (401, {"Authorization": "Bearer wrong"}),
        (415, {"Content-Type": "text/plain"}),
        (413, {"Content-Length": str(100 * 2**20)}),
        (503, {"Origin": "https://good.example"}),
        (503, {}),
    ],
)
def test_what_is_wrong_with_a_request_is_said_also_when_it_is_full(
    serve: Callable[..., Any], recognizer: Recognizer, status: int, headers: dict[str, str]
) -> None:
    options = {"token": TOKEN, "origins": ("https://good.example",)}
    with overloaded(serve, recognizer, **options) as server, Wire(server.port) as wire:
        head, body = request({"Authorization": f"Bearer {TOKEN}", **headers})
        wire.say(head + body)
        assert wire.hear() == status
        if "good" in headers.get("Origin", ""):
            assert wire.headers["access-control-allow-origin"] == "https://good.example"


def test_others_are_answered_while_it_is_full(serve: Callable[..., Any], recognizer: Recognizer) -> None:
    with overloaded(serve, recognizer) as server:
        assert httpx.get(f"{server.url}/healthz", timeout=60).status_code == 200
        rendered = httpx.post(f"{server.url}/v1/render", json={"latex": "x"}, timeout=60)
        assert rendered.status_code == 200
        assert post(server.url).status_code == 503


def request(headers: dict[str, str] | None = None) -> tuple[bytes, bytes]:
    """Head and body of a request to recognise."""
    body = json.dumps(INK).encode()
    all_headers = {
        "Host": "localhost",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        **(headers or {}),
    }
    lines = [f"{name}: {value}" for name, value in all_headers.items()]
    return "\r\n".join(["POST /v1/recognize HTTP/1.1", *lines, "", ""]).encode(), body


class Wire:
    """A connection, with what is said on it as it is."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.file = self.socket.makefile("rb")
        self.headers: dict[str, str] = {}

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self.socket.close()

    def say(self, data: bytes) -> None:
        self.socket.sendall(data)

    def is_silent(self) -> bool:
        self.socket.settimeout(0.2)
        try:
            return not self.socket.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            return True
        finally:
            self.socket.settimeout(120)

    def hear(self) -> int:
        """The status of the next answer."""
        status = self.file.readline()
        self.headers = {}
        while line := self.file.readline().strip().decode():
            name, _, value = line.partition(": ")
            self.headers[name.lower()] = value
        self.file.read(int(self.headers["content-length"]))
        return int(status.split()[1])
