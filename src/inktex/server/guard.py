"""Access control: an ASGI layer that checks requests before anything reads them.

A request or WebSocket handshake passes if it uses a host name of the server, comes from the server's own
page or an allowed origin, carries the token if there is one, and has a type and size that the endpoint
accepts. The whole body is read here, within a limit of size and time, so that a slow or huge one never
reaches the recogniser. A full queue is reported as soon as the headers are there (`refusal`), or else before
any of the body is parsed.
"""

import asyncio
import hmac
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inktex.server.errors import RequestError, busy
from inktex.server.options import ServerOptions
from inktex.server.service import Service

BEARER_PROTOCOL = "bearer."  # pages cannot set headers on a WebSocket; they offer the token as a protocol
SESSION_PROTOCOL = "inktex.v1"
_SKIPPED = 16  # times the limit: so much of a body that is too large is read before the answer


@dataclass(frozen=True)
class Route:
    """What the guard knows of a path."""

    endpoint: str  # its name in the metrics
    content_type: str | None = None  # of the body
    token: bool = True  # whether it is for holders of the token only
    works: bool = False  # whether it asks the recogniser


ROUTES = {
    "/v1/recognize": Route("recognize", "application/json", works=True),
    "/v1/symbol": Route("symbol", "application/json", works=True),
    "/v1/recognize/file": Route("file", "multipart/form-data", works=True),
    "/v1/ink": Route("ink", "multipart/form-data"),
    "/v1/render": Route("render", "application/json"),
    "/v3/strokes": Route("strokes", "application/json", works=True),
    "/v1/session": Route("session"),
    "/metrics": Route("other"),
}
OPEN_ROUTE = Route("page", token=False)
PROBE_ROUTE = Route("other", token=False)


def route_of(path: str) -> Route:
    """What is known of a path; all others are the page and its files, which hold no secret."""
    return ROUTES.get(path) or (PROBE_ROUTE if path in ("/healthz", "/readyz") else OPEN_ROUTE)


class Guard:
    """The checks, around the application."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app = app
        self.service = service
        self.options = service.options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        route = route_of(scope["path"])
        headers = Headers(scope=scope)
        is_http = scope["type"] == "http"
        try:
            _check_names(self.options, headers)
            _check_token(self.options, route, headers)
            if is_http:
                _check_method(route, scope["method"])
            elif route.endpoint != "session":
                raise RequestError(404, "not_found", "live sessions are at /v1/session")
            if is_http and scope["method"] == "POST":
                _check_type(route, headers)
                body = await self._read(headers, receive)
                if route.works and self.service.engine.full:
                    raise busy(self.service.engine.expected_wait)
                receive = _replay(body, receive)
        except RequestError as error:
            if not is_http:
                await receive()
                if "websocket.http.response" not in scope.get("extensions", {}):  # it becomes a plain 403
                    await send({"type": "websocket.close", "code": 1008, "reason": error.code})
                    return
            await error.response(scope["path"] if is_http else "")(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def refusal(self, path: str, raw_headers: list[tuple[bytes, bytes]]) -> RequestError | None:
        """What a POST gets at once because too many wait; None: it is looked at as usual.

        Under overload this is what most requests get, so it does as little as possible.
        """
        engine = self.service.engine
        refused = engine.full and waits_for_recognizer(self.options, path, raw_headers)
        return busy(engine.expected_wait) if refused else None

    async def _read(self, headers: Headers, receive: Receive) -> bytes:
        limits = self.options.limits
        declared = headers.get("content-length", "0")
        if not _is_number(declared):
            raise RequestError(400, "bad_length", "Content-Length must be a number")
        if int(declared) > _SKIPPED * limits.body_bytes:
            raise _too_large(limits.body_bytes)
        body, size = bytearray(), 0
        try:
            async with asyncio.timeout(limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise RequestError(499, "gone", "the client left before its request was complete")
                    part = message.get("body", b"")
                    size += len(part)
                    if size <= limits.body_bytes:
                        body += part
                    ended = not message.get("more_body", False)
                    # What is too large is passed over to its end: who still sends does not read the answer.
                    if size > limits.body_bytes and (ended or size > _SKIPPED * limits.body_bytes):
                        raise _too_large(limits.body_bytes)
                    if ended:
                        return bytes(body)
        except TimeoutError:
            slow = f"the request was not complete after {limits.body_seconds:g} s"
            raise RequestError(408, "slow_request", slow, {"Connection": "close"}) from None


def waits_for_recognizer(options: ServerOptions, path: str, raw_headers: list[tuple[bytes, bytes]]) -> bool:
    """Whether a POST asks the recogniser, and its headers give no other reason to refuse it."""
    route = route_of(path)
    if not route.works:
        return False
    headers = Headers(raw=raw_headers)
    length = headers.get("content-length", "")
    if not _is_number(length) or int(length) > options.limits.body_bytes:
        return False
    if "origin" in headers and options.origins:  # the answer needs headers for the browser
        return False
    try:
        _check_names(options, headers)
        _check_token(options, route, headers)
        _check_type(route, headers)
    except RequestError:
        return False
    return True


def _check_names(options: ServerOptions, headers: Headers) -> None:
    # Starlette's TrustedHostMiddleware knows no numeric addresses, no IPv6, and no shape of our errors.
    host = headers.get("host", "").lower()
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if not options.is_called(name) or len(headers.getlist("host")) > 1:
        raise RequestError(421, "unknown_host", "unknown host name; allow it with --allow-host")
    origins = headers.getlist("origin")
    if not all(origin in options.origins or _host_of(origin) == host for origin in origins):
        foreign = "requests from other origins are not allowed; allow one with --cors"
        raise RequestError(403, "foreign_origin", foreign)


def _check_token(options: ServerOptions, route: Route, headers: Headers) -> None:
    token = options.token
    if token is None or not route.token:
        return
    if not any(hmac.compare_digest(given, token.encode()) for given in _given_tokens(route, headers)):
        needs = "this server needs a token: Authorization: Bearer …"
        raise RequestError(401, "unauthorized", needs, {"WWW-Authenticate": 'Bearer realm="inktex"'})


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()  # there are digits, as ², of which int makes nothing


def _host_of(origin: str) -> str | None:
    try:
        parts = urlsplit(origin)
    except ValueError:  # as of http://[
        return None
    return parts.netloc.lower() if parts.scheme in ("http", "https") else None


def _too_large(limit: int) -> RequestError:
    most = f"a request may have {limit // 1024} KB; send fewer points, or one expression at a time"
    return RequestError(413, "too_large", most, {"Connection": "close"})


def _check_method(route: Route, method: str) -> None:
    allowed = ("POST",) if route.content_type is not None else ("GET", "HEAD")
    if method not in allowed:
        takes = f"this address takes {allowed[0]}"
        raise RequestError(405, "wrong_method", takes, {"Allow": ", ".join(allowed)})


def _check_type(route: Route, headers: Headers) -> None:
    given = headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != route.content_type:
        takes = f"this endpoint takes {route.content_type}, not {given[:60] or 'nothing'}"
        raise RequestError(415, "wrong_type", takes)


def _given_tokens(route: Route, headers: Headers) -> list[bytes]:
    scheme, _, value = headers.get("authorization", "").partition(" ")
    given = [value.strip()] if scheme.lower() == "bearer" else []
    if route.endpoint == "strokes":
        given.append(headers.get("app_key", ""))
    if route.endpoint == "session":
        offered = [name.strip() for name in headers.get("sec-websocket-protocol", "").split(",")]
        given += [name[len(BEARER_PROTOCOL) :] for name in offered if name.startswith(BEARER_PROTOCOL)]
    return [value.encode("latin-1", errors="replace") for value in given]


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body once, then whatever comes after it (that the client left)."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
