"""Make the figures and tables of docs/attention.md and docs/paper.md again.

    python scripts/figures.py                          figures, from ink that the project makes itself
    python scripts/figures.py --tables                 also the tables, measured on CROHME 2013
    python scripts/figures.py --model p2 --without-coverage p1

Models are named as for `inktex explain`. Nothing of CROHME goes into a figure; tables hold counts only.
"""

import argparse
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from architecture import architecture_picture

from inktex.corpus import Example, ExpressionModel, Synthesizer, load_split, open_bank, synthesize
from inktex.evaluation.provenance import provenance
from inktex.files import write_atomically
from inktex.latex import normalize
from inktex.reading import Reader, Reading, open_model
from inktex.report.figures import (
    RELATIONS,
    Case,
    Look,
    case_picture,
    clearest_case,
    clearest_looks,
    relation_looks,
    relations_picture,
)
from inktex.report.mistakes import Kind, diagnose
from inktex.report.picture import to_gif, to_png
from inktex.report.report import SystemReadings, write_report
from inktex.report.steps import animated_picture, animation_frames, steps_picture
from inktex.report.tally import Tally, alignment_accuracy, markdown_table, tally
from inktex.report.why import why_page

DOCS = Path(__file__).parents[1] / "docs"
FIGURES = DOCS / "figures"
SHORT = "x^{2}+1"  # on the drawing of the network, Fig. 1
SHOWN = r"e^{x}+18x+12"  # the expression of the paper's Fig. 3


def main() -> None:
    """Make what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="p2", help="model with coverage")
    parser.add_argument("--without-coverage", default="p1", help="model without coverage")
    parser.add_argument("--expressions", type=int, default=160, help="written for the figures")
    parser.add_argument("--tables", action="store_true", help="also measure on CROHME 2013")
    arguments = parser.parse_args()
    loaded = [open_model(name) for name in (arguments.without_coverage, arguments.model)]
    without, with_coverage = (Reader(model) for model in loaded)
    draw_architecture(with_coverage)
    draw_one_expression(with_coverage)
    draw_data_set(without, with_coverage, arguments.expressions)
    if arguments.tables:
        used = ", ".join(f"{model.info.name} (sha256 {model.info.sha256[:12]})" for model in loaded)
        write_tables(without, with_coverage, f"python scripts/figures.py --tables, with {used}")


def read_rightly(reader: Reader, latex: str) -> tuple[Example, Reading]:
    """The first hand of some that the model reads correctly, or the last."""
    tokens = normalize(latex)
    synthesizer = Synthesizer(open_bank("hershey"))
    for seed in range(50):
        example = synthesizer.write(tokens, f"figure/{seed}")
        reading = reader.read_one(example.ink)
        if reading.tokens == tokens:
            break
    return example, reading


def draw_architecture(reader: Reader) -> None:
    """The network, from ink to LaTeX, with a reading of a short expression."""
    _, reading = read_rightly(reader, SHORT)
    save("architecture.svg", architecture_picture(reading).to_svg())


def draw_one_expression(reader: Reader) -> None:
    """Attention step by step, still, moving and as a page."""
    example, found = read_rightly(reader, SHOWN)
    readings = found.each()[:3]
    reading = readings[0]
    still = steps_picture(reading)
    save("steps.svg", still.to_svg())
    save("steps.png", to_png(still, scale=1.5))
    save("moving.svg", animated_picture(reading).to_svg())
    save("moving.gif", to_gif(animation_frames(reading)))
    titled = [(f"answer {number}", each) for number, each in enumerate(readings, 1)]
    page = why_page(
        [*titled, ("y instead", reader.read_as(example.ink, normalize(r"e^{y}+18y+12")))],
        heading="e^x + 18x + 12, written by inktex",
        intro=f"Read by {reader.model.info.name}. "
        "Point at a token to see where the model looked when it wrote it.",
    )
    save("why.html", page)
    screenshot(FIGURES / "why.html", "why.png", 1200, 760)


def draw_data_set(without: Reader, with_coverage: Reader, count: int) -> None:
    """The five relations and the clearest mistake of each kind, found among expressions written here."""
    examples = made_expressions(count)
    inks = [example.ink for example in examples]
    systems = {each.model.info.name: each.read(inks) for each in (without, with_coverage)}
    best = systems[with_coverage.model.info.name]
    looks = [look for pair in zip(examples, best, strict=True) for look in relation_looks(*pair)]
    clearest = clearest_looks(looks, most_tokens=12)
    save("relations.svg", relations_picture(list(clearest.values())).to_svg())
    cases = [
        Case(name, example.tokens, reading, diagnosis)
        for name, readings in systems.items()
        for example, reading in zip(examples, readings, strict=True)
        if (diagnosis := diagnose(example, reading)) is not None
    ]
    for kind in Kind:
        case = clearest_case(cases, kind)
        if case is not None:
            save(f"{kind.value.replace(' ', '-')}.svg", case_picture(case).to_svg())
    with tempfile.TemporaryDirectory() as folder:
        read = [SystemReadings(name, readings, {}, frozenset()) for name, readings in systems.items()]
        report = write_report(
            Path(folder), "made expressions", examples, read, "written by scripts/figures.py"
        )
        screenshot(report.index, "report.png", 1240, 1000)


def made_expressions(count: int) -> list[Example]:
    """Expressions like common formulas, written with the built-in symbols."""
    written = synthesize(Synthesizer(open_bank("hershey")), ExpressionModel.builtin(), seed=2017)
    return list(islice((example for example in written if 3 <= len(example.tokens) <= 30), count))


def write_tables(without: Reader, with_coverage: Reader, command: str) -> None:
    """Alignment, mistakes and relations on CROHME 2013, into docs/attention.md."""
    examples = list(load_split("test2013"))
    readings = {
        each.model.info.name: each.read([example.ink for example in examples])
        for each in (without, with_coverage)
    }
    origin = f"\n*{provenance(command).line()}*\n"
    accuracy = [
        f"- {name}: {alignment_accuracy(zip(examples, read, strict=True))}" for name, read in readings.items()
    ]
    counted = tally(
        {
            name: [diagnose(*pair) for pair in zip(examples, read, strict=True)]
            for name, read in readings.items()
        }
    )
    best = readings[with_coverage.model.info.name]
    looks = [look for pair in zip(examples, best, strict=True) for look in relation_looks(*pair)]
    page = DOCS / "attention.md"
    text = page.read_text(encoding="utf-8")
    text = with_block(text, "alignment", "\n".join(accuracy) + "\n" + origin)
    text = with_block(text, "mistakes", mistakes_text(counted) + origin)
    text = with_block(text, "relations", relations_text(looks) + origin)
    write_atomically(page, text)


def mistakes_text(counted: Tally) -> str:
    """The table of mistakes and what it says about coverage."""
    over, under = (
        f"{kind} goes from {counted.main[kind][0]} to {counted.main[kind][1]}"
        for kind in (Kind.OVER, Kind.UNDER)
    )
    rest = (Kind.CONFUSION, Kind.STRUCTURE)
    others = [sum(counted.main[kind][system] for kind in rest) for system in (0, 1)]
    return (
        f"{markdown_table(counted)}\nWith coverage, {over} and {under}, of {counted.expressions} "
        f"expressions; all other mistakes go from {others[0]} to {others[1]}. Are both models equally prone "
        f"to over- and under-translation? p = {counted.p_value:.2g} (McNemar's exact test).\n"
    )


def relations_text(looks: Sequence[Look]) -> str:
    """Where the decoder looks on average when it writes a relation, in percent."""
    lines = ["| relation | times | on the symbol that carries it | on the symbol it leads to | elsewhere |"]
    lines.append("|---|---:|---:|---:|---:|")
    for relation in RELATIONS:
        of_it = [(look.on_base, look.on_part) for look in looks if look.relation == relation]
        if of_it:
            on_base, on_part = np.mean(of_it, axis=0).tolist()
            shares = (on_base, on_part, 1.0 - on_base - on_part)
            shown = " | ".join(f"{100 * share:.0f} %" for share in shares)
            lines.append(f"| {relation} | {len(of_it)} | {shown} |")
    return "\n".join(lines) + "\n"


def with_block(text: str, name: str, content: str) -> str:
    """Exchange what stands between the marks of a block."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    if begin not in text or end not in text:
        raise ValueError(f"docs/attention.md has no block {name}")
    return re.sub(
        rf"{re.escape(begin)}.*?{re.escape(end)}", lambda _: f"{begin}\n{content}{end}", text, flags=re.DOTALL
    )


def save(name: str, content: str | bytes) -> None:
    """Write a figure and say so."""
    write_atomically(FIGURES / name, content)
    print(f"docs/figures/{name}: {len(content) / 1000:.0f} kB")


def screenshot(page: Path, name: str, width: int, height: int) -> None:
    """A picture of a page, where a browser is at hand; without one the old picture stays."""
    browser = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
    if browser is None:
        print(f"docs/figures/{name}: kept, there is no browser to draw it")
        return
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / name
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        flags += ["--hide-scrollbars", f"--user-data-dir={folder}/profile", "--virtual-time-budget=3000"]
        command = [
            browser,
            *flags,
            f"--window-size={width},{height}",
            f"--screenshot={target}",
            page.as_uri(),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        save(name, target.read_bytes())


if __name__ == "__main__":
    main()
