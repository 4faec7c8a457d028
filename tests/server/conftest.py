"""A server to talk to: in this process for most tests, on a port of its own, with the real recogniser."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("fastapi", reason="the server needs inktex[serve]")
pytest.importorskip("uvicorn", reason="the server needs inktex[serve]")

import uvicorn

from inktex.recognizer import Recognizer
from inktex.runtime import ModelError
from inktex.server import Limits, ServerOptions, create_app
from inktex.server.app import STATIC, Application
from inktex.server.running import config_for

Strokes = list[list[list[float]]]


class RunningServer:
    """One server, in a thread of this process."""

    def __init__(self, options: ServerOptions, recognizer: Any) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.app: Application = create_app(options, recognizer=recognizer)
        self._server = uvicorn.Server(config_for(options, self.app))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listener]}, daemon=True)
        self._thread.start()
        for _ in range(600):
            if self._server.started:
                return
            time.sleep(0.05)
        raise RuntimeError("the server did not start")

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(15)


@pytest.fixture(scope="session")
def recognizer() -> Recognizer:
    try:
        return Recognizer()
    except ModelError as error:
        pytest.skip(f"no weights to recognise with: {error}")


@pytest.fixture(scope="session")
def examples() -> dict[str, Strokes]:
    """Ink that the project made, by what it says: the examples of the page."""
    entries = json.loads((STATIC / "examples.json").read_text(encoding="utf-8"))
    return {entry["latex"]: entry["strokes"] for entry in entries}


@pytest.fixture(scope="session")
def server(recognizer: Recognizer) -> Iterator[RunningServer]:
    running = RunningServer(ServerOptions(log_level="debug"), recognizer)
    yield running
    running.stop()


@pytest.fixture
def client(server: RunningServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=30) as made:
        yield made


@pytest.fixture
def serve() -> Iterator[Callable[..., RunningServer]]:
    """Start further servers, with other options or another recogniser."""
    started: list[RunningServer] = []

    def start(recognizer: Any, *, limits: Limits | None = None, **options: Any) -> RunningServer:
        server = RunningServer(ServerOptions(limits=limits or Limits(), **options), recognizer)
        started.append(server)
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def repository() -> Path:
    return Path(__file__).parents[2]
