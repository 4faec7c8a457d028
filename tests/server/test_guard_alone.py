"""The guard by itself, between made-up requests and an application that only notes what reaches it."""

import asyncio
import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("starlette", reason="serving needs inktex[serve]")

from starlette.datastructures import Headers

from inktex.server import Limits as ServerLimits
from inktex.server import ServerOptions, guard
from inktex.server.guard import Guard, route_of

OWN = ("host", "127.0.0.1:8000")
JSON = ("content-type", "application/json")


class Asked:
    """One request through the guard: what the application got, and what was sent back."""

    def __init__(
        self,
        path: str = "/v1/recognize",
        headers: Sequence[tuple[str, str]] = (OWN, JSON),
        parts: Sequence[bytes | None] = (b"{}",),
        *,
        method: str = "POST",
        kind: str = "http",
        full: bool = False,
        extensions: Sequence[str] = (),
        **options: Any,
    ) -> None:
        self.body: bytes | None = None
        self.reached = False
        self.sent: list[dict[str, Any]] = []
        self.after: dict[str, Any] = {}
        self.receive_is_untouched = False
        waiting = [
            {"type": "http.disconnect"}
            if part is None
            else {"type": "http.request", "body": part, "more_body": place + 1 < len(parts)}
            for place, part in enumerate(parts)
        ] + [{"type": "the next"}]
        if kind == "websocket":
            waiting = [{"type": "websocket.connect"}]

        async def receive() -> dict[str, Any]:
            if not waiting:
                await asyncio.sleep(3600)
            return waiting.pop(0)

        own_receive = receive

        async def send(message: dict[str, Any]) -> None:
            self.sent.append(message)

        async def app(given: Any, receive: Any, given_send: Any) -> None:
            self.reached = True
            assert given is scope
            assert given_send is send
            self.receive_is_untouched = receive is own_receive
            if kind == "http" and method == "POST":
                message = await receive()
                assert message["type"] == "http.request"
                assert not message["more_body"]
                self.body = message["body"]
                self.after = await receive()

        made = ServerOptions(**options)
        service: Any = SimpleNamespace(options=made, engine=SimpleNamespace(full=full, expected_wait=7.0))
        scope: dict[str, Any] = {
            "type": kind,
            "path": path,
            "method": method,
            "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
            "extensions": {key: {} for key in extensions},
        }
        asyncio.run(Guard(app, service)(scope, receive, send))
        self.left = len(waiting)

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def code(self) -> str:
        return str(json.loads(self.sent[1]["body"])["error"]["code"])

    @property
    def message(self) -> str:
        return str(json.loads(self.sent[1]["body"])["error"]["message"])

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.sent[0]["headers"]}


def test_a_good_request_reaches_the_application_whole() -> None:
    asked = Asked(parts=(b'{"strokes"', b": []", b"}"))
    assert asked.body == b'{"strokes": []}'
    assert asked.after == {"type": "the next"}
    assert asked.sent == []


def test_what_is_no_request_is_left_alone() -> None:
    asked = Asked(kind="lifespan", headers=())
    assert asked.reached
    assert asked.receive_is_untouched


def test_of_what_has_no_body_none_is_read() -> None:
    asked = Asked("/", (OWN,), method="GET")
    assert asked.receive_is_untouched
    assert asked.left == 2


def test_what_a_part_of_the_body_does_not_say_is_as_usual() -> None:
    """Servers may leave out an empty body, and that there is no more."""
    for said in ([{}], [{"more_body": True}, {}], [{"body": b"", "more_body": True}, {"body": b""}]):
        messages = [{"type": "http.request", **part} for part in said]

        async def receive(messages: list[dict[str, Any]] = messages) -> dict[str, Any]:
            return messages.pop(0)

        service: Any = SimpleNamespace(options=ServerOptions())
        read = Guard(None, service)._read(Headers({}), receive)  # type: ignore[arg-type]
        assert asyncio.run(read) == b""
        assert messages == []


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:8000", True), ("127.0.0.1", True), ("localhost", True), ("LOCALHOST:80", True),
        ("[::1]", True), ("[::1]:8000", True), ("evil.example", False), ("evil.example:8000", False),
        ("", False), (":8000", False), ("127.0.0.1.evil.example", False), ("localhost:80:80", False),
        ("10.0.0.1", False),
    ],
)  # fmt: skip
def test_only_own_names_are_answered(host: str, allowed: bool) -> None:
    asked = Asked(headers=(("host", host), JSON))
    assert asked.reached is allowed
    if not allowed:
        assert (asked.status, asked.code) == (421, "unknown_host")


def test_a_request_without_a_host_is_refused() -> None:
    assert Asked(headers=(JSON,)).status == 421


def test_names_that_contradict_each_other_are_refused() -> None:
    """A proxy in front may go by the last one."""
    assert Asked(headers=(OWN, ("host", "evil.example"), JSON)).status == 421
    own, other = ("origin", "http://127.0.0.1:8000"), ("origin", "https://evil.example")
    for origins in ((own, other), (other, own)):
        assert Asked(headers=(OWN, JSON, *origins)).status == 403


def test_there_are_sessions_at_one_path_only() -> None:
    for path in ("/v1/recognize", "/", "/v1/session/"):
        asked = Asked(path, (OWN,), kind="websocket", extensions=["websocket.http.response"])
        assert (asked.status, asked.code, asked.reached) == (404, "not_found", False)


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("http://127.0.0.1:8000", True), ("HTTP://127.0.0.1:8000", True), ("https://friend.example", True),
        ("http://127.0.0.1:9000", False), ("http://127.0.0.1", False), ("https://evil.example", False),
        ("null", False), ("", False), ("http://[", False), ("//127.0.0.1:8000", False),
        ("file://127.0.0.1:8000", False), ("http://127.0.0.1:8000@evil.example", False),
        ("https://friend.example.evil", False), ("https://127.0.0.1:8000", True),
    ],
)  # fmt: skip
def test_only_own_and_named_origins_may_ask(origin: str, allowed: bool) -> None:
    asked = Asked(headers=(OWN, JSON, ("origin", origin)), origins=("https://friend.example",))
    assert asked.reached is allowed
    if not allowed:
        assert (asked.status, asked.code) == (403, "foreign_origin")


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        (("authorization", "Bearer secret-of-this-server"), True),
        (("authorization", "bearer  secret-of-this-server "), True),
        (("authorization", "Basic secret-of-this-server"), False),
        (("authorization", "Bearer secret-of-this-serve"), False),
        (("authorization", "Bearer"), False),
        (("authorization", "secret-of-this-server"), False),
        (("authorization", "Bearer \xe9"), False),
        (("app_key", "secret-of-this-server"), False),
        (("sec-websocket-protocol", "bearer.secret-of-this-server"), False),
        (("x", ""), False),
    ],
)
def test_the_token_opens_and_nothing_else(given: tuple[str, str], allowed: bool) -> None:
    asked = Asked(headers=(OWN, JSON, given), token="secret-of-this-server")
    assert asked.reached is allowed
    if not allowed:
        assert (asked.status, asked.code) == (401, "unauthorized")
        assert asked.headers["www-authenticate"] == 'Bearer realm="inktex"'


def test_a_body_without_a_type_is_refused() -> None:
    asked = Asked(headers=(OWN,))
    assert (asked.status, asked.code) == (415, "wrong_type")
    assert asked.message == "this endpoint takes application/json, not nothing"


def test_names_and_origins_are_the_same_in_any_case() -> None:
    assert Asked(headers=(("host", "LocalHost:80"), JSON, ("origin", "http://LOCALhost:80"))).reached


def test_the_token_of_mathpix_clients_and_of_pages() -> None:
    token = "secret-of-this-server"
    key = (OWN, JSON, ("app_key", token))
    assert Asked("/v3/strokes", key, token=token).reached
    assert not Asked("/v3/strokes", (OWN, JSON, ("app_key", "x" + token)), token=token).reached
    for offered in (f"bearer.{token}", f"inktex.v1, bearer.{token}", f"bearer.x,bearer.{token} , y"):
        headers = (OWN, ("sec-websocket-protocol", offered))
        assert Asked("/v1/session", headers, kind="websocket", method="GET", token=token).reached, offered
    in_header = (OWN, ("authorization", f"Bearer {token}"))
    assert Asked("/v1/session", in_header, kind="websocket", method="GET", token=token).reached
    for offered in (token, f"Bearer.{token}", f"bearer.{token}x", ""):
        headers = (OWN, ("sec-websocket-protocol", offered))
        assert not Asked("/v1/session", headers, kind="websocket", method="GET", token=token).reached, offered


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/index.js"])
def test_the_page_and_the_probes_need_no_token(path: str) -> None:
    assert Asked(path, (OWN,), method="GET", token="secret-of-this-server").reached


@pytest.mark.parametrize("path", [*guard.ROUTES])
def test_everything_that_works_needs_the_token(path: str) -> None:
    kind = "websocket" if path == "/v1/session" else "http"
    method = "POST" if route_of(path).content_type else "GET"
    type = (("content-type", route_of(path).content_type or ""),)
    asked = Asked(path, (OWN, *type), kind=kind, method=method, token="secret-of-this-server")
    assert not asked.reached
    assert Asked(path, (OWN, *type), kind=kind, method=method).reached


@pytest.mark.parametrize(
    ("path", "method", "allow"),
    [
        ("/v1/recognize", "GET", "POST"), ("/v1/recognize", "PUT", "POST"), ("/", "POST", "GET, HEAD"),
        ("/metrics", "DELETE", "GET, HEAD"), ("/healthz", "POST", "GET, HEAD"),
    ],
)  # fmt: skip
def test_other_methods_are_refused(path: str, method: str, allow: str) -> None:
    asked = Asked(path, method=method)
    assert (asked.status, asked.code, asked.headers["allow"]) == (405, "wrong_method", allow)
    assert not asked.reached


def test_get_and_head_of_a_page_pass() -> None:
    assert Asked("/", (OWN,), method="GET").reached
    assert Asked("/", (OWN,), method="HEAD").reached


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        ("application/json", True), ("Application/JSON; charset=utf-8", True), (" application/json ", True),
        ("text/plain", False), ("", False), ("application/jsonp", False), ("multipart/form-data", False),
    ],
)  # fmt: skip
def test_other_types_are_refused(given: str, allowed: bool) -> None:
    asked = Asked(headers=(OWN, ("content-type", given)))
    assert asked.reached is allowed
    if not allowed:
        assert (asked.status, asked.code) == (415, "wrong_type")


LIMIT = 2048


def limited(*parts: bytes | None, headers: Sequence[tuple[str, str]] = (), **more: Any) -> Asked:
    return Asked(headers=(OWN, JSON, *headers), parts=parts, limits=ServerLimits(body_bytes=LIMIT, **more))


def test_a_body_of_exactly_the_limit_is_taken() -> None:
    assert limited(b"x" * LIMIT).body == b"x" * LIMIT
    assert limited(b"x" * (LIMIT - 1), b"y").body == b"x" * (LIMIT - 1) + b"y"


def test_a_body_past_the_limit_is_refused_when_it_ends() -> None:
    asked = limited(b"x" * LIMIT, b"y", b"z")
    assert (asked.status, asked.code, asked.headers["connection"]) == (413, "too_large", "close")
    assert "2 KB" in json.loads(asked.sent[1]["body"])["error"]["message"]
    assert not asked.reached
    assert asked.left == 1  # it was read to its end


def test_a_body_far_past_the_limit_is_not_read_to_its_end() -> None:
    asked = limited(*[b"x" * LIMIT] * 40)
    assert asked.status == 413
    assert asked.left == 41 - 17


def test_a_declared_length_far_past_the_limit_is_refused_at_once() -> None:
    for declared, left in ((16 * LIMIT + 1, 2), (16 * LIMIT, 0)):
        asked = limited(b"", headers=(("content-length", str(declared)),))
        assert asked.left == left, declared
        assert asked.reached is (left == 0)
    for nonsense in ("-1", "x", "1.5", " ", "", "²"):
        asked = limited(b"", headers=(("content-length", nonsense),))
        assert (asked.status, asked.code) == (400, "bad_length"), nonsense
        assert asked.message == "Content-Length must be a number"


def test_a_client_that_leaves_is_no_request() -> None:
    asked = limited(b"x", None)
    assert (asked.status, asked.code) == (499, "gone")
    assert asked.message == "the client left before its request was complete"
    assert not asked.reached


def test_a_body_that_does_not_end_in_time_is_refused() -> None:
    endless = [b"x"] * 3

    async def slow() -> dict[str, Any]:
        if endless:
            return {"type": "http.request", "body": endless.pop(), "more_body": True}
        await asyncio.sleep(3600)
        raise AssertionError

    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def app(*given: Any) -> None:
        raise AssertionError("reached")

    options = ServerOptions(limits=ServerLimits(body_seconds=0.05))
    service: Any = SimpleNamespace(options=options, engine=SimpleNamespace(full=False))
    scope = {
        "type": "http", "path": "/v1/recognize", "method": "POST",
        "headers": [(name.encode(), value.encode()) for name, value in (OWN, JSON)],
    }  # fmt: skip
    asyncio.run(asyncio.wait_for(Guard(app, service)(scope, slow, send), 60))
    assert sent[0]["status"] == 408
    assert json.loads(sent[1]["body"])["error"] == {
        "code": "slow_request",
        "message": "the request was not complete after 0.05 s",
    }
    assert (b"connection", b"close") in sent[0]["headers"]


def test_a_full_queue_refuses_work_and_nothing_else() -> None:
    asked = Asked(full=True)
    assert (asked.status, asked.code, asked.headers["retry-after"]) == (503, "busy", "7")
    assert not asked.reached
    assert Asked("/v1/render", full=True).reached
    assert Asked("/", (OWN,), method="GET", full=True).reached


def test_a_handshake_is_refused_with_the_status_where_that_can_be_said() -> None:
    foreign = (OWN, ("origin", "https://evil.example"))
    asked = Asked("/v1/session", foreign, kind="websocket", extensions=["websocket.http.response"])
    assert [message["type"] for message in asked.sent] == [
        "websocket.http.response.start",
        "websocket.http.response.body",
    ]
    assert (asked.status, asked.code, asked.left) == (403, "foreign_origin", 0)
    assert asked.headers["content-type"] == "application/json"
    asked = Asked("/v1/session", foreign, kind="websocket")
    assert asked.sent == [{"type": "websocket.close", "code": 1008, "reason": "foreign_origin"}]
    assert asked.left == 0


def test_errors_for_mathpix_clients_have_their_shape() -> None:
    asked = Asked("/v3/strokes", (("host", "evil.example"), JSON))
    assert "error_info" in json.loads(asked.sent[1]["body"])


def test_what_is_known_of_paths() -> None:
    assert route_of("/v1/recognize").works
    assert route_of("/v1/recognize/file").works
    assert route_of("/v3/strokes").works
    assert not route_of("/v1/ink").works
    assert (route_of("/healthz").endpoint, route_of("/readyz").endpoint) == ("other", "other")
    assert route_of("/healthz/").endpoint == route_of("/v2/recognize").endpoint == "page"
    assert (route_of("/v1/ink").content_type, route_of("/v1/render").content_type) == (
        "multipart/form-data",
        "application/json",
    )
