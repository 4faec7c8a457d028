"""What pip would install for some extras, pinned with hashes: pip's own report in, a requirements file out.

    python scripts/lock.py figures -o requirements-demo.txt
    python scripts/lock.py dev -o requirements-ci.txt
    python scripts/lock.py dev -o requirements-ci.txt --check     # does it still fit pyproject.toml?

The lock is for the platform that it is made on (the one of CI); everybody else installs by the
version ranges in pyproject.toml.
"""

import argparse
import json
import platform
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

# pip's own copy: it is there wherever pip is, also before anything is installed.
from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name

BUILD = "setuptools>=77,<83"  # builds the package itself, so it is locked too


def check(extras: str, lock: Path) -> None:
    """Leave with an error if pyproject.toml asks for something that the lock does not have."""
    wanted = [Requirement(BUILD), *requirements(extras)]
    pinned = dict(re.findall(r"^([\w.-]+)==([^\s]+)", lock.read_text(encoding="utf-8"), re.MULTILINE))
    unfit = []
    for each in wanted:
        version = pinned.get(canonicalize_name(each.name))
        if version is None:
            unfit.append(f"lacks {each.name}")
        elif not each.specifier.contains(version, prereleases=True):
            unfit.append(f"has {each.name} {version}, not {each.specifier}")
    if unfit:
        sys.exit(f"{lock}: {'; '.join(sorted(set(unfit)))}; run `make lock`")


def requirements(extras: str) -> Iterator[Requirement]:
    """What pyproject.toml asks for by itself, and for some extras (separated by commas)."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    yield from map(Requirement, project["dependencies"])
    queue, seen = extras.split(","), set()
    while queue:
        extra = queue.pop()
        if extra in seen:
            continue
        seen.add(extra)
        for each in map(Requirement, project["optional-dependencies"][extra]):
            if each.name == project["name"]:
                queue += each.extras
            elif each.marker is None or each.marker.evaluate():
                yield each


def main() -> None:
    """Resolve, then write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extras")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--check", action="store_true", help="only say whether the lock still fits")
    arguments = parser.parse_args()
    if arguments.check:
        check(arguments.extras, arguments.output)
        return
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    command += ["--report", "-", "--constraint", "constraints.txt", f".[{arguments.extras}]", BUILD]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    lines = []
    for package in report["install"]:
        name, version = package["metadata"]["name"], package["metadata"]["version"]
        if name == "inktex":
            continue
        digests = package["download_info"].get("archive_info", {}).get("hashes", {})
        if "sha256" not in digests:
            sys.exit(f"{name} {version}: the index gives no SHA-256; use one that does")
        lines.append(f"{canonicalize_name(name)}=={version} --hash=sha256:{digests['sha256']}")
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    where = f"{python}, {platform.system()} {platform.machine()}"
    head = [
        f"# inktex[{arguments.extras}] on {where}: made by `make lock`.",
        "# pip install --require-hashes --no-deps -r " + arguments.output.name,
    ]
    arguments.output.write_text("\n".join([*head, *sorted(lines)]) + "\n", encoding="utf-8")
    print(f"{arguments.output}: {len(lines)} packages")


if __name__ == "__main__":
    main()
