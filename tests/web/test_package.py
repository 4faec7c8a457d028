"""The npm package works from a plain page and in a fresh Vite project, with nothing set up."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from inktex.reading import find_model

PAGE = "<!doctype html><meta charset=utf-8><title>test</title><script type=module src=main.js></script>"
MAIN = """
import { Recognizer, Superseded } from "%s";
globalThis.answers = (async () => {
    const recognizer = await Recognizer.load("/model.inktex");
    const answer = await recognizer.recognize(STROKES, { top: 5, timeout: 1000 });
    const session = recognizer.session();
    STROKES.forEach((stroke, i) => session.add(String(i), stroke));
    const older = session.answer({ timeout: 1000 }).catch(error => error instanceof Superseded);
    session.remove(["0"]);
    const newer = await session.answer({ timeout: 1000 });
    const refused = await recognizer.recognize([]).catch(error => `${error.name}: ${error.message}`);
    const rendered = await recognizer.render("\\\\frac12");
    recognizer.close();
    const { name } = recognizer.model;
    return { answer, older: await older, newer: newer.latex, refused, rendered, model: name };
})();
"""


@pytest.fixture
def case(vectors: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = vectors["cases"][2]
    return found


def main_script(case: dict[str, Any], source: str) -> str:
    return f"const STROKES = {json.dumps(case['strokes'])};{MAIN % source}"


def check(page: Page, address: str, case: dict[str, Any]) -> None:
    """The page reads the ink as Python does; nothing comes from another host."""
    problems: list[str] = []
    elsewhere: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: elsewhere.append(request.url))
    page.goto(address)
    page.wait_for_function("globalThis.answers !== undefined", timeout=120_000)
    found = page.evaluate("answers")
    assert found["answer"]["latex"] == case["answer"]["latex"]
    assert found["answer"]["schema"] == "inktex.recognition/1"
    assert found["answer"].keys() == case["answer"].keys() - {"attention"} | {"elapsed"}
    assert found["answer"]["score"] == pytest.approx(case["answer"]["score"], abs=1e-3)
    assert found["older"] is True
    assert found["newer"]
    assert found["refused"] == "InkError: no strokes, so there is nothing to read"
    assert found["rendered"]["latex"] == r"\frac{1}{2}"
    assert found["model"] == "model"
    assert problems == []
    assert all(url.startswith((address, "blob:", "data:")) for url in elsewhere), elsewhere


def test_plain_script(
    package: Path, tmp_path: Path, serve: Callable[[Path], str], browser: Browser, case: dict[str, Any]
) -> None:
    shutil.copytree(package, tmp_path / "inktex")
    shutil.copy(find_model(), tmp_path / "model.inktex")
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "main.js").write_text(main_script(case, "./inktex/dist/index.js"))
    check(browser.new_page(), serve(tmp_path), case)


def test_types_come_along(package: Path) -> None:
    described = json.loads((package / "package.json").read_text())
    for entry in (".", "./pad"):
        for path in described["exports"][entry].values():
            assert (package / path).is_file(), path
    assert described.get("dependencies", {}).keys() <= {"onnxruntime-web"}


@pytest.fixture(scope="module")
def vite_project(tarball: Path, npm: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vite")
    (folder / "package.json").write_text('{"name": "fresh", "private": true, "type": "module"}')
    install = [npm, "install", "--no-audit", "--no-fund", "--silent", "vite@^7", str(tarball)]
    done = subprocess.run(install, cwd=folder, capture_output=True, text=True, timeout=250, check=False)
    if done.returncode:
        pytest.skip(f"Vite cannot be installed here: {done.stderr.strip()[-200:]}")
    (folder / "public").mkdir()
    shutil.copy(find_model(), folder / "public" / "model.inktex")
    (folder / "index.html").write_text(PAGE.replace("main.js", "/main.js"))
    return folder


def test_vite_build(
    vite_project: Path, npm: str, serve: Callable[[Path], str], browser: Browser, case: dict[str, Any]
) -> None:
    (vite_project / "main.js").write_text(main_script(case, "inktex"))
    subprocess.run([npm, "exec", "--", "vite", "build", "--logLevel", "warn"], cwd=vite_project, check=True)
    check(browser.new_page(), serve(vite_project / "dist"), case)
