"""What is not the API: probes for monitoring, the page, and what a browser needs to read ink by itself.

The page asks for the model and the runtime when this server answers late. A server with a token keeps its
model to itself.
"""

import gzip
from functools import cache, partial
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles

from inktex.server.errors import RequestError
from inktex.server.service import Service

STATIC = Path(__file__).parent / "static"
RUNTIME = "ort-wasm-simd-threaded.wasm"
FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}
# Of the script that compiles the runtime; the page itself may not.
WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"


def add_probes(routes: FastAPI, service: Service) -> None:
    """Is the server alive, is it ready, what has it done?"""
    probe, head = partial(routes.get, tags=["watch"]), partial(routes.head, include_in_schema=False)

    @head("/healthz")
    @probe("/healthz", summary="Is the process alive?")
    async def healthz() -> JSONResponse:
        return JSONResponse({"status": "ok"})

    @head("/readyz")
    @probe(
        "/readyz",
        summary="Does it take requests?",
        responses={503: {"description": "Not now; try again after the seconds in Retry-After"}},
    )
    async def readyz() -> JSONResponse:
        if not service.ready:
            return JSONResponse({"status": "busy"}, 503, {"Retry-After": "1"})
        return JSONResponse({"status": "ready", "model": service.recognizer.model.info.name})

    @head("/metrics")
    @probe("/metrics", summary="Counters for Prometheus", response_class=PlainTextResponse)
    async def metrics() -> PlainTextResponse:
        kind = "text/plain; version=0.0.4; charset=utf-8"
        return PlainTextResponse(service.metrics.render(), media_type=kind)


def add_pages(routes: FastAPI, service: Service) -> None:
    """The files of the page; none of them is part of the API."""
    file = partial(routes.api_route, methods=["GET", "HEAD"], include_in_schema=False)

    @file("/device.json")
    async def described() -> JSONResponse:
        _, name = _model(service)
        return JSONResponse({"model": service.recognizer.model.info.name, "file": f"device/{name}"})

    @file("/device/{name}")
    async def model(name: str) -> FileResponse:
        path, own = _model(service)
        if name != own:
            raise RequestError(404, "not_found", "this server reads with another model")
        return FileResponse(path, media_type="application/octet-stream", headers=FOR_GOOD)

    @file("/js/worker.js")
    async def worker() -> FileResponse:
        policy = {"Content-Security-Policy": WORKER_POLICY}
        return FileResponse(STATIC / "js" / "worker.js", media_type="text/javascript", headers=policy)

    @file(f"/js/{RUNTIME}")
    async def runtime(request: Request) -> Response:
        if "gzip" in request.headers.get("accept-encoding", ""):
            packed = {"Content-Encoding": "gzip"}
            return Response(_compressed(), media_type="application/wasm", headers=packed)
        return Response(gzip.decompress(_compressed()), media_type="application/wasm")

    @file("/docs")
    async def docs() -> FileResponse:
        return FileResponse(STATIC / "docs.html")

    routes.mount("/", StaticFiles(directory=STATIC, html=True), name="page")


def _model(service: Service) -> tuple[Path, str]:
    """The model file, if everybody may have it; another model has another name, so browsers may keep it."""
    model = service.recognizer.model
    sources = model.sources
    one_file = len(sources) == 1 and sources[0].endswith(".inktex") and not model.info.team
    if service.options.token is not None or not one_file:
        raise RequestError(404, "not_found", "this server does not give its model away")
    path = Path(sources[0])
    return path, f"{path.stem}-{model.info.sha256[:12]}.inktex"


@cache
def _compressed() -> bytes:
    return (STATIC / "runtime" / f"{RUNTIME}.gz").read_bytes()
