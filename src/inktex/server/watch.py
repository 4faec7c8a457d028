"""Logs and counts every request, and adds headers to every answer.

The log line contains method, path, status, duration and size. It never contains ink or a query string. With
`--log-ink` the recognition endpoints log ink themselves.
"""

import asyncio
import logging
from http import HTTPStatus
from time import perf_counter

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inktex.server.errors import RequestError
from inktex.server.guard import route_of
from inktex.server.metrics import Metrics
from inktex.server.worker import ANSWERING

log = logging.getLogger("inktex.server")

# Everything the page needs comes from this server; nothing is written into it that could run.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}


class Watch:
    """Headers, log and metrics, around everything."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        begun = perf_counter()
        status, size, counted = 0, 0, False

        def count() -> None:
            nonlocal counted
            if not counted:
                counted = True
                seconds, method = perf_counter() - begun, scope.get("method", "WS")
                count_request(self.metrics, method, scope["path"], status or 499, seconds, size)

        async def watched(message: Message) -> None:
            nonlocal status, size
            kind = message["type"]
            if kind in ("http.response.start", "websocket.http.response.start"):
                status = message["status"]
                _add_headers(message, scope["path"])
                if "inktex.note" in scope:
                    scope["inktex.note"](ANSWERING)
            elif kind == "websocket.accept":
                status = 101
            elif kind == "websocket.close" and not status:
                status = 403
            elif kind == "http.response.body":
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    count()  # who has the answer finds it counted, whichever process is asked
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except asyncio.CancelledError:  # the server ends, and its grace is over
            if scope["type"] != "http" or status:
                raise
            stopping = "the server is stopping; try again"
            refusal = RequestError(503, "stopping", stopping, {"Retry-After": "1"})
            await refusal.response(scope["path"])(scope, receive, watched)
        except Exception as error:
            status = status or 500
            # Messages of exceptions may hold values; the type says that something is wrong.
            path, kind, detail = scope["path"][:80], type(error).__name__, log.isEnabledFor(logging.DEBUG)
            log.error("%s failed: %s", path, kind, exc_info=detail)
            if scope["type"] == "http" and not size:
                raise
        finally:
            count()


def count_request(metrics: Metrics, method: str, path: str, status: int, seconds: float, size: int) -> None:
    route = route_of(path)
    metrics.request(route.endpoint, status, seconds)
    if status == 503 and route.content_type is not None:  # here, since several places refuse
        metrics.add("shed")
    shown = ascii(path[:80])[1:-1]
    log.info("%s %s %d %.1f ms %d bytes", method, shown, status, seconds * 1000, size)


def _add_headers(message: Message, path: str) -> None:
    headers = MutableHeaders(scope=message)
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    # Programs' answers are never kept; the page's files are asked for again and mostly answered 304.
    is_answer = path.startswith(("/v1/", "/v3/", "/metrics"))
    headers.setdefault("Cache-Control", "no-store" if is_answer else "no-cache")


def raw_response(error: RequestError, path: str = "", *, close: bool = True) -> bytes:
    """An error as it goes over the wire, for where no application is in between."""
    response = error.response(path)
    headers = {**HEADERS, "Cache-Control": "no-store", "Connection": "close" if close else "keep-alive"}
    lines = [f"{name}: {value}" for name, value in [*headers.items(), *response.headers.items()]]
    head = [f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}", *lines, "", ""]
    return "\r\n".join(head).encode("latin-1") + bytes(response.body)
