"""The results file of `inktex recognize -o`: JSON Lines, one row per ink, safe to stop and go on with.

A row says which ink it is of (`source`, and `input`, which changes when the strokes do), how it was asked
for (`settings`), and what was read (`latex`, `score` and so on) or why not (`error`). Rows are appended
whole; a last row torn by a crash is cut off when the file is opened again. A file that this tool did not
write is never touched, and while one run writes a file, another is refused.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from inktex.files import FileLock, WriteError, write_atomically
from inktex.ink import Ink, InkError
from inktex.recognizer.answer import SCHEMA
from inktex.store.row import StoreRow

if TYPE_CHECKING:
    from inktex.reading import ModelInfo
    from inktex.recognizer import Recognition, RecognizeOptions

Row = dict[str, Any]
_BEGIN = f'{{"schema": "{SCHEMA}", "source": '.encode()  # of every row, so that also a torn one can be told
_HEX = 16  # digits kept of a SHA-256


class ResultsError(ValueError):
    """An output that cannot be used; the message says what to do."""


def lock_output(file: Path, output: Path, kind: str) -> FileLock:
    """Keep other runs from writing to a file or folder; `file` is what is locked, in a folder made for it."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(file)
    except BlockingIOError:
        raise ResultsError(
            f"{output}: another run is writing to it; wait until it ends, or choose another {kind}"
        ) from None
    except OSError as error:
        raise WriteError.of(output, error) from error


def result_row(source: str, answer: "Recognition | InkError") -> Row:
    """One row: the answer's JSON with its source, or the error."""
    if isinstance(answer, InkError):
        return row_of(StoreRow(source, error=str(answer.inside(source=source))))
    return row_of(StoreRow(source, recognition=answer.to_json()))


def row_of(row: StoreRow) -> Row:
    """The same of what an ink store knows."""
    about = {"schema": SCHEMA, "source": row.source}
    if row.error is not None:
        return {**about, "latex": None, "score": None, "error": row.error}
    return {**about, **(row.recognition or {})}


def settings_of(model: "ModelInfo", beam: int, options: "RecognizeOptions", *, page: bool = False) -> Row:
    """What answers depend on besides the ink; rows of other settings are not mixed in."""
    return {
        "model": model.name,
        "model_sha256": hashlib.sha256(model.sha256.encode()).hexdigest()[:_HEX] if model.sha256 else "",
        "beam": beam,
        "top": options.top,
        "symbols": options.symbols,
        "timeout": options.timeout,
        "lines": "page" if page else "found" if options.lines else "one",
    }


def input_digest(ink: Ink | InkError) -> str:
    """Differs where the strokes, or what is wrong with them, differ."""
    if isinstance(ink, InkError):
        return hashlib.sha256(ink.reason.encode("utf-8", "replace")).hexdigest()[:_HEX]
    digest = hashlib.sha256(ink.points.tobytes())
    digest.update(ink.offsets.tobytes())
    return digest.hexdigest()[:_HEX]


class ResultsFile:
    """Knows what it already holds; `add` appends. To be used in a `with` block, which holds the lock."""

    def __init__(self, path: Path, settings: Row, *, fresh: bool = False, retry: bool = False) -> None:
        """Open to go on, or anew; `ResultsError` if the file is something else, or of other settings."""
        self.path = path
        self.settings = settings
        self.read = 0  # rows added now
        self._retry = retry
        self._inputs: dict[str, str] = {}  # of every source that has a row
        self._waiting: dict[str, str] = {}  # the same of those that are being read
        self._failed: set[str] = set()
        self._replaced = False  # some sources have an older row as well
        if path.exists() and not path.is_file() and not path.is_dir():  # /dev/full has no end
            raise ResultsError(f"{path}: a device or a pipe, which cannot be resumed; choose a file")
        self._lock = lock_output(path, path, "file")
        try:
            self._load(fresh)
            self._stream = path.open("ab")
        except BaseException:
            self._lock.release()
            raise

    @property
    def total(self) -> int:
        """Sources that have a row."""
        return len(self._inputs)

    @property
    def failures(self) -> int:
        """Sources whose row is an error."""
        return len(self._failed)

    def remaining(
        self, items: Iterable[tuple[str, Ink | InkError]], passed: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[str, Ink | InkError]]:
        """What is to be read: new names, changed ink, and with `retry` what failed.

        `passed()` is called for each of the others. A name that comes a second time gets a number.
        """
        times: dict[str, int] = {}
        for name, ink in items:
            times[name] = times.get(name, 0) + 1
            named = name if times[name] == 1 else f"{name} ({times[name]})"
            digest = input_digest(ink)
            if self._inputs.get(named) == digest and not (self._retry and named in self._failed):
                passed()
            else:
                self._waiting[named] = digest
                yield named, ink

    def add(self, row: Row) -> None:
        """Append a row; it is in the hands of the system when this returns."""
        source = row["source"]
        about = {"schema": SCHEMA, "source": source, "input": self._waiting.pop(source, "")}
        row = {**about, "settings": self.settings, **row}
        try:
            self._stream.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            self._stream.flush()
        except OSError as error:
            raise OSError(
                f"{self.path}: could not be written ({error.strerror or error}); "
                "free space, then run the same command again to resume"
            ) from error
        self.read += 1
        self._replaced |= source in self._inputs
        self._note(row)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        try:
            self._stream.close()
            if self._replaced:
                self._compact()
        except OSError:
            # A row that could not be written is tried once more; the first error is the one to say.
            if kind is None:
                raise
        finally:
            self._lock.release()

    def _note(self, row: Row) -> None:
        self._inputs[row["source"]] = row["input"]
        (self._failed.add if "error" in row else self._failed.discard)(row["source"])

    def _load(self, fresh: bool) -> None:
        content = self.path.read_bytes() if self.path.exists() else b""
        whole = content.rfind(b"\n") + 1
        rows = [self._row(line, number) for number, line in enumerate(content[:whole].split(b"\n")[:-1], 1)]
        if whole < len(content) and not rows and not content.startswith(_BEGIN):
            raise self._foreign(1)
        if fresh:
            os.truncate(self.path, 0)
            return
        if whole < len(content):
            os.truncate(self.path, whole)
        for number, row in enumerate(rows, 1):
            self._check_settings(row, number)
            self._replaced |= row["source"] in self._inputs
            self._note(row)

    def _row(self, line: bytes, number: int) -> Row:
        try:
            row = json.loads(line)
        except ValueError:
            raise self._foreign(number) from None
        if not (
            isinstance(row, dict) and isinstance(row.get("source"), str) and "latex" in row and "score" in row
        ):
            raise self._foreign(number)
        return row

    def _foreign(self, number: int) -> ResultsError:
        return ResultsError(
            f"{self.path}: not a results file of inktex (line {number}); it was left as it is, "
            "choose another file"
        )

    def _check_settings(self, row: Row, number: int) -> None:
        found = row.get("settings")
        if not isinstance(found, dict) or not isinstance(row.get("input"), str):
            raise ResultsError(
                f"{self.path}: line {number} does not say with which settings it was made; "
                "choose another file, or use --fresh to start over"
            )
        for name, wanted in self.settings.items():
            if found.get(name) != wanted:
                what = name.replace("model_sha256", "content of the model")
                raise ResultsError(
                    f"{self.path}: holds results with another {what} ({found.get(name)!r}, not {wanted!r}); "
                    "choose another file, or use --fresh to start over"
                )

    def _compact(self) -> None:
        """Keep the newest row of every source."""
        lines = self.path.read_bytes().split(b"\n")[:-1]
        newest = {json.loads(line)["source"]: number for number, line in enumerate(lines)}
        kept = (lines[number] + b"\n" for number in sorted(newest.values()))
        write_atomically(self.path, b"".join(kept))
        self._replaced = False
