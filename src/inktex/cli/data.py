"""`inktex data`: bring data in, look at it, make more of it. A thin layer over `inktex.corpus`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option, Typer, echo

from inktex.cli.common import progress_bar

if TYPE_CHECKING:
    from inktex.corpus import Corpus, Example
    from inktex.corpus.pictures import SplitStats

PathsArgument = Annotated[
    list[Path], Argument(help="Folders, zips or ink files: CROHME as it was downloaded.")
]
SomePathsArgument = Annotated[
    list[Path] | None,
    Argument(help="Folders, zips or ink files (default: what was imported, or is in the data folder)."),
]
SplitOption = Annotated[
    str | None, Option(help="Put all files into this split instead of deriving it from their paths.")
]
USUAL_SPLITS = ("train", "test2013", "test2014")


def import_data(paths: PathsArgument, split: SplitOption = None) -> None:
    """Read ink files into the cache, one file per split, for training and evaluation."""
    from inktex.corpus import import_paths
    from inktex.corpus.pictures import split_stats

    with _reading() as advance:
        corpora = import_paths(paths, split, advance)
    _print_tables([split_stats(corpus) for corpus in corpora])
    for corpus in corpora:
        echo(f"{corpus.split}: {corpus.path}")


def stats(
    paths: SomePathsArgument = None,
    split: SplitOption = None,
    picture: Path | None = Option(
        None, help="Where to draw the picture: png, svg or pdf (default: in the cache folder)."
    ),
) -> None:
    """Count what each split holds, list what cannot be used and why, and draw a picture of it."""
    from inktex.corpus.pictures import draw_stats, split_stats
    from inktex.files import cache_folder

    with _reading() as advance:
        counted = [split_stats(corpus) for corpus in _open(paths, split, advance)]
    counted.sort(key=lambda each: (not each.split.startswith("train"), each.split))
    _print_tables(counted)
    target = picture or cache_folder() / "pictures" / "data-stats.png"
    try:
        draw_stats(counted, target)
    except ImportError as error:
        if picture is not None:
            raise
        echo(f"no picture: {error}", err=True)
    else:
        echo(f"picture: {target}")


def show(
    which: list[str] | None = Argument(
        None, help="Stems or numbers of expressions (default: some at random)."
    ),
    data: list[Path] | None = Option(None, help="Folders, zips or ink files to take them from."),
    split: str = Option("train", help="The split to take them from."),
    containing: str | None = Option(
        None, help=r"Only expressions with these tokens in a row, e.g. '\sqrt ['."
    ),
    count: int = Option(12, min=1, help="How many to draw."),
    seed: int = Option(0, help="Seed of the random choice."),
    picture: Path | None = Option(
        None, help="Where to draw (png, svg, pdf, or html which needs no matplotlib)."
    ),
) -> None:
    """Draw expressions, every symbol in its colour and with its label."""
    from inktex.corpus.pictures import draw_expressions
    from inktex.files import cache_folder

    with _reading() as advance:
        corpora = [each for each in _open(data, None, advance, splits=(split,)) if each.split == split]
    examples = _choose(corpora, which or [], containing, count, seed)
    if not examples:
        raise ValueError("no expression matches; try another --split, --containing or stem")
    target = picture or cache_folder() / "pictures" / "data-show.png"
    draw_expressions(examples, target)
    for example in examples:
        echo(f"{example.stem}\t{' '.join(example.tokens)}")
    echo(f"picture: {target}")


def synthesize(
    folder: Path = Argument(..., help="The folder for the InkML files; created if it does not exist."),
    count: int = Option(1, min=1, help="How many expressions, or how often each LaTeX."),
    bank: str = Option(
        "hershey", help="The symbols to write with: hershey (built in), crohme, detexify or mathnote."
    ),
    like: str = Option("builtin", help="What the expressions resemble: builtin, or the name of a split."),
    latex: list[str] | None = Option(None, help="Write this LaTeX instead; may be given several times."),
    seed: int = Option(0, help="The same seed gives the same ink."),
    picture: Path | None = Option(None, help="Also draw them on a sheet (png, svg, pdf)."),
) -> None:
    """Write new expressions in synthetic handwriting, as InkML with truth and segmentation."""
    from inktex.corpus import ExpressionModel, Synthesizer, load_split, open_bank, synthetic_example
    from inktex.corpus.pictures import draw_sheet
    from inktex.ink import save
    from inktex.latex import normalize

    writer = Synthesizer(open_bank(bank))
    if latex:
        wanted = [normalize(each) for each in latex for _ in range(count)]
        examples = [
            writer.write(tokens, f"{seed}/{number}", f"synthetic-{seed}-{number}")
            for number, tokens in enumerate(wanted)
        ]
    else:
        if like == "builtin":
            model = ExpressionModel.builtin()
        else:
            corpus = load_split(like)
            model = ExpressionModel(corpus.tokens(index) for index in range(len(corpus)))
        examples = [synthetic_example(writer, model, seed, number) for number in range(count)]
    folder.mkdir(parents=True, exist_ok=True)
    for example in examples:
        save(example.ink, folder / f"{example.stem}.inkml")
        echo(f"{example.stem}\t{' '.join(example.tokens)}")
    if picture is not None:
        draw_sheet(
            [each.ink for each in examples], picture, titles=[" ".join(each.tokens) for each in examples]
        )
        echo(f"picture: {picture}")


def _open(
    paths: Sequence[Path] | None,
    split: str | None,
    advance: Callable[[str], None],
    splits: Sequence[str] = USUAL_SPLITS,
) -> "list[Corpus]":
    """Open what is at the paths, or the named splits where no paths are given."""
    from inktex.corpus import load_all, load_split

    if paths:
        return load_all(paths, split, advance)
    corpora = []
    for name in (split,) if split else splits:
        try:
            corpora.append(load_split(name, progress=advance))
        except FileNotFoundError:
            if len(splits) == 1 or (name == splits[-1] and not corpora):
                raise
    return corpora


def _choose(
    corpora: "Sequence[Corpus]", which: Sequence[str], containing: str | None, count: int, seed: int
) -> "list[Example]":
    from random import Random

    if which:
        chosen = []
        for name in which:
            found = [corpus[corpus.stems.index(name)] for corpus in corpora if name in corpus.stems]
            if not found and name.isdigit() and corpora and int(name) < len(corpora[0]):
                found = [corpora[0][int(name)]]
            if not found:
                raise ValueError(f"no expression is called {name!r} in {', '.join(c.split for c in corpora)}")
            chosen += found
        return chosen
    wanted = f" {' '.join(containing.split())} " if containing else " "
    places = [
        (corpus, index)
        for corpus in corpora
        for index in range(len(corpus))
        if wanted in f" {' '.join(corpus.tokens(index))} "
    ]
    return [corpus[index] for corpus, index in Random(seed).sample(places, min(count, len(places)))]


@contextmanager
def _reading() -> Iterator[Callable[[str], None]]:
    """A progress bar that counts files."""
    with progress_bar("reading files") as advance:
        yield lambda path: advance(1)


def _print_tables(counted: "Sequence[SplitStats]") -> None:
    from rich.console import Console
    from rich.table import Table

    from inktex.corpus.pictures import reasons

    # Wide enough for all columns where there is no terminal.
    console = Console() if Console().is_terminal else Console(width=120)
    table = Table(title="usable expressions and what they hold")
    numbers = ("expressions", "strokes", "points", "symbols", "tokens", "classes", "writers")
    table.add_column("split")
    for column in (*numbers, "not usable"):
        table.add_column(column, justify="right")
    for each in counted:
        inside = [str(getattr(each, name)) for name in numbers]
        table.add_row(each.split, *inside, str(len(each.problems)))
    console.print(table)
    if any(each.problems for each in counted):
        table = Table(title="files that cannot be used")
        table.add_column("split")
        table.add_column("files", justify="right")
        table.add_column("reason", overflow="fold")
        table.add_column("for example", overflow="fold")
        for each in counted:
            for reason, count, example in reasons(each.problems):
                table.add_row(each.split, str(count), reason, example)
        console.print(table)
    for each in counted:
        collections = ", ".join(f"{name} {count}" for name, count in each.expressions_of[:12])
        frequent = " ".join(token for token, _ in each.count_of[:24])
        middle = sorted(each.lengths)[len(each.lengths) // 2] if each.lengths else 0
        lengths = f"{middle} tokens in the middle, {max(each.lengths, default=0)} at most"
        text = f"{each.split}: from {collections}; {lengths}; most frequent: {frequent}"
        console.print(text, markup=False, highlight=False)


group = Typer(
    name="data",
    help="Import, count and draw handwritten expressions, and make new ones.",
    no_args_is_help=True,
)
group.command("import")(import_data)
for command in (stats, show, synthesize):
    group.command()(command)
