"""A server to talk to: in this process for most tests, on a port of its own, with the real recogniser."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("fastapi", reason="the server needs inktex[serve]")
pytest.importorskip("uvicorn", reason="the server needs inktex[serve]")

from inktex.recognizer import Recognizer
from inktex.server import Limits, ServerOptions
from running_server import RunningServer, Strokes, page_examples


@pytest.fixture(scope="session")
def examples() -> dict[str, Strokes]:
    return page_examples()


@pytest.fixture(scope="session")
def server(recognizer: Recognizer) -> Iterator[RunningServer]:
    patient = Limits(seconds=100, body_seconds=100, file_seconds=30)  # on a busy machine too
    running = RunningServer(ServerOptions(log_level="debug", limits=patient), recognizer)
    yield running
    running.stop()


@pytest.fixture
def client(server: RunningServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=120) as made:
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
