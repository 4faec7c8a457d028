"""A server in a thread of this process, on a port of its own, and the ink to ask it with."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from inktex.server import ServerOptions, create_app
from inktex.server.app import Application
from inktex.server.pages import STATIC
from inktex.server.running import _listen, config_for
from inktex.server.worker import OrderlyServer

Strokes = list[list[list[float]]]


def until(condition: Callable[[], object], seconds: float = 120.0) -> None:
    """Wait for a condition, as long as a busy machine may need."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "this did not happen"
        time.sleep(0.02)


class RunningServer:
    """Runs until it is stopped."""

    def __init__(self, options: ServerOptions, recognizer: Any, port: int = 0) -> None:
        listener = _listen(replace(options, port=port))
        self.port: int = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.app: Application = create_app(options, recognizer=recognizer)
        self._server = OrderlyServer(config_for(options, self.app))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listener]}, daemon=True)
        self._thread.start()
        until(lambda: self._server.started)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(60)


def page_examples() -> dict[str, Strokes]:
    """Ink that the project made, by what it says: the examples of the page."""
    entries = json.loads((STATIC / "examples.json").read_text(encoding="utf-8"))
    return {entry["latex"]: entry["strokes"] for entry in entries}
