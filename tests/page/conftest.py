"""A real browser on a real server: Debian's Chromium, driven by Playwright, writing with pointer events."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the server needs inktex[serve]")
pytest.importorskip("playwright", reason="the page is tested with playwright (inktex[dev])")

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from inktex.recognizer import Recognizer
from inktex.server import ServerOptions
from running_server import RunningServer, Strokes, page_examples

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def page_server(recognizer: Recognizer) -> Iterator[RunningServer]:
    server = RunningServer(ServerOptions(grace_seconds=1), recognizer)
    yield server
    server.stop()


@pytest.fixture
def serve_page(recognizer: Recognizer) -> Iterator[Callable[..., RunningServer]]:
    started: list[RunningServer] = []

    def start(port: int = 0, **options: Any) -> RunningServer:
        started.append(RunningServer(ServerOptions(grace_seconds=1, **options), recognizer, port))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # Closed with the module: Playwright keeps an event loop in this thread; others cannot run theirs in it.
    if CHROMIUM is None:
        pytest.skip("no chromium: apt-get install chromium")
    arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield made
        made.close()


@pytest.fixture(scope="session")
def examples() -> dict[str, Strokes]:
    return page_examples()


def thinned(points: list[list[float]], most: int = 11) -> list[list[float]]:
    """Fewer points of the same line: each costs a message to the browser."""
    step = max(1, (len(points) - 1) / (most - 1))
    places = [round(i * step) for i in range(most) if round(i * step) < len(points) - 1]
    return [points[place] for place in places] + [points[-1]]


class Paper:
    """The page as a person uses it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @property
    def box(self) -> dict[str, float]:
        """Where the paper is, in pixels of the window."""
        box = self.page.locator("#settled").bounding_box()
        assert box is not None
        return dict(box)

    @property
    def latex(self) -> str:
        return str(self.page.input_value("#latex"))

    def wait_for_latex(self, latex: str, timeout: float = 20_000) -> None:
        self.page.wait_for_function(
            "latex => document.querySelector('#latex').value === latex", arg=latex, timeout=timeout
        )

    def wait_for_answer(self, action: Callable[[], None]) -> float:
        """Do something; milliseconds from the change of the ink to the answer on the page."""
        self.page.evaluate(
            "() => { window.answered = new Promise(done =>"
            " document.addEventListener('inktex:answer', e => done(e.detail.milliseconds), {once: true})) }"
        )
        action()
        return float(self.page.evaluate("() => window.answered"))

    def to_screen(self, strokes: Strokes, width: float | None = None) -> Strokes:
        """Strokes, thinned, at a good place and size on the paper, in pixels of the window."""
        box = self.box
        xs = [point[0] for stroke in strokes for point in stroke]
        ys = [point[1] for stroke in strokes for point in stroke]
        room = width or box["width"] - 180
        scale = min(1.0, room / (max(xs) - min(xs)), (box["height"] - 180) / (max(ys) - min(ys)))
        left = box["x"] + (box["width"] - scale * (max(xs) - min(xs))) / 2
        top = box["y"] + 50
        return [
            [[left + scale * (x - min(xs)), top + scale * (y - min(ys))] for x, y in thinned(stroke)]
            for stroke in strokes
        ]

    def write(self, strokes: Strokes, width: float | None = None) -> Strokes:
        """Write all at once, by pointer events made in the page; gives the places on the screen."""
        placed = self.to_screen(strokes, width)
        self.page.evaluate(
            """strokes => {
                const canvas = document.querySelector('inktex-pad').canvas;
                const say = (type, [x, y], buttons) => canvas.dispatchEvent(new PointerEvent(type, {
                    bubbles: true, cancelable: true, pointerId: 1, pointerType: 'mouse', isPrimary: true,
                    clientX: x, clientY: y, button: type === 'pointermove' ? -1 : 0, buttons }));
                for (const points of strokes) {
                    say('pointerdown', points[0], 1);
                    for (const point of points.slice(1)) say('pointermove', point, 1);
                    say('pointerup', points.at(-1), 0);
                }
            }""",
            placed,
        )
        return placed

    def stroke(self, points: list[list[float]]) -> None:
        mouse = self.page.mouse
        mouse.move(*points[0])
        mouse.down()
        for x, y in points[1:]:
            mouse.move(x, y)
        mouse.up()

    def touch(self, points: list[list[float]]) -> None:
        client = self.page.context.new_cdp_session(self.page)
        for i, (x, y) in enumerate(points):
            kind = "touchStart" if i == 0 else "touchMove"
            client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        client.detach()

    def pen(self, points: list[list[float]], force: float = 0.7, buttons: int = 1) -> None:
        client = self.page.context.new_cdp_session(self.page)
        kinds = ["mousePressed"] + ["mouseMoved"] * (len(points) - 1)
        for kind, (x, y) in zip(kinds, points, strict=True):
            event = {"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "force": force}
            client.send("Input.dispatchMouseEvent", {**event, "pointerType": "pen", "clickCount": 1})
        x, y = points[-1]
        event = {"type": "mouseReleased", "x": x, "y": y, "button": "left", "pointerType": "pen"}
        client.send("Input.dispatchMouseEvent", {**event, "clickCount": 1})
        client.detach()

    def gesture(self, *events: tuple[str, int, str, float, float]) -> None:
        """Pointer events made in the page: (what, number of the pointer, kind of pointer, x, y)."""
        self.page.evaluate(
            """events => {
                for (const [what, pointerId, pointerType, clientX, clientY] of events) {
                    const move = what === 'move';
                    const event = new PointerEvent(`pointer${what}`, {
                        bubbles: true, cancelable: true, pointerId, pointerType, clientX, clientY,
                        width: 20, height: 20, pressure: 0.6,
                        button: move ? -1 : 0, buttons: move || what === 'down' ? 1 : 0 });
                    document.querySelector('inktex-pad').canvas.dispatchEvent(event);
                }
            }""",
            events,
        )

    @property
    def view(self) -> dict[str, float]:
        """How far the paper is moved and zoomed."""
        return dict(self.page.evaluate("() => ({...document.querySelector('inktex-pad').sheet.view})"))

    @property
    def stroke_count(self) -> int:
        label = self.page.get_attribute("#settled", "aria-label") or ""
        return int(label.split()[2]) if label.startswith("Paper with") else 0

    def colour_at(self, x: float, y: float) -> tuple[int, int, int]:
        """Colour of the paper's canvas at a place of the window."""
        rgb = self.page.evaluate(
            """([x, y]) => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
                const { canvas } = document.querySelector('inktex-pad');
                const box = canvas.getBoundingClientRect();
                const ratio = canvas.width / box.width;
                const at = [(x - box.left) * ratio, (y - box.top) * ratio];
                done([...canvas.getContext('2d').getImageData(at[0], at[1], 1, 1).data]);
            })))""",
            [x, y],
        )
        red, green, blue = (round(255 + (value - 255) * rgb[3] / 255) for value in rgb[:3])  # on white
        return red, green, blue


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open pages; at the end nothing may have been said on the console, and nobody else asked."""
    contexts: list[BrowserContext] = []
    trouble: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and "willReadFrequently" not in message.text:
            trouble.append(f"{message.type}: {message.text}")

    def start(url: str, *, expect: tuple[str, ...] = (), keep_device: bool = False, **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        context.set_default_timeout(20_000)
        if not keep_device:  # 11 MB that one test needs
            frugal = "Object.defineProperty(navigator, 'connection', {value: {saveData: true}})"
            context.add_init_script(frugal)
        page = context.new_page()
        page.on("console", lambda message: None if any(e in message.text for e in expect) else hear(message))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith(("http://127.0.0.1:", "data:", "blob:"))
                else trouble.append(f"asked elsewhere: {request.url}")
            ),
        )
        page.goto(url)
        return page

    yield start
    for context in contexts:
        context.close()
    assert trouble == []


@pytest.fixture
def paper_of() -> Callable[[Page], Paper]:
    return Paper


@pytest.fixture
def paper(new_page: Callable[..., Page], page_server: RunningServer) -> Paper:
    """The page, ready to write on, with a mouse, without animations."""
    page = new_page(page_server.url, reduced_motion="reduce")
    page.wait_for_selector('#state[data-state="ready"]')
    return Paper(page)


@pytest.fixture
def written(paper: Paper, examples: dict[str, Strokes]) -> tuple[Paper, Strokes]:
    """The page with x² + 1 written on it and read; and where its strokes are."""
    placed = paper.write(examples[r"x^{2} + 1"], width=360)
    paper.wait_for_latex("x^{2}+1")
    return paper, placed
