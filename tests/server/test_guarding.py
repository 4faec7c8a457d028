"""Safe by default: who may ask, what every answer carries; nothing of the page comes from elsewhere."""

import contextlib
import json
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from inktex.recognizer import Recognizer
from inktex.server import ServerOptions
from inktex.server.pages import STATIC
from running_server import RunningServer

TOKEN = "a-good-long-token"
INK = {"strokes": [[[0, 0], [9, 9]], [[0, 9], [9, 0]]]}


def test_it_listens_on_this_machine_only_unless_told() -> None:
    assert ServerOptions().host == "127.0.0.1"
    assert ServerOptions().loopback
    assert not ServerOptions(host="0.0.0.0", allow_anyone=True).loopback
    assert ServerOptions().origins == ()
    assert not ServerOptions().log_ink


@pytest.mark.parametrize(
    "options", [{"token": "short"}, {"token": "ünicode-token"}, {"origins": ("example",)}]
)
def test_unsafe_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"token|origin"):
        ServerOptions(**options)


@pytest.mark.parametrize(
    "path", ["/", "/docs", "/js/main.js", "/healthz", "/openapi.json", "/v1/recognize", "/no"]
)
def test_every_answer_carries_the_headers(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers
    assert "access-control-allow-origin" not in headers


def test_answers_are_not_kept_by_caches(client: httpx.Client) -> None:
    assert client.post("/v1/recognize", json=INK).headers["cache-control"] == "no-store"


def test_other_names_are_refused(client: httpx.Client) -> None:
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421
    assert client.get("/", headers={"Host": "localhost:1234"}).status_code == 200
    assert client.get("/", headers={"Host": "[::1]:1234"}).status_code == 200


def test_pages_of_other_sites_may_not_ask(client: httpx.Client) -> None:
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
        answer = client.post("/v1/recognize", json=INK, headers={"Origin": origin})
        assert answer.status_code == 403
        assert answer.json()["error"]["code"] == "foreign_origin"
    own = str(client.base_url).rstrip("/")
    assert client.post("/v1/recognize", json=INK, headers={"Origin": own}).status_code == 200


def test_an_origin_can_be_opened(serve: Callable[..., Any], recognizer: Recognizer) -> None:
    url = serve(recognizer, origins=("https://notes.example",), token=TOKEN).url
    preflight = httpx.options(
        f"{url}/v1/recognize",
        headers={
            "Origin": "https://notes.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        },
        timeout=60,
    )
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == "https://notes.example"
    headers = {"Origin": "https://notes.example", "Authorization": f"Bearer {TOKEN}"}
    answer = httpx.post(f"{url}/v1/recognize", json=INK, headers=headers, timeout=60)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://notes.example"
    assert "Retry-After" in answer.headers["access-control-expose-headers"]
    foreign = httpx.post(
        f"{url}/v1/recognize", json=INK, headers={**headers, "Origin": "https://evil.example"}, timeout=60
    )
    assert foreign.status_code == 403


def test_the_token_is_wanted_where_there_is_one(serve: Callable[..., Any], recognizer: Recognizer) -> None:
    url = serve(recognizer, token=TOKEN).url
    for header in (None, "Bearer wrong", "Basic " + TOKEN, "Bearer", "Bearer " + TOKEN + "x", "Bearer ü"):
        headers = [(b"authorization", header.encode("latin-1"))] if header else []
        for request in (("POST", "/v1/recognize"), ("GET", "/metrics")):
            answer = httpx.request(request[0], url + request[1], headers=headers, timeout=60)
            assert answer.status_code == 401, (header, request)
            assert "bearer" in answer.headers["www-authenticate"].lower()
    right = httpx.post(
        f"{url}/v1/recognize", json=INK, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60
    )
    assert right.status_code == 200
    for path in ("/", "/healthz", "/readyz", "/docs"):  # hold no secret
        assert httpx.get(url + path, timeout=60).status_code == 200


def test_no_path_leaves_the_pages_folder(client: httpx.Client) -> None:
    for path in (
        "/../app.py",
        "/%2e%2e/app.py",
        "/..%2fapp.py",
        "/js/%2e%2e/%2e%2e/app.py",
        "//etc/passwd",
        "/%00",
    ):
        answer = client.get(path)
        assert answer.status_code in (400, 404), path
        assert "import" not in answer.text


def test_nothing_of_the_page_comes_from_elsewhere() -> None:
    """Only namespaces may look like addresses; scripts and styles stand in files of their own."""
    allowed = ("http://www.w3.org/", "https://scripts.sil.org", "http://scripts.sil.org")
    runtime = ("https://web.dev/cross-origin-isolation-guide/",)  # in a message of onnxruntime
    for file in STATIC.rglob("*"):
        if file.suffix not in (".html", ".js", ".css", ".svg", ".json"):
            continue
        text = file.read_text(encoding="utf-8")
        for address in re.findall(r"https?://[^\s\"'`)]+", text):
            known = allowed + runtime if file.name == "worker.js" else allowed
            assert address.startswith(known), f"{file.name}: {address}"
        if file.suffix == ".html":
            assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=", text), file.name


def test_the_page_is_small() -> None:
    """Without compression: what is loaded before the first stroke, and all that is kept for offline use."""
    sizes = {file.name: file.stat().st_size for file in STATIC.rglob("*") if file.is_file()}
    for name in ("worker.js", "ort-wasm-simd-threaded.wasm.gz", "THIRD-PARTY.txt"):
        del sizes[name]  # fetched only where ink is read on the device
    assert sum(sizes.values()) < 650_000
    del sizes["glyphs.json"]  # outlines for pictures of formulas: fetched afterwards, in the background
    assert sum(sizes.values()) < 350_000


def test_a_network_is_not_served_without_a_token_unless_asked() -> None:
    with pytest.raises(ValueError, match="--allow-anyone"):
        ServerOptions(host="0.0.0.0")
    assert not ServerOptions(host="0.0.0.0", token=TOKEN).loopback
    opened = ServerOptions(host="0.0.0.0", allow_anyone=True, hosts=("ink.example",))
    for name in ("localhost", "127.0.0.1", "192.168.1.5", "[fe80::1]", "ink.example"):
        assert opened.is_called(name)
    assert not opened.is_called("evil.example")  # a name that someone else gave to this machine
    assert not ServerOptions().is_called("192.168.1.5")


@pytest.mark.parametrize("origin", ["http://[", "http://]", "//[x", "http://[::1"])
def test_an_origin_that_is_no_address_is_foreign(client: httpx.Client, origin: str) -> None:
    answer = client.post("/v1/recognize", json=INK, headers={"Origin": origin})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign_origin")
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_halves_of_characters_are_refused(client: httpx.Client) -> None:
    headers = {"Content-Type": "application/json"}
    for path, body in (
        ("/v1/render", b'{"latex": "\\ud800"}'),
        ("/v1/recognize", b'{"strokes": [[[0, 0], [9, 9]]], "options": {"symbols": ["\\ud800"]}}'),
        ("/v1/recognize", b'{"\\ud800": 1}'),
        ("/v3/strokes", b'{"strokes": {"strokes": {"x": [[0]], "y": [[0]]}}, "\\udfff": 1}'),
    ):
        answer = client.post(path, content=body, headers=headers)
        assert answer.status_code < 500, (path, answer.text)
        assert answer.headers["x-content-type-options"] == "nosniff"
    for path in ("/%ff", "/v1/%ed%a0%80"):
        assert client.get(path).status_code in (400, 404)


def _raw(server: Any, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as wire:
        try:
            for start in range(0, len(data), 65536):
                wire.sendall(data[start : start + 65536])
        except OSError:
            pass  # refused before all was sent
        answer = b""
        try:
            while part := wire.recv(65536):
                answer += part
        except OSError:
            pass
        return answer


def test_headers_are_limited_before_anything_else(server: Any) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
    for more in (
        b"".join(b"x%d: 1\r\n" % n for n in range(200)),
        b"x: " + b"y" * 60_000 + b"\r\nz: " + b"y" * 20_000 + b"\r\n",
        b"x: " + b"y" * 5_000_000,
    ):
        answer = _raw(server, head + more + b"\r\n")
        assert not answer.startswith(b"HTTP/1.1 200")
        if answer:  # with much still under way, the connection may be reset before it is read
            assert answer.startswith(b"HTTP/1.1 431")
            assert b"large_headers" in answer
            assert b"nosniff" in answer
    few = _raw(server, head + b"".join(b"x%d: 1\r\n" % n for n in range(90)) + b"Connection: close\r\n\r\n")
    assert few.startswith(b"HTTP/1.1 200")


def test_what_is_not_http_gets_the_same_shape(server: Any) -> None:
    answer = _raw(server, b"\x00\x01\x02 nonsense\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "not_http"
    assert b"nosniff" in answer


@pytest.mark.parametrize(("number", "answered"), [(16, True), (17, False), (5000, False)])
def test_requests_that_come_all_at_once_are_limited(
    server: RunningServer, number: int, answered: bool
) -> None:
    """Thousands of them in one packet would all be taken apart before anybody else has a turn."""
    one = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
        wire.sendall(one * (number - 1) + one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        said = b""
        with contextlib.suppress(ConnectionError):  # what is not read takes the answer back
            while part := wire.recv(65536):
                said += part
    if answered:
        assert said.count(b"HTTP/1.1 200 OK") == number
    else:
        assert said.count(b"HTTP/1.1 200 OK") <= 16
    if number == 17:
        assert b"too_many_at_once" in said


def test_the_server_may_hold_all_connections_that_it_takes() -> None:
    """Else some thousand who connect and say nothing would keep everybody else out."""
    program = (
        "import resource; from inktex.server.running import _allow_handles; "
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]; "
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard)); "
        "_allow_handles(); print(*resource.getrlimit(resource.RLIMIT_NOFILE), hard)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    soft, hard, before = map(int, done.stdout.split())
    assert hard == before
    assert soft == 9216 or soft == hard < 9216 or hard == -1
