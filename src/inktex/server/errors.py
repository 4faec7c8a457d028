"""Answers to requests that fail: one shape for all, `{"error": {"code", "message"}}`, made for people."""

from collections.abc import Mapping

from fastapi.responses import JSONResponse


class RequestError(Exception):
    """A request that gets an error instead of an answer."""

    def __init__(
        self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = dict(headers or {})

    def to_json(self) -> dict[str, object]:
        """The body of the answer."""
        return {"error": {"code": self.code, "message": self.message}}

    def response(self) -> JSONResponse:
        """The answer."""
        return JSONResponse(self.to_json(), status_code=self.status, headers=self.headers)


def busy(retry_seconds: float) -> RequestError:
    """More work waits than the server takes on."""
    seconds = max(1, round(retry_seconds))
    return RequestError(
        503,
        "busy",
        f"the server has more requests than it can answer in time; try again in {seconds} s",
        {"Retry-After": str(seconds)},
    )


def too_slow(seconds: float) -> RequestError:
    """Recognising took longer than allowed."""
    return RequestError(504, "timeout", f"no answer within {seconds:g} s; send less ink at once")
