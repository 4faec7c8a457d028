"""Builds the ASGI application: the page, the API, and the middleware around both."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from inktex import __version__
from inktex.recognizer import Recognizer
from inktex.server import api
from inktex.server.errors import MATHPIX_PATH, RequestError, mathpix_problem
from inktex.server.guard import Guard
from inktex.server.metrics import Metrics, SharedMetrics
from inktex.server.options import ServerOptions
from inktex.server.pages import add_pages, add_probes
from inktex.server.service import Service
from inktex.server.session import LiveSession
from inktex.server.watch import Watch, count_request

log = logging.getLogger("inktex.server")

_WARM_UP = [[(0.0, 0.0), (6.0, 9.0), (12.0, 0.0)], [(0.0, 5.0), (12.0, 5.0)]]

DESCRIPTION = """Pen strokes of a mathematical expression in, LaTeX out.

Live writing goes over a WebSocket at `/v1/session`; its messages are described in `docs/server.md`."""


def create_app(
    options: ServerOptions | None = None,
    *,
    recognizer: Recognizer | None = None,
    shared: SharedMetrics | None = None,
) -> "Application":
    """Build the application; the recogniser is loaded when it starts, unless one is given."""
    return Application(options or ServerOptions(), Metrics(shared or SharedMetrics(1)), recognizer)


class Application:
    """The ASGI callable: watch, then CORS where it was opened, then guard, then the routes."""

    def __init__(self, options: ServerOptions, metrics: Metrics, recognizer: Recognizer | None) -> None:
        self.service = Service(options, metrics)
        self._given = recognizer
        self.routes = FastAPI(
            title="inktex",
            version=__version__,
            description=DESCRIPTION,
            lifespan=self._lifespan,
            docs_url=None,
            redoc_url=None,
            openapi_url="/openapi.json",
        )
        _handle_errors(self.routes)
        self.routes.include_router(api.router(self.service))
        add_probes(self.routes, self.service)

        @self.routes.websocket("/v1/session")
        async def session(socket: WebSocket) -> None:
            await LiveSession(socket, self.service).serve()

        add_pages(self.routes, self.service)
        self._guard = Guard(self.routes, self.service)
        guarded: ASGIApp = self._guard
        if options.origins:
            guarded = CORSMiddleware(
                guarded,
                allow_origins=options.origins,
                allow_methods=["GET", "POST"],
                allow_headers=["Authorization", "Content-Type", "app_id", "app_key"],
                expose_headers=["Retry-After"],
            )
        self._app = Watch(guarded, metrics)

    def refusal(self, path: str, headers: list[tuple[bytes, bytes]]) -> RequestError | None:
        """What a POST gets at once, without passing through all of this; counted like any other answer."""
        error = self._guard.refusal(path, headers)
        if error is not None:
            count_request(self.service.metrics, "POST", path, error.status, 0.0, 0)
        return error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    @asynccontextmanager
    async def _lifespan(self, routes: FastAPI) -> AsyncIterator[None]:
        del routes
        self.service.loaded = await anyio.to_thread.run_sync(self._loaded)
        try:
            await anyio.to_thread.run_sync(self.service.sandbox.start)
        except OSError as error:  # the machine is very busy; the first upload tries again
            log.warning("%s", error)
        yield
        self.service.close()

    def _loaded(self) -> Recognizer:
        """Load and use it once, so that the first client does not wait for what is made on first use."""
        options = self.service.options
        recognizer = self._given or Recognizer(options.model, beam=options.beam)
        recognizer.recognize(_WARM_UP)
        recognizer.between_steps = self.service.engine.breathe
        return recognizer


def _handle_errors(routes: FastAPI) -> None:
    """All that goes wrong in one shape; to clients of Mathpix in theirs."""

    @routes.exception_handler(RequestError)
    async def refused(request: Request, error: RequestError) -> Response:
        return error.response(request.url.path)

    @routes.exception_handler(RequestValidationError)
    async def misshapen(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        status, code, name = 422, "misshapen", "strokes_syntax_error"
        message = f"{place}: {first['msg']}" if place else first["msg"]
        if first["type"] == "json_invalid":
            status, code, name, message = 400, "not_json", "json_syntax", "the body is not JSON"
        if request.url.path == MATHPIX_PATH:
            return mathpix_problem(name, message)
        return RequestError(status, code, message).response()

    @routes.exception_handler(HTTPException)
    async def plain(request: Request, error: HTTPException) -> Response:
        if error.status_code == 400 and request.url.path == MATHPIX_PATH:  # not even text
            return mathpix_problem("json_syntax", "the body is not JSON")
        code = {404: "not_found", 405: "wrong_method", 400: "bad_request"}.get(error.status_code, "refused")
        refused = RequestError(error.status_code, code, str(error.detail), dict(error.headers or {}))
        return refused.response(request.url.path)

    @routes.exception_handler(UnicodeError)
    async def not_text(request: Request, error: UnicodeError) -> Response:
        return RequestError(422, "not_text", "a text in it is not UTF-8").response(request.url.path)

    @routes.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        fault = RequestError(500, "failed", "the server failed at this request; its log says more")
        return fault.response(request.url.path)
