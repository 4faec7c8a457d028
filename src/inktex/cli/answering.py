"""Answers of `inktex recognize`: to standard output in the order of the inks, or to a results file."""

import json
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from inktex.bulk.results import ResultsFile
    from inktex.ink import Ink, InkError
    from inktex.latex import Style
    from inktex.recognizer import Alternative, Recognition, RecognizeOptions, Recognizer


class Form(StrEnum):
    """How answers are written."""

    latex = "latex"
    spaced = "spaced"  # LaTeX with a space between any two tokens
    inline = "inline"  # $…$
    display = "display"  # \[…\]
    markdown = "markdown"  # $$…$$
    mathml = "mathml"
    typst = "typst"
    json = "json"


_STYLES: "dict[Form, Style]" = {
    Form.latex: "plain",
    Form.spaced: "spaced",
    Form.inline: "inline",
    Form.display: "display",
    Form.markdown: "markdown",
}


class Run:
    """One invocation: a recognizer and how it is asked."""

    def __init__(self, recognizer: "Recognizer", options: "RecognizeOptions", jobs: int | None) -> None:
        self._recognizer = recognizer
        self._options = options
        self._jobs = jobs

    def answers(
        self, items: "Iterable[tuple[str, Ink | InkError]]", *, strokes: bool
    ) -> "Iterator[tuple[int, str, Recognition | InkError]]":
        """(place, name, answer) as they are ready; with `strokes`, also which strokes make which token."""
        from inktex.reading import WorkerDied

        names: dict[int, str] = {}

        def inks() -> "Iterator[Ink | InkError]":
            for place, (name, ink) in enumerate(items):
                names[place] = name
                yield ink

        answers = self._recognizer.stream(
            inks(), self._options, jobs=self._jobs, processes=True, strokes=strokes
        )
        try:
            for place, answer in answers:
                yield place, names.pop(place), answer
        except WorkerDied as error:
            raise OSError(f"{error}; run the same command again with -o to resume") from None

    def to_stdout(
        self, items: "Iterable[tuple[str, Ink | InkError]]", form: Form, top: int, copy: bool
    ) -> int:
        """Write answers in the order of the inks; returns the number of failures."""
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
            typer.echo("inktex: no clipboard program found; nothing was copied", err=True)
        return failures

    def to_file(self, items: "Iterable[tuple[str, Ink | InkError]]", results: "ResultsFile") -> int:
        """Add answers to the results file; returns the number of failures in it."""
        from inktex.bulk.results import result_row
        from inktex.cli.progress import progress_bar
        from inktex.ink import InkError

        with results, progress_bar("recognising") as advance:
            remaining = results.remaining(items, lambda: advance(1))
            for _, name, answer in self.answers(remaining, strokes=True):
                results.add(result_row(name, answer))
                advance(1)
                if isinstance(answer, InkError):
                    typer.echo(f"inktex: {answer.inside(source=name)}", err=True)
        typer.echo(
            f"{results.path}: {results.total} inks, {results.read} read now, {results.failures} failed",
            err=True,
        )
        return results.failures


def _written(name: str, answer: "Recognition | InkError", form: Form, top: int) -> str:
    from inktex.bulk.results import result_row
    from inktex.ink import InkError
    from inktex.latex import print_latex

    if form is Form.json:
        return json.dumps(result_row(name, answer), ensure_ascii=False)
    if isinstance(answer, InkError):
        return ""
    if form is Form.mathml:
        return answer.mathml
    if form is Form.typst:
        return answer.typst
    readings: list[Recognition | Alternative] = [answer, *answer.alternatives[: top - 1]]
    written = [print_latex(each.texts, _STYLES[form]) for each in readings]
    if top == 1:
        return written[0]
    return "\n".join(f"{each.score:.3f}\t{text}" for each, text in zip(readings, written, strict=True))
