"""What `inktex recognize --engine ray` does, with progress and a summary."""

from collections.abc import Sequence
from pathlib import Path

import typer

from inktex.bulk.clusters import recognize_in_parts
from inktex.cli.progress import progress_bar
from inktex.ink import Limits
from inktex.reading.ray_executor import RayActors
from inktex.recognizer import RecognizeOptions


def recognize_in_bulk(
    sources: Sequence[str],
    out: Path,
    model: str | None,
    beam: int,
    options: RecognizeOptions,
    address: str | None,
    workers: int | None,
    fresh: bool,
    limits: Limits,
) -> int:
    """Recognise with Ray; returns the number of failures."""
    with progress_bar("recognising") as advance:
        count = recognize_in_parts(
            sources,
            out,
            model=model,
            beam=beam,
            options=options,
            executor=RayActors(address, workers),
            fresh=fresh,
            limits=limits,
            advance=advance,
        )
    typer.echo(f"{out}: {count.inks} inks, {count.failures} failed", err=True)
    return count.failures
