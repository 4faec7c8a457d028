"""Live writing: strokes in one by one, answers out, the newest wins; no client can end the server."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("websockets", reason="needs a WebSocket client")

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from inktex.latex import normalize
from inktex.recognizer import Recognizer
from inktex.server import Limits, session
from inktex.server.protocols import SESSION_READ_BYTES, PatientWebSocket
from inktex.server.shares import FLOODED_RATE, STOCK, Share
from running_server import until

Strokes = list[list[list[float]]]
SQUARE = r"x^{2} + 1"
INTEGRAL = r"\int_{0}^{1} x^{2} dx"  # ink that has other readings


class Talk:
    """A client's side of a live session."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.hello = self.hear()

    def say(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def hear(self, wait: float = 120.0) -> dict[str, Any]:
        heard: dict[str, Any] = json.loads(self.socket.recv(timeout=wait))
        return heard

    def write(self, strokes: Strokes, revision: int = 1, prefix: str = "s") -> None:
        for i, points in enumerate(strokes):
            last = i == len(strokes) - 1
            end = {"revision": revision} if last else {"more": True}
            self.say(type="add", id=f"{prefix}{i}", points=points, **end)

    def answer(self, revision: int) -> dict[str, Any]:
        """The answer for a state of the ink; older ones may come before."""
        while True:
            heard = self.hear()
            if heard.get("revision") == revision:
                return heard
            assert heard["type"] == "answer", heard


@contextmanager
def talking(url: str, **options: Any) -> Iterator[Talk]:
    with connect(url.replace("http", "ws") + "/v1/session", **options) as socket:
        yield Talk(socket)


@pytest.fixture
def talk(server: Any) -> Iterator[Talk]:
    with talking(server.url) as made:
        yield made


def tokens_of(answer: dict[str, Any]) -> tuple[str, ...]:
    return tuple(token["text"] for token in answer["recognition"]["tokens"])


def test_ink_is_read_while_it_is_written(talk: Talk, examples: dict[str, Strokes]) -> None:
    assert talk.hello["type"] == "hello"
    assert talk.hello["limits"]["strokes"] == 1000
    strokes, others = examples[INTEGRAL], []
    for revision, points in enumerate(strokes, 1):
        talk.say(type="add", id=f"s{revision}", points=points, revision=revision)
        answer = talk.answer(revision)
        others += answer["alternatives"]
        assert answer["strokes"] == [f"s{n}" for n in range(1, revision + 1)]
    assert tokens_of(answer) == normalize(INTEGRAL)
    assert answer["recognition"]["latex"] == r"\int_{0}^{1}x^{2}dx"
    assert others  # of the whole formula the model may be sure
    for other in others:
        assert other["mathml"].startswith("<math")
        assert normalize(other["latex"]) == tuple(other["tokens"])


def test_strokes_can_be_taken_away_moved_and_cleared(talk: Talk, examples: dict[str, Strokes]) -> None:
    talk.write(examples[SQUARE], revision=1)
    first = talk.answer(1)
    talk.say(type="remove", ids=["s0"], revision=2)
    assert talk.answer(2)["strokes"] == first["strokes"][1:]
    moved = [[x + 5, y + 5] for x, y in examples[SQUARE][1]]
    talk.say(type="replace", id="s1", points=moved, revision=3)
    assert talk.answer(3)["strokes"] == first["strokes"][1:]
    talk.say(type="clear", revision=4)
    assert talk.answer(4)["type"] == "empty"
    talk.write(examples[SQUARE], revision=5)
    assert tokens_of(talk.answer(5)) == normalize(SQUARE)


def test_ink_that_is_gone_before_its_turn_is_no_error(talk: Talk, examples: dict[str, Strokes]) -> None:
    strokes = examples[SQUARE]
    for revision in range(1, 40, 2):
        talk.write(strokes, revision, prefix=f"{revision}-")
        talk.say(type="clear", revision=revision + 1)
    while (heard := talk.hear()).get("revision") != revision + 1:
        assert heard["type"] in ("answer", "empty"), heard
    with suppress(TimeoutError):  # nothing follows
        assert talk.hear(wait=1.0) is None


def test_a_change_that_is_refused_changes_nothing(talk: Talk, examples: dict[str, Strokes]) -> None:
    talk.write(examples[SQUARE], revision=1)
    names = talk.answer(1)["strokes"]
    talk.say(type="remove", ids=["s0", "no such stroke"], revision=2)
    assert talk.hear()["type"] == "error"
    talk.say(type="remove", ids=["s1", "s1"], revision=3)
    assert talk.answer(3)["strokes"] == ["s0", *names[2:]]


def test_the_newest_wins(talk: Talk, examples: dict[str, Strokes]) -> None:
    strokes = examples[r"x = \frac{-b \pm \sqrt{b^{2} - 4ac}}{2a}"]
    for revision, points in enumerate(strokes, 1):  # faster than anyone can read
        talk.say(type="add", id=f"s{revision}", points=points, revision=revision)
    heard = []
    while not heard or heard[-1]["revision"] != len(strokes):
        heard.append(talk.hear())
    revisions = [answer["revision"] for answer in heard]
    assert revisions == sorted(revisions)
    assert len(revisions) < len(strokes)
    assert tokens_of(heard[-1]) == normalize(r"x = \frac{-b \pm \sqrt{b^{2} - 4ac}}{2a}")
    with pytest.raises(TimeoutError):
        talk.hear(0.5)


def test_a_choice_sticks_when_more_is_written(talk: Talk, examples: dict[str, Strokes]) -> None:
    strokes = examples[SQUARE]
    talk.write(strokes[:-1], revision=1)
    answer = talk.answer(1)
    wanted = tokens_of(answer)
    chosen = ("z", *wanted[1:])
    talk.say(type="choose", latex=" ".join(chosen))
    heard = talk.hear()
    assert heard["type"] == "chosen"
    assert tokens_of(heard) == chosen
    talk.say(type="add", id="more", points=strokes[-1], revision=2)
    assert tokens_of(talk.answer(2))[0] == "z"
    talk.say(type="choose", latex=r"\frac{")
    assert talk.hear()["type"] == "error"


def test_it_explains_where_it_looked(talk: Talk, examples: dict[str, Strokes]) -> None:
    strokes = examples[SQUARE]
    talk.write(strokes, revision=1)
    answer = talk.answer(1)
    talk.say(type="explain")
    heard = talk.hear()
    assert heard["type"] == "explanation"
    assert tuple(heard["tokens"]) == tokens_of(answer)
    assert len(heard["attention"]) == len(heard["tokens"])
    for row in heard["attention"]:
        assert row
        for place, levels in row.items():
            assert len(levels) == len(strokes[int(place)])
            assert all(0 <= level <= 255 for level in levels)
        assert max(max(levels) for levels in row.values()) == 255


def test_a_client_that_never_pauses_takes_no_more_than_its_share(
    server: Any, examples: dict[str, Strokes]
) -> None:
    with talking(server.url) as greedy, talking(server.url) as other:
        greedy.write(examples[SQUARE], revision=1)
        for i in range(300):
            greedy.say(type="replace", id="s0", points=[[i % 7, 0], [9, 9]], revision=2 + i)
            greedy.say(type="explain")
            greedy.say(type="choose", latex="x")
        other.write(examples[SQUARE], revision=1)
        assert tokens_of(other.answer(1)) == normalize(SQUARE)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "{",
        "null",
        "[]",
        "12",
        '{"type": "fly"}',
        '{"type": "add"}',
        '{"type": "add", "id": "a", "points": []}',
        '{"type": "add", "id": "", "points": [[1, 2]]}',
        '{"type": "add", "id": "a", "points": [[1, 2]], "revision": -1}',
        '{"type": "add", "id": "a", "points": [[NaN, 2]]}',
        '{"type": "add", "id": "a", "points": [[1, 2]], "extra": 1}',
        '{"type": "remove", "ids": ["nobody"]}',
        '{"type": "replace", "id": "nobody", "points": [[1, 2]]}',
        '{"type": "pin", "ids": ["nobody"], "latex": "x"}',
        "[" * 50_000,
        b"\x00\x01\x02",
    ],
)
def test_what_cannot_be_understood_is_answered(talk: Talk, message: str | bytes) -> None:
    talk.socket.send(message)
    heard = talk.hear()
    assert heard["type"] == "error"
    assert heard["message"]
    talk.say(type="add", id="ok", points=[[0, 0], [9, 9]], revision=7)  # and the session goes on
    assert talk.answer(7)["type"] == "answer"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["type", "id", "ids", "points", "latex", "revision"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_answered_or_ends_the_session_politely(server: Any, value: Any) -> None:
    with talking(server.url) as talk:
        talk.socket.send(json.dumps(value))
        assert talk.hear()["type"] == "error"


def test_nonsense_without_end_ends_the_session(talk: Talk) -> None:
    def talk_nonsense() -> None:
        for _ in range(25):
            talk.socket.send("nonsense")
            talk.hear()

    with pytest.raises(ConnectionClosed) as closed:
        talk_nonsense()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008


@pytest.mark.parametrize(
    "frame",
    [
        b"\x81\xff" + (600_000).to_bytes(8, "big") + b"\0\0\0\0" + b"x" * 600_000,  # larger than allowed
        b"\x81\x82\0\0\0\0\xff\xfe",  # a text that is not UTF-8
        b"\x81\x02hi",  # without the mask that clients must use
        b"\x80\x80\0\0\0\0",  # the continuation of nothing
        b"\xff\xff\xff\xff",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_frames_that_break_the_protocol_end_their_session_only(server: Any, frame: bytes) -> None:
    def break_it() -> None:
        with talking(server.url) as talk:
            with suppress(OSError):  # the server may hang up before it has read all
                talk.socket.socket.sendall(frame)
            talk.hear()

    with pytest.raises(ConnectionClosed):
        break_it()
    with talking(server.url) as talk:
        assert talk.hello["type"] == "hello"


def test_limits_hold_for_sessions_too(serve: Callable[..., Any], recognizer: Recognizer) -> None:
    running = serve(recognizer, limits=Limits(strokes=2, points=10, sessions=2))
    url = running.url
    with talking(url) as talk:
        for i in range(2):
            talk.say(type="add", id=str(i), points=[[i, 0], [i, 9]], more=True)
        talk.say(type="add", id="third", points=[[5, 5]])
        assert talk.hear()["code"] == "too_many_strokes"
        talk.say(type="replace", id="0", points=[[i, i] for i in range(9)])
        assert talk.hear()["code"] == "too_many_points"
        with talking(url), pytest.raises(ConnectionClosed) as closed, talking(url):
            pass
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1013
    until(lambda: running.app.service.sessions == 0)  # those who left make room
    with talking(url) as again:
        assert again.hello["type"] == "hello"


def test_pages_of_other_sites_cannot_open_a_session(server: Any) -> None:
    with pytest.raises(InvalidStatus) as refused, talking(server.url, origin="https://evil.example"):
        pass
    assert refused.value.response.status_code == 403
    with talking(server.url, origin=server.url) as talk:
        assert talk.hello


def test_a_session_needs_the_token(serve: Callable[..., Any], recognizer: Recognizer) -> None:
    url = serve(recognizer, token="a-good-long-token").url
    with pytest.raises(InvalidStatus) as refused, talking(url):
        pass
    assert refused.value.response.status_code == 401
    with talking(url, additional_headers={"Authorization": "Bearer a-good-long-token"}) as talk:
        assert talk.hello
    with talking(url, subprotocols=["inktex.v1", "bearer.a-good-long-token"]) as talk:
        assert talk.socket.subprotocol == "inktex.v1"


def lowered(strokes: Strokes, by: float) -> Strokes:
    return [[[point[0], point[1] + by] for point in stroke] for stroke in strokes]


def test_lines_are_answered_each_by_itself(talk: Talk, examples: dict[str, Strokes]):
    ink = examples[SQUARE]
    height = max(point[1] for stroke in ink for point in stroke) - min(p[1] for s in ink for p in s)
    talk.write(ink, 1, "a")
    alone = talk.answer(1)
    assert "lines" not in alone
    talk.write(lowered(ink, 2 * height), 2, "b")
    both = talk.answer(2)
    assert [line["recognition"]["latex"] for line in both["lines"]] == [alone["recognition"]["latex"]] * 2
    assert [line["strokes"] for line in both["lines"]] == [
        [f"{name}{i}" for i in range(len(ink))] for name in "ab"
    ]
    assert both["lines"][0]["line"] == alone["line"]
    assert both["recognition"]["latex"].startswith(r"\begin{aligned}")
    assert len(both["strokes"]) == 2 * len(ink)
    talk.write(lowered(ink, 4 * height), 3, "c")
    first, second, third = talk.answer(3)["lines"]
    assert (first, second) == tuple(
        {"line": line["line"], "version": line["version"]} for line in both["lines"]
    )
    assert third["recognition"]["latex"] == alone["recognition"]["latex"]


def test_a_choice_and_an_explanation_name_their_line(talk: Talk, examples: dict[str, Strokes]):
    ink = examples[INTEGRAL]
    talk.write([*ink, *lowered(ink, 600)], 1)
    lines = talk.answer(1)["lines"]
    other = r"\int_{0}^{1}x^{3}dx"
    assert other != lines[1]["recognition"]["latex"]
    talk.say(type="choose", latex=other)
    assert talk.hear()["code"] == "which_line"
    talk.say(type="choose", latex=other, line=99)
    assert talk.hear()["code"] == "no_such_line"
    talk.say(type="choose", latex=other, line=lines[1]["line"])
    chosen = talk.hear()
    assert chosen["type"] == "chosen"
    assert chosen["lines"][0] == {"line": lines[0]["line"], "version": lines[0]["version"]}
    assert chosen["lines"][1]["recognition"]["latex"] == other
    talk.say(type="explain", line=lines[1]["line"])
    heard = talk.hear()
    assert (heard["type"], heard["line"], heard["strokes"]) == (
        "explanation",
        lines[1]["line"],
        lines[1]["strokes"],
    )


def test_options_without_ink_are_not_answered(talk: Talk, examples: dict[str, Strokes]) -> None:
    talk.say(type="options", lines=False)
    with pytest.raises(TimeoutError):
        talk.hear(wait=0.3)
    talk.write(examples[SQUARE], 1)
    assert talk.answer(1)["type"] == "answer"


def test_all_ink_can_be_one_expression(talk: Talk, examples: dict[str, Strokes]):
    talk.say(type="options", lines=False)
    ink = examples[SQUARE]
    talk.write([*ink, *lowered(ink, 300)], 1)
    answer = talk.answer(1)
    assert "lines" not in answer
    assert len(answer["strokes"]) == 2 * len(ink)


FLOODS: dict[str, Callable[[int], dict[str, Any]]] = {
    "render": lambda n: {"type": "render", "latex": r"\frac{a}{b}+" * 300 + "1"},
    "add": lambda n: (
        {"type": "add", "id": str(n), "points": [[n % 50, 3], [n % 50 + 9, 20]]}
        if n % 100
        else {"type": "clear"}
    ),
}


class Counted(Share):
    """A share that remembers what was spent of it."""

    def __init__(self) -> None:
        super().__init__()
        self.spent: list[float] = []

    def spend(self, amount: float) -> None:
        self.spent.append(amount)
        super().spend(amount)


@pytest.mark.parametrize("kind", FLOODS)
def test_a_flooding_session_takes_no_more_than_its_share(
    serve: Callable[..., Any],
    recognizer: Recognizer,
    examples: dict[str, Strokes],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    """One client sends as fast as it can. While others are served, hardly any processor time goes to it."""
    opened: list[Counted] = []
    monkeypatch.setattr(session, "Share", lambda: opened.append(Counted()) or opened[-1])
    server = serve(Recognizer(recognizer.model), limits=Limits(seconds=120))
    url = server.url
    wires: list[Any] = []

    def flood() -> None:
        with suppress(ConnectionClosed), talking(url, close_timeout=0.1) as greedy:
            wires.append(greedy.socket.socket)
            for number in count(1):
                greedy.say(**FLOODS[kind](number))
                with suppress(TimeoutError):
                    greedy.hear(0)  # what it is told is read, so that the server may go on

    flooding = threading.Thread(target=flood)
    flooding.start()
    try:
        until(lambda: opened and sum(opened[0].spent) > STOCK)
        ink = {"strokes": examples[SQUARE]}
        with talking(url) as writer, httpx.Client(base_url=url, timeout=120) as program:
            assert program.post("/v1/recognize", json=ink).status_code == 200
            begun, before = time.monotonic(), sum(opened[0].spent)
            for revision in range(1, 11):
                writer.say(type="clear", more=True)
                writer.write(examples[SQUARE], revision=revision)
                assert tokens_of(writer.answer(revision)) == normalize(SQUARE)
                assert program.post("/v1/recognize", json=ink).status_code == 200
            spent, seconds = sum(opened[0].spent) - before, time.monotonic() - begun
        # Beyond its share: what it had begun when the others came, and the call that uses the share up.
        assert spent <= FLOODED_RATE * seconds + 2 * max(opened[0].spent)
    finally:
        wires[0].shutdown(2)  # also where it waits for the server to read on
        flooding.join(60)
    until(lambda: server.app.service.sessions == 0)  # what it had sent ahead is forgotten


def test_messages_are_taken_from_the_wire_a_few_at_a_time(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All messages in what is read at once are taken apart before anybody else has a turn."""
    sizes: list[int] = []
    real = PatientWebSocket.data_received

    def taken(self: PatientWebSocket, data: bytes) -> None:
        sizes.append(len(data))
        real(self, data)

    monkeypatch.setattr(PatientWebSocket, "data_received", taken)
    with talking(server.url) as talk:
        text = json.dumps({"type": "options", "top": 3}).encode()
        talk.socket.socket.sendall((bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text) * 3000)
        talk.say(type="add", id="a", points=[[0, 0], [9, 9]], revision=1)
        assert talk.answer(1)["type"] == "answer"
    assert sum(sizes) > 3000 * len(text)
    assert max(sizes) <= SESSION_READ_BYTES <= 8192


def test_answers_are_turned_into_text_beside_the_loop(
    server: Any, examples: dict[str, Strokes], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[str, str] = {}
    real = session._text

    def noted(message: dict[str, Any]) -> str:
        made[message["type"]] = threading.current_thread().name
        return real(message)

    monkeypatch.setattr(session, "_text", noted)
    with talking(server.url) as talk:
        talk.write(examples[SQUARE], revision=1)
        assert talk.answer(1)["type"] == "answer"
        for said in ({"type": "explain"}, {"type": "choose", "latex": "x"}, {"type": "render", "latex": "y"}):
            talk.say(**said)
            talk.hear()
    large = {made[kind] for kind in ("answer", "explanation", "chosen", "rendered")}
    assert all(name.startswith("recognize") for name in large)
    assert not made["hello"].startswith("recognize")


def test_rendering_does_not_hold_up_the_loop(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one session's formula is being rendered, everybody else is answered."""
    rendering, go_on = threading.Event(), threading.Event()
    real = session.rendering

    def slowly(latex: str) -> dict[str, Any]:
        if latex == "slow":
            rendering.set()
            assert go_on.wait(120)
        return real(latex)

    monkeypatch.setattr(session, "rendering", slowly)
    with talking(server.url) as one, talking(server.url) as other:
        one.say(type="render", latex="slow")
        assert rendering.wait(60)
        other.say(type="add", id="a", points=[[0, 0], [9, 9]], revision=1)
        assert other.answer(1)["type"] == "answer"
        assert httpx.get(f"{server.url}/healthz", timeout=60).status_code == 200
        go_on.set()
        assert one.hear()["type"] == "rendered"
