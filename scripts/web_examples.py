"""Builds the examples for browsers and the plug-in for Obsidian, each into a folder: out/examples/NAME.

    python scripts/web_examples.py --serve 8000

A folder gets what is in integrations/NAME, the npm package as `inktex/`, the default model as `model.inktex`.
Where the example has a package.json, `npm ci` installs what it asks for, and `npm run build` builds it.
"""

import argparse
import shutil
import subprocess
import tarfile
import tempfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from inktex.reading import find_model

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("plain", "mathlive", "excalidraw", "obsidian")


class BuildError(Exception):
    """Why an example cannot be built here; its text is for people."""


def packed(npm: str, folder: Path) -> Path:
    """Pack the npm package and unpack it, as someone gets it who installs it."""
    _run([npm, "pack", "--silent", "--pack-destination", str(folder)], ROOT / "web")
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        archive.extractall(folder, filter="data")
    return folder / "package"


def build(name: str, target: Path, package: Path, npm: str) -> Path:
    """Put the example together in `target`."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "integrations" / name, target, ignore=shutil.ignore_patterns("node_modules"))
    shutil.copytree(package, target / "inktex")
    shutil.copy(find_model(), target / "model.inktex")
    install(target, npm)
    return target


def install(folder: Path, npm: str) -> None:
    """Install and build what the package.json of a folder asks for."""
    if not (folder / "package.json").exists():
        return
    _run([npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], folder)
    _run([npm, "run", "--silent", "--if-present", "build"], folder)


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(
            f"{' '.join(command[1:3])} in {folder.name}: {(done.stderr or done.stdout).strip()[-400:]}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names",
        nargs="*",
        default=NAMES,
        metavar="NAME",
        help=f"of {', '.join(NAMES)}; all unless told",
    )
    parser.add_argument("--output", "-o", type=Path, default=ROOT / "out" / "examples")
    parser.add_argument("--serve", type=int, metavar="PORT", help="then give them out on this machine")
    options = parser.parse_args()
    npm = shutil.which("npm")
    if npm is None:
        parser.error("Node and npm are not installed (Debian: apt install nodejs npm)")
    with tempfile.TemporaryDirectory() as folder:
        package = packed(npm, Path(folder))
        for name in options.names:
            print(build(name, options.output / name, package, npm))
    if options.serve:
        handler = partial(SimpleHTTPRequestHandler, directory=str(options.output))
        server = ThreadingHTTPServer(("127.0.0.1", options.serve), handler)
        print(f"http://127.0.0.1:{server.server_address[1]}/{options.names[0]}/ – Ctrl C ends it")
        server.serve_forever()


if __name__ == "__main__":
    try:
        main()
    except BuildError as error:
        raise SystemExit(f"error: {error}") from None
