"""The results file of `inktex recognize -o`: JSON Lines, one row per ink, safe to stop and go on with.

Every row has `source`, `latex` and `score`, and `error` where reading failed (`latex` and `score` are null
there). Rows are appended whole; a last row torn by a crash is cut off when the file is opened again.
"""

import json
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from inktex.files import write_atomically
from inktex.ink import InkError

if TYPE_CHECKING:
    from inktex.recognizer import Recognition
    from inktex.runtime import ModelInfo


def result_row(source: str, answer: "Recognition | InkError") -> dict[str, Any]:
    """One row: the answer's JSON with its source, or the error."""
    if isinstance(answer, InkError):
        return {"source": source, "latex": None, "score": None, "error": str(answer.inside(source=source))}
    return {"source": source, **answer.to_json()}


class ResultsFile:
    """Knows what it already holds; `add` appends."""

    def __init__(self, path: Path, done: frozenset[str], failures: int) -> None:
        self.path = path
        self.done = done
        self.failures = failures
        self.skipped = len(done)
        self.total = len(done)
        self._stream = path.open("ab")

    @classmethod
    def open(
        cls, path: Path, model: "ModelInfo", *, fresh: bool = False, retry: bool = False
    ) -> "ResultsFile":
        """Open to go on, or anew; ValueError if the file is something else or of another model."""
        if fresh or not path.exists():
            write_atomically(path, b"")
            return cls(path, frozenset(), 0)
        rows = _kept_rows(path)
        others = {row["model"] for row in rows if row.get("model") not in (None, model.name)}
        if others:
            raise ValueError(
                f"{path}: holds results of the model {min(others)!r}, not of {model.name!r}; "
                "choose another file, or --fresh to begin it anew"
            )
        if retry and any("error" in row for row in rows):
            rows = [row for row in rows if "error" not in row]
            _rewrite(path, rows)
        return cls(path, frozenset(row["source"] for row in rows), sum("error" in row for row in rows))

    def add(self, row: dict[str, Any]) -> None:
        """Append a row; it is in the hands of the system when this returns."""
        try:
            self._stream.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            self._stream.flush()
        except OSError as error:
            raise OSError(
                f"{self.path}: could not be written ({error.strerror or error}); "
                "free space, then give the same command again: it goes on from here"
            ) from error
        self.total += 1
        self.failures += "error" in row

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._stream.close()
        except (
            OSError
        ):  # the row that could not be written is tried once more; the first error is the one to say
            if kind is None:
                raise


def _kept_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a results file; a torn last line is cut off the file."""
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    rows = []
    for number, line in enumerate(content[:whole].splitlines(), 1):
        try:
            row = json.loads(line)
            if not isinstance(row["source"], str):
                raise TypeError
        except (ValueError, KeyError, TypeError):
            raise ValueError(
                f"{path}: line {number} is no row of results; choose another file, or --fresh to begin anew"
            ) from None
        rows.append(row)
    if whole < len(content):
        with path.open("r+b") as stream:
            stream.truncate(whole)
    return rows


def _rewrite(path: Path, rows: list[dict[str, Any]]) -> None:
    write_atomically(path, b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows))
