"""Draw training curves: loss, WER and ExpRate against CPU time, one line per run.

    python scripts/curves.py models/logs/*.jsonl -o docs/figures/training-curves.png

Takes metrics files (`metrics.jsonl` of a run folder, or the copies kept with the shipped models).
"""

import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def read(path: Path) -> list[dict[str, float]]:
    """Rows of a metrics file, or of the one in a run folder."""
    file = path / "metrics.jsonl" if path.is_dir() else path
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def name_of(path: Path) -> str:
    """What the line is called."""
    return path.name if path.is_dir() else path.parent.name if path.name == "metrics.jsonl" else path.stem


def draw(paths: list[Path], out: Path, longest: float | None) -> None:
    """Three panels beside each other."""
    plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.4), constrained_layout=True)
    quantities = (
        ("train", "loss", "training loss per token"),
        ("validation", "wer", "WER on CROHME 2013, % (greedy)"),
        ("validation", "exprate", "ExpRate on CROHME 2013, % (greedy)"),
    )
    for path in paths:
        rows = read(path)
        for panel, (kind, key, title) in zip(panels, quantities, strict=True):
            points = [(row["cpu_seconds"] / 3600, row[key]) for row in rows if row["kind"] == kind]
            points = [point for point in points if longest is None or point[0] <= longest]
            panel.plot(
                *zip(*points, strict=True),
                label=name_of(path),
                linewidth=1.4,
                marker="." if kind == "validation" else "",
            )
            panel.set_title(title, fontsize=9)
            panel.set_xlabel("CPU hours of one core")
            panel.grid(alpha=0.25)
    for panel in panels:
        panel.set_ylim(bottom=0)
        panel.set_xlim(left=0)
    if panels[1].get_ylim()[1] > 110:  # early answers may be many times too long
        panels[1].set_ylim(bottom=10)
        panels[1].set_yscale("log")
        panels[1].set_yticks([10, 20, 50, 100, 200, 500], ["10", "20", "50", "100", "200", "500"])
        panels[1].minorticks_off()
    panels[0].legend(frameon=False)
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("-o", "--out", type=Path, default=Path("docs/figures/training-curves.png"))
    parser.add_argument("--hours", type=float, help="cut the curves here")
    arguments = parser.parse_args()
    draw(arguments.runs, arguments.out, arguments.hours)
    print(arguments.out)


if __name__ == "__main__":
    main()
