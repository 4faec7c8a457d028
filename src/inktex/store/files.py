"""Ink stores on disk: a Parquet file or a folder of such files, read and written row by row.

Files are written under a temporary name and renamed when complete, so a reader never sees half a store.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from inktex.files import WriteError
from inktex.ink import InkError
from inktex.ink.errors import printable
from inktex.store.row import StoreError, StoreRow
from inktex.store.rows import batch_of, rows_of
from inktex.store.schema import SCHEMA, VERSION, VERSION_KEY
from inktex.store.seal import is_broken, seal
from inktex.store.sources import is_store

GROUP_ROWS = 1024
GROUP_POINTS = 2_000_000  # a row group is also cut here: inks with many points do not fill the memory


def read_store(path: str | os.PathLike[str]) -> Iterator[tuple[StoreRow, InkError | None]]:
    """All rows of a Parquet file, or of those in a folder, each with the error if it has no ink."""
    path = Path(path)
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if is_store(file))
    else:
        files = [path] if path.exists() else []
    if not files:
        raise StoreError("no Parquet file here; `inktex convert` makes one", source=printable(str(path)))
    for file in files:
        with _opened(file, whole=True) as (store, columns):
            for batch in store.iter_batches(batch_size=GROUP_ROWS, columns=columns):
                yield from rows_of(batch, printable(str(file)))


def read_group(file: Path, group: int) -> Iterator[tuple[StoreRow, InkError | None]]:
    """The rows of one row group; its pages are checked, and `group_count` checked the rest."""
    with _opened(file) as (store, columns):
        for batch in store.read_row_group(group, columns=columns).combine_chunks().to_batches():
            yield from rows_of(batch, printable(str(file)))


def group_count(file: Path) -> int:
    """How many row groups a Parquet file has."""
    with _opened(file, whole=True) as (store, _):
        return int(store.num_row_groups)


@contextmanager
def _opened(file: Path, *, whole: bool = False) -> Iterator[tuple[pq.ParquetFile, list[str]]]:
    """An open store and the columns that are known of it; whatever is wrong with it is a `StoreError`."""
    try:
        if whole and is_broken(file):
            raise OSError("its SHA-256 differs")
        with pq.ParquetFile(file, page_checksum_verification=True) as store:
            _check_schema(file, store.schema_arrow)
            yield store, [name for name in SCHEMA.names if name in store.schema_arrow.names]
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise StoreError(
            f"damaged or not a Parquet file ({_first_line(error)}); make it again",
            source=printable(str(file)),
        ) from None


def write_store(path: str | os.PathLike[str], rows: Iterable[StoreRow]) -> int:
    """Write rows as one Parquet file, completely or not at all; returns their number."""
    count = 0
    with InkStoreWriter(Path(path)) as writer:
        for row in rows:
            writer.add(row)
            count += 1
    return count


class InkStoreWriter:
    """Writes one Parquet file; the file appears when the `with` block ends without an error."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")  # as `write_atomically`
        self._waiting: list[StoreRow] = []
        self._points = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(
                self._temporary,
                SCHEMA,
                compression="zstd",
                use_dictionary=["writer"],
                write_page_checksum=True,
            )
        except OSError as error:
            raise self._failed(error) from error

    def add(self, row: StoreRow) -> None:
        """Add a row."""
        self._waiting.append(row)
        self._points += 0 if row.ink is None else len(row.ink.points)
        if len(self._waiting) >= GROUP_ROWS or self._points >= GROUP_POINTS:
            self._flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        try:
            if kind is None:
                self._flush()
            self._writer.close()
            if kind is None:
                seal(self._temporary)
                self._temporary.replace(self.path)
        except OSError as problem:
            if kind is None:
                raise self._failed(problem) from problem
        finally:
            self._temporary.unlink(missing_ok=True)

    def _flush(self) -> None:
        if not self._waiting:
            return
        try:
            self._writer.write_batch(batch_of(self._waiting))
        except OSError as error:
            raise self._failed(error) from error
        self._waiting, self._points = [], 0

    def _failed(self, error: OSError) -> OSError:
        return WriteError.of(self.path, error)


def _check_schema(file: Path, schema: pa.Schema) -> None:
    """Stores of other programs say nothing about a version; those of a later inktex are refused."""
    found = (schema.metadata or {}).get(VERSION_KEY)
    if found is not None and found != VERSION.encode():
        raise StoreError(
            f"the format is {found.decode(errors='replace')!r}, this version of inktex reads {VERSION!r}",
            source=printable(str(file)),
        )


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
