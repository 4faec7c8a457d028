"""The notebook canvas in a real JupyterLab: does its paper stay where it is while answers come?

    make lab    # installs JupyterLab into an environment of its own, then runs this
    .venv-lab/bin/python scripts/lab_check.py --picture docs/screenshots/integration-jupyterlab.png

JupyterLab is not among what CI installs; there the widget is tested with a stand-in (tests/notebook).
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import anywidget
from integration_pictures import CHROMIUM, SLOW, examples
from playwright.sync_api import Locator, Page, TimeoutError, sync_playwright

CELL = "from inktex.notebook import InkCanvas\ncanvas = InkCanvas()\ncanvas"
NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "source": CELL,
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "id": "canvas",
        }
    ],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
READ = "() => { const pad = document.querySelector('inktex-pad'); return pad.latex && !pad.desk.stale }"
FORMULAS = (
    r"x^{2} + 1",
    r"\frac{a + b}{c}",
    r"\int_{0}^{1} x^{2} dx",
    r"\sqrt{x + y}",
    r"a^{2} + b^{2} = c^{2}",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", type=Path, help="save a screenshot here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        notebooks, config = Path(folder) / "notebooks", Path(folder) / "config"
        notebooks.mkdir()
        (notebooks / "ink.ipynb").write_text(json.dumps(NOTEBOOK))
        notification = config / "lab/user-settings/@jupyterlab/apputils-extension"
        notification.mkdir(parents=True)
        (notification / "notification.jupyterlab-settings").write_text(json.dumps({"fetchNews": "false"}))
        command = [
            sys.executable,
            "-m",
            "jupyterlab",
            "--no-browser",
            "--allow-root",
            "--ip=127.0.0.1",
            "--port=0",
        ]
        settings = [
            "--IdentityProvider.token=",
            "--ServerApp.disable_check_xsrf=True",
            f"--ServerApp.root_dir={notebooks}",
        ]
        # The widget's part for JupyterLab lies in the environment of anywidget, which may be another one.
        widgets = Path(anywidget.__file__).parents[4] / "share" / "jupyter"
        # The settings of whoever runs this are neither used nor changed.
        environment = {**os.environ, "JUPYTER_PATH": str(widgets), "JUPYTER_CONFIG_DIR": str(config)}
        lab = subprocess.Popen(
            [*command, *settings], cwd=notebooks, stderr=subprocess.PIPE, text=True, env=environment
        )
        try:
            write_in(address_of(lab), options.picture)
        finally:
            lab.terminate()
            lab.wait(timeout=30)


def address_of(lab: "subprocess.Popen[str]") -> str:
    told = []
    for line in lab.stderr or ():
        told.append(line)
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            return found[0]
    raise SystemExit(f"JupyterLab does not start:\n{''.join(told)}")


def canvas_of(page: Page) -> Locator:
    """The paper, once the cell shows it; ends with what the cell shows where that is an error, or nothing."""
    paper = page.locator("inktex-pad #settled")
    outputs = page.locator(".jp-OutputArea-output")
    with contextlib.suppress(TimeoutError):
        paper.or_(outputs.filter(has_text="Traceback")).first.wait_for()
    if not paper.is_visible():
        raise SystemExit("the cell shows no canvas, but:\n" + "\n".join(outputs.all_inner_texts()))
    return paper


def write_in(address: str, picture: Path | None) -> None:
    """Run the cell, write thirty strokes and more, and look where the paper is after each."""
    arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        page = browser.new_page(viewport={"width": 1100, "height": 800})
        page.set_default_timeout(SLOW)
        page.goto(f"{address}/lab/tree/ink.ipynb?reset")
        # A cell that is run before its kernel is there is silently not run.
        page.get_by_text("| Idle").first.wait_for()
        page.locator(".jp-Notebook .jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Control+Enter")
        paper = canvas_of(page)
        paper.scroll_into_view_if_needed()
        first = paper.bounding_box()
        if first is None:
            raise RuntimeError("the canvas has no place")
        places, answers = [first], set()
        for formula in FORMULAS:
            for points in examples()[formula]:
                placed = [(first["x"] + 120 + 0.4 * x, first["y"] + 30 + 0.4 * y) for x, y, *_ in points]
                page.mouse.move(*placed[0])
                page.mouse.down()
                for x, y in [*placed[1:-1:3], placed[-1]]:
                    page.mouse.move(x, y)
                page.mouse.up()
                page.wait_for_function(READ)
                answers.add(page.evaluate("document.querySelector('inktex-pad').latex"))
                place = paper.bounding_box()
                places.append(place or {})
            print(formula, "->", page.evaluate("document.querySelector('inktex-pad').latex"), flush=True)
            if picture is not None and formula == FORMULAS[1]:
                page.screenshot(path=picture)
            page.evaluate("document.querySelector('inktex-pad').clear()")
        browser.close()
    moved = [place for place in places if place != first]
    print(f"{len(places) - 1} strokes, {len(answers)} different answers, the paper moved {len(moved)} times")
    if moved or len(places) < 30:
        raise SystemExit(f"the paper was at {first} and then at {moved[:3]}")


if __name__ == "__main__":
    main()
