"""The package for browsers, as people get it: packed by npm, served as files, opened in Debian's Chromium."""

import json
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="pages are tested with playwright (inktex[dev])")

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and says nothing."""

    def log_message(self, format: str, *arguments: Any) -> None:
        del format, arguments


@pytest.fixture
def serve() -> Iterator[Callable[[Path], str]]:
    servers: list[ThreadingHTTPServer] = []

    def start(folder: Path) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium: apt-get install chromium")
    arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield made
        made.close()


@pytest.fixture(scope="session")
def npm() -> str:
    found = shutil.which("npm")
    if found is None or shutil.which("node") is None:
        pytest.skip("Node and npm are not installed (Debian: apt install nodejs npm)")
    if not (WEB / "node_modules").is_dir():
        pytest.skip("web/node_modules is not there: make web")
    return found


@pytest.fixture(scope="session")
def tarball(npm: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `npm pack` makes; it builds first."""
    folder = tmp_path_factory.mktemp("pack")
    subprocess.run([npm, "pack", "--silent", "--pack-destination", str(folder)], cwd=WEB, check=True)
    return next(folder.glob("*.tgz"))


@pytest.fixture(scope="session")
def package(tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tarball unpacked."""
    folder = tmp_path_factory.mktemp("package")
    with tarfile.open(tarball) as archive:
        archive.extractall(folder, filter="data")
    return folder / "package"


@pytest.fixture(scope="session")
def vectors() -> dict[str, Any]:
    text = (ROOT / "tests/vectors/recognition.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content
