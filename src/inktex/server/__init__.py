"""The HTTP and WebSocket server with its web page.

`create_app(options)` is the ASGI application, `run(options)` serves it (what `inktex serve` does).
"""

from inktex.server.app import create_app
from inktex.server.options import Limits, ServerOptions
from inktex.server.running import run

__all__ = ["Limits", "ServerOptions", "create_app", "run"]
