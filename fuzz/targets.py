"""What is fuzzed: each target takes any bytes and may end only in an answer or in its own kind of error."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from inktex.ink import Ink, read_all, write_inkml, write_json
from inktex.latex import (
    LatexError,
    join,
    normalize,
    parse_layout,
    to_mathml,
    to_typst,
    tokenize,
)

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "ink"))
from mutations import ARCHIVES, TIGHT, at_the_limits


def readers(data: bytes) -> None:
    """Every reader: what they take for ink can be written and read again."""
    for _, item in read_all(data, name="fuzz"):
        if isinstance(item, Ink) and len(item) and len(item.points) < 2000:
            for text in (write_json(item), write_inkml(item.replace(mathml=None))):
                again = [ink for _, ink in read_all(text.encode(), name="again")]
                assert len(again) == 1, again
                assert isinstance(again[0], Ink), again


def tokenizer(data: bytes) -> None:
    """LaTeX words, caption form, layout tree, MathML and Typst."""
    text = data.decode("utf-8", errors="replace")
    try:
        tokenize(text)
        tokens = normalize(text)
    except LatexError:
        return
    assert normalize(join(tokens)) == tokens, (text, tokens)
    try:
        layout = parse_layout(tokens)
        assert parse_layout(layout.tokens()) == layout
        to_mathml(tokens, ids=True)
        to_typst(tokens)
    except LatexError:
        return


@cache
def _client() -> Any:
    from fastapi.testclient import TestClient

    from inktex.recognizer import Recognizer
    from inktex.server import ServerOptions, create_app

    client = TestClient(
        create_app(ServerOptions(), recognizer=Recognizer(beam=1)),
        base_url="http://127.0.0.1:8000",
        raise_server_exceptions=True,
    )
    client.__enter__()
    return client


FILE_PATHS = ("/v1/recognize/file", "/v1/ink")
LAST = "the last one"
PATHS = ("/v1/recognize", "/v1/recognize/file", "/v1/render", "/v3/strokes", "/v1/ink")


def http(data: bytes) -> None:
    """The HTTP API: an answer, or an error with a code and a message; never 500."""
    if not data:
        return
    path = PATHS[data[0] % len(PATHS)]
    if path in FILE_PATHS and data[0] < 200:
        answer = _client().post(path, files={"file": ("ink", data[1:])})
    else:
        kind = ("application/json", "multipart/form-data; boundary=x", "text/plain")[data[0] // 8 % 3]
        answer = _client().post(path, content=data[1:], headers={"content-type": kind})
    assert answer.status_code < 500 or answer.status_code == 503, (path, answer.status_code, answer.text)
    if answer.status_code >= 400:
        assert isinstance(answer.json(), dict)


def session(data: bytes) -> None:
    """Messages of a live session, one per line: each is understood, or refused with a message.

    Where one is understood, all are said to a real session, which must still answer afterwards.
    """
    from inktex.server.errors import RequestError
    from inktex.server.messages import parse

    lines = data.decode("utf-8", errors="replace").split("\n")[:8]
    understood = False
    for line in lines:
        try:
            parse(line)
            understood = True
        except RequestError as error:
            if error.status >= 500:
                raise AssertionError(f"an error of the server: {error}") from error
    if understood:
        with _client().websocket_connect("ws://127.0.0.1:8000/v1/session") as socket:
            for line in lines:
                socket.send_text(line)
            socket.send_json({"type": "render", "latex": LAST})
            heard: dict[str, Any] = {}
            while heard.get("source") != LAST:
                heard = socket.receive_json()


SEEDS: dict[str, list[bytes]] = {
    "readers": [
        b'<ink xmlns="http://www.w3.org/2003/InkML"><trace id="0">1 2, 3 4</trace><trace>5 5</trace></ink>',
        b'{"strokes": [[[0, 0], [1.5, 1]], [[2, 2]]], "truth": "x"}',
        b"SCG_INK\n2\n2\n0 0\n1 1\n1\n5 5\n",
        b'{"type": "excalidraw", "elements": '
        b'[{"type": "freedraw", "x": 1, "y": 2, "points": [[0, 0], [1, 1]]}]}',
        b'<xournal><page><layer><stroke tool="pen" width="1">1 2 3 4</stroke></layer></page></xournal>',
        b'{"strokes": {"x": [[1, 2]], "y": [[3, 4]]}}',
        b'[{"type": "pointerdown", "x": 1, "y": 2}, {"type": "pointerup", "x": 2, "y": 2}]',
        b"<svg><path d='M 0 0 L 5 5'/></svg>",
        b"1 2\n3 4\n\n5 6\n",
        *(pack(b"<ink><trace>1 2, 3 4</trace></ink>") for pack in ARCHIVES.values()),
        *(seed for seed in at_the_limits(TIGHT) if len(seed) < 4096),
    ],
    "tokenizer": [
        rb"\frac{a^2}{\sqrt[3]{x_1}} + \sum_{i=1}^n \left( \begin{matrix} a & b \\ c \end{matrix} \right)",
        rb"$x^{2}_{i} \leq \lim_{n \to \infty} \mathrm{sin} \alpha \cdot 3.14 !$",
    ],
    "http": [
        b'\x00{"strokes": [[[0, 0], [9, 9]], [[0, 9], [9, 0]]], "options": {"top": 3}}',
        b'\x02{"latex": "x ^ { 2 }"}',
        b'\x03{"strokes": {"strokes": {"x": [[0, 9]], "y": [[0, 9]]}}}',
        b"\x01<ink><trace>0 0, 5 5</trace></ink>",
        b"\x04<ink><trace>0 0, 5 5</trace><trace>0 5, 5 0</trace></ink>",
    ],
    "session": [
        b'{"type": "add", "id": "a", "points": [[0, 0], [5, 5]], "revision": 1}\n{"type": "clear"}',
        b'{"type": "pin", "ids": ["a"], "latex": "x"}\n{"type": "remove", "ids": ["a"]}',
        b'{"type": "options", "top": 3}\n{"type": "render", "latex": "x"}\n{"type": "choose", "latex": "y"}',
    ],
}

TARGETS: dict[str, Callable[[bytes], None]] = {
    "readers": readers,
    "tokenizer": tokenizer,
    "http": http,
    "session": session,
}
