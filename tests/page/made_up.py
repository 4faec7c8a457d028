"""Answers that a test makes up: a stand-in for the server's live session, where a real one would not do."""

import json
from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import escape

from playwright.sync_api import Page, WebSocketRoute

from inktex.latex import print_latex

NAMESPACE = "http://www.w3.org/1998/Math/MathML"


def mathml(tokens: list[str]) -> str:
    """Any tokens in a row."""
    parts = "".join(f'<mi data-token="{i}">{escape(token)}</mi>' for i, token in enumerate(tokens))
    return f'<math xmlns="{NAMESPACE}" display="block"><mrow>{parts}</mrow></math>'


def recognition(tokens: list[str], strokes: int, **more: Any) -> dict[str, Any]:
    """An answer in which token i is read from stroke i."""
    named = [
        {"text": text, "confidence": 0.97, "strokes": [i] if i < strokes else []}
        for i, text in enumerate(tokens)
    ]
    return {
        "schema": "inktex.recognition/1",
        "latex": print_latex(tokens),
        "tokens": named,
        "symbols": [
            {"latex": each["text"], "strokes": each["strokes"], "confidence": 0.97, "token": i}
            for i, each in enumerate(named)
        ],
        "score": 0.9,
        "mathml": mathml(tokens),
        "typst": " ".join(tokens),
        "unread": [],
        "reread": [],
        "complete": True,
        "model": "made up",
        "elapsed": 0.01,
        "alternatives": [],
        **more,
    }


def other(tokens: list[str], score: float = 0.05) -> dict[str, Any]:
    """Another reading."""
    typst = " ".join(tokens)
    return {
        "latex": print_latex(tokens),
        "tokens": tokens,
        "mathml": mathml(tokens),
        "typst": typst,
        "score": score,
    }


class MadeUpServer:
    """Keeps the strokes of a page as the server does; `answer(ids, pins)` gives what is sent back."""

    def __init__(self, page: Page, answer: Callable[..., dict[str, Any] | None]) -> None:
        self.heard: list[dict[str, Any]] = []
        self.connections = 0
        self._answer = answer
        page.route_web_socket("**/v1/session", self._connect)

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.heard if message["type"] == kind]

    def _connect(self, socket: WebSocketRoute) -> None:
        strokes: dict[str, Any] = {}
        pins: list[tuple[list[str], str]] = []
        self.connections += 1

        def heard(text: str | bytes) -> None:
            message = json.loads(text)
            self.heard.append(message)
            kind = message["type"]
            if kind in ("add", "replace"):
                strokes[message["id"]] = message["points"]
            elif kind == "remove":
                for name in message["ids"]:
                    del strokes[name]
                pins[:] = [pin for pin in pins if set(pin[0]) <= set(strokes)]
            elif kind == "clear":
                strokes.clear()
                pins.clear()
            elif kind == "pin":
                pins.append((message["ids"], message["latex"]))
            elif kind == "render":
                tokens = message["latex"].split()
                forms = {**other(tokens), "source": message["latex"], "type": "rendered"}
                socket.send(json.dumps(forms))
                return
            if message.get("more") or message.get("revision") is None:
                return
            reply = {"revision": message["revision"]}
            if not strokes:
                socket.send(json.dumps({**reply, "type": "empty"}))
                return
            read = list(strokes)
            made = self._answer(read, pins)
            if made is None:
                return
            alternatives = made.pop("others", [])
            reply |= {"strokes": read, "recognition": made, "alternatives": alternatives}
            socket.send(json.dumps({**reply, "type": "answer"}))

        socket.on_message(heard)
        socket.send(json.dumps({"type": "hello", "limits": {}, "model": "made up"}))
