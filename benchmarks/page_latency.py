"""How long a writer waits: milliseconds from the end of a stroke to the answer on the page, in real Chromium.

    python benchmarks/page_latency.py [--model FILE] [--formulas 9]
    git worktree add ../before COMMIT
    python benchmarks/page_latency.py --against ../before --rounds 5   # by turns

The page's example formulas are written stroke by stroke, each stroke after the answer to the one before, as
a person who writes slowly would. The goal is at most 150 ms. With `--against`, the server and the page of
another checkout are measured in turn with these, both with the same model and the same ink, so that neither
another model nor what else the machine does decides.
"""

import argparse
import json
import os
import shutil
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from serving import EXAMPLES, ROOT, quantile, serving

from inktex.reading import known_models

GOAL = 150.0

WRITE = """async strokes => {
    const canvas = document.querySelector('inktex-pad').canvas, box = canvas.getBoundingClientRect();
    const say = (type, [x, y], buttons) => canvas.dispatchEvent(new PointerEvent(type, {
        bubbles: true, pointerId: 1, pointerType: 'pen', pressure: 0.5, isPrimary: true,
        clientX: box.left + 100 + x, clientY: box.top + 100 + y, buttons,
        button: type === 'pointermove' ? -1 : 0 }));
    const times = [];
    for (const points of strokes) {
        say('pointerdown', points[0], 1);
        for (const point of points.slice(1)) say('pointermove', point, 1);
        const answered = new Promise(done => document.addEventListener('inktex:answer', () =>
            requestAnimationFrame(() => done(performance.now())), { once: true }));
        const ended = performance.now();
        say('pointerup', points.at(-1), 0);
        times.push(await answered - ended);
    }
    return times;
}"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="model file or name; with --against the default of this checkout")
    parser.add_argument("--formulas", type=int, default=9)
    parser.add_argument("--against", type=Path, help="another checkout of the repository")
    parser.add_argument("--rounds", type=int, default=5, help="with --against: how often each is measured")
    arguments = parser.parse_args()
    formulas = json.loads(EXAMPLES.read_text(encoding="utf-8"))[: arguments.formulas]
    if arguments.against is None:
        print(summary(measured(formulas, arguments.model, ROOT)))
        return
    model = arguments.model or str(next(known_models())[1])
    checkouts = {"this code": ROOT, "the other": arguments.against.resolve()}
    times: dict[str, list[float]] = {name: [] for name in checkouts}
    for number in range(arguments.rounds):
        # Each goes first in every second round: a machine that slows down is no advantage to either.
        for name in list(checkouts)[:: 1 if number % 2 == 0 else -1]:
            found = measured(formulas, model, checkouts[name], quiet=True)
            times[name] += found
            print(f"round {number + 1}, {name}: {summary(found)}", flush=True)
    for name, all_of in times.items():
        print(f"{name}: {summary(all_of)}")
    ratio = quantile(times["this code"], 0.5) / quantile(times["the other"], 0.5)
    print(f"median of this code over that of the other: {ratio:.3f}")


def measured(formulas: list[Any], model: str | None, checkout: Path, quiet: bool = False) -> list[float]:
    """Milliseconds of every stroke, with the server and the page of a checkout."""
    times: list[float] = []
    with serving(1, model, checkout) as port, sync_playwright() as playwright:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector('#state[data-state="ready"]')
        for formula in formulas:
            found = page.evaluate(WRITE, formula["strokes"])
            times += found
            slowest = f"last {found[-1]:4.0f} ms, longest {max(found):4.0f} ms"
            if not quiet:
                print(f"{formula['latex']:60} {len(found):3} strokes, {slowest}")
            page.keyboard.press("n")
            page.wait_for_timeout(100)
        browser.close()
    return times


def summary(times: list[float]) -> str:
    """The usual and the longest wait."""
    within = sum(time <= GOAL for time in times) / len(times)
    return (
        f"{len(times)} strokes: p50 {quantile(times, 0.5):.0f} ms, p95 {quantile(times, 0.95):.0f} ms, "
        f"longest {max(times):.0f} ms; {100 * within:.0f} % within {GOAL:.0f} ms "
        f"(load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)"
    )


if __name__ == "__main__":
    main()
