"""inktex as people install it: a wheel made from the source distribution, in an environment of its own.

The environment sees the packages of this one for its dependencies, so that nothing has to be downloaded; what
it imports as inktex is the wheel.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from importlib.metadata import version
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "pythagoras.inkml"
ANSWER = "a^{2}+b^{2}=c^{2}"
BUILD = "from setuptools import build_meta; print(build_meta.build_{}('dist'))"


def build(kind: str, folder: Path) -> Path:
    """Build in a folder that holds pyproject.toml, with the setuptools that is here."""
    done = subprocess.run(
        [sys.executable, "-c", BUILD.format(kind)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ},
    )
    assert done.returncode == 0, done.stderr
    return folder / "dist" / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source distribution, and the wheel that is built from it."""
    if int(version("setuptools").partition(".")[0]) < 77:
        pytest.skip("building needs a recent setuptools")
    tree = tmp_path_factory.mktemp("tree")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    source = build("sdist", tree)
    with tarfile.open(source) as archive:
        archive.extractall(tree / "unpacked", filter="data")
    (unpacked,) = (tree / "unpacked").iterdir()
    return source, build("wheel", unpacked)


class Installed:
    """An environment into which the wheel was installed."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        python = folder / "venv" / "bin" / "python"
        pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
        pip += ["--disable-pip-version-check", "--no-deps", "--no-index", wheel]
        left_out = ("PYTHONPATH", "INKTEX_MODEL", "INKTEX_MODELS", "VIRTUAL_ENV")
        self.environment = {name: value for name, value in os.environ.items() if name not in left_out}
        self.environment |= {"XDG_DATA_HOME": str(folder / "data"), "OMP_NUM_THREADS": "1"}
        subprocess.run(pip, check=True, env=self.environment)
        self.packages = next((folder / "venv" / "lib").glob("python*/site-packages"))
        # Found after its own packages. An inktex that is here in editable mode is not seen: .pth files of
        # folders that are named in a .pth file are not read.
        (self.packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
        self.command = folder / "venv" / "bin" / "inktex"

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.command, *map(str, arguments)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def installed(archives: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("installed"), archives[1])


def test_the_wheel_of_the_source_distribution_has_all_that_the_package_has(
    archives: tuple[Path, Path],
) -> None:
    with zipfile.ZipFile(archives[1]) as wheel:
        packed = {name for name in wheel.namelist() if name.startswith("inktex/")}
    left_out = ("__pycache__", ".pyc", ".so")
    files = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "inktex").rglob("*")
        if path.is_file() and not any(mark in str(path) for mark in left_out)
    }
    assert packed == files


def test_it_recognizes_right_after_installing(installed: Installed) -> None:
    done = installed.run("recognize", EXAMPLE)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{ANSWER}\n", "")


def test_models_are_listed_and_those_that_are_elsewhere_are_named_with_their_place(
    installed: Installed,
) -> None:
    listed = installed.run("models")
    assert listed.returncode == 0, listed.stderr
    rows = [line.split("\t") for line in listed.stdout.splitlines()]
    names, paths = [row[0] for row in rows], [row[3] for row in rows]
    assert names == ["wide", "free"]
    assert all(Path(path).is_relative_to(installed.packages) for path in paths)
    refused = installed.run("recognize", EXAMPLE, "--model", "p3")
    assert refused.returncode == 2
    said = re.sub(r"[\s│]+", " ", refused.stderr)
    folder = installed.folder / "data" / "inktex" / "models"
    for words in ("no model is called 'p3'", "models/ of inktex's repository", "INKTEX_MODELS"):
        assert words in said
        assert words.startswith("no model") or words in listed.stderr
    assert str(folder) in re.sub(r"[\s│]+", "", refused.stderr)
    folder.mkdir(parents=True)
    shutil.copy(paths[0], folder / "p3.inktex")  # any model will do
    assert installed.run("recognize", EXAMPLE, "--model", "p3").stdout == f"{ANSWER}\n"
    assert [line.split("\t")[0] for line in installed.run("models").stdout.splitlines()] == [*names, "p3"]


def test_it_serves_the_page_and_answers(installed: Installed) -> None:
    process = subprocess.Popen(
        [installed.command, "serve", "--port", "0", "--no-open"],
        cwd=installed.folder,
        env=installed.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = next(filter(None, (re.search(r"write at (http://\S+)/ ", line) for line in process.stdout)))
        page = httpx.get(found[1], timeout=120, follow_redirects=True)  # waits until the server is ready
        assert "<inktex-pad" in page.text
        with EXAMPLE.open("rb") as file:
            answer = httpx.post(f"{found[1]}/v1/recognize/file", files={"file": file}, timeout=120).json()
        assert answer["results"][0]["recognition"]["latex"] == ANSWER
    finally:
        process.terminate()
        process.wait(60)
