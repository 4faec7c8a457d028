"""`inktex convert`: ink files of any format into other formats or a Parquet ink store, and back.

Exit code 0: everything was converted; 1: something could not be read; 2: the command was wrong.
"""

import json
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inktex.cli.sources import LimitOption, is_same_file, limits_of

if TYPE_CHECKING:
    from inktex.ink import InkError, Limits
    from inktex.store.row import StoreRow


class Target(StrEnum):
    """What is written."""

    parquet = "parquet"
    inkml = "inkml"
    json = "json"
    xopp = "xopp"
    excalidraw = "excalidraw"
    svg = "svg"
    png = "png"
    jsonl = "jsonl"


def register(app: typer.Typer) -> None:
    """Add the command `convert`."""
    app.command()(convert)


def convert(
    sources: Annotated[
        list[str],
        typer.Argument(help="Ink files, folders, archives, Parquet ink stores, or - for standard input."),
    ],
    out: Annotated[
        Path, typer.Option("--output", "-o", help="A file for one ink or a store; a folder for many inks.")
    ],
    to: Annotated[
        Target | None, typer.Option("--to", help="The format (default: by the name of the output).")
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            help="A results file of `inktex recognize -o`; its answers join the inks of the same name."
        ),
    ] = None,
    part_rows: Annotated[
        int, typer.Option(min=1, help="Inks per file when a store is written to a folder.")
    ] = 100_000,
    limit: LimitOption = None,
) -> None:
    """Convert ink between the file formats and the Parquet ink store.

    INKS.parquet is one file of a store; a folder with --to parquet gets several. With .jsonl, what was
    recognised is written, as `inktex recognize -o` does. An ink that cannot be read stops nothing else.
    """
    chosen = to or _by_name(out)
    if out.is_file() and any(is_same_file(each, out) for each in (*sources, str(results or ""))):
        raise typer.BadParameter(f"{out}: would replace what it is made from; choose another name")
    rows = _rows(sources, _recognitions(results), limits_of(limit))
    if chosen is Target.parquet:
        written, failed = _to_store(rows, out, part_rows)
    elif chosen is Target.jsonl:
        written, failed = _to_results(rows, out)
    else:
        written, failed = _to_files(rows, out, chosen)
    typer.echo(
        f"{out}: {written} inks written" + (f", {failed} could not be read" if failed else ""), err=True
    )
    raise typer.Exit(1 if failed else 0)


def _by_name(out: Path) -> Target:
    known = {f".{each.value}": each for each in Target}
    found = known.get(out.suffix.casefold())
    if found is None:
        raise typer.BadParameter(
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
    except (ValueError, KeyError, TypeError):
        raise typer.BadParameter(
            f"{results}: line {number} is not a results row", param_hint="--results"
        ) from None
    except OSError as error:
        raise typer.BadParameter(f"{results}: {error.strerror}", param_hint="--results") from None
    return found


def _rows(
    sources: Iterable[str], known: dict[str, dict[str, Any]], limits: "Limits"
) -> "Iterator[tuple[StoreRow, InkError | None]]":
    """All inks with what was read from them."""
    from inktex.store.sources import rows_in

    for source in sources:
        for row, problem in rows_in(source, limits=limits):
            yield _joined(row, known), problem


def _store() -> Any:
    try:
        from inktex.store import files
    except ImportError as error:
        raise ImportError(f"the ink store needs pyarrow ({error}): pip install 'inktex[store]'") from None
    return files


def _joined(row: "StoreRow", known: dict[str, dict[str, Any]]) -> "StoreRow":
    from dataclasses import replace

    result = known.get(row.source)
    if result is None:
        return row
    if result.get("error"):
        return replace(row, recognition=None, error=result["error"])
    return replace(row, recognition=result, error=None)


def _to_store(
    rows: "Iterable[tuple[StoreRow, InkError | None]]", out: Path, part_rows: int
) -> tuple[int, int]:
    writer_of = _store().InkStoreWriter
    written = failed = 0
    if out.suffix.casefold() == ".parquet":
        with writer_of(out) as writer:
            for row, problem in rows:
                if problem is None:
                    writer.add(row)
                    written += 1
                else:
                    failed += _report(problem)
        return written, failed
    if out.is_dir() and any(out.iterdir()):
        raise typer.BadParameter(f"{out}: the folder is not empty", param_hint="--output")
    stream = iter(rows)
    ended = False
    while not ended:
        part = writer_of(out / f"part-{written // part_rows:05d}.parquet")
        with part:
            for row, problem in stream:
                if problem is not None:
                    failed += _report(problem)
                    continue
                part.add(row)
                written += 1
                if written % part_rows == 0:
                    break
            else:
                ended = True
    return written, failed


def _to_results(rows: "Iterable[tuple[StoreRow, InkError | None]]", out: Path) -> tuple[int, int]:
    """What was recognised, as JSON Lines; inks that were not recognised yet have no row."""
    from inktex.files import write_atomically
    from inktex.recognizer.answer import SCHEMA

    lines, failed = [], 0
    for row, problem in rows:
        if problem is not None:
            failed += _report(problem)
        elif row.error is not None:
            failed_row = {"latex": None, "score": None, "error": row.error}
            lines.append({"schema": SCHEMA, "source": row.source, **failed_row})
        elif row.recognition is not None:
            lines.append({"schema": SCHEMA, "source": row.source, **row.recognition})
    write_atomically(out, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    return len(lines), failed


def _to_files(
    rows: "Iterable[tuple[StoreRow, InkError | None]]", out: Path, chosen: Target
) -> tuple[int, int]:
    from inktex.files import write_atomically
    from inktex.ink import InkError, save

    single = out.suffix.casefold() == f".{chosen.value}" and not out.is_dir()
    written = failed = 0
    taken: set[str] = set()
    for row, problem in rows:
        if problem is not None:
            failed += _report(problem)
            continue
        if row.ink is None:
            failed += _report(InkError(row.error or "has no strokes", source=row.source))
            continue
        if single and written:
            raise typer.BadParameter(
                f"{out}: there is more than one ink; name a folder and say --to {chosen.value}",
                param_hint="--output",
            )
        target = out if single else out / _file_name(row.source, chosen, taken)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if chosen is Target.png:
                from inktex.report.raster import ink_png

                write_atomically(target, ink_png(row.ink))
            else:
                save(row.ink, target)
        except InkError as error:
            failed += _report(error.inside(source=row.source))
            continue
        except OSError as error:
            raise OSError(
                f"{target}: could not be written ({error.strerror or error}); "
                "free space or choose another folder"
            ) from error
        written += 1
    return written, failed


def _file_name(source: str, chosen: Target, taken: set[str]) -> str:
    """A name inside the output folder, whatever the source was called; no two inks get the same."""
    inner = [
        part
        for part in PurePosixPath(source.replace("\\", "/").replace(":", "/")).parts
        if part not in ("/", "..")
    ]
    stem = "/".join(re.sub(r"[^\w.+=-]+", "_", part).lstrip(".")[:100] or "_" for part in inner[-3:]) or "ink"
    stem = re.sub(r"\.(inkml|json|svg|xml|txt|scgink|xopp|xoj|excalidraw|jiix)(?=$|_)", "", stem)
    name, number = f"{stem}.{chosen.value}", 1
    while name.casefold() in taken:
        number += 1
        name = f"{stem}-{number}.{chosen.value}"
    taken.add(name.casefold())
    return name


def _report(problem: "InkError") -> int:
    typer.echo(f"inktex: {problem}", err=True)
    return 1
