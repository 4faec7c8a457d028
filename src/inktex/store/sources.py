"""All inks of a source, whatever holds them: ink files, archives, Parquet ink stores, folders of all these.

pyarrow is needed only where there is a Parquet file. Nothing is skipped silently: what cannot be read is
one row with the reason.
"""

import os
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
        name = printable(source)
        yield StoreRow(name), InkError("holds no ink", source=name)


def ink_of(row: StoreRow, problem: InkError | None) -> Ink | InkError:
    """The ink of a row, or why there is none."""
    return problem or row.ink or InkError(row.error or "has no strokes", source=row.source)


def _rows(source: str, named: bool, limits: Limits) -> Iterator[Row]:
    path = Path(source)
    in_folder = os.path.isdir(path)  # not where the name is at fault; the reader says what is wrong with it
    for file in folder_files(path) if in_folder else [path]:
        if is_store(file):
            yield from _of_store(file)
            continue
        given, name = (str(file), file.as_posix()) if in_folder else (source, None)
        for label, ink in read_all(given, name=name, named=named and not in_folder, limits=limits):
            if isinstance(ink, Ink):
                yield StoreRow(label, ink), None
            else:
                yield StoreRow(label), ink.inside(source=label)


def _of_store(file: Path) -> Iterator[Row]:
    name = printable(str(file))
    try:
        from inktex.store.files import read_store

        yield from read_store(file)
    except ImportError as error:
        reason = f"a Parquet ink store, which needs pyarrow ({error}): pip install 'inktex[store]'"
        yield StoreRow(name), InkError(reason, source=name)
    except InkError as error:
        yield StoreRow(name), error.inside(source=name)
