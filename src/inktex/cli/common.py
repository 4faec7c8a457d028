"""What several commands share: options, what they read, and a progress bar."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from typer import BadParameter, Option

if TYPE_CHECKING:
    from inktex.corpus import Example
    from inktex.ink import Ink, InkError, Limits

T = TypeVar("T")
LengthRule = Literal["none", "normalise", "reward"]
BeamOption = Annotated[int, Option(min=1, help="Hypotheses kept while searching.")]
ExpressionsOption = Annotated[
    int | None, Option(min=1, help="Use only this many expressions, spread evenly over the data.")
]
ModelOption = Annotated[str | None, Option(help="A model file or a name that `inktex models` lists.")]

LimitOption = Annotated[
    list[str] | None,
    Option(
        "--limit",
        help="Another limit on what is read, as 'file_bytes=100000000'; may be given several times.",
    ),
]


@contextmanager
def progress_bar(title: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show progress on the terminal while the block runs; silent if standard error is none.

    Call the function it yields with the number of things done.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bars:
        task = bars.add_task(title, total=total)
        yield lambda count: bars.advance(task, count)


def all_read(title: str, count: int, answers: "Iterable[tuple[int, T | InkError]]") -> list[T]:
    """Answers in the order of their inks, with a progress bar; the first that is an error is raised."""
    from inktex.ink import InkError

    found: dict[int, T] = {}
    with progress_bar(title, count) as advance:
        for place, answer in answers:
            if isinstance(answer, InkError):
                raise answer
            found[place] = answer
            advance(1)
    return [found[place] for place in range(count)]


def limits_of(given: Sequence[str] | None) -> "Limits":
    """The default limits with those that were given."""
    from inktex.ink import Limits

    known = {field.name: field.default for field in fields(Limits)}
    limits = Limits()
    for each in given or ():
        name, _, value = each.partition("=")
        if name not in known or not value.isdecimal():
            names = ", ".join(f"{name}={default}" for name, default in known.items())
            raise BadParameter(f"{each!r} is not a limit; they are {names}", param_hint="--limit")
        try:
            limits = replace(limits, **{name: int(value)})
        except ValueError as error:
            raise BadParameter(f"{each}: {error}", param_hint="--limit") from None
    return limits


def inks_in(
    sources: Iterable[str], *, page: bool, limits: "Limits", besides: Path | None
) -> "Iterator[tuple[str, Ink | InkError]]":
    """Names and inks of all sources; with `page`, each line by itself, numbered.

    `besides` is the file that is written: if it is in a folder of ink, it is skipped.
    """
    from inktex.ink import Ink
    from inktex.ink.lines import split_page
    from inktex.store.sources import ink_of, rows_in

    for source in sources:
        for row, problem in rows_in(source, limits=limits):
            name, ink = row.source, ink_of(row, problem)
            if besides is not None and name != source and is_same_file(name, besides):
                continue
            if page and isinstance(ink, Ink) and len(ink):
                for number, part in enumerate(split_page(ink), 1):
                    yield f"{name}@{number}", part
            else:
                yield name, ink


def is_same_file(name: str, path: Path) -> bool:
    try:
        return Path(name).name == path.name and Path(name).samefile(path)
    except (OSError, ValueError):
        return False


def load_examples(data: str, limit: int | None) -> "list[Example]":
    """Expressions of a split, a made test set or the files at a path; with `limit` so many, spread evenly."""
    from inktex.corpus import load_all, load_split
    from inktex.corpus.testsets import TEST_SETS, load_test_set

    path = Path(data)
    if data in TEST_SETS:
        examples = load_test_set(data)
    else:
        corpora = load_all([path]) if path.exists() else [load_split(data)]
        examples = [example for corpus in corpora for example in corpus if len(example.ink)]
    if not examples:
        raise ValueError(f"{data}: no expressions in it")
    if limit is None or limit >= len(examples):
        return examples
    return [examples[number * len(examples) // limit] for number in range(limit)]
