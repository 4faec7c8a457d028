"""What asks for a live session and is none: it gets an answer in the shape of all errors, and is let go."""

import json
import socket

import pytest

from running_server import RunningServer

GOOD = {
    "Host": "localhost",
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


def answer(
    server: RunningServer, path: str = "/v1/session", **changed: str
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body, once the server has closed the connection."""
    headers = {**GOOD, **{name.replace("_", "-"): value for name, value in changed.items()}}
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
        wire.sendall("\r\n".join(lines).encode("latin-1"))
        said = b""
        while part := wire.recv(65536):
            said += part
    head, _, body = said.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    pairs = [line.partition(": ") for line in rest]
    return int(first.split()[1]), {name.lower(): value for name, _, value in pairs}, body


@pytest.mark.parametrize(
    "changed",
    [
        {"Sec_WebSocket_Key": "x"},
        {"Sec_WebSocket_Key": ""},
        {"Sec_WebSocket_Version": "99"},
        {"Sec_WebSocket_Extensions": "a," * 30_000},  # longer than the library reads
        {"X": "y" * 20_000},
    ],
)
def test_what_is_no_handshake_gets_the_usual_error(server: RunningServer, changed: dict[str, str]) -> None:
    status, headers, body = answer(server, **changed)
    assert (status, json.loads(body)["error"]["code"]) == (400, "bad_handshake")
    assert headers["x-content-type-options"] == "nosniff"
    assert "content-security-policy" in headers
    assert headers["connection"] == "close"


@pytest.mark.parametrize("path", ["/", "/v1/recognize", "/v1/session/x"])
def test_a_session_elsewhere_is_not_found(server: RunningServer, path: str) -> None:
    status, headers, body = answer(server, path)
    assert (status, json.loads(body)["error"]["code"]) == (404, "not_found")
    assert "content-security-policy" in headers
