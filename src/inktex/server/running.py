"""Start and stop: options in, a server that runs until it is told to end.

With several workers, a parent process opens the port and starts that many processes, which all accept from
it; the parent starts a new one where one dies. On SIGTERM or Ctrl+C no new connections are accepted, requests
under way are answered, then the processes end.
"""

import logging
import signal
import socket
import sys
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Timer
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from inktex.recognizer import Recognizer
from inktex.server.app import Application, create_app
from inktex.server.metrics import SharedMetrics
from inktex.server.options import ServerOptions
from inktex.server.protocols import PatientHttp, PatientWebSocket

KEEP_ALIVE_SECONDS = 30
BACKLOG = 1024


def run(
    options: ServerOptions,
    *,
    open_page: bool = False,
    say: Callable[[str], None] = lambda text: print(text, file=sys.stderr),
) -> None:
    """Serve until told to stop; OSError or ValueError with advice if it cannot begin."""
    # Loading first: what is wrong with the model is said once, before any process is started.
    recognizer = Recognizer(options.model, beam=options.beam)
    name = recognizer.model.info.name
    listener = _listen(options)
    options = replace(options, port=listener.getsockname()[1])
    shared = SharedMetrics(options.workers)
    _set_up_log(options)
    say(f"inktex: write at {options.address} (model {name}, {_count(options.workers)}; Ctrl+C ends it)")
    if not options.loopback and options.token is None:
        say("inktex: everyone who reaches this machine can use it; set a token with --token")
    if open_page:
        Timer(1.0, webbrowser.open, [options.address]).start()
    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn ends in order and then raises the signal once more; by then all is done.
        signal.signal(number, lambda *ignored: None)
    if options.workers == 1:
        app = create_app(options, recognizer=recognizer, shared=shared)
        uvicorn.Server(config_for(options, app)).run(sockets=[listener])
        return
    del recognizer
    config = config_for(options, partial(_worker_app, options, shared), factory=True)
    Multiprocess(config, sockets=[listener]).run()


def config_for(options: ServerOptions, app: Any, *, factory: bool = False) -> uvicorn.Config:
    """How uvicorn serves the application."""
    return uvicorn.Config(
        app,
        factory=factory,
        workers=options.workers,
        loop="asyncio" if options.workers == 1 else "inktex.server.loops:SharingLoop",
        http=PatientHttp,
        ws=PatientWebSocket,
        ws_max_size=options.limits.body_bytes,
        ws_per_message_deflate=False,  # on loopback, compressing costs more than it saves
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=round(options.grace_seconds),
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        proxy_headers=False,
        lifespan="on",
    )


def _worker_app(options: ServerOptions, shared: SharedMetrics) -> Application:
    """What each worker process serves (called there)."""
    _set_up_log(options)
    return create_app(options, shared=shared)


def _listen(options: ServerOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        address = socket.getaddrinfo(options.host, options.port, family, socket.SOCK_STREAM)[0][4]
    except socket.gaierror:
        raise OSError(f"{options.host}: not an address of this machine; try --host 127.0.0.1") from None
    # The protocol is named because only then asyncio sends small packets at once (TCP_NODELAY): head and body
    # of an answer are two, and the second would wait 40 ms for the client to acknowledge the first.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise OSError(
            f"port {options.port} on {options.host} cannot be used ({reason}); "
            "choose another with --port, or --port 0 for any that is free"
        ) from None
    listener.listen(BACKLOG)  # who comes before the workers are ready waits instead of being refused
    listener.set_inheritable(True)
    return listener


def _set_up_log(options: ServerOptions) -> None:
    level = options.log_level.upper()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s", force=True)
    for name in ("inktex.server", "uvicorn.error"):
        logging.getLogger(name).setLevel(level)
    if level == "INFO":
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)


def _count(workers: int) -> str:
    return "one process" if workers == 1 else f"{workers} processes"
