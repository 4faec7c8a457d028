"""Where figures come from: the date, the version, the commit and the machine they were made with."""

import datetime
import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from inktex import __version__


@dataclass(frozen=True)
class Provenance:
    """What is needed to make the same figures again."""

    command: str
    date: str
    version: str
    commit: str  # "" outside a checkout
    machine: str

    def line(self) -> str:
        commit = f", commit {self.commit}" if self.commit else ""
        return f"{self.date}, inktex {self.version}{commit}, {self.machine}: {self.command}"


def provenance(command: str) -> Provenance:
    """Describe this machine and this checkout."""
    return Provenance(
        command=command,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        version=__version__,
        commit=commit(),
        machine=f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}",
    )


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def commit() -> str:
    """The commit of this checkout, "" outside one."""
    git = shutil.which("git")
    if git is None:
        return ""
    here = Path(__file__).parent
    try:
        # Fixed arguments and the folder of this file: nothing of a user's gets into the command.
        found = subprocess.run(  # noqa: S603
            [git, "describe", "--always", "--dirty", "--exclude=*"],
            cwd=here,
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""
