"""Ink stores on disk: a Parquet file, or a folder of such files; rows stream in and out.

Files are written beside their target and renamed when they are whole, so a reader never meets half a store.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq

from inktex.ink import InkError
from inktex.store.row import StoreError, StoreRow
from inktex.store.rows import batch_of, rows_of
from inktex.store.schema import SCHEMA, VERSION, VERSION_KEY

SUFFIX = ".parquet"
GROUP_ROWS = 1024
GROUP_POINTS = 2_000_000  # a row group is also cut here: inks with many points do not fill the memory


def is_store(path: str | os.PathLike[str]) -> bool:
    """Whether the path looks like an ink store: a Parquet file or a folder that has some."""
    return bool(store_files(Path(path)))


def store_files(path: Path) -> list[Path]:
    """The Parquet files of a store, in order; hidden ones (half-written) are left out."""
    if path.is_dir():
        return sorted(file for file in path.glob(f"*{SUFFIX}") if not file.name.startswith((".", "_")))
    return [path] if path.suffix.casefold() == SUFFIX and path.exists() else []


def read_store(path: str | os.PathLike[str]) -> Iterator[tuple[StoreRow, InkError | None]]:
    """All rows, file after file; beside a row whose strokes make no ink stands the error."""
    files = store_files(Path(path))
    if not files:
        raise StoreError(f"{path}: no Parquet file here; `inktex convert` makes one")
    for file in files:
        try:
            with pq.ParquetFile(file) as opened:
                _check_version(file, opened.schema_arrow)
                known = [name for name in SCHEMA.names if name in opened.schema_arrow.names]
                for batch in opened.iter_batches(batch_size=GROUP_ROWS, columns=known):
                    yield from rows_of(batch, str(file))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError, OSError) as error:
            raise StoreError(
                f"{file}: damaged or no Parquet file ({_first_line(error)}); make it again"
            ) from None


def write_store(path: str | os.PathLike[str], rows: Iterable[StoreRow]) -> int:
    """Write rows as one Parquet file, whole or not at all; gives their number."""
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
        self._temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        self._waiting: list[StoreRow] = []
        self._points = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(
                self._temporary, SCHEMA, compression="zstd", use_dictionary=["writer"]
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._flush()
            self._writer.close()
            if kind is None:
                with self._temporary.open("rb") as file:
                    os.fsync(file.fileno())
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
        if "could not be written" in str(error):
            return error
        reason = error.strerror or _first_line(error)
        return OSError(f"{self.path}: could not be written ({reason}); free space or choose another folder")


def _check_version(file: Path, schema: pa.Schema) -> None:
    """Stores of other programs say nothing about a version; those of a later inktex are refused."""
    found = (schema.metadata or {}).get(VERSION_KEY)
    if found is not None and found != VERSION.encode():
        raise StoreError(
            f"{file}: the format is {found.decode(errors='replace')!r}, "
            f"this version of inktex reads {VERSION!r}"
        )


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
