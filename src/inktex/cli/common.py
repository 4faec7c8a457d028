"""What several commands share: options, and a progress bar."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Literal

import typer

LengthRule = Literal["none", "normalise", "reward"]
BeamOption = Annotated[int, typer.Option(min=1, help="Hypotheses kept while searching.")]
ExpressionsOption = Annotated[
    int | None, typer.Option(min=1, help="Use only this many expressions, spread evenly over the data.")
]
ModelOption = Annotated[str | None, typer.Option(help="A model file or a name that `inktex models` lists.")]


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
