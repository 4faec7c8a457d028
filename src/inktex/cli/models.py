"""`inktex models`: list the models, or show what one of them is."""

import json
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command `models`."""
    app.command()(models)


def models(
    name: Annotated[
        str | None, typer.Argument(help="Show the card of this model (a name or a file).")
    ] = None,
) -> None:
    """List the models that `--model` knows by name, or show what one of them is."""
    from inktex.reading import find_model, known_models, read_model, where_more_are

    if name is not None:
        path = find_model(name)
        found = read_model(path)
        members = [member.name for member in found.members]
        shown = {"file": str(path), "members": members, "sha256": found.sha256, **found.card}
        typer.echo(json.dumps(shown, indent=1, ensure_ascii=False))
        return
    known = list(known_models())
    if not known:
        raise ValueError("no models found; this installation has no weights, so name a file with --model")
    for each, path in known:
        found = read_model(path)
        about = found.card.get("summary") or ", ".join(member.name for member in found.members)
        typer.echo(f"{each}\t{path.stat().st_size / 1e6:.1f} MB\t{about}\t{path}")
    if len({path.parent for _, path in known}) == 1:  # only what came with the package
        typer.echo(f"inktex: {where_more_are()}", err=True)
