"""What `inktex recognize --engine ray` does, with progress and a summary."""

from collections.abc import Sequence
from pathlib import Path

import typer

from inktex.bulk.asking import Asking
from inktex.bulk.ray_engine import RayOptions, recognize_with_ray
from inktex.cli.progress import progress_bar


def recognize_in_bulk(
    sources: Sequence[str],
    out: Path,
    model: str | None,
    asking: Asking,
    address: str | None,
    workers: int | None,
    fresh: bool,
) -> int:
    """Recognise with Ray; gives the number of failures."""
    with progress_bar("recognising") as advance:
        count = recognize_with_ray(
            sources,
            out,
            model=model,
            asking=asking,
            options=RayOptions(address, workers),
            fresh=fresh,
            advance=advance,
        )
    typer.echo(f"{out}: {count.inks} inks, {count.failures} failed", err=True)
    return count.failures
