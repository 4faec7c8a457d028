"""`inktex convert`: ink files of any format into other formats or a Parquet ink store, and back.

Exit code 0: everything was converted; 1: something could not be read; 2: the command was wrong.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, get_args

from typer import Argument, BadParameter, Exit, Option, echo

from inktex.cli.common import LimitOption, is_same_file, limits_of

if TYPE_CHECKING:
    from inktex.ink import InkError, Limits
    from inktex.store.row import StoreRow


Target = Literal["parquet", "inkml", "json", "xopp", "excalidraw", "svg", "png", "jsonl"]


def convert(
    sources: list[str] = Argument(
        ..., help="Ink files, folders, archives, Parquet ink stores, or - for standard input."
    ),
    out: Path = Option(..., "--output", "-o", help="A file for one ink or a store; a folder for many inks."),
    to: Target | None = Option(None, "--to", help="The format (default: by the name of the output)."),
    results: Path | None = Option(
        None, help="A results file of `inktex recognize -o`; its answers join the inks of the same name."
    ),
    part_rows: int = Option(100_000, min=1, help="Inks per file when a store is written to a folder."),
    limit: LimitOption = None,
) -> None:
    """Convert ink between the file formats and the Parquet ink store.

    INKS.parquet is one file of a store; a folder with --to parquet gets several.

    With .jsonl, the answers that are known are written, as `inktex recognize -o` does.

    Inks that cannot be read are reported; the others are converted all the same.
    """
    chosen = to or _by_name(out)
    if out.is_file() and any(is_same_file(each, out) for each in (*sources, str(results or ""))):
        raise BadParameter(f"{out}: would replace what it is made from; choose another name")
    failures: list[InkError] = []
    rows = _rows(sources, _recognitions(results), limits_of(limit), failures)
    if chosen == "parquet":
        written = _to_store(rows, out, part_rows)
    elif chosen == "jsonl":
        written = _to_results(rows, out)
    else:
        written = _to_files(rows, out, chosen, failures)
    failed = f", {len(failures)} could not be read" if failures else ""
    echo(f"{out}: {written} inks written{failed}", err=True)
    raise Exit(1 if failures else 0)


def _by_name(out: Path) -> Target:
    known: dict[str, Target] = {f".{each}": each for each in get_args(Target)}
    found = known.get(out.suffix.casefold())
    if found is None:
        raise BadParameter(
            f"cannot tell the format from {out.name!r}; end it in {', '.join(known)}, or say --to",
            param_hint="--output",
        )
    return found


def _recognitions(results: Path | None) -> dict[str, dict[str, Any]]:
    """What a results file holds, by source."""
    if results is None:
        return {}
    found: dict[str, dict[str, Any]] = {}
    number = 0
    try:
        for line in results.read_text(encoding="utf-8").splitlines():
            number += 1
            row = json.loads(line)
            found[row["source"]] = row
    except (ValueError, KeyError, TypeError, OSError) as error:
        wrong = error.strerror if isinstance(error, OSError) else f"line {number} is not a results row"
        raise BadParameter(f"{results}: {wrong}", param_hint="--results") from None
    return found


def _rows(
    sources: Iterable[str], known: dict[str, dict[str, Any]], limits: "Limits", failures: "list[InkError]"
) -> "Iterator[StoreRow]":
    """All inks with what was read from them; those that cannot be read are reported."""
    from inktex.store.sources import rows_in

    for source in sources:
        for row, problem in rows_in(source, limits=limits):
            result = known.get(row.source)
            if problem is not None:
                _report(problem, failures)
            elif result is None:
                yield row
            else:
                error = result.get("error") or None
                yield replace(row, recognition=None if error else result, error=error)


def _to_store(rows: "Iterator[StoreRow]", out: Path, part_rows: int) -> int:
    try:
        from inktex.store.files import write_store
    except ImportError as error:
        raise ImportError(f"the ink store needs pyarrow ({error}): pip install 'inktex[store]'") from None
    if out.suffix.casefold() == ".parquet":
        return write_store(out, rows)
    if out.is_dir() and any(out.iterdir()):
        raise BadParameter(f"{out}: the folder is not empty", param_hint="--output")
    for part in count():
        written = write_store(out / f"part-{part:05d}.parquet", islice(rows, part_rows))
        if written < part_rows:
            break
    return part * part_rows + written


def _to_results(rows: "Iterable[StoreRow]", out: Path) -> int:
    """What was recognised, as JSON Lines; inks that were not recognised yet have no row."""
    from inktex.bulk.results import row_of
    from inktex.files import write_atomically

    known = [row_of(row) for row in rows if row.error is not None or row.recognition is not None]
    write_atomically(out, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in known))
    return len(known)


def _to_files(rows: "Iterable[StoreRow]", out: Path, chosen: Target, failures: "list[InkError]") -> int:
    from inktex.files import WriteError, write_atomically
    from inktex.ink import InkError, save

    single = out.suffix.casefold() == f".{chosen}" and not out.is_dir()
    written = 0
    taken: set[str] = set()
    for row in rows:
        if row.ink is None:
            _report(InkError(row.error or "has no strokes", source=row.source), failures)
            continue
        if single and written:
            raise BadParameter(
                f"{out}: there is more than one ink; name a folder and say --to {chosen}",
                param_hint="--output",
            )
        target = out if single else out / _file_name(row.source, chosen, taken)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if chosen == "png":
                from inktex.report.canvas import ink_png

                write_atomically(target, ink_png(row.ink))
            else:
                save(row.ink, target)
        except InkError as error:
            _report(error.inside(source=row.source), failures)
            continue
        except OSError as error:
            raise WriteError.of(target, error) from error
        written += 1
    return written


def _file_name(source: str, chosen: Target, taken: set[str]) -> str:
    """A name inside the output folder, whatever the source was called; no two inks get the same."""
    inner = [
        part
        for part in PurePosixPath(source.replace("\\", "/").replace(":", "/")).parts
        if part not in ("/", "..")
    ]
    stem = "/".join(re.sub(r"[^\w.+=-]+", "_", part).lstrip(".")[:100] or "_" for part in inner[-3:]) or "ink"
    stem = re.sub(r"\.(inkml|json|svg|xml|txt|scgink|xopp|xoj|excalidraw|jiix)(?=$|_)", "", stem)
    name, number = f"{stem}.{chosen}", 1
    while name.casefold() in taken:
        number += 1
        name = f"{stem}-{number}.{chosen}"
    taken.add(name.casefold())
    return name


def _report(problem: "InkError", failures: "list[InkError]") -> None:
    echo(f"inktex: {problem}", err=True)
    failures.append(problem)
