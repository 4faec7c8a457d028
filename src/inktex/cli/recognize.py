"""`inktex recognize`: ink files in, LaTeX on standard output or a results file out.

Exit code 0: everything was read; 1: something could not be read; 2: the command was wrong. Messages go to
standard error. One file that cannot be read never stops the others.
"""

import glob
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from inktex.cli.answering import Form, Run
from inktex.cli.common import BeamOption, ModelOption, progress_bar
from inktex.cli.sources import LimitOption, inks_in, limits_of


def recognize(
    sources: Annotated[
        list[str],
        typer.Argument(help="Ink files, folders, zips, patterns like '*.inkml', or - for standard input."),
    ],
    form: Annotated[Form, typer.Option("--format", "-f", help="How to write the answers.")] = "latex",
    spaced: Annotated[
        bool, typer.Option("--spaced", help="The same as --format spaced: a space between any two tokens.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write a results file (JSON Lines); inks that it already contains are skipped.",
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, help="Readings per ink; with more than 1, each line starts with its score.")
    ] = 1,
    model: ModelOption = None,
    beam: BeamOption = 10,
    symbols: Annotated[
        str | None,
        typer.Option(
            help="Only these symbols: LaTeX words and groups, such as 'digits + - =' or 'all -greek'."
        ),
    ] = None,
    page: Annotated[
        bool, typer.Option("--page", help="Treat each line of an ink as a file of its own.")
    ] = False,
    one: Annotated[
        bool, typer.Option("--one", help="Read each ink as one expression, without looking for lines.")
    ] = False,
    copy: Annotated[bool, typer.Option("--copy", help="Also copy the answers to the clipboard.")] = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes (default: one per core).")] = None,
    timeout: Annotated[float, typer.Option(min=0.0, help="Time limit per expression, in seconds.")] = 10.0,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start the results file over instead of resuming it.")
    ] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="Retry inks that failed in the results file.")
    ] = False,
    limit: LimitOption = None,
    engine: Annotated[
        Literal["local", "ray"],
        typer.Option(help="ray: with Ray, for large collections; -o names a folder, or FOLDER.parquet."),
    ] = "local",
    ray_address: Annotated[
        str | None,
        typer.Option(help="A Ray cluster, or 'auto' for the one on this machine (default: start one)."),
    ] = None,
) -> None:
    """Read handwritten expressions: one line of LaTeX for each, in the order of the files.

    An ink of several lines gives them as `aligned`; one that cannot be read, an empty line and a message.
    """
    from inktex.bulk.results import ResultsFile, settings_of
    from inktex.reading import ModelError
    from inktex.recognizer import READINGS, RecognizeOptions, Recognizer
    from inktex.recognizer.symbols import allowed_ids

    try:
        recognizer = Recognizer(model, beam=beam)
        if symbols is not None:
            allowed_ids(symbols, recognizer.model.info.vocabulary)
    except (ModelError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None
    wanted = top if out is None else max(top, READINGS)
    options = RecognizeOptions(symbols=symbols, top=wanted, timeout=timeout, lines=not (one or page))
    if engine == "ray":
        if out is None or page or copy or retry:
            raise typer.BadParameter("--engine ray needs --output, and has no --page, --copy or --retry")
        from inktex.bulk.parts import recognize_in_parts
        from inktex.reading.ray_executor import RayActors

        with progress_bar("recognising") as advance:
            count = recognize_in_parts(
                _expanded(sources),
                out,
                model=model,
                beam=beam,
                options=options,
                executor=RayActors(ray_address, jobs),
                fresh=fresh,
                limits=limits_of(limit),
                advance=advance,
            )
        typer.echo(f"{out}: {count.inks} inks, {count.failures} failed", err=True)
        raise typer.Exit(1 if count.failures else 0)
    if spaced and (as_json or form not in ("latex", "spaced")):
        raise typer.BadParameter("--spaced is LaTeX: it goes with no other --format")
    if one and page:
        raise typer.BadParameter("--one and --page exclude each other")
    form = "json" if as_json else "spaced" if spaced else form
    results = None
    if out is not None:
        settings = settings_of(recognizer.model.info, beam, options, page=page)
        try:
            results = ResultsFile(out, settings, fresh=fresh, retry=retry)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
    run = Run(recognizer, options, jobs)
    items = inks_in(_expanded(sources), page=page, limits=limits_of(limit), besides=out)
    failures = run.to_file(items, results) if results is not None else run.to_stdout(items, form, top, copy)
    raise typer.Exit(1 if failures else 0)


def _expanded(sources: Iterable[str]) -> list[str]:
    """Patterns that the shell left alone become the files they match."""
    found: list[str] = []
    for source in sources:
        if source != "-" and not os.path.exists(source) and glob.has_magic(source):
            found += sorted(glob.glob(source, recursive=True)) or [source]
        else:
            found.append(source)
    return found
