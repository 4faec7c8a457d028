"""What a browser needs to read ink by itself: the model and the runtime, where they may be given away.

The page asks for them when this server answers late. A server with a token keeps its model to itself.
"""

import gzip
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, JSONResponse, Response

from inktex.server.errors import RequestError
from inktex.server.service import Service

RUNTIME = "ort-wasm-simd-threaded.wasm"
FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}
# Of the script that compiles the runtime; the page itself may not.
WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"


def router(service: Service, static: Path) -> APIRouter:
    """The routes; none of them is part of the API."""
    routes = APIRouter(include_in_schema=False)

    @routes.api_route("/device.json", methods=["GET", "HEAD"])
    async def described() -> JSONResponse:
        model = _model(service)
        return JSONResponse(
            {"model": service.recognizer.model.info.name, "file": f"device/{_name(service, model)}"}
        )

    @routes.api_route("/device/{name}", methods=["GET", "HEAD"])
    async def model(name: str) -> FileResponse:
        path = _model(service)
        if name != _name(service, path):
            raise RequestError(404, "not_found", "this server reads with another model")
        return FileResponse(path, media_type="application/octet-stream", headers=FOR_GOOD)

    @routes.api_route("/js/worker.js", methods=["GET", "HEAD"])
    async def worker() -> FileResponse:
        return FileResponse(
            static / "js" / "worker.js",
            media_type="text/javascript",
            headers={"Content-Security-Policy": WORKER_POLICY},
        )

    @routes.api_route(f"/js/{RUNTIME}", methods=["GET", "HEAD"])
    async def runtime(request: Request) -> Response:
        content = _compressed(static)
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(content, media_type="application/wasm", headers={"Content-Encoding": "gzip"})
        return Response(gzip.decompress(content), media_type="application/wasm")

    del described, model, worker, runtime
    return routes


def _model(service: Service) -> Path:
    """The model file, if there is one and everybody may have it."""
    model = service.recognizer.model
    sources = model.sources
    one_file = len(sources) == 1 and sources[0].endswith(".inktex") and not model.info.team
    if service.options.token is not None or not one_file:
        raise RequestError(404, "not_found", "this server does not give its model away")
    return Path(sources[0])


def _name(service: Service, path: Path) -> str:
    """Another model has another name, so that browsers may keep it."""
    return f"{path.stem}-{service.recognizer.model.info.sha256[:12]}.inktex"


@cache
def _compressed(static: Path) -> bytes:
    return (static / "runtime" / f"{RUNTIME}.gz").read_bytes()
