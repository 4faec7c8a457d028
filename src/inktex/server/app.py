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
from inktex.ink import InkError
from inktex.recognizer import Recognizer
from inktex.server import api
from inktex.server.errors import MATHPIX_PATH, RequestError, in_words
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


class Application:
    """The ASGI callable: watch, then CORS where it was opened, then guard, then the routes."""

    def __init__(
        self,
        options: ServerOptions | None = None,
        *,
        recognizer: Recognizer | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        """The recogniser is loaded when the application starts, unless one is given."""
        options = options or ServerOptions()
        metrics = metrics or Metrics(SharedMetrics(1))
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
        for kind in (RequestError, RequestValidationError, HTTPException, InkError, UnicodeError, Exception):
            self.routes.add_exception_handler(kind, _answer_to)
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


create_app = Application


async def _answer_to(request: Request, error: Exception) -> Response:
    return _refusal(error, request.url.path).response(request.url.path)


def _refusal(error: Exception, path: str) -> RequestError:
    """Whatever went wrong, in the one shape that all errors have."""
    match error:
        case RequestError():
            return error
        case RequestValidationError():
            first = error.errors()[0]
            if first["type"] == "json_invalid":
                return RequestError(400, "not_json", "the body is not JSON")
            return RequestError(422, "misshapen", in_words(first["msg"], first["loc"][1:]))
        case HTTPException(status_code=400) if path == MATHPIX_PATH:  # not even text
            return RequestError(400, "not_json", "the body is not JSON")
        case HTTPException():
            codes = {404: "not_found", 405: "wrong_method", 400: "bad_request"}
            code = codes.get(error.status_code, "refused")
            return RequestError(error.status_code, code, str(error.detail), error.headers)
        case InkError():
            return RequestError(422, "unreadable_ink", str(error))
        case UnicodeError():
            return RequestError(422, "not_text", "a text in it is not UTF-8")
    return RequestError(500, "failed", "the server failed at this request; its log says more")
