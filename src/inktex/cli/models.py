"""`inktex models`: list the models, or show what one of them is."""

import json
from typing import TYPE_CHECKING, Any

from typer import Argument, echo

if TYPE_CHECKING:
    from inktex.reading import ModelFile


def models(
    name: str | None = Argument(None, help="Show the card of this model (a name or a file)."),
) -> None:
    """List the models that `--model` knows by name, or show what one of them is."""
    from inktex.reading import find_model, known_models, read_model, where_more_are

    if name is not None:
        path = find_model(name)
        found = read_model(path)
        members = [member.name for member in found.members]
        shown = {"file": str(path), "members": members, "sha256": found.sha256, **_recounted(found)}
        echo(json.dumps(shown, indent=1, ensure_ascii=False))
        return
    known = list(known_models())
    if not known:
        raise ValueError("no models found; this installation has no weights, so name a file with --model")
    for each, path in known:
        found = read_model(path)
        about = found.card.get("summary") or ", ".join(member.name for member in found.members)
        echo(f"{each}\t{path.stat().st_size / 1e6:.1f} MB\t{about}\t{path}")
    if len({path.parent for _, path in known}) == 1:  # only what came with the package
        echo(f"inktex: {where_more_are()}", err=True)


def _recounted(model: "ModelFile") -> dict[str, Any]:
    """The card with the number of parameters in the file; older cards also count what only training has."""
    from inktex.reading import parameter_count

    total, cards = parameter_count(model), model.card.get("members", [])
    each = {"parameters": total // len(cards)} if cards else {}  # networks of one file have the same sizes
    return (
        model.card | ({"members": [card | each for card in cards]} if cards else {}) | {"parameters": total}
    )
