"""All inks of a source, whatever holds them: ink files, archives, Parquet ink stores, folders of all these.

pyarrow is needed only where there is a Parquet file. Nothing is skipped silently: what cannot be read is
one row with the reason.
"""

from collections.abc import Iterator
from pathlib import Path

from inktex.ink import Ink, InkError, Limits, read_all
from inktex.ink.errors import printable
from inktex.ink.limits import DEFAULT_LIMITS
from inktex.ink.sources import folder_files
from inktex.store.row import StoreRow

Row = tuple[StoreRow, InkError | None]


def is_store(path: Path) -> bool:
    """Whether a file is an ink store by its name; names that begin with a dot or _ are unfinished files."""
    return path.suffix.casefold() == ".parquet" and not path.name.startswith((".", "_"))


def rows_in(source: str, *, named: bool = True, limits: Limits = DEFAULT_LIMITS) -> Iterator[Row]:
    """Every ink of a source, each with the error if it could not be read.

    With `named=False` a file that is not ink is skipped, as it is inside a folder.
    """
    found = False
    for row in _rows(source, named, limits):
        found = True
        yield row
    if named and not found:
        yield _failed(source, "holds no ink")


def ink_of(row: StoreRow, problem: InkError | None) -> Ink | InkError:
    """The ink of a row, or why there is none."""
    return problem or row.ink or InkError(row.error or "has no strokes", source=row.source)


def _rows(source: str, named: bool, limits: Limits) -> Iterator[Row]:
    path = Path(source)
    if _is_folder(path):
        for file in folder_files(path):
            if is_store(file):
                yield from _of_store(file)
            else:
                yield from _of_file(str(file), file.as_posix(), False, limits)
    elif is_store(path):
        yield from _of_store(path)
    else:
        yield from _of_file(source, None, named, limits)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # the reader says what is wrong with the name
        return False


def _of_file(source: str, name: str | None, named: bool, limits: Limits) -> Iterator[Row]:
    for label, ink in read_all(source, name=name, named=named, limits=limits):
        if isinstance(ink, InkError):
            yield StoreRow(label), ink.inside(source=label)
        else:
            yield StoreRow(label, ink), None


def _of_store(file: Path) -> Iterator[Row]:
    try:
        from inktex.store.files import read_store
    except ImportError as error:
        yield _failed(
            str(file), f"a Parquet ink store, which needs pyarrow ({error}): pip install 'inktex[store]'"
        )
        return
    try:
        yield from read_store(file)
    except InkError as error:
        name = printable(str(file))
        yield StoreRow(name), error.inside(source=name)


def _failed(source: str, reason: str) -> Row:
    name = printable(source)
    return StoreRow(name), InkError(reason, source=name)
