"""`inktex explain`: why an ink was read as it was. `inktex errors`: a report of a model's errors."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from typer import Argument, BadParameter, Option, echo

from inktex.cli.common import BeamOption, ExpressionsOption, ModelOption, all_read, load_examples

if TYPE_CHECKING:
    from inktex.corpus import Example
    from inktex.evaluation import System
    from inktex.ink import Ink
    from inktex.reading import Reader, Reading
    from inktex.report.report import SystemReadings

_PATIENCE = 30.0  # seconds for one ink


def explain(
    source: str = Argument(..., help="An ink file of any format, or - for standard input."),
    out: Path = Option(
        Path("why.html"),
        "--output",
        "-o",
        help="The output: .html is interactive, .svg and .png show the steps, .gif is animated.",
    ),
    model: ModelOption = None,
    latex: str | None = Option(None, help="Also show how the model would have written this LaTeX."),
    top: int = Option(3, min=1, help="Answers shown on the page."),
    beam: BeamOption = 10,
    moving: bool = Option(False, "--moving", help="Animate the .svg."),
) -> None:
    """Show where the model looked while it wrote each token of its answer.

    If the ink file holds its own LaTeX, that is shown beside the answer, unless --latex gives another one.
    """
    from inktex.files import write_atomically
    from inktex.ink import read
    from inktex.latex import print_latex
    from inktex.recognizer import Recognizer

    if out.suffix.lower() not in (".html", ".svg", ".png", ".gif"):
        raise BadParameter(f"{out}: the name of the output must end in .html, .svg, .png or .gif")
    ink = read(sys.stdin.buffer if source == "-" else source)
    if not len(ink):
        raise ValueError(f"{source}: there are no strokes to explain")
    recognizer = Recognizer(model, beam=max(beam, top))
    readings = recognizer.explain(ink, top=top, timeout=_PATIENCE)
    write_atomically(out, _drawn(out.suffix.lower(), source, recognizer.reader(), readings, latex, moving))
    echo(print_latex(readings[0].tokens))
    echo(f"{out}: written", err=True)


def _drawn(
    kind: str, source: str, reader: "Reader", readings: "list[Reading]", latex: str | None, moving: bool
) -> str | bytes:
    from inktex.report.steps import animated_picture, animation_frames, steps_picture

    answer = readings[0]
    if kind == ".html":
        return _page(source, reader, readings, latex)
    if kind == ".svg":
        return (animated_picture if moving else steps_picture)(answer).to_svg()
    from inktex.report.picture import to_gif, to_png

    return to_gif(animation_frames(answer)) if kind == ".gif" else to_png(steps_picture(answer))


def _page(source: str, reader: "Reader", readings: "list[Reading]", latex: str | None) -> str:
    from math import exp

    from inktex.report.why import why_page

    named = [(f"answer {place}" if place > 1 else "answer", each) for place, each in enumerate(readings, 1)]
    other = _wanted(reader, readings[0].ink, latex)
    if other is not None:
        named.append(("given" if latex is not None else "in the file", other))
    return why_page(
        [(f"{name}, {100 * exp(reading.log_prob):.0f} %", reading) for name, reading in named],
        heading="standard input" if source == "-" else Path(source).name,
        intro=f"Read by {reader.model.info.name}. Point at a token to see where the model looked when it "
        "wrote it, or at a stroke to see which tokens looked at it. The bar under a token shows how sure the "
        "model was; the percentage of an answer is the product over its tokens, lower than the confidence "
        "of inktex recognize, which says how often such answers are right.",
        truth=other.tokens if other is not None else None,
    )


def _wanted(reader: "Reader", ink: "Ink", latex: str | None) -> "Reading | None":
    """How the model would write the LaTeX that was given, or that the file holds."""
    from inktex.latex import LatexError, normalize

    text = latex if latex is not None else ink.truth
    if not text:
        return None
    try:
        return reader.read_as(ink, normalize(text))
    except LatexError as error:
        if latex is not None:
            raise
        echo(f"the LaTeX in the file is left out: {error}", err=True)
        return None


def errors(
    models: list[str] = Argument(
        ..., help="One model, or two to compare: files, names, or folders of training runs."
    ),
    data: str = Option(
        "test2013", help="A split, such as test2013, or a path with ink files that contain their LaTeX."
    ),
    out: Path = Option(Path("report"), "--out", "-o", help="Folder for the report."),
    beam: BeamOption = 10,
    limit: ExpressionsOption = None,
    jobs: int | None = Option(None, min=1, help="Threads (default: one per core)."),
) -> None:
    """Write a site about everything that a model reads wrongly: open OUT/index.html, no server needed."""
    from inktex.evaluation import systems_of
    from inktex.evaluation.provenance import provenance
    from inktex.report.report import write_report
    from inktex.report.tally import alignment_accuracy, markdown_table

    if len(models) > 2:
        raise BadParameter("one model, or two to compare")
    examples = load_examples(data, limit)
    systems = [_readings(system, examples, beam, jobs) for system in systems_of(models, together=False)]
    report = write_report(out, data, examples, systems, provenance("inktex " + " ".join(sys.argv[1:])).line())
    echo(markdown_table(report.tally), nl=False)
    if report.tally.p_value is not None:
        echo(f"over- and under-translation: p = {report.tally.p_value:.2g} (McNemar's exact test)")
    for system in systems:
        accuracy = alignment_accuracy(zip(examples, system.readings, strict=True))
        echo(f"alignment of {system.name}: {accuracy}")
    echo(f"{report.index}: {report.cases} expressions in the gallery", err=True)


def _readings(system: "System", examples: "list[Example]", beam: int, jobs: int | None) -> "SystemReadings":
    """Let a model read everything, and write the truth of what it got wrong."""
    from inktex.reading import Reader, whole
    from inktex.report.report import SystemReadings

    opened = system.open()
    reader = Reader(opened, replace(opened.search, beam=beam))
    found = reader.map(whole, [example.ink for example in examples], jobs=jobs)
    readings = all_read(system.name, len(examples), found)
    vocabulary = frozenset(opened.info.vocabulary.tokens)
    as_truth = {
        place: reader.read_as(example.ink, example.tokens)
        for place, (example, reading) in enumerate(zip(examples, readings, strict=True))
        if example.tokens != reading.tokens and vocabulary.issuperset(example.tokens)
    }
    return SystemReadings(system.name, readings, as_truth, vocabulary)
