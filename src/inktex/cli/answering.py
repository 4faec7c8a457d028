"""Answers of `inktex recognize`: to standard output in the order of the inks, or to a results file."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import typer

from inktex.cli.common import progress_bar

if TYPE_CHECKING:
    from inktex.bulk.results import ResultsFile
    from inktex.ink import Ink, InkError
    from inktex.recognizer import Alternative, Recognition, RecognizeOptions, Recognizer

    Items = Iterable[tuple[str, Ink | InkError]]

# Of LaTeX: spaced between any two tokens, inline $…$, display \[…\], markdown $$…$$.
Form = Literal["latex", "spaced", "inline", "display", "markdown", "mathml", "typst", "json"]
_CLIPBOARDS = {"darwin": (("pbcopy",),), "win32": (("clip",),)}
_CLIPBOARDS_ELSEWHERE = (
    ("wl-copy",),
    ("xclip", "-selection", "clipboard"),
    ("xsel", "--clipboard", "--input"),
    ("termux-clipboard-set",),
)


@dataclass(frozen=True)
class Run:
    """One invocation: a recognizer and how it is asked."""

    recognizer: "Recognizer"
    options: "RecognizeOptions"
    jobs: int | None

    def answers(
        self, items: "Items", *, strokes: bool
    ) -> "Iterator[tuple[int, str, Recognition | InkError]]":
        """(place, name, answer) as they are ready; with `strokes`, also which strokes make which token."""
        from inktex.reading import WorkerDied

        names: dict[int, str] = {}

        def inks() -> "Iterator[Ink | InkError]":
            for place, (name, ink) in enumerate(items):
                names[place] = name
                yield ink

        answers = self.recognizer.stream(
            inks(), self.options, jobs=self.jobs, processes=True, strokes=strokes
        )
        try:
            for place, answer in answers:
                yield place, names.pop(place), answer
        except WorkerDied as error:
            raise OSError(f"{error}; run the same command again with -o to resume") from None

    def to_stdout(self, items: "Items", form: Form, top: int, copy: bool) -> int:
        """Write answers in the order of the inks; returns the number of failures."""
        failures = 0
        ready: dict[int, tuple[str, Recognition | InkError]] = {}
        written: list[str] = []
        for place, name, answer in self.answers(items, strokes=form == "json"):
            ready[place] = (name, answer)
            while len(written) in ready:
                name, answer = ready.pop(len(written))
                failures += _complain(name, answer)
                written.append(_written(name, answer, form, top))
                typer.echo(written[-1])
        if copy and not _copy("\n".join(written)):
            typer.echo("inktex: no clipboard program found; nothing was copied", err=True)
        return failures

    def to_file(self, items: "Items", results: "ResultsFile") -> int:
        """Add answers to the results file; returns the number of failures in it."""
        from inktex.bulk.results import result_row

        with results, progress_bar("recognising") as advance:
            remaining = results.remaining(items, lambda: advance(1))
            for _, name, answer in self.answers(remaining, strokes=True):
                results.add(result_row(name, answer))
                advance(1)
                _complain(name, answer)
        typer.echo(
            f"{results.path}: {results.total} inks, {results.read} read now, {results.failures} failed",
            err=True,
        )
        return results.failures


def _complain(name: str, answer: "Recognition | InkError") -> bool:
    """Say what is wrong with an ink, if anything is."""
    from inktex.ink import InkError

    if isinstance(answer, InkError):
        typer.echo(f"inktex: {answer.inside(source=name)}", err=True)
    return isinstance(answer, InkError)


def _written(name: str, answer: "Recognition | InkError", form: Form, top: int) -> str:
    from inktex.bulk.results import result_row
    from inktex.ink import InkError
    from inktex.latex import print_latex

    if form == "json":
        return json.dumps(result_row(name, answer), ensure_ascii=False)
    if isinstance(answer, InkError):
        return ""
    if form == "mathml":
        return answer.mathml
    if form == "typst":
        return answer.typst
    readings: list[Recognition | Alternative] = [answer, *answer.alternatives[: top - 1]]
    written = [print_latex(each.texts, "plain" if form == "latex" else form) for each in readings]
    if top == 1:
        return written[0]
    return "\n".join(f"{each.score:.3f}\t{text}" for each, text in zip(readings, written, strict=True))


def _copy(text: str) -> bool:
    """Put the text on the clipboard, by the program that the system has for it; False where there is none."""
    for program, *arguments in _CLIPBOARDS.get(sys.platform, _CLIPBOARDS_ELSEWHERE):
        path = shutil.which(program)
        if path is None:
            continue
        try:
            subprocess.run([path, *arguments], input=text.encode(), check=True, timeout=5)  # noqa: S603
        except (OSError, subprocess.SubprocessError):
            continue
        return True
    return False
