"""`inktex site`: the page to write on as a folder of files, for any web server; no inktex runs there.

The folder holds the page of `inktex serve`, a model, and the runtime that reads ink with it in the browser.
Everything in it is named relative to the page, so it works below any address.
"""

import gzip
import hashlib
import json
import shutil
from pathlib import Path

from typer import Option, echo

import inktex

STATIC = Path(inktex.__file__).parent / "server" / "static"  # the server itself need not be installed
RUNTIME = "ort-wasm-simd-threaded.wasm"
OF_THE_SERVER = {"docs.html", "css/docs.css", "js/docs.js", f"runtime/{RUNTIME}.gz"}

# Only files of the site, and nothing written into the page runs. WebAssembly is compiled in a worker, which
# has no policy of its own on a plain host, so the page needs no 'wasm-unsafe-eval'.
POLICY = (
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)


def site(
    output: Path = Option(..., "--output", "-o", help="Folder to write; one of an earlier run is renewed."),
    model: str | None = Option(None, help="Model: a name or a file (see `inktex models`)."),
) -> None:
    """Write the page as files that any web server serves; ink is read in the browser and never leaves it."""
    from inktex.reading import find_model, read_model

    path = find_model(model)
    if path.suffix != ".inktex":
        raise ValueError(f"{path}: a site needs a model file (*.inktex); make one with `inktex export`")
    if read_model(path).team:
        raise ValueError(f"{path}: its networks are in several files; make one of them with `inktex export`")
    files = site_files(path)
    _make_room(output)
    for name, content in files.items():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_bytes(content)
    size = sum(map(len, files.values()))
    echo(f"{output}: {len(files)} files, {size / 1e6:.1f} MB. Try it: python -m http.server -d {output}")


def site_files(model: Path) -> dict[str, bytes]:
    """All files of the site by their names."""
    names = [path.relative_to(STATIC).as_posix() for path in sorted(STATIC.rglob("*")) if path.is_file()]
    files = {name: (STATIC / name).read_bytes() for name in names if name not in OF_THE_SERVER}
    files["index.html"] = _page(files["index.html"].decode(), model.name).encode()
    large = {
        f"js/{RUNTIME}": gzip.decompress((STATIC / "runtime" / f"{RUNTIME}.gz").read_bytes()),
        model.name: model.read_bytes(),
    }
    files["sw.js"] = _service_worker(files, large)
    return files | large


def _page(text: str, model: str) -> str:
    """The page with its policy and the model that it reads by."""
    head = '<meta charset="utf-8">\n'
    if head not in text:
        raise ValueError(
            "the page in this installation is not the one this command knows; install inktex again"
        )
    policy = f'  <meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
    return text.replace(head, f'{head}{policy}  <meta name="inktex-model" content="{model}">\n', 1)


def _service_worker(files: dict[str, bytes], large: dict[str, bytes]) -> bytes:
    """The service worker with the names and hashes of this site in its first line."""
    _, _, code = files["sw.js"].partition(b"\n")
    page = {name: content for name, content in files.items() if name not in ("sw.js", "fonts/OFL.txt")}
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in large.items()}
    version = hashlib.sha256()
    for name, content in page.items():
        version.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    version.update(json.dumps(digests).encode() + code)
    kept = {
        "version": version.hexdigest()[:12],
        "files": ["./", *(name for name in page if name != "index.html")],
        "large": digests,
    }
    return b"const KEPT=" + json.dumps(kept, separators=(",", ":")).encode() + b";\n" + code


def _make_room(folder: Path) -> None:
    """Take away the site that is there; other files stay, and a folder of something else is refused."""
    if not folder.exists() or not any(folder.iterdir()):
        return
    worker = folder / "sw.js"
    first = worker.read_text(encoding="utf-8").partition("\n")[0] if worker.is_file() else ""
    if not first.startswith("const KEPT="):
        raise ValueError(f"{folder}: not empty, and not a site of inktex; name another folder")
    kept = json.loads(first.removeprefix("const KEPT=").rstrip(";"))
    for name in [*kept["files"], *kept["large"]]:
        place = (folder / name).resolve()
        if place.is_file() and place.is_relative_to(folder.resolve()):
            place.unlink()
    if (folder / "js").is_dir() and not any((folder / "js").iterdir()):
        shutil.rmtree(folder / "js")
