"""Starts and stops the server.

This process opens the port and hands connections to the workers, also if there is only one (dispatch.py): a
process that recognizes is too slow to refuse. On SIGTERM or Ctrl+C no new connections are accepted, current
requests are answered, then the processes end. Windows cannot hand over connections; there, one process does
everything.
"""

import logging
import math
import os
import signal
import socket
import sys
import webbrowser
from dataclasses import replace
from functools import partial
from threading import Timer
from typing import Any

import uvicorn

from inktex.recognizer import Recognizer
from inktex.server.app import Application, create_app
from inktex.server.dispatch import CONNECTIONS, Dispatcher
from inktex.server.metrics import Metrics
from inktex.server.options import ServerOptions
from inktex.server.protocols import PatientHttp, PatientWebSocket
from inktex.server.worker import OrderlyServer, Places, Worker

KEEP_ALIVE_SECONDS = 30
# A thread that computes keeps the interpreter so long from the one that serves, each time that has waited
# for the network: by default 5 ms, several times in every request.
SWITCH_SECONDS = 0.0005
BACKLOG = 1024


def run(options: ServerOptions, *, open_page: bool = False) -> None:
    """Serve until told to stop; OSError or ValueError with advice if it cannot begin."""
    if options.workers > 1 and not hasattr(socket, "send_fds"):
        raise ValueError("several workers need Linux or macOS; use --workers 1")
    # Loading first: what is wrong with the model is said once, before any process is started.
    recognizer = Recognizer(options.model, beam=options.beam)
    name = recognizer.model.info.name
    listener = _listen(options)
    options = replace(options, port=listener.getsockname()[1])
    _set_up_log(options)
    count = "one process" if options.workers == 1 else f"{options.workers} processes"
    print(f"inktex: write at {options.address} (model {name}, {count}; Ctrl+C ends it)", file=sys.stderr)
    if not options.loopback and options.token is None:
        everyone = "everyone who reaches this machine can use it"
        print(f"inktex: {everyone}; set a token with --token", file=sys.stderr)
    if open_page:
        Timer(1.0, webbrowser.open, [options.address]).start()
    _allow_handles()
    if not hasattr(socket, "send_fds"):
        app = create_app(options, recognizer=recognizer)
        _serve(OrderlyServer(config_for(options, app)), app, [listener])
        return
    del recognizer
    code = Dispatcher(listener, options, _work).run()
    if code:
        raise SystemExit(code)


def _serve(server: uvicorn.Server, app: Application, listeners: list[socket.socket] | None = None) -> None:
    """Serve until told to end; a second signal changes nothing, a thread that was given up is not awaited."""
    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn ends in order and then raises the signal once more; by then all is done.
        signal.signal(number, signal.SIG_IGN)
    sys.setswitchinterval(SWITCH_SECONDS)
    server.run(sockets=listeners)
    if app.service.held_up:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _work(options: ServerOptions, control: socket.socket, places: Places, number: int) -> None:
    _set_up_log(options)
    app = create_app(options, metrics=Metrics(places.metrics, number))
    app.service.tell_room = partial(places.tell_room, number)
    _serve(Worker(config_for(options, app), control, places, number), app)


def config_for(options: ServerOptions, app: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="asyncio",
        http=PatientHttp,
        ws=PatientWebSocket,
        ws_max_size=options.limits.body_bytes,
        ws_per_message_deflate=False,  # on loopback, compressing costs more than it saves
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=math.ceil(options.grace_seconds),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
    )


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
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # its connections inherit it
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise OSError(
            f"port {options.port} on {options.host} cannot be used ({error.strerror or error}); "
            "choose another with --port, or --port 0 for any free one"
        ) from None
    listener.listen(BACKLOG)  # who comes before the workers are ready waits instead of being refused
    listener.set_inheritable(True)
    return listener


def _allow_handles() -> None:
    """Let each process hold all connections that the server takes: the usual 1024 are soon used up."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = CONNECTIONS + 1024
        if soft != resource.RLIM_INFINITY and soft < wanted:
            wanted = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _set_up_log(options: ServerOptions) -> None:
    level = options.log_level.upper()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s", force=True)
    logging.getLogger("inktex.server").setLevel(level)
    logging.getLogger("uvicorn.error").setLevel("WARNING" if level == "INFO" else level)
