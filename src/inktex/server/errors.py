"""Error responses. All have the same shape, `{"error": {"code", "message"}}`.

Clients of Mathpix, at `/v3/strokes`, expect another one: `{"error", "error_info": {"id", "message"}}`.
"""

from collections.abc import Iterable, Mapping
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
# The same of what is wrong with the ink, which comes with status 200, by our codes.
_MATHPIX_FAULTS = {
    "not_json": "json_syntax",
    **dict.fromkeys(
        ("misshapen", "unreadable_ink", "bad_options", "too_many_strokes", "too_many_points"),
        "strokes_syntax_error",
    ),
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
        # A message that can be sent, also if it repeats halves of characters.
        message = self.message.encode("utf-8", errors="replace").decode("utf-8")
        if path != MATHPIX_PATH:
            return JSONResponse({"error": {"code": self.code, "message": message}}, self.status, self.headers)
        name = _MATHPIX_FAULTS.get(self.code) or _MATHPIX_NAMES.get(self.status, self.code)
        status = 200 if self.code in _MATHPIX_FAULTS else self.status
        body = {"request_id": uuid4().hex, "error": message, "error_info": {"id": name, "message": message}}
        return JSONResponse(body, status, self.headers)


def in_words(message: str, place: Iterable[str | int]) -> str:
    """What is wrong with a request, and where in it; never the value, which may be ink."""
    where = ".".join(map(str, place))
    return f"{where}: {message}" if where else message


def busy(retry_seconds: float) -> RequestError:
    """More work waits than the server takes on."""
    seconds = max(1, round(retry_seconds))
    message = f"the server has more requests than it can answer in time; try again in {seconds} s"
    return RequestError(503, "busy", message, {"Retry-After": str(seconds)})
