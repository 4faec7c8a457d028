"""`inktex recognize`: ink files in, LaTeX on standard output or a results file out.

Exit code 0: everything was read; 1: something could not be read; 2: the command was wrong. Messages go to
standard error. One file that cannot be read never stops the others.
"""

import glob
import json
import os
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from inktex.bulk.asking import Asking
    from inktex.cli.results import ResultsFile
    from inktex.ink import Ink, InkError
    from inktex.recognizer import Recognition, Recognizer


class Form(StrEnum):
    """How answers are written."""

    latex = "latex"
    mathml = "mathml"
    typst = "typst"
    json = "json"


class Engine(StrEnum):
    """What does the work."""

    local = "local"
    ray = "ray"


def register(app: typer.Typer) -> None:
    """Add the command `recognize`."""
    app.command()(recognize)


def recognize(
    sources: Annotated[
        list[str],
        typer.Argument(help="Ink files, folders, zips, patterns like '*.inkml', or - for standard input."),
    ],
    form: Annotated[Form, typer.Option("--format", "-f", help="How to write the answers.")] = Form.latex,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write a results file (JSON Lines); what it already has is not done again."
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, help="Readings per ink; with more than 1 each line has its score in front.")
    ] = 1,
    model: Annotated[
        str | None, typer.Option(help="A model file or a name that `inktex models` lists.")
    ] = None,
    beam: Annotated[int, typer.Option(min=1, help="Hypotheses kept while searching.")] = 10,
    symbols: Annotated[
        str | None,
        typer.Option(help="Only these symbols: words and groups, as 'digits + - =' or 'all -greek'."),
    ] = None,
    page: Annotated[bool, typer.Option("--page", help="Split each ink into the expressions on it.")] = False,
    copy: Annotated[
        bool, typer.Option("--copy", help="Also put the answers on the clipboard, where there is one.")
    ] = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes (default: one per core).")] = None,
    timeout: Annotated[float, typer.Option(min=0.0, help="Seconds per expression, at most.")] = 10.0,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin the results file anew instead of going on with it.")
    ] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="Try again what failed in the results file.")
    ] = False,
    engine: Annotated[
        Engine,
        typer.Option(help="ray: with Ray, for large collections; -o names a folder, or FOLDER.parquet."),
    ] = Engine.local,
    ray_address: Annotated[
        str | None, typer.Option(help="A Ray cluster, or 'auto' for the one of this machine; default: none.")
    ] = None,
) -> None:
    """Read handwritten expressions: one line of LaTeX for each, in the order of the files.

    An ink that cannot be read gives an empty line and a message.
    """
    from inktex.bulk.asking import Asking
    from inktex.cli.results import ResultsFile
    from inktex.recognizer import READINGS, Recognizer
    from inktex.recognizer.symbols import allowed_ids
    from inktex.runtime import ModelError

    try:
        recognizer = Recognizer(model, beam=beam)
        if symbols is not None:
            allowed_ids(symbols, recognizer.model.info.vocabulary)
    except (ModelError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None
    if engine is Engine.ray:
        if out is None or page or copy or retry:
            raise typer.BadParameter("--engine ray needs --output, and has no --page, --copy or --retry")
        from inktex.cli.bulk import recognize_in_bulk

        asked = Asking(beam=beam, top=max(top, READINGS), symbols=symbols, timeout=timeout)
        failures = recognize_in_bulk(_expanded(sources), out, model, asked, ray_address, jobs, fresh)
        raise typer.Exit(1 if failures else 0)
    form = Form.json if as_json else form
    results = None
    if out is not None:
        try:
            results = ResultsFile.open(out, recognizer.model.info, fresh=fresh, retry=retry)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
    wanted = max(top, READINGS) if results else top
    run = _Run(recognizer, model, Asking(beam, wanted, symbols, timeout), jobs)
    items = _items(_expanded(sources), page)
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


def _items(sources: Iterable[str], page: bool) -> "Iterator[tuple[str, Ink | InkError]]":
    """Names and inks of all sources; with `page`, the expressions of each ink get numbers."""
    from inktex.ink import Ink, InkError, read_all
    from inktex.recognizer.page import split_page

    for source in sources:
        found = False
        for name, ink in _store_items(source) if _is_store(source) else read_all(source):
            found = True
            if page and isinstance(ink, Ink) and len(ink):
                for number, part in enumerate(split_page(ink), 1):
                    yield f"{name}@{number}", part
            else:
                yield name, ink
        if not found:
            yield source, InkError("holds no ink", source=source)


def _is_store(source: str) -> bool:
    """A Parquet file, or a folder that has some on its first level."""
    return source.casefold().endswith(".parquet") or any(Path(source).glob("*.parquet"))


def _store_items(source: str) -> "Iterator[tuple[str, Ink | InkError]]":
    """Names and inks of a Parquet ink store."""
    from inktex.ink import InkError

    try:
        from inktex.store.files import read_store
    except ImportError as error:
        raise ImportError(f"the ink store needs pyarrow ({error}): pip install 'inktex[store]'") from None
    for row, problem in read_store(source):
        missing = InkError(row.error or "has no strokes", source=row.source)
        yield row.source, problem or row.ink or missing


class _Run:
    """One invocation: a recognizer and how it is asked."""

    def __init__(
        self, recognizer: "Recognizer", model: str | None, asking: "Asking", jobs: int | None
    ) -> None:
        self._recognizer = recognizer
        self._model = model
        self._asking = asking
        self._jobs = jobs

    def answers(
        self, items: "Iterable[tuple[str, Ink | InkError]]", *, strokes: bool
    ) -> "Iterator[tuple[int, str, Recognition | InkError]]":
        """(place, name, answer) as they are ready; with `strokes`, also which strokes make which token."""
        from inktex.bulk.processes import stream
        from inktex.ink import InkError

        names: dict[int, str] = {}
        failed: list[tuple[int, InkError]] = []

        def inks() -> "Iterator[Ink]":
            """Inks only: what could not be read is put aside, with its place."""
            for place, (name, ink) in enumerate(items):
                names[place] = name
                if isinstance(ink, InkError):
                    failed.append((place, ink))
                else:
                    places.append(place)
                    yield ink

        places: list[int] = []
        read = stream(self._recognizer, inks(), self._model, self._asking, jobs=self._jobs, strokes=strokes)
        for number, answer in read:
            while failed:
                place, error = failed.pop(0)
                yield place, names.pop(place), error
            place = places[number]
            yield place, names.pop(place), answer
        for place, error in failed:
            yield place, names.pop(place), error

    def to_stdout(
        self, items: "Iterable[tuple[str, Ink | InkError]]", form: Form, top: int, copy: bool
    ) -> int:
        """Write answers in the order of the inks; gives the number of failures."""
        from inktex.cli.clipboard import copy_text
        from inktex.ink import InkError

        failures, wanted = 0, 0
        ready: dict[int, tuple[str, Recognition | InkError]] = {}
        copied: list[str] = []
        for place, name, answer in self.answers(items, strokes=form is Form.json):
            ready[place] = (name, answer)
            while wanted in ready:
                name, answer = ready.pop(wanted)
                wanted += 1
                if isinstance(answer, InkError):
                    failures += 1
                    typer.echo(f"inktex: {answer.inside(source=name)}", err=True)
                text = _written(name, answer, form, top)
                copied.append(text)
                typer.echo(text)
        if copy and not copy_text("\n".join(copied)):
            typer.echo("inktex: there is no clipboard here; nothing was copied", err=True)
        return failures

    def to_file(self, items: "Iterable[tuple[str, Ink | InkError]]", results: "ResultsFile") -> int:
        """Add answers to the results file; gives the number of failures that it then holds."""
        from inktex.cli.progress import progress_bar
        from inktex.cli.results import result_row
        from inktex.ink import InkError

        with results, progress_bar("recognising") as advance:

            def remaining() -> "Iterator[tuple[str, Ink | InkError]]":
                for name, ink in items:
                    if name in results.done:
                        advance(1)
                    else:
                        yield name, ink

            for _, name, answer in self.answers(remaining(), strokes=True):
                results.add(result_row(name, answer))
                advance(1)
                if isinstance(answer, InkError):
                    typer.echo(f"inktex: {answer.inside(source=name)}", err=True)
        typer.echo(
            f"{results.path}: {results.total} inks, {results.total - results.skipped} read now, "
            f"{results.failures} failed",
            err=True,
        )
        return results.failures


def _written(name: str, answer: "Recognition | InkError", form: Form, top: int) -> str:
    from inktex.cli.results import result_row
    from inktex.ink import InkError

    if form is Form.json:
        return json.dumps(result_row(name, answer), ensure_ascii=False)
    if isinstance(answer, InkError):
        return ""
    if top > 1 and form is Form.latex:
        readings = [(answer.score, answer.latex)]
        readings += [(other.score, other.latex) for other in answer.alternatives[: top - 1]]
        return "\n".join(f"{score:.3f}\t{latex}" for score, latex in readings)
    return {Form.latex: answer.latex, Form.mathml: answer.mathml, Form.typst: answer.typst}[form]
