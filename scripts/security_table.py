"""The table of SECURITY.md: load held, faults survived, inputs tried, and what was lost, from docs/results.

    python scripts/security_table.py            # print it
    python scripts/security_table.py --write    # put it into SECURITY.md, the server's into docs/server.md

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
SERVER_MARKS = "<!-- measured: python scripts/security_table.py --write -->", "<!-- end of measured -->"


def load_held(found: dict[str, Any]) -> list[tuple[str, str, int]]:
    """Overload of the server, and a session that floods it."""
    rows = []
    for each in found["overload"]["rows"]:
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
        for each in found["floods"]["rows"]
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
        notes += provenances(found)
    return "\n".join([*lines, "", *notes])


def provenances(found: dict[str, Any]) -> list[str]:
    """Which commands made a results file, each once; some of them have parts that were made separately."""
    notes = []
    for part in [found, *found.values()]:
        if isinstance(part, dict) and "made" in part:
            made = part["made"]
            busy = f", load average before {made['load_average']:.0f}" if "load_average" in made else ""
            notes.append(
                f"- `{made['command']}`, {made['date']}, commit {made['commit']}, {made['machine']}{busy}"
            )
    return list(dict.fromkeys(notes))


def measured(results: Path = ROOT / "docs/results") -> str:
    """What docs/server.md says of the server's speed and of its behaviour under too much load."""
    found = json.loads((results / "serving.json").read_text(encoding="utf-8"))
    lines = [
        *provenances(found),
        "",
        "Server and clients shared the machine: what the clients take of its cores, and the parent process, "
        "which accepts and refuses, is not there for the answers.",
        "",
        "| workers | clients | answers/s | p50 ms | p99 ms | refused | lost |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['workers']} | {row['clients']} | {row['answered_per_second']:.1f} | {row['p50_ms']:.0f} "
        f"| {row['p99_ms']:.0f} | {row['shed']} | {row['lost']} |"
        for row in found["table"]["rows"]
    ]
    lines += [
        "",
        "| workers | offered | answers/s | of the capacity | p99 ms | refused | refusals, p99 ms | lost "
        "| of a core: clients | parent |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in found["overload"]["rows"]:
        share = row["answered_per_second"] / row["capacity_per_second"]
        refusals = f"{row['shed_p99_ms']:.0f}" if row["shed"] else ""
        lines.append(
            f"| {row['workers']} | {row['times']} × {row['capacity_per_second']:.0f}/s "
            f"| {row['answered_per_second']:.1f} | {share:.0%} | {row['p99_ms']:.0f} | {row['shed']} "
            f"| {refusals} | {row['lost']} | {row['load_cpu_share']:.0%} | {row['parent_cpu_share']:.0%} |"
        )
    lines += [
        "",
        "| a session floods it with | another client, p50 and p99 ms | alone | times as long at p99 |",
        "|---|---:|---:|---:|",
    ]
    lines += [
        f"| `{row['kind']}` | {row['flooded_p50_ms']:.0f}, {row['flooded_p99_ms']:.0f} "
        f"| {row['calm_p50_ms']:.0f}, {row['calm_p99_ms']:.0f} "
        f"| {row['flooded_p99_ms'] / row['calm_p99_ms']:.1f} |"
        for row in found["floods"]["rows"]
    ]
    if "soak" in found:
        soak = found["soak"]["rows"]
        lines += [
            "",
            f"Memory of all processes over {soak['requests']:,} requests: {soak['half_1_mb']:.1f} MB in the "
            f"first half, {soak['half_2_mb']:.1f} MB in the second.",
        ]
    return "\n".join(lines)


def put(page: Path, marks: tuple[str, str], text: str) -> None:
    """Put text between its marks."""
    before, _, rest = page.read_text(encoding="utf-8").partition(marks[0])
    after = rest.partition(marks[1])[2]
    write_atomically(page, f"{before}{marks[0]}\n{text}\n{marks[1]}{after}")


def main() -> None:
    """Print, or write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put it into SECURITY.md and docs/server.md")
    if parser.parse_args().write:
        put(ROOT / "SECURITY.md", MARKS, table())
        put(ROOT / "docs/server.md", SERVER_MARKS, measured())
    print(table())


if __name__ == "__main__":
    main()
