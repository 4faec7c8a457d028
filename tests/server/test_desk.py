"""The parent process refuses what has to wait for a recogniser that has no room, and nothing else."""

import json
import selectors
import socket
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inktex.server import ServerOptions, desk
from inktex.server.desk import Desk, Head

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
            hand_over=self.handed.append,
            waiting_time=lambda: self.wait,
            count=lambda path, status: self.counted.append((path, status)),
        )
        self.client, self.server = socket.socketpair()
        self.client.settimeout(60)

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
        request(without="Content-Length"),
        request(without="Content-Length", Transfer_Encoding="chunked"),
        request(Expect="100-continue"),
        request(Connection="Upgrade", Upgrade="websocket"),
        request() + request(),
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
    assert front.handed == [front.server]
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
    assert front.handed == [front.server]
    assert front.server.recv(65536) == request()


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


@given(st.integers(0, 300), st.integers(0, 300), st.binary(max_size=8))
def test_whatever_is_said_the_parent_goes_on(begin: int, end: int, put_in: bytes) -> None:
    whole = request(Origin="http://localhost:8000")
    head = Head(whole[:begin] + put_in + whole[max(begin, end) :])
    if head.refusable(ServerOptions(token=TOKEN)):
        assert head.body_bytes >= 0
