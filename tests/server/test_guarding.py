"""Safe by default: who may ask, what every answer carries; nothing of the page comes from elsewhere."""

import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from inktex.recognizer import Recognizer
from inktex.server import ServerOptions
from inktex.server.app import STATIC

TOKEN = "a-good-long-token"
INK = {"strokes": [[[0, 0], [9, 9]], [[0, 9], [9, 0]]]}


def test_it_listens_on_this_machine_only_unless_told() -> None:
    assert ServerOptions().host == "127.0.0.1"
    assert ServerOptions().loopback
    assert not ServerOptions(host="0.0.0.0").loopback
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
    )
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == "https://notes.example"
    headers = {"Origin": "https://notes.example", "Authorization": f"Bearer {TOKEN}"}
    answer = httpx.post(f"{url}/v1/recognize", json=INK, headers=headers)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://notes.example"
    assert "Retry-After" in answer.headers["access-control-expose-headers"]
    foreign = httpx.post(
        f"{url}/v1/recognize", json=INK, headers={**headers, "Origin": "https://evil.example"}
    )
    assert foreign.status_code == 403


def test_the_token_is_wanted_where_there_is_one(serve: Callable[..., Any], recognizer: Recognizer) -> None:
    url = serve(recognizer, token=TOKEN).url
    for header in (None, "Bearer wrong", "Basic " + TOKEN, "Bearer", "Bearer " + TOKEN + "x", "Bearer ü"):
        headers = [(b"authorization", header.encode("latin-1"))] if header else []
        for request in (("POST", "/v1/recognize"), ("GET", "/metrics")):
            answer = httpx.request(request[0], url + request[1], headers=headers)
            assert answer.status_code == 401, (header, request)
            assert "bearer" in answer.headers["www-authenticate"].lower()
    right = httpx.post(f"{url}/v1/recognize", json=INK, headers={"Authorization": f"Bearer {TOKEN}"})
    assert right.status_code == 200
    for path in ("/", "/healthz", "/readyz", "/docs"):  # hold no secret
        assert httpx.get(url + path).status_code == 200


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
    for file in STATIC.rglob("*"):
        if file.suffix not in (".html", ".js", ".css", ".svg", ".json"):
            continue
        text = file.read_text(encoding="utf-8")
        for address in re.findall(r"https?://[^\s\"'`)]+", text):
            assert address.startswith(allowed), f"{file.name}: {address}"
        if file.suffix == ".html":
            assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=", text), file.name


def test_the_page_is_small() -> None:
    total = sum(file.stat().st_size for file in STATIC.rglob("*") if file.is_file())
    assert total < 300_000
