"""Known vulnerabilities of what a lock pins: a requirements file in, a verdict out (needs the network).

    python scripts/audit.py requirements-ci.txt

`pip-audit` asks the database of PyPI, and where that does not answer, OSV. It calls packages that it could
not look up "skipped" and ends well; here that is no clean result. Exit code 0: all packages were looked up
and have nothing known against them; 1: something is known; 2: not all of them could be looked up.
"""

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SERVICES = ("pypi", "osv")


@dataclass(frozen=True)
class Findings:
    """What a database said."""

    clean: frozenset[str] = frozenset()
    vulnerable: tuple[str, ...] = ()  # one line for each thing known
    unknown: frozenset[str] = frozenset()  # packages that could not be looked up

    @classmethod
    def of(cls, report: dict[str, Any]) -> "Findings":
        """Read the JSON of pip-audit."""
        clean, vulnerable, unknown = set(), [], set()
        for package in report["dependencies"]:
            name = package["name"]
            if "skip_reason" in package:
                unknown.add(name)
            elif not package["vulns"]:
                clean.add(name)
            for known in package.get("vulns", []):
                repaired = ", ".join(known.get("fix_versions") or []) or "no version yet"
                vulnerable.append(f"{name} {package['version']}: {known['id']} fixed in {repaired}")
        return cls(frozenset(clean), tuple(vulnerable), frozenset(unknown))


def ask(service: str, lock: Path) -> Findings | str:
    """Ask one database; a string says why that was not possible."""
    command = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--progress-spinner", "off"]
    command += ["--timeout", "15", "--vulnerability-service", service, "--format", "json", "-r", str(lock)]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        return Findings.of(json.loads(done.stdout))
    except ValueError:
        return (done.stderr.strip().splitlines() or [f"pip-audit ended with {done.returncode}"])[-1]


def verdict(findings: Findings, lock: Path) -> tuple[int, str]:
    """Exit code and what to say."""
    found, unknown = findings.vulnerable, len(findings.unknown)
    looked_up = f"{lock}: {len(findings.clean)} packages looked up with nothing known against them"
    if found:
        what_to_do = "raise these versions in pyproject.toml if need be, then run `make lock`"
        return 1, "\n".join([*found, f"{looked_up}, {len(found)} vulnerabilities known: {what_to_do}"])
    if unknown:
        return 2, (
            f"{looked_up}, {unknown} could not be looked up: this is NOT a clean result. Run `make audit` "
            "where https://pypi.org/pypi/NAME/VERSION/json or https://api.osv.dev answers (a mirror of "
            "packages alone is not enough)"
        )
    return 0, looked_up


def main() -> None:
    """Ask, then judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lock", type=Path)
    lock = parser.parse_args().lock
    findings = Findings(unknown=frozenset(["everything"]))
    for service in SERVICES:
        said = ask(service, lock)
        if isinstance(said, str):
            print(f"{service} could not be asked: {said[:300]}", file=sys.stderr)
            continue
        if len(said.unknown) < len(findings.unknown) or not findings.clean:
            findings = said
        if not findings.unknown:
            break
    code, text = verdict(findings, lock)
    print(text)
    sys.exit(code)


if __name__ == "__main__":
    main()
