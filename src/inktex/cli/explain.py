"""`inktex explain`: why one ink was read as it was. `inktex errors`: where a model goes wrong, as a site."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from inktex.corpus import Example
    from inktex.explain.page import Titled
    from inktex.explain.reading import Reading, ReadingModel
    from inktex.explain.report import SystemReadings

_KINDS = ".html, .svg, .png or .gif"
_PATIENCE = 30.0  # seconds for one ink


def register(app: typer.Typer) -> None:
    """Add the commands `explain` and `errors`."""
    app.command()(explain)
    app.command()(errors)


def explain(
    source: Annotated[str, typer.Argument(help="An ink file of any format, or - for standard input.")],
    out: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="What to write: .html to explore, .svg or .png step by step, .gif moving."
        ),
    ] = Path("why.html"),
    model: Annotated[
        str | None, typer.Option(help="A model file or a name that `inktex models` lists.")
    ] = None,
    latex: Annotated[
        str | None, typer.Option(help="Also show how the model would have written this LaTeX.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Answers shown on the page.")] = 3,
    beam: Annotated[int, typer.Option(min=1, help="Hypotheses kept while searching.")] = 10,
    moving: Annotated[bool, typer.Option("--moving", help="Make the .svg play by itself.")] = False,
) -> None:
    """Show where the model looked while it wrote each token of its answer.

    If the ink file holds its own LaTeX, that is shown beside the answer, unless --latex gives another one.
    """
    from inktex.explain.reading import read_best
    from inktex.files import write_atomically
    from inktex.ink import read
    from inktex.latex import join

    if out.suffix.lower() not in (".html", ".svg", ".png", ".gif"):
        raise typer.BadParameter(f"{out}: the name of the output ends in {_KINDS}")
    ink = read(sys.stdin.buffer if source == "-" else source)
    if not len(ink):
        raise ValueError(f"{source}: there are no strokes to explain")
    reader = _open_model(model)
    readings = read_best(reader, ink, beam=beam, top=top, seconds=_PATIENCE)
    write_atomically(out, _drawn(out.suffix.lower(), source, reader, readings, latex, moving))
    typer.echo(join(readings[0].tokens))
    typer.echo(f"{out}: written", err=True)


def _drawn(
    kind: str,
    source: str,
    model: "ReadingModel",
    readings: "list[Reading]",
    latex: str | None,
    moving: bool,
) -> str | bytes:
    from inktex.explain.steps import animated_picture, animation_frames, steps_picture

    answer = readings[0]
    if kind == ".svg":
        return (animated_picture if moving else steps_picture)(answer).to_svg()
    if kind != ".html":
        from inktex.explain.raster import to_gif, to_png

        return to_gif(animation_frames(answer)) if kind == ".gif" else to_png(steps_picture(answer))
    return _page(source, model, readings, latex)


def _page(source: str, model: "ReadingModel", readings: "list[Reading]", latex: str | None) -> str:
    from math import exp

    from inktex.explain.page import Titled, why_page

    titled = [
        Titled(
            f"{'answer' if not place else f'answer {place + 1}'}, {100 * exp(reading.log_prob):.0f} %",
            reading,
        )
        for place, reading in enumerate(readings)
    ]
    other = _wanted(model, readings, latex)
    if other is not None:
        titled.append(other)
    name = "standard input" if source == "-" else Path(source).name
    return why_page(
        titled,
        heading=name,
        intro=f"Read by {model.name}. Point at a token to see where the model looked when it wrote it, or at "
        "a stroke to see which tokens looked at it. The bar under a token shows how sure the model was; the "
        "percentage of an answer is the product over its tokens, lower than the confidence of inktex "
        "recognize, which says how often such answers are right.",
        truth=other.reading.tokens if other is not None else None,
    )


def _wanted(model: "ReadingModel", readings: "list[Reading]", latex: str | None) -> "Titled | None":
    """How the model would write the LaTeX that was given, or that the file holds."""
    from math import exp

    from inktex.explain.page import Titled
    from inktex.explain.reading import read_as
    from inktex.latex import LatexError, normalize

    text = latex if latex is not None else readings[0].ink.truth
    if not text:
        return None
    try:
        reading = read_as(model, readings[0].ink, normalize(text))
    except LatexError as error:
        if latex is not None:
            raise
        typer.echo(f"the LaTeX in the file is left out: {error}", err=True)
        return None
    title = "given" if latex is not None else "in the file"
    return Titled(f"{title}, {100 * exp(reading.log_prob):.0f} %", reading)


def errors(
    models: Annotated[
        list[str],
        typer.Argument(help="One model, or two to compare: files, names, or folders of training runs."),
    ],
    data: Annotated[
        str, typer.Option(help="Split, as test2013, or a path with ink files that hold their LaTeX.")
    ] = "test2013",
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the report.")] = Path("report"),
    beam: Annotated[int, typer.Option(min=1, help="Hypotheses kept while searching.")] = 10,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only so many expressions, spread evenly over the data.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads (default: one per core).")] = None,
) -> None:
    """Write a site about everything that a model reads wrongly: open OUT/index.html, no server needed."""
    from inktex.cli.evaluate import systems_of
    from inktex.evaluation.provenance import provenance
    from inktex.explain.accuracy import alignment_accuracy
    from inktex.explain.report import write_report
    from inktex.explain.tally import markdown_table

    if len(models) > 2:
        raise typer.BadParameter("one model, or two to compare")
    examples = _examples(data, limit)
    threads = jobs or os.cpu_count() or 1
    systems = [
        _system(system.name, model, examples, beam, threads)
        for system, model in zip(systems_of(models, together=False), models, strict=True)
    ]
    report = write_report(out, data, examples, systems, provenance("inktex " + " ".join(sys.argv[1:])).line())
    typer.echo(markdown_table(report.tally), nl=False)
    if report.tally.p_value is not None:
        typer.echo(f"over- and under-translation: p = {report.tally.p_value:.2g} (McNemar's exact test)")
    for system in systems:
        accuracy = alignment_accuracy(zip(examples, system.readings, strict=True))
        typer.echo(f"alignment of {system.name}: {accuracy}")
    typer.echo(f"{report.index}: {report.cases} expressions in the gallery", err=True)


def _system(name: str, model: str, examples: "list[Example]", beam: int, jobs: int) -> "SystemReadings":
    """Let a model read everything, and write the truth of what it got wrong."""
    from inktex.cli.progress import progress_bar
    from inktex.explain.reading import read_as, read_inks
    from inktex.explain.report import SystemReadings

    reader = _open_model(model)
    inks = [example.ink for example in examples]
    with progress_bar(name, len(inks)) as advance:
        readings = read_inks(reader, inks, beam=beam, jobs=jobs, progress=advance)
    vocabulary = frozenset(reader.stepper.vocabulary.tokens)
    as_truth = {
        place: read_as(reader, example.ink, example.tokens)
        for place, (example, reading) in enumerate(zip(examples, readings, strict=True))
        if example.tokens != reading.tokens and vocabulary.issuperset(example.tokens)
    }
    return SystemReadings(name, readings, as_truth, vocabulary)


def _examples(data: str, limit: int | None) -> "list[Example]":
    from inktex.corpus import load_all, load_split

    path = Path(data)
    corpora = load_all([path]) if path.exists() else [load_split(data)]
    examples = [example for corpus in corpora for example in corpus if len(example.ink)]
    if not examples:
        raise ValueError(f"{data}: no expressions in it")
    if limit is None or limit >= len(examples):
        return examples
    return [examples[number * len(examples) // limit] for number in range(limit)]


def _open_model(spec: str | None) -> "ReadingModel":
    """A model of the runtime; or, while training, the weights of a run (needs torch)."""
    from inktex.explain.reading import ReadingModel

    path = Path(spec or "")
    if spec and (path.suffix == ".safetensors" or (path / "run.json").is_file()):
        try:
            from inktex.model import load_network
            from inktex.training import TorchStepper
        except ImportError as error:
            raise ImportError(f"{spec}: needs PyTorch ({error}); install inktex[train]") from None
        weights = path if path.suffix else path / "best.safetensors"
        if not weights.is_file():
            raise ValueError(f"{spec}: the run has no weights yet")
        network = load_network(weights)
        config = network.config
        return ReadingModel.of_stepper(spec, TorchStepper(network), config.stride, config.features)
    from inktex.runtime import load_model

    return ReadingModel.of(load_model(spec))
