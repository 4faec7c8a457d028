"""A server in a thread of this process, on a port of its own, and the ink to ask it with."""

import json
import socket
import threading
import time
from typing import Any

import uvicorn

from inktex.server import ServerOptions, create_app
from inktex.server.app import STATIC, Application
from inktex.server.running import config_for

Strokes = list[list[list[float]]]


class RunningServer:
    """Runs until it is stopped."""

    def __init__(self, options: ServerOptions, recognizer: Any, port: int = 0) -> None:
        listener = socket.create_server(("127.0.0.1", port))
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


def page_examples() -> dict[str, Strokes]:
    """Ink that the project made, by what it says: the examples of the page."""
    entries = json.loads((STATIC / "examples.json").read_text(encoding="utf-8"))
    return {entry["latex"]: entry["strokes"] for entry in entries}
