"""The parent process refuses what has to wait for a recogniser that has no room, and nothing else."""

import json
import selectors
import socket
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inktex.server import Limits, ServerOptions, desk
from inktex.server.desk import HEAD_BYTES, Desk, Heads
from inktex.server.guard import Guard

BODY = json.dumps({"strokes": [[[0, 0], [9, 9]]]}).encode()
TOKEN = "a-good-long-token"
HEADERS = {
    "Host": "localhost",
    "Content-Type": "application/json",
    "Content-Length": str(len(BODY)),
    "Authorization": f"Bearer {TOKEN}",
}


def request(path: str = "/v1/recognize", *, method: str = "POST", without: str = "", **changed: str) -> bytes:
    headers = {**HEADERS, **{name.replace("_", "-"): value for name, value in changed.items()}}
    lines = [f"{name}: {value}" for name, value in headers.items() if name != without]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode() + BODY


class Front:
    """A desk, and one client at it."""

    def __init__(self, **options: object) -> None:
        self.selector = selectors.DefaultSelector()
        self.handed: list[socket.socket] = []
        self.counted: list[tuple[str, int]] = []
        self.wait: float | None = 3.0
        self.desk = Desk(
            self.selector,
            ServerOptions(token=TOKEN, **options),  # type: ignore[arg-type]
            hand_over=self.hand_over,
            waiting_time=lambda: self.wait,
            count=lambda path, status: self.counted.append((path, status)),
        )
        self.client, self.server = socket.socketpair()
        self.client.settimeout(60)
        self.wait_for_recogniser: list[bool] = []

    def hand_over(self, connection: socket.socket, waits: bool) -> None:
        self.handed.append(connection)
        self.wait_for_recogniser.append(waits)

    def go_on(self) -> None:
        for key, _ in self.selector.select(0):
            key.data()
        self.desk.look_after()

    def hears(self) -> bytes:
        """What the client was told so far."""
        self.go_on()
        self.client.setblocking(False)
        try:
            return self.client.recv(65536)
        except BlockingIOError:
            return b""
        finally:
            self.client.setblocking(True)


@pytest.fixture
def front() -> Iterator[Front]:
    made = Front()
    yield made
    for each in (made.client, made.server, *made.handed):
        each.close()
    made.selector.close()


@pytest.mark.parametrize("path", ["/v1/recognize", "/v1/symbol", "/v3/strokes", "/v1/recognize?a=b"])
@pytest.mark.parametrize("early", [True, False])
def test_who_would_have_to_wait_is_refused_and_counted(front: Front, path: str, early: bool) -> None:
    if early:
        front.client.sendall(request(path))
        front.desk.ask(front.server)
    else:
        front.desk.ask(front.server)
        assert front.hears() == b""
        front.client.sendall(request(path))
    head, _, body = front.hears().partition(b"\r\n\r\n")
    lines = head.decode().lower().split("\r\n")
    assert lines[0].startswith("http/1.1 503")
    assert {"retry-after: 3", "connection: close", "x-content-type-options: nosniff"} <= {*lines}
    assert json.loads(body)["error"]
    assert front.counted == [(path.partition("?")[0], 503)]
    assert not front.handed
    front.client.close()
    front.go_on()
    assert len(front.desk) == 0
    assert front.server.fileno() == -1  # closed, once the client is gone


def test_who_still_sends_is_answered_at_the_end(front: Front) -> None:
    whole = request()
    front.client.sendall(whole[:-5])
    front.desk.ask(front.server)
    assert front.hears() == b""
    front.client.sendall(whole[-5:-1])
    assert front.hears() == b""
    front.client.sendall(whole[-1:])
    assert front.hears().startswith(b"HTTP/1.1 503")
    assert front.counted == [("/v1/recognize", 503)]


@pytest.mark.parametrize(
    "said",
    [
        request("/v1/render"),
        request("/v1/ink"),
        request("/"),
        request("/metrics", method="GET"),
        request(method="PUT"),
        request(Host="evil.example"),
        request(Origin="https://evil.example"),
        request(Origin="https://good.example"),  # its answer needs more headers
        request(Authorization="Bearer wrong"),
        request(Content_Type="text/plain"),
        request(Content_Length=str(100 * 2**20)),
        request(Content_Length="-1"),
        request(Content_Length="\xb2"),
        request(Content_Length="+5"),
        request(Content_Length="5, 5"),
        request(Content_Length="5\r\n 5"),
        request(X="y\r\nContent-Length: 5"),
        request(X="y\r\n\tContent-Length: 5", without="Content-Length"),
        request(X_Content_Length="5", without="Content-Length"),
        request(without="Content-Length"),
        request(without="Content-Length", Transfer_Encoding="chunked"),
        request(Expect="100-continue"),
        request(Connection="Upgrade", Upgrade="websocket"),
        request() + request(),
        request() + b"\r\n",
        request()[:40],
        b"\x16\x03\x01 hello",
        b"\r\n",
    ],
)
def test_everything_else_goes_to_a_worker_untouched(said: bytes) -> None:
    front = Front(origins=("https://good.example",))
    front.client.sendall(said)
    front.desk.ask(front.server)
    front.go_on()
    assert (front.handed, front.wait_for_recogniser) == ([front.server], [False])
    assert front.server.recv(65536) == said
    assert (front.counted, len(front.desk)) == ([], 0)
    front.client.close()
    front.server.close()


def test_who_says_nothing_goes_to_a_worker_soon(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk, "FIRST_WORDS_SECONDS", 0.0)
    front.desk.ask(front.server)
    front.go_on()
    assert front.handed == [front.server]


def test_when_there_is_room_again_requests_go_to_a_worker(front: Front) -> None:
    front.desk.ask(front.server)
    front.wait = None
    front.client.sendall(request())
    front.go_on()
    assert (front.handed, front.wait_for_recogniser) == ([front.server], [True])
    assert front.server.recv(65536) == request()


def test_who_leaves_without_a_word_is_nobodys(front: Front) -> None:
    front.desk.ask(front.server)
    front.client.close()
    front.go_on()
    assert (front.handed, len(front.desk), front.server.fileno()) == ([], 0, -1)


def test_who_says_more_than_was_looked_at_still_reads_the_answer(front: Front) -> None:
    """Closed with something unread, a connection takes back what was sent on it."""
    whole = request(Content_Length=str(HEAD_BYTES + 5000))
    front.client.sendall(whole + b"x" * (HEAD_BYTES + 5000 - len(BODY)) + b"more")
    front.desk.ask(front.server)
    assert front.hears().startswith(b"HTTP/1.1 503")
    assert front.client.recv(10) == b""
    front.client.close()
    front.go_on()
    assert len(front.desk) == 0


def test_a_body_that_does_not_come_is_not_awaited_for_long(
    front: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "BODY_SECONDS", 0.0)
    front.client.sendall(request()[:-1])
    front.desk.ask(front.server)
    front.go_on()
    assert len(front.desk) == 0
    assert front.client.recv(10) == b""


def test_at_the_end_all_go_to_workers(front: Front) -> None:
    front.desk.ask(front.server)
    front.desk.hand_over_all()
    assert front.handed == [front.server]
    assert not front.selector.get_map()


WHOLE = request(Origin="http://localhost")


@given(st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)), st.binary(max_size=8))
def test_whatever_is_said_the_parent_goes_on(begin: int, end: int, put_in: bytes) -> None:
    heads = Heads(ServerOptions(token=TOKEN))
    assert heads.waiting(WHOLE) == ("/v1/recognize", len(WHOLE))
    said = WHOLE[:begin] + put_in + WHOLE[max(begin, end) :]
    path, whole = heads.waiting(said)
    if path:
        assert whole >= len(said) - said.index(b"\r\n\r\n")
    assert heads.waiting(said) == (path, whole) == Heads(ServerOptions(token=TOKEN)).waiting(said)


def test_headers_that_are_known_are_looked_at_for_their_length() -> None:
    options = ServerOptions(token=TOKEN)
    heads = Heads(options)
    head = request().removesuffix(BODY)
    most = options.limits.body_bytes
    for length in (len(BODY), 0, most, most - 1):
        said = head.replace(b"Content-Length: %d" % len(BODY), b"content-length:%d" % length)
        assert heads.waiting(said) == ("/v1/recognize", len(said) + length)
    for length in (most + 1, 10**9):
        said = head.replace(b"Content-Length: %d" % len(BODY), b"content-length:%d" % length)
        assert heads.waiting(said)[0] == ""


def test_other_headers_are_other_requests() -> None:
    heads = Heads(ServerOptions(token=TOKEN))
    for _ in range(2):
        assert heads.waiting(request())[0] == "/v1/recognize"
        assert heads.waiting(request("/v1/symbol"))[0] == "/v1/symbol"
        assert heads.waiting(request(Authorization="Bearer b-good-long-token"))[0] == ""


def test_only_some_headers_are_remembered() -> None:
    heads = Heads(ServerOptions(token=TOKEN))
    for number in range(2000):
        assert heads.waiting(request(X=f"{number}"))[0]
        assert heads.waiting(request(X="x" * 5000 + f"{number}"))[0]
    assert 0 < len(heads._found) <= 256
    assert max(map(len, heads._found)) < 4096


@pytest.mark.parametrize(
    ("full", "path", "length", "refused"),
    [
        (True, "/v1/recognize", "2", True),
        (True, "/v1/recognize", str(Limits().body_bytes), True),
        (True, "/v1/recognize", str(Limits().body_bytes + 1), False),
        (True, "/v1/render", "2", False),
        (False, "/v1/recognize", "2", False),
    ],
)
def test_who_would_wait_too_long_is_refused_from_the_headers(
    full: bool, path: str, length: str, refused: bool
) -> None:
    service: Any = SimpleNamespace(
        options=ServerOptions(), engine=SimpleNamespace(full=full, expected_wait=7.0)
    )
    headers = [
        (name.encode(), value.encode())
        for name, value in (
            ("host", "127.0.0.1"),
            ("content-type", "application/json"),
            ("content-length", length),
        )
    ]
    assert Guard(None, service).refusal(path, headers[:2]) is None  # type: ignore[arg-type]
    answer = Guard(None, service).refusal(path, headers)  # type: ignore[arg-type]
    assert (answer is not None) is refused
    if answer is not None:
        assert (answer.status, answer.code, answer.headers) == (503, "busy", {"Retry-After": "7"})
