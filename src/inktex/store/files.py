"""Ink stores on disk: a Parquet file or a folder of such files, read and written row by row.

Files are written under a temporary name and renamed when complete, so a reader never sees half a store.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from inktex.files import replacing
from inktex.ink import InkError
from inktex.ink.errors import printable
from inktex.store.row import StoreError, StoreRow
from inktex.store.rows import SCHEMA, VERSION, VERSION_KEY, batch_of, rows_of
from inktex.store.seal import is_broken, seal
from inktex.store.sources import is_store

GROUP_ROWS = 1024
GROUP_POINTS = 2_000_000  # a row group is also cut here: inks with many points do not fill the memory


def read_store(path: str | os.PathLike[str]) -> Iterator[tuple[StoreRow, InkError | None]]:
    """All rows of a Parquet file, or of those in a folder, each with the error if it has no ink."""
    path = Path(path)
    files = sorted(filter(is_store, path.iterdir())) if path.is_dir() else [path]
    if not any(file.exists() for file in files):
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
    with _opened(file, whole=True) as (store, _):
        return int(store.num_row_groups)


@contextmanager
def _opened(file: Path, *, whole: bool = False) -> Iterator[tuple[pq.ParquetFile, list[str]]]:
    """An open store and the columns that are known of it; whatever is wrong with it is a `StoreError`."""
    name = printable(str(file))
    try:
        if whole and is_broken(file):
            raise OSError("its SHA-256 differs")
        with pq.ParquetFile(file, page_checksum_verification=True) as store:
            # Stores of other programs say nothing about a version; those of a later inktex are refused.
            found = (store.schema_arrow.metadata or {}).get(VERSION_KEY, VERSION.encode())
            if found != VERSION.encode():
                said = found.decode(errors="replace")
                raise StoreError(
                    f"the format is {said!r}, this version of inktex reads {VERSION!r}", source=name
                )
            yield store, [column for column in SCHEMA.names if column in store.schema_arrow.names]
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise StoreError(f"damaged or not a Parquet file ({reason}); make it again", source=name) from None


def write_store(path: str | os.PathLike[str], rows: Iterable[StoreRow]) -> int:
    """Write rows as one Parquet file, completely or not at all; returns their number."""
    count = 0
    with replacing(Path(path)) as temporary:
        with pq.ParquetWriter(
            temporary, SCHEMA, compression="zstd", use_dictionary=["writer"], write_page_checksum=True
        ) as writer:
            for group in _groups(rows):
                writer.write_batch(batch_of(group))
                count += len(group)
        seal(temporary)
    return count


def _groups(rows: Iterable[StoreRow]) -> Iterator[list[StoreRow]]:
    """Rows as they go into row groups."""
    group: list[StoreRow] = []
    points = 0
    for row in rows:
        group.append(row)
        points += 0 if row.ink is None else len(row.ink.points)
        if len(group) >= GROUP_ROWS or points >= GROUP_POINTS:
            yield group
            group, points = [], 0
    if group:
        yield group
