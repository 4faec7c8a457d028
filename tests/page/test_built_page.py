"""The page and the notebook script that are committed are those that the sources give."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
WEB = ROOT / "web"


def built(folder: Path) -> dict[str, bytes]:
    static = folder / "server" / "static"
    files = [*static.glob("js/*"), static / "sw.js", folder / "notebook" / "canvas.js"]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def test_a_rebuild_gives_the_same_bytes(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None or not (WEB / "node_modules" / "esbuild").is_dir():
        pytest.skip("needs Node and `npm ci` in web/")
    subprocess.run([node, "page.mjs", str(tmp_path)], cwd=WEB, check=True, timeout=120)
    assert built(tmp_path) == built(ROOT / "src" / "inktex"), (
        "run `npm run page` in web/ and commit the result"
    )
