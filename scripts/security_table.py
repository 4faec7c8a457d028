"""The table of SECURITY.md: load held, faults survived, inputs tried, and what was lost, from docs/results.

    python scripts/security_table.py            # print it
    python scripts/security_table.py --write    # put it into SECURITY.md

A row appears once its results file is there; the file says which command wrote it.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inktex.files import write_atomically

ROOT = Path(__file__).resolve().parents[1]
MARKS = "<!-- security table: python scripts/security_table.py --write -->", "<!-- end of security table -->"


def load_held(found: dict[str, Any]) -> list[tuple[str, str, int]]:
    """Overload of the server, and a session that floods it."""
    rows = []
    for each in found["overload"]:
        workers = "one worker" if each["workers"] == 1 else f"{each['workers']} workers"
        refused = ""
        if each["shed"]:
            refused = f"; {each['shed']:,} refused, 99 of 100 within {each['shed_p99_ms']:.0f} ms"
        rows.append(
            (
                f"{each['times']} times the capacity of {each['capacity_per_second']:.0f}/s, {workers}",
                f"{each['answered_per_second']:.0f} answers/s{refused}",
                each["lost"] + each["other"],
            )
        )
    rows += [
        (
            f"one session floods the server with `{each['kind']}`",
            f"another client: 99 of 100 within {each['flooded_p99_ms']:.0f} ms "
            f"(alone {each['calm_p99_ms']:.0f} ms)",
            each["lost"],
        )
        for each in found["floods"]
    ]
    return rows


def workers_killed(found: dict[str, Any]) -> list[tuple[str, str, int]]:
    """A worker of a bulk run killed."""
    done = f"{found['outputs']:,} outputs for {found['inks']:,} inks, {found['several']} twice"
    return [(f"one of {found['workers']} bulk workers killed", done, found["missing"] + found["several"])]


def files_tried(found: dict[str, Any]) -> list[tuple[str, str, int]]:
    """Mutated files against every reader."""
    return [("mutated ink files and archives", f"{found['cases']:,} read or refused", found["failures"])]


SOURCES: dict[str, Callable[[dict[str, Any]], list[tuple[str, str, int]]]] = {
    "serving.json": load_held,
    "bulk-kill.json": workers_killed,
    "fuzz-readers.json": files_tried,
}


def table(results: Path = ROOT / "docs/results") -> str:
    """The table in Markdown, and where its rows come from."""
    lines = ["| what was done | what came of it | lost or wrong |", "|---|---|---:|"]
    notes = []
    for name, rows in SOURCES.items():
        path = results / name
        if not path.exists():
            continue
        found = json.loads(path.read_text(encoding="utf-8"))
        lines += [f"| {done} | {result} | {lost:g} |" for done, result, lost in rows(found)]
        made = found["made"]
        busy = f", load average before {found['load_average']:.0f}" if "load_average" in found else ""
        notes.append(
            f"- `{made['command']}`, {made['date']}, commit {made['commit']}, {made['machine']}{busy}"
        )
    return "\n".join([*lines, "", *notes])


def main() -> None:
    """Print, or write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put it into SECURITY.md")
    if parser.parse_args().write:
        page = ROOT / "SECURITY.md"
        before, _, rest = page.read_text(encoding="utf-8").partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        write_atomically(page, f"{before}{MARKS[0]}\n{table()}\n{MARKS[1]}{after}")
    print(table())


if __name__ == "__main__":
    main()
