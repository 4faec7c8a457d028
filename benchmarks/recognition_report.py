"""What `recognition.py` measured, beside what is promised: printed, as JSON, and as tables in the docs."""

import importlib.metadata
import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inktex.files import write_atomically

BEGIN, END = "<!-- figures: made by benchmarks/recognition.py -->", "<!-- end of figures -->"
Measured = dict[str, dict[str, float]]

PROMISES = (
    ("times as fast as a plain PyTorch loop with the same beam", "torch", "times_as_fast", ">=", 5.0),
    ("times the arithmetic at the core's GEMM peak (goal)", "torch", "times_the_arithmetic", "<=", 5.0),
    ("CPU ms per ink, median (guide)", "times", "median_ms", "<=", 40.0),
    ("CPU ms per ink, 95th percentile (guide)", "times", "p95_ms", "<=", 150.0),
    ("R² of a straight line: CPU time against points, to 200 symbols", "growth", "r_squared", ">=", 0.95),
    ("`recognize_many`, all cores against one", "many", "speedup", ">=", 1.8),
    ("import to first answer, s", "start", "first_answer_wall_s", "<=", 1.0),
    ("peak memory, MB", "start", "peak_memory_mb", "<=", 300.0),
    ("installed without torch, MB, without compiled files", "size", "installed_mb", "<=", 150.0),
    ("installed without torch, MB, with all compiled files", "size", "with_compiled_mb", "<=", 150.0),
)


def verdicts(measured: Measured) -> list[tuple[str, float, str, bool]]:
    """Title, value, limit and whether it holds, of everything that was measured."""
    found = []
    for title, part, name, sign, limit in PROMISES:
        value = measured.get(part, {}).get(name)
        if value is not None:
            holds = value >= limit if sign == ">=" else value <= limit
            found.append((title, value, f"{'≥' if sign == '>=' else '≤'} {limit:g}", holds))
    return found


def circumstances(inks: str, model: str) -> dict[str, Any]:
    """Where and with what it was measured."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.partition(":")[2].strip()
            for line in cpuinfo.read_text().splitlines()
            if line.startswith("model name")
        ]
        processor = names[0] if names else processor
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "command": " ".join(["python benchmarks/recognition.py", *sys.argv[1:]]),
        "inks": inks,
        "model": model,
        "processor": processor,
        "cores": os.cpu_count() or 1,
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in ("onnxruntime", "numpy")},
    }


def print_report(where: dict[str, Any], measured: Measured) -> None:
    """Everything, then the promises."""
    print(", ".join(f"{key} {value}" for key, value in where.items()))
    for part, values in measured.items():
        print(f"{part}: " + ", ".join(f"{key} {value:.4g}" for key, value in values.items()))
    print()
    for title, value, limit, holds in verdicts(measured):
        print(f"{'ok  ' if holds else 'MISS'}  {title}: {value:.3g} ({limit})")


def write_report(out: Path, page: Path | None, where: dict[str, Any], measured: Measured) -> None:
    """The JSON file, and the tables between the marks of a page."""
    rounded = {
        part: {key: float(f"{value:.4g}") for key, value in each.items()} for part, each in measured.items()
    }
    write_atomically(out, json.dumps({**where, **rounded}, indent=1, ensure_ascii=False) + "\n")
    if page is None:
        return
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{page}: has no place for the tables ({BEGIN} … {END})")
    write_atomically(page, f"{before}{BEGIN}\n{tables(where, measured)}{END}{after}")


def tables(where: dict[str, Any], measured: Measured) -> str:
    """Promises and sizes in Markdown."""
    lines = ["| | measured | promised | |", "| --- | ---: | ---: | --- |"]
    for title, value, limit, holds in verdicts(measured):
        lines.append(f"| {title} | {value:.3g} | {limit} | {'' if holds else 'missed'} |")
    growth = measured["growth"]
    lines += [
        "",
        f"Time grows by {growth['ms_per_100_points']:.0f} ms per 100 feature points; an ink of "
        f"{growth['largest_symbols']:.0f} symbols takes {growth['largest_ms']:.0f} ms. "
        f"`{where['command']}`, {where['date']}, "
        f"{measured['times']['inks']:.0f} inks of {where['inks']}, "
        f"{where['processor']}, {where['cores']} cores, Python {where['python']}, "
        f"onnxruntime {where['onnxruntime']}, numpy {where['numpy']}; load of the machine {where['load']}.",
        "",
        "| package | MB | compiled by Python |",
        "| --- | ---: | ---: |",
    ]
    packages, compiled = measured["packages"], measured["compiled"]
    lines += [
        f"| {name} | {size:.1f} | {compiled[name]:.1f} |" for name, size in packages.items() if size >= 0.05
    ]
    lines += [f"| all | {sum(packages.values()):.1f} | {sum(compiled.values()):.1f} |", ""]
    return "\n".join(lines)
