"""The plug-in for Obsidian: its types against Obsidian's own, and at run time against a small stand-in."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from running_server import page_examples

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import web_examples  # noqa: E402 - a neighbour folder, not a package

SLOW = 120_000
HTML = (
    "<!doctype html><meta charset=utf-8><title>test</title><link rel=stylesheet href=built/styles.css>"
    "<body class=theme-dark><script type=module src=start.js></script>"
)
# As Obsidian does it: the script gets `require` and `module`.
START = """
import * as obsidian from "./stand-in.js";
const text = await (await fetch("built/main.js")).text();
const module = { exports: {} };
const require = (name) => { if (name !== "obsidian") throw new Error(name); return obsidian; };
new Function("require", "module", "exports", text)(require, module, module.exports);
const adapter = {
  readBinary: async (path) => {
    const name = path.replace(/^\\.obsidian\\/plugins\\/inktex\\//, "built/");
    const response = await fetch(name);
    if (!response.ok) throw new Error(`${path}: no such file`);
    return response.arrayBuffer();
  },
};
const app = { vault: { adapter }, workspace: { getActiveViewOfType: () => null } };
const manifest = { ...await (await fetch("built/manifest.json")).json(), dir: ".obsidian/plugins/inktex" };
globalThis.plugin = new module.exports.default(app, manifest);
globalThis.notices = obsidian.Notice.shown;
globalThis.note = [];
globalThis.editor = { replaceSelection: (text) => note.push(text), focus: () => {} };
plugin.onload();
"""


@pytest.fixture(scope="module")
def built(package: Path, npm: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plug-in, built as docs/integrations.md says; its folder, with node_modules."""
    folder = tmp_path_factory.mktemp("obsidian") / "plugin"
    try:
        web_examples.build("obsidian", folder, package, npm)
    except web_examples.BuildError as error:
        pytest.skip(f"cannot be installed here: {error}")
    return folder


def test_calls_fit_the_published_typings(built: Path, npm: str) -> None:
    done = subprocess.run(
        [npm, "run", "--silent", "check"], cwd=built, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    manifest = json.loads((built / "built" / "manifest.json").read_text())
    assert manifest.keys() >= {
        "id",
        "name",
        "version",
        "minAppVersion",
        "description",
        "author",
        "isDesktopOnly",
    }


def test_a_formula_goes_into_the_note(built: Path, serve: Callable[[Path], str], browser: Browser) -> None:
    esbuild = [str(built / "node_modules" / ".bin" / "esbuild"), "test/stand-in.ts", "--outfile=stand-in.js"]
    subprocess.run([*esbuild, "--format=esm", "--log-level=error"], cwd=built, check=True)
    (built / "index.html").write_text(HTML)
    (built / "start.js").write_text(START)
    page = browser.new_page(viewport={"width": 900, "height": 700})
    page.set_default_timeout(SLOW)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(serve(built))
    page.wait_for_function("globalThis.plugin?.commands.length === 1")
    page.evaluate("plugin.ribbon[0].callback()")
    assert page.evaluate("notices") == ["Open a note first."]
    write = "plugin.commands[0].editorCallback(editor, {})"

    page.evaluate(write)
    page.get_by_role("button", name="Insert", exact=True).click()
    assert page.evaluate("notices.at(-1)") == "Nothing is read yet."
    assert page.locator("inktex-pad").get_attribute("theme") == "dark"
    ink = "strokes => { document.querySelector('inktex-pad').strokes = strokes }"
    page.evaluate(ink, page_examples()["x^{2} + 1"])
    page.wait_for_function("document.querySelector('inktex-pad').latex === 'x^{2}+1'", timeout=SLOW)
    page.get_by_role("button", name="Insert", exact=True).click()
    assert page.evaluate("note") == ["$x^{2}+1$"]
    assert page.locator("inktex-pad").count() == 0

    page.evaluate(write)  # the same pad, empty, with the model that is loaded already
    assert page.evaluate("document.querySelector('inktex-pad').strokes.length") == 0
    page.evaluate(ink, page_examples()[r"\frac{a + b}{c}"])
    page.wait_for_function(r"document.querySelector('inktex-pad').latex === '\\frac{a+b}{c}'", timeout=SLOW)
    page.get_by_role("button", name="Insert as block").click()
    assert page.evaluate("note[1]") == "$$\n\\frac{a+b}{c}\n$$\n"
    assert len(page.workers) == 1
    with page.workers[0].expect_event("close"):
        page.evaluate("plugin.onunload()")
    assert problems == []
    page.close()
