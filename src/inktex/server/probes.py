"""Endpoints for monitoring: is the server alive, is it ready, what has it done?"""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, PlainTextResponse

from inktex.server.service import Service


def router(service: Service) -> APIRouter:
    """The three routes."""
    routes = APIRouter(tags=["watch"])

    @routes.head("/healthz", include_in_schema=False)
    @routes.get("/healthz", summary="Is the process alive?")
    async def healthz() -> JSONResponse:
        return JSONResponse({"status": "ok"})

    @routes.head("/readyz", include_in_schema=False)
    @routes.get(
        "/readyz",
        summary="Does it take requests?",
        responses={503: {"description": "Not now; try again after the seconds in Retry-After"}},
    )
    async def readyz() -> JSONResponse:
        if not service.ready:
            return JSONResponse({"status": "busy"}, 503, {"Retry-After": "1"})
        return JSONResponse({"status": "ready", "model": service.recognizer.model.info.name})

    @routes.head("/metrics", include_in_schema=False)
    @routes.get("/metrics", summary="Counters for Prometheus", response_class=PlainTextResponse)
    async def metrics() -> PlainTextResponse:
        return PlainTextResponse(
            service.metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8"
        )

    return routes
