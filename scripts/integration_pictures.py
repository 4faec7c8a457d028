"""Take the pictures of docs/integrations.md: `scripts/web_examples.py` as it is written on in Chromium.

    python scripts/web_examples.py && python scripts/integration_pictures.py

The page of Xournal++ is drawn by Xournal++ itself, where it is installed.
"""

import gzip
import json
import shutil
import subprocess
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from web_examples import ROOT

from inktex.recognizer import Recognizer

BUILT = ROOT / "out" / "examples"
TARGET = ROOT / "docs" / "screenshots"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SLOW = 120_000


def examples() -> dict[str, list[list[list[float]]]]:
    """The ink of the page's examples, by what it says."""
    text = (ROOT / "src/inktex/server/static/examples.json").read_text(encoding="utf-8")
    return {entry["latex"]: entry["strokes"] for entry in json.loads(text)}


def write(page: Page, latex: str, left: float, top: float, scale: float) -> None:
    for points in examples()[latex]:
        placed = [(left + scale * x, top + scale * y) for x, y, *_ in points]
        page.mouse.move(*placed[0])
        page.mouse.down()
        for x, y in placed[1::2] + placed[-1:]:
            page.mouse.move(x, y)
        page.mouse.up()


def write_on_pad(page: Page, latex: str, scale: float = 0.8) -> None:
    box = page.locator("inktex-pad #settled").bounding_box()
    if box is None:
        raise RuntimeError("there is no pad")
    write(page, latex, box["x"] + 90, box["y"] + 40, scale)
    page.wait_for_function(
        "() => { const pad = document.querySelector('inktex-pad'); return pad.latex && !pad.desk.stale }",
        timeout=SLOW,
    )


def plain(page: Page) -> None:
    write_on_pad(page, r"x^{2} + 1")


def mathlive(page: Page) -> None:
    page.locator("math-field").click()
    page.keyboard.type("y=")
    write_on_pad(page, r"\frac{a + b}{c}", 0.6)


def excalidraw(page: Page) -> None:
    page.locator("label:has([data-testid=toolbar-freedraw])").click()
    write(page, r"\sqrt{x + y}", 330, 240, 0.6)
    page.locator("label:has([data-testid=toolbar-selection])").click()
    page.mouse.move(240, 150)
    page.mouse.down()
    page.mouse.move(500, 300)
    page.mouse.move(985, 620)
    page.mouse.up()
    page.get_by_role("button", name="Ink to LaTeX").click()
    page.wait_for_function("excalidraw.getSceneElements().some(({ type }) => type === 'text')", timeout=SLOW)


def xournalpp(target: Path) -> None:
    """The quadratic formula with its LaTeX where the plug-in writes it, drawn by the program."""
    program = shutil.which("xournalpp")
    if program is None:
        print("no Xournal++ here: its picture stays as it is")
        return
    source = ROOT / "examples" / "quadratic.xopp"
    answer = Recognizer().recognize(source)
    text = f'<text font="Sans" size="12" x="46" y="190" color="#1859c9ff">{answer.latex}</text></layer>'
    page = gzip.decompress(source.read_bytes()).decode().replace("</layer>", text, 1)
    page = page.replace('height="841.89"', 'height="260"')
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "note.xopp"
        made.write_bytes(gzip.compress(page.encode()))
        subprocess.run([program, f"--create-img={target}", "--export-png-width=900", str(made)], check=True)


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(BUILT)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        for take in (plain, mathlive, excalidraw):
            page = browser.new_page(viewport={"width": 1000, "height": 700})
            page.goto(f"http://127.0.0.1:{server.server_address[1]}/{take.__name__}/")
            take(page)
            page.screenshot(path=TARGET / f"integration-{take.__name__}.png")
            page.close()
        browser.close()
    xournalpp(TARGET / "integration-xournalpp.png")


if __name__ == "__main__":
    main()
