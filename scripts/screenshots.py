"""Take the screenshots in `docs/screenshots`: the page at three sizes, light and dark, with formulas on it.

    python scripts/screenshots.py [--model FILE] [--out FOLDER] [--only desktop]

Starts a server, opens the page in Chromium and writes the page's own examples with pointer events.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from serving import EXAMPLES, serving  # noqa: E402 - a neighbour folder, not a package

LINES = ROOT / "examples/page.xopp"
QUADRATIC = r"x = \frac{-b \pm \sqrt{b^{2} - 4ac}}{2a}"
LIMIT = r"\lim_{x \rightarrow 0}\frac{\sin x}{x} = 1"
SUM = r"\sum_{n=1}^{\infty}\frac{1}{n^{2}} = \frac{\pi^{2}}{6}"

WRITE = """strokes => {
    const pad = document.querySelector('inktex-pad'), { canvas } = pad, box = canvas.getBoundingClientRect();
    const tools = pad.shadowRoot.querySelector('[part="tools"]').getBoundingClientRect();
    const beside = tools.height > tools.width;
    const left = beside ? tools.right : box.left, bottom = beside ? box.bottom : tools.top;
    const xs = strokes.flat().map(p => p[0]), ys = strokes.flat().map(p => p[1]);
    const width = Math.max(...xs) - Math.min(...xs), height = Math.max(...ys) - Math.min(...ys);
    const scale = Math.min(1.25, (box.right - left - 70) / width, (bottom - box.top - 70) / height);
    const x0 = (left + box.right - scale * width) / 2 - scale * Math.min(...xs);
    const y0 = (box.top + bottom - scale * height) / 2 - scale * Math.min(...ys);
    const say = (type, [x, y], buttons) => canvas.dispatchEvent(new PointerEvent(type, {
        bubbles: true, pointerId: 1, pointerType: 'pen', pressure: 0.5, isPrimary: true, buttons,
        clientX: x0 + scale * x, clientY: y0 + scale * y, button: type === 'pointermove' ? -1 : 0 }));
    for (const points of strokes) {
        say('pointerdown', points[0], 1);
        for (const point of points.slice(1)) say('pointermove', point, 1);
        say('pointerup', points.at(-1), 0);
    }
}"""


@dataclass(frozen=True)
class Device:
    """A screen."""

    width: int
    height: int
    touch: bool


DEVICES = {
    "phone": Device(390, 844, touch=True),
    "tablet": Device(820, 1180, touch=True),
    "desktop": Device(1440, 900, touch=False),
}


def write(page: Page, strokes: object, latex: str) -> None:
    """Write a formula and wait until it is read."""
    page.mouse.move(5, 5)  # away from the buttons, which would light up
    page.evaluate(WRITE, strokes)
    page.wait_for_function(
        "latex => document.querySelector('#latex').value.replaceAll(' ', '') === latex",
        arg=latex.replace(" ", ""),
    )
    page.wait_for_timeout(250)


def opened(browser: Browser, url: str, device: Device, scheme: str) -> Page:
    """The page on a device, without animations."""
    context = browser.new_context(
        viewport={"width": device.width, "height": device.height},
        has_touch=device.touch,
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        device_scale_factor=1,
    )
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector('#state[data-state="ready"]')
    page.wait_for_selector("#try button")
    page.evaluate("() => document.fonts.ready")
    page.wait_for_timeout(300)
    return page


def take(page: Page, name: str, device: Device, shot: Callable[[str], None], ink: dict[str, object]) -> None:
    """All pictures of one device in one colour scheme."""
    shot(f"{name}-welcome")
    write(page, ink[LIMIT], LIMIT)
    page.click("#clear")
    write(page, ink[SUM], SUM)
    page.click("#clear")
    write(page, ink[QUADRATIC], QUADRATIC)
    shot(name)
    if not device.touch:
        page.hover("#formula msqrt [data-token]:not(mrow)")
        shot(f"{name}-linked")
        page.mouse.move(5, 5)
    page.set_input_files("#file", LINES)
    page.wait_for_function("() => document.querySelectorAll('#formula .line').length === 4")
    page.wait_for_selector("#answer:not([data-stale])")
    page.evaluate("() => { document.querySelector('#toast').hidden = true }")
    shot(f"{name}-lines")
    page.click("#undo")
    page.wait_for_selector("#formula mfrac")
    page.click("#why-begin")
    page.wait_for_selector("#player")
    page.click("#why-play")
    page.fill("#why-slider", "7")
    page.wait_for_timeout(150)
    shot(f"{name}-why")


def main() -> None:
    """Take them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="model file or name")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/screenshots")
    parser.add_argument("--only", nargs="+", choices=list(DEVICES), default=list(DEVICES))
    parser.add_argument("--schemes", nargs="+", default=["light", "dark"])
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    ink = {entry["latex"]: entry["strokes"] for entry in json.loads(EXAMPLES.read_text(encoding="utf-8"))}
    with serving(1, arguments.model) as port, sync_playwright() as playwright:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        for name in arguments.only:
            for scheme in arguments.schemes:
                page = opened(browser, f"http://127.0.0.1:{port}/", DEVICES[name], scheme)

                def shot(title: str, page: Page = page) -> None:
                    page.screenshot(path=arguments.out / f"{title}.png", animations="disabled", caret="hide")
                    print(f"{title}.png")

                take(page, f"{name}-{scheme}", DEVICES[name], shot, ink)
                page.context.close()
        browser.close()


if __name__ == "__main__":
    main()
