"""Is the recogniser in the browser the same as Python's, and how much slower is it? Real Chromium, one core.

    (cd web && npm ci && npm run build)
    python scripts/web_compare.py [--inks 2000] [--model FILE] [--write]

Each ink is read by Python and by the package in headless Chromium, by turns, both on the same core; half of
the inks are synthetic, half are CROHME's where the data is at hand. Printed are how many answers have the
same tokens, how far scores lie apart, every ink whose tokens differ, seconds, and sizes. `--write` puts the
figures into docs/browser.md.
"""

import argparse
import gzip
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from web_vectors import inks, strokes_of

from inktex.ink import Ink
from inktex.reading import find_model
from inktex.recognizer import Recognizer

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "web" / "dist"
DOCUMENT = ROOT / "docs" / "browser.md"
BATCH = 20  # inks in one turn of either side
CHROMIUM = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
MARKS = ("<!-- figures -->", "<!-- end of figures -->")

LOAD = """async () => {
    const begin = performance.now();
    const { Recognizer } = await import('/dist/index.js');
    globalThis.recognizer = await Recognizer.load('/model.inktex');
    const loaded = performance.now();
    await recognizer.recognize([[[0, 12], [12, 22], [20, 28]], [[20, 12], [12, 20], [0, 28]]]);
    return [loaded - begin, performance.now() - begin];
}"""
READ = """async inks => {
    const answers = [];
    const options = { timeout: 1000, lines: false };
    for (const strokes of inks) answers.push(await recognizer.recognize(strokes, options));
    return answers;
}"""


class Files(SimpleHTTPRequestHandler):
    """The built package and the model, kept by the browser as a site's files are."""

    def __init__(self, *arguments: Any, model: Path, **named: Any) -> None:
        self._model = model
        super().__init__(*arguments, **named)

    def translate_path(self, path: str) -> str:
        return str(self._model) if path == "/model.inktex" else super().translate_path(path)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        del format, arguments

    def do_GET(self) -> None:
        if self.path == "/":
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>inktex</title>")
        else:
            super().do_GET()


@contextmanager
def serving(model: Path) -> Iterator[str]:
    """Serve on a port of its own."""
    handler = partial(Files, model=model, directory=str(ROOT / "web"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()


def chosen_inks(count: int) -> list[tuple[str, Ink]]:
    """Half synthetic, half CROHME's validation and training sets; all synthetic without them."""
    found: list[tuple[str, Ink]] = []
    try:
        from inktex.corpus import load_split

        for split in ("test2013", "train"):
            corpus = load_split(split)
            wanted = range(min(len(corpus), count // 2 - len(found)))
            found += [(f"{split} {corpus[number].stem}", corpus[number].ink) for number in wanted]
    except FileNotFoundError as error:
        print(f"CROHME is not at hand ({error}): all ink is synthetic")
    mixed = inks(count - len(found), "sameness") + found
    random.Random("order").shuffle(mixed)
    return mixed


def processor_seconds(process: int) -> float:
    """What all threads of a process have used, however busy the machine is otherwise."""
    total = 0
    for task in Path(f"/proc/{process}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def processes_of(browser: Browser) -> list[dict[str, Any]]:
    """The browser's own processes."""
    found: list[dict[str, Any]] = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")[
        "processInfo"
    ]
    return found


def visit(page: Page, address: str) -> tuple[float, float]:
    """Open the page and have a first answer: seconds by the clock, and of the processor in all processes.

    Where other programs want the core, only the second says how long it takes.
    """
    browser = page.context.browser
    assert browser is not None
    page.goto(address)
    before = {each["id"]: processor_seconds(each["id"]) for each in processes_of(browser)}
    seconds = page.evaluate(LOAD)[1] / 1000
    used = sum(processor_seconds(each["id"]) - before.get(each["id"], 0) for each in processes_of(browser))
    return seconds, used


def compare(
    page: Page, renderer: int, recognizer: Recognizer, cases: list[tuple[str, Ink]]
) -> dict[str, Any]:
    """Read all inks on both sides, by turns."""
    native, web, apart, different, far = [], [], [], [], []
    for begin in range(0, len(cases), BATCH):
        batch = cases[begin : begin + BATCH]
        strokes = [strokes_of(ink) for _, ink in batch]
        for (name, _), each in zip(batch, strokes, strict=True):
            before = processor_seconds(os.getpid())
            own = recognizer.recognize(each, timeout=None, lines=False).to_json()
            native.append(processor_seconds(os.getpid()) - before)
            before = processor_seconds(renderer)
            other = page.evaluate(READ, [each])[0]
            web.append(processor_seconds(renderer) - before)
            if _texts(own) != _texts(other):
                different.append(
                    f"{name}: Python {own['latex']} ({own['score']:.4f}), "
                    f"browser {other['latex']} ({other['score']:.4f})"
                )
                continue
            apart.append(abs(own["score"] - other["score"]))
            if apart[-1] > 1e-3:
                far.append(f"{name}: Python {own['score']:.4f}, browser {other['score']:.4f}")
        print(f"\r{begin + len(batch)} of {len(cases)}, {len(different)} differ", end="", flush=True)
    print()
    return {"native": native, "web": web, "apart": apart, "different": different, "far": far}


def _texts(answer: dict[str, Any]) -> list[str]:
    return [token["text"] for token in answer["tokens"]]


def report(
    found: dict[str, Any], loads: dict[str, tuple[float, float]], model: Path, crohme: int
) -> list[str]:
    """The figures as lines of Markdown."""
    count, same = len(found["native"]), len(found["apart"])
    ratios = [web / native for web, native in zip(found["web"], found["native"], strict=True)]
    milliseconds = {name: [1000 * each for each in found[name]] for name in ("native", "web")}
    middle = {name: statistics.median(values) for name, values in milliseconds.items()}
    slow = {name: statistics.quantiles(values, n=20)[-1] for name, values in milliseconds.items()}
    runtime = (DIST / "ort-wasm-simd-threaded.wasm").read_bytes()
    scripts = [(DIST / name).read_bytes() for name in ("index.js", "worker.js")]
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=ROOT
    ).stdout.strip()
    lines = [
        f"{datetime.now(UTC):%Y-%m-%d}, commit {commit}, model `{model.stem}`, headless Chromium, one core; "
        f"{count} inks ({count - crohme} synthetic, {crohme} of CROHME's training and 2013 sets); "
        f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.",
        "",
        "| | |",
        "|---|---:|",
        f"| answers with the same tokens | {same} of {count} ({100 * same / count:.2f} %) |",
        f"| scores: largest difference of these | {max(found['apart'], default=0):.6f} |",
        f"| scores farther apart than 0.001 | {sum(each > 1e-3 for each in found['apart'])} |",
        f"| Python, processor time: median (95 %) | {middle['native']:.1f} ms ({slow['native']:.1f} ms) |",
        f"| browser, processor time: median (95 %) | {middle['web']:.1f} ms ({slow['web']:.1f} ms) |",
        f"| browser / Python per expression, median | {statistics.median(ratios):.1f} |",
        f"| first answer, first visit: processor time (clock) | {_seconds(loads['cold'])} |",
        f"| first answer, files cached: processor time (clock) | {_seconds(loads['warm'])} |",
        f"| model file | {model.stat().st_size / 1e6:.1f} MB |",
        f"| runtime, as gzip (plain) | {_gzip(runtime):.1f} MB ({len(runtime) / 1e6:.1f} MB) |",
        f"| our scripts, as gzip (plain) | {1000 * sum(map(_gzip, scripts)):.0f} kB "
        f"({sum(map(len, scripts)) / 1e3:.0f} kB) |",
    ]
    if found["different"]:
        lines += ["", "Inks whose tokens differ:", "", *(f"- {each}" for each in found["different"])]
    if found["far"]:
        lines += ["", "Same tokens, scores farther apart:", "", *(f"- {each}" for each in found["far"])]
    return lines


def _seconds(load: tuple[float, float]) -> str:
    clock, used = load
    return f"{used:.2f} s ({clock:.2f} s)"


def _gzip(content: bytes) -> float:
    return len(gzip.compress(content, 9)) / 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--inks", type=int, default=2000)
    parser.add_argument("--model", help="model file or name")
    parser.add_argument("--write", action="store_true", help="put the figures into docs/browser.md")
    arguments = parser.parse_args()
    if not (DIST / "worker.js").is_file():
        sys.exit("web/dist is not there: make web")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # the browser inherits it
    model = find_model(arguments.model)
    recognizer = Recognizer(model)
    cases = chosen_inks(arguments.inks)
    crohme = sum(not name[0].isdigit() for name, _ in cases)
    with serving(model) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
        page = browser.new_page()
        loads = {}
        for name in ("cold", "again", "warm"):  # the second compiles the runtime for good, the third finds it
            loads[name] = visit(page, address)
            time.sleep(3)
        for _, ink in cases[:5]:  # both sides warm
            recognizer.recognize(strokes_of(ink), lines=False)
        page.evaluate(READ, [strokes_of(ink) for _, ink in cases[:5]])
        renderers = [each for each in processes_of(browser) if each["type"] == "renderer"]
        renderer = max(renderers, key=lambda each: each["cpuTime"])
        found = compare(page, renderer["id"], recognizer, cases)
        browser.close()
    lines = report(found, loads, model, crohme)
    print("\n".join(lines))
    if arguments.write:
        text = DOCUMENT.read_text(encoding="utf-8")
        before, _, rest = text.partition(MARKS[0])
        _, _, after = rest.partition(MARKS[1])
        figures = "\n".join([MARKS[0], "", *lines, "", MARKS[1]])
        DOCUMENT.write_text(before + figures + after, encoding="utf-8")
        print(json.dumps({"written": str(DOCUMENT.relative_to(ROOT))}))


if __name__ == "__main__":
    main()
