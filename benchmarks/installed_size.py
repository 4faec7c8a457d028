"""How large is an installation that only recognises? inktex and all that it requires, by package.

    python benchmarks/installed_size.py

Sizes are those of the files of the packages beside the Python that runs this, in MB of 10^6 bytes. Compiled
files (`__pycache__`) are counted apart: pip writes them, `pip install --no-compile` and uv do not. Extras,
pip and setuptools are not counted.
"""

import marshal
import tomllib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
OTHER_SYSTEMS = ("win32", "Windows", "Darwin", "python_version <")


@dataclass(frozen=True)
class Installed:
    """One package."""

    name: str
    version: str
    mb: float
    compiled_mb: float


def installed() -> list[Installed]:
    """inktex and what it requires, the largest first."""
    found: dict[str, Installed] = {}
    waiting = ["inktex"]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue
        requires = package.requires or []
        files = [Path(str(file.locate())) for file in package.files or ()]
        source = CHECKOUT / "src" / "inktex"
        if name == "inktex" and not any(file.name == "core.py" for file in files) and source.is_dir():
            # An editable installation lists no files, and what it requires may have changed since.
            files = list(source.rglob("*"))
            project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
            requires = project["project"]["dependencies"]
        sizes = {file: file.stat().st_size for file in files if file.is_file()}
        compiled = sum(size for file, size in sizes.items() if file.suffix == ".pyc")
        rest = sum(sizes.values()) - compiled
        if name == "inktex":  # of a checkout only some are there
            compiled = sum(compiled_size(file) for file in sizes if file.suffix == ".py")
        found[name] = Installed(name, package.version, rest / 1e6, compiled / 1e6)
        waiting += [plain_name(each) for each in requires if here(each)]
    return sorted(found.values(), key=lambda each: -each.mb)


def compiled_size(source: Path) -> int:
    """Bytes of the file that Python makes of a source file: 16, then its code."""
    return 16 + len(marshal.dumps(compile(source.read_bytes(), str(source), "exec")))


def plain_name(requirement: str) -> str:
    """`numpy` of `numpy>=1.26,<3`."""
    name = ""
    for letter in requirement:
        if not (letter.isalnum() or letter in "-_."):
            break
        name += letter
    return name.lower().replace("_", "-")


def here(requirement: str) -> bool:
    """Not one of an extra or for another system."""
    marker = requirement.partition(";")[2]
    return "extra ==" not in marker and not any(word in marker for word in OTHER_SYSTEMS)


def main() -> None:
    """Print the table."""
    packages = installed()
    for each in packages:
        print(f"{each.mb:8.2f} MB {each.compiled_mb:7.2f} MB compiled  {each.name} {each.version}")
    total, compiled = sum(each.mb for each in packages), sum(each.compiled_mb for each in packages)
    print(f"{total:8.2f} MB {compiled:7.2f} MB compiled  together")


if __name__ == "__main__":
    main()
