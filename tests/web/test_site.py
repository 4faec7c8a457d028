"""The page as files: a plain web server and a browser, no inktex behind it; also offline, below any path."""

import json
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page
from typer.testing import CliRunner

from inktex.cli import build_app
from inktex.ink import read
from inktex.ink.lines import split_page
from inktex.reading import find_model
from running_server import Strokes, page_examples

PAGE = Path(__file__).parents[2] / "examples" / "page.xopp"
LINES = ["x+y=7", "x-y=3", "2x=10", "x=5"]
DESK = "document.querySelector('inktex-pad').desk"
READINGS = f"{DESK}.readings"
PATIENCE = 120_000  # ms: reading in the browser shares the machine with all other tests
WRITE = """strokes => {
    const { canvas } = document.querySelector('inktex-pad');
    const { left, top } = canvas.getBoundingClientRect();
    const say = (type, [x, y], buttons) => canvas.dispatchEvent(new PointerEvent(type, {
        bubbles: true, cancelable: true, pointerId: 1, pointerType: 'mouse', isPrimary: true,
        clientX: left + x, clientY: top + y, button: type === 'pointermove' ? -1 : 0, buttons }));
    for (const points of strokes) {
        say('pointerdown', points[0], 1);
        for (const point of points.slice(1)) say('pointermove', point, 1);
        say('pointerup', points.at(-1), 0);
    }
}"""
KEPT = """async () => {
    const registration = await navigator.serviceWorker.ready;
    return registration.active.state === 'activated' && !registration.installing && !registration.waiting;
}"""


class Host:
    """A plain web server that counts what it is asked for."""

    def __init__(self, folder: Path) -> None:
        asked = self.asked = Counter[str]()

        class Files(SimpleHTTPRequestHandler):
            def log_request(self, code: Any = "-", size: Any = "-") -> None:
                asked[f"{int(code)} {self.path}"] += 1

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(folder)))
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/some/where/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def write_site(folder: Path, *more: str) -> Any:
    return CliRunner().invoke(build_app(), ["site", "-o", str(folder), *more])


@pytest.fixture(scope="module")
def example() -> Strokes:
    return page_examples()[r"x^{2} + 1"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "some" / "where"
    assert write_site(made).exit_code == 0
    return made


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    made = Host(tmp_path)
    yield made
    made.stop()


class Visitor:
    """One person's browser; what it is told on the console, and asks of other hosts, is kept."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.trouble: list[str] = []
        self._context = context
        self._address = address

    def open(self) -> Page:
        page = self._context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.on("pageerror", lambda error: self.trouble.append(str(error)))
        page.on("request", lambda request: self._see(request.url))
        page.goto(self._address)
        return page

    def _hear(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and "willReadFrequently" not in text:
            self.trouble.append(text)

    def _see(self, address: str) -> None:
        if not address.startswith((self._address, "blob:", "data:")):
            self.trouble.append(f"asked elsewhere: {address}")


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[[str], Visitor]]:
    contexts: list[BrowserContext] = []

    def begin(address: str) -> Visitor:
        contexts.append(browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 800}))
        return Visitor(contexts[-1], address)

    yield begin
    for context in contexts:
        context.close()


def until(page: Page, promise: str) -> None:
    """Wait until what the page promises is true; Playwright takes a promise itself for true."""
    end = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(promise):
        assert time.monotonic() < end, promise
        page.wait_for_timeout(100)


def reads(page: Page, strokes: Strokes, latex: str) -> None:
    """Write with the pen, and wait for this answer."""
    xs, ys = ([point[axis] for stroke in strokes for point in stroke] for axis in (0, 1))
    moved = [[[x - min(xs) + 200, y - min(ys) + 120] for x, y in stroke] for stroke in strokes]
    page.wait_for_selector('#state[data-state="ready"]')
    page.evaluate(WRITE, moved)
    page.wait_for_function("latex => document.querySelector('#latex').value === latex", arg=latex)


def test_a_page_of_several_lines_is_read_line_by_line(
    folder: Path, host: Host, visit: Callable[[str], Visitor]
) -> None:
    del folder
    visitor = visit(host.address)
    page = visitor.open()
    page.wait_for_selector('#state[data-state="ready"]')
    lines = [
        [stroke.tolist() for stroke in line.strokes] for line in split_page(read(PAGE).translate(150, 0))
    ]
    page.evaluate(WRITE, [stroke for line in lines[:2] for stroke in line])
    wait_for_lines(page, LINES[:2])
    page.evaluate(f"() => {{ window.before = {READINGS}.map(({{ line }}) => line) }}")
    for number, stroke in enumerate(lines[2]):
        page.evaluate(WRITE, [stroke])
        page.wait_for_function(f"() => !{DESK}.stale && {READINGS}[2]?.strokes.length === {number + 1}")
    wait_for_lines(page, LINES[:3])
    assert page.evaluate(f"() => before.every((line, i) => line === {READINGS}[i].line)")  # as they were
    page.evaluate(WRITE, lines[3])
    wait_for_lines(page, LINES)
    assert page.locator("#formula .line").count() == 4
    assert visitor.trouble == []


def wait_for_lines(page: Page, lines: list[str]) -> None:
    page.wait_for_function(
        f"""lines => !{DESK}.stale && JSON.stringify(lines) === JSON.stringify(
            {READINGS}.map(({{ latex }}) => latex.replace(/[\\s{{}}]/g, '')))""",
        arg=lines,
    )


def test_a_visitor_writes_online_and_offline(
    folder: Path, host: Host, visit: Callable[[str], Visitor], example: Strokes
) -> None:
    del folder
    visitor = visit(host.address)
    page = visitor.open()
    reads(page, example, "x^{2}+1")
    assert page.inner_text("#state-text").endswith("on this device")
    assert page.is_hidden("#for-programs")
    errors = page.context.new_cdp_session(page).send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [each["errorId"] for each in errors if each["errorId"] != "in-incognito"] == []
    until(page, KEPT)
    page.close()

    host.stop()
    page = visitor.open()
    page.locator("#try button").first.wait_for()  # the examples, which are another file
    page.keyboard.press("n")
    reads(page, example, "x^{2}+1")
    assert visitor.trouble == []


def test_a_new_version_fetches_only_what_changed(
    folder: Path, host: Host, visit: Callable[[str], Visitor]
) -> None:
    visitor = visit(host.address)
    page = visitor.open()
    page.wait_for_selector('#state[data-state="ready"]')
    until(page, KEPT)
    before = page.evaluate("caches.keys()")
    styles = folder / "css" / "base.css"
    styles.write_text(styles.read_text() + "\nbody { outline-color: rgb(1, 2, 3); }\n")
    worker = folder / "sw.js"
    first, _, code = worker.read_text().partition("\n")
    kept = json.loads(first.removeprefix("const KEPT=").rstrip(";"))
    worker.write_text(f"const KEPT={json.dumps({**kept, 'version': 'another'})};\n{code}")
    host.asked.clear()
    page.evaluate("navigator.serviceWorker.ready.then(registration => registration.update())")
    until(
        page,
        "caches.keys().then(names => names.length === 2 && names.some(name => name.endsWith(' another')))",
    )
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).outlineColor") == "rgb(1, 2, 3)"
    page.wait_for_selector('#state[data-state="ready"]')
    assert len(before) == 2
    assert [path for path in host.asked if path.endswith((".inktex", ".wasm"))] == []
    assert visitor.trouble == []


def test_a_damaged_model_is_refused_and_not_kept(
    folder: Path, host: Host, visit: Callable[[str], Visitor]
) -> None:
    model = folder / find_model().name
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 1
    model.write_bytes(content)
    page = visit(host.address).open()
    page.wait_for_selector("#toast:not([hidden])")
    assert "damaged (its SHA-256 differs)" in page.inner_text("#toast")
    until(page, "caches.keys().then(names => names.some(name => name.endsWith(' large')))")  # it was tried
    until(
        page,
        "navigator.serviceWorker.getRegistration().then(found => found === undefined || !found.installing)",
    )
    assert (
        page.evaluate("navigator.serviceWorker.getRegistration().then(found => found?.active ?? null)")
        is None
    )


def test_the_page_has_a_strict_policy(folder: Path) -> None:
    text = (folder / "index.html").read_text()
    assert "default-src 'none'; script-src 'self';" in text
    assert "unsafe" not in text
    assert text.index("Content-Security-Policy") < text.index("<link")


def test_another_model_takes_the_place_of_the_first(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.inktex"
    shutil.copy(find_model(), other)
    (folder / "CNAME").write_text("example.org")
    assert write_site(folder, "--model", str(other)).exit_code == 0
    assert [path.name for path in folder.glob("*.inktex")] == ["other.inktex"]
    assert 'name="inktex-model" content="other.inktex"' in (folder / "index.html").read_text()
    assert (folder / "CNAME").exists()


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    refused = write_site(tmp_path)
    assert refused.exit_code == 1
    assert "not a site of inktex" in str(refused.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
