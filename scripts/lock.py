"""What pip would install for some extras, pinned with hashes: pip's own report in, a requirements file out.

    python scripts/lock.py figures -o requirements-demo.txt
    python scripts/lock.py dev -o requirements-ci.txt

The lock is for the platform that it is made on (the one of CI); everybody else installs by the ranges in
pyproject.toml.
"""

import argparse
import json
import platform
import re
import subprocess
import sys
import tomllib
from pathlib import Path

BUILD = "setuptools>=77,<83"  # builds the package itself, so it is locked too


def check(extras: str, lock: Path) -> None:
    """Leave with an error if pyproject.toml asks for something that the lock does not have."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted, seen = list(project["dependencies"]), set()
    queue = [extras]
    while queue:
        extra = queue.pop()
        if extra in seen:
            continue
        seen.add(extra)
        for requirement in project["optional-dependencies"][extra]:
            inner = re.fullmatch(r"inktex\[(.*)\]", requirement)
            if inner:
                queue += inner[1].split(",")
            else:
                wanted.append(requirement)
    pinned = dict(re.findall(r"^([\w.-]+)==([^\s]+)", lock.read_text(encoding="utf-8"), re.MULTILINE))
    names = [re.split(r"[\[<>=!~; ]", each)[0].lower().replace("_", "-") for each in wanted]
    missing = sorted(name for name in names if name not in pinned)
    if missing:
        sys.exit(f"{lock}: lacks {', '.join(missing)}; run `make lock`")


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
        lines.append(f"{name.lower().replace('_', '-')}=={version} --hash=sha256:{digests['sha256']}")
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
