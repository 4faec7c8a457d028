"""`inktex recognize`: ink files in, LaTeX on standard output or a results file out.

Exit code 0: everything was read; 1: something could not be read; 2: the command was wrong. Messages go to
standard error. One file that cannot be read never stops the others.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from typer import Argument, BadParameter, Exit, Option, echo

from inktex.cli.common import BeamOption, LimitOption, ModelOption, inks_in, limits_of, progress_bar

if TYPE_CHECKING:
    from inktex.bulk.results import ResultsFile
    from inktex.ink import Ink, InkError
    from inktex.recognizer import Alternative, Recognition, RecognizeOptions, Recognizer

    Items = Iterable[tuple[str, Ink | InkError]]
    Answers = Iterator[tuple[int, str, Recognition | InkError]]

# Of LaTeX: spaced between any two tokens, inline $…$, display \[…\], markdown $$…$$.
Form = Literal["latex", "spaced", "inline", "display", "markdown", "mathml", "typst", "json"]
_CLIPBOARDS = {"darwin": (("pbcopy",),), "win32": (("clip",),)}
_CLIPBOARDS_ELSEWHERE = (
    ("wl-copy",),
    ("xclip", "-selection", "clipboard"),
    ("xsel", "--clipboard", "--input"),
    ("termux-clipboard-set",),
)


def recognize(
    sources: list[str] = Argument(
        ..., help="Ink files, folders, zips, patterns like '*.inkml', or - for standard input."
    ),
    form: Form = Option("latex", "--format", "-f", help="How to write the answers."),
    spaced: bool = Option(
        False, "--spaced", help="The same as --format spaced: a space between any two tokens."
    ),
    as_json: bool = Option(False, "--json", help="The same as --format json."),
    out: Path | None = Option(
        None,
        "--output",
        "-o",
        help="Write a results file (JSON Lines); inks that it already contains are skipped.",
    ),
    top: int = Option(1, min=1, help="Readings per ink; with more than 1, each line starts with its score."),
    model: ModelOption = None,
    beam: BeamOption = 10,
    symbols: str | None = Option(
        None, help="Only these symbols: LaTeX words and groups, such as 'digits + - =' or 'all -greek'."
    ),
    page: bool = Option(False, "--page", help="Treat each line of an ink as a file of its own."),
    one: bool = Option(False, "--one", help="Read each ink as one expression, without looking for lines."),
    copy: bool = Option(False, "--copy", help="Also copy the answers to the clipboard."),
    jobs: int | None = Option(None, min=1, help="Processes (default: one per core)."),
    timeout: float = Option(10.0, min=0.0, help="Time limit per expression, in seconds."),
    fresh: bool = Option(False, "--fresh", help="Start the results file over instead of resuming it."),
    retry: bool = Option(False, "--retry", help="Retry inks that failed in the results file."),
    limit: LimitOption = None,
    engine: Literal["local", "ray"] = Option(
        "local", help="ray: with Ray, for large collections; -o names a folder, or FOLDER.parquet."
    ),
    ray_address: str | None = Option(
        None, help="A Ray cluster, or 'auto' for the one on this machine (default: start one)."
    ),
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
        raise BadParameter(str(error)) from None
    wanted = top if out is None else max(top, READINGS)
    options = RecognizeOptions(symbols=symbols, top=wanted, timeout=timeout, lines=not (one or page))
    if engine == "ray":
        if out is None or page or copy or retry:
            raise BadParameter("--engine ray needs --output, and has no --page, --copy or --retry")
        from inktex.bulk.parts import recognize_in_parts
        from inktex.reading.ray_executor import RayActors

        with progress_bar("recognizing") as advance:
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
        echo(f"{out}: {count.inks} inks, {count.failures} failed", err=True)
        raise Exit(1 if count.failures else 0)
    if spaced and (as_json or form not in ("latex", "spaced")):
        raise BadParameter("--spaced is LaTeX: it goes with no other --format")
    if one and page:
        raise BadParameter("--one and --page exclude each other")
    form = "json" if as_json else "spaced" if spaced else form
    settings = settings_of(recognizer.model.info, beam, options, page=page)
    try:
        results = ResultsFile(out, settings, fresh=fresh, retry=retry) if out else None
    except ValueError as error:
        raise BadParameter(str(error)) from None
    items = inks_in(_expanded(sources), page=page, limits=limits_of(limit), besides=out)
    read = partial(_answers, recognizer, options, jobs)
    failures = _to_file(read, items, results) if results else _to_stdout(read, items, form, top, copy)
    raise Exit(1 if failures else 0)


def _expanded(sources: Iterable[str]) -> list[str]:
    """Patterns that the shell left alone become the files they match."""
    found: list[str] = []
    for source in sources:
        is_pattern = source != "-" and not os.path.exists(source) and glob.has_magic(source)
        found += (sorted(glob.glob(source, recursive=True)) if is_pattern else []) or [source]
    return found


def _answers(
    recognizer: "Recognizer", options: "RecognizeOptions", jobs: int | None, items: "Items", strokes: bool
) -> "Answers":
    """(place, name, answer) as they are ready; with `strokes`, also which strokes make which token."""
    from inktex.reading import WorkerDied

    names: dict[int, str] = {}

    def inks() -> "Iterator[Ink | InkError]":
        for place, (name, ink) in enumerate(items):
            names[place] = name
            yield ink

    try:
        for place, answer in recognizer.stream(inks(), options, jobs=jobs, processes=True, strokes=strokes):
            yield place, names.pop(place), answer
    except WorkerDied as error:
        raise OSError(f"{error}; run the same command again with -o to resume") from None


def _to_stdout(
    read: "Callable[[Items, bool], Answers]", items: "Items", form: Form, top: int, copy: bool
) -> int:
    failures = 0
    ready: dict[int, tuple[str, Recognition | InkError]] = {}
    written: list[str] = []
    for place, name, answer in read(items, form == "json"):
        ready[place] = (name, answer)
        while len(written) in ready:
            name, answer = ready.pop(len(written))
            failures += _complain(name, answer)
            written.append(_written(name, answer, form, top))
            echo(written[-1])
    if copy and not _copy("\n".join(written)):
        echo("inktex: no clipboard program found; nothing was copied", err=True)
    return failures


def _to_file(read: "Callable[[Items, bool], Answers]", items: "Items", results: "ResultsFile") -> int:
    """Add answers to the results file; returns the number of failures in it."""
    from inktex.bulk.results import result_row

    with results, progress_bar("recognizing") as advance:
        for _, name, answer in read(results.remaining(items, lambda: advance(1)), True):
            results.add(result_row(name, answer))
            advance(1)
            _complain(name, answer)
    count = f"{results.total} inks, {results.read} read now, {results.failures} failed"
    echo(f"{results.path}: {count}", err=True)
    return results.failures


def _complain(name: str, answer: "Recognition | InkError") -> bool:
    """Say what is wrong with an ink, if anything is."""
    from inktex.ink import InkError

    if isinstance(answer, InkError):
        echo(f"inktex: {answer.inside(source=name)}", err=True)
    return isinstance(answer, InkError)


def _written(name: str, answer: "Recognition | InkError", form: Form, top: int) -> str:
    from inktex.bulk.results import result_row
    from inktex.ink import InkError
    from inktex.latex import print_latex

    if form == "json":
        return json.dumps(result_row(name, answer), ensure_ascii=False)
    if isinstance(answer, InkError):
        return ""
    if form == "mathml" or form == "typst":
        return answer.mathml if form == "mathml" else answer.typst
    readings: list[Recognition | Alternative] = [answer, *answer.alternatives[: top - 1]]
    written = [print_latex(each.texts, "plain" if form == "latex" else form) for each in readings]
    if top == 1:
        return written[0]
    return "\n".join(f"{each.score:.3f}\t{text}" for each, text in zip(readings, written, strict=True))


def _copy(text: str) -> bool:
    """Put the text on the clipboard, by the program that the system has for it; False where there is none."""
    for program, *arguments in _CLIPBOARDS.get(sys.platform, _CLIPBOARDS_ELSEWHERE):
        if path := shutil.which(program):
            with suppress(OSError, subprocess.SubprocessError):
                subprocess.run([path, *arguments], input=text.encode(), check=True, timeout=5)  # noqa: S603
                return True
    return False
