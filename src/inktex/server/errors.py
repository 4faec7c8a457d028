"""Error responses. All have the same shape, `{"error": {"code", "message"}}`.

Clients of Mathpix, at `/v3/strokes`, expect another one: `{"error", "error_info": {"id", "message"}}`.
"""

from collections.abc import Mapping
from uuid import uuid4

from fastapi.responses import JSONResponse

MATHPIX_PATH = "/v3/strokes"
# Their names of what can happen whatever the ink is; where they have none, it is ours.
_MATHPIX_NAMES = {
    401: "http_unauthorized",
    500: "sys_exception",
    503: "http_max_requests",
    504: "sys_exception",
}


class RequestError(Exception):
    """A request that gets an error instead of an answer."""

    def __init__(
        self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.headers = dict(headers or {})

    def response(self, path: str = "") -> JSONResponse:
        if path == MATHPIX_PATH:
            name = _MATHPIX_NAMES.get(self.status, self.code)
            return mathpix_problem(name, self.message, self.status, self.headers)
        body = {"error": {"code": self.code, "message": _text(self.message)}}
        return JSONResponse(body, self.status, self.headers)


def mathpix_problem(
    name: str, message: str, status: int = 200, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """An error as Mathpix gives it; what is wrong with the ink comes with status 200."""
    message = _text(message)
    info = {"id": name, "message": message}
    return JSONResponse({"request_id": uuid4().hex, "error": message, "error_info": info}, status, headers)


def _text(message: str) -> str:
    """A message that can be sent, also if it repeats halves of characters."""
    return message.encode("utf-8", errors="replace").decode("utf-8")


def busy(retry_seconds: float) -> RequestError:
    """More work waits than the server takes on."""
    seconds = max(1, round(retry_seconds))
    message = f"the server has more requests than it can answer in time; try again in {seconds} s"
    return RequestError(503, "busy", message, {"Retry-After": str(seconds)})
