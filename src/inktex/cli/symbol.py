"""`inktex symbol`: which LaTeX command is this drawing? The likeliest ones, as Detexify answers."""

import json

from typer import Argument, BadParameter, Exit, Option, echo

from inktex.cli.common import ModelOption


def symbol(
    sources: list[str] = Argument(..., help="Ink files with a single symbol each, or - for standard input."),
    top: int = Option(10, min=1, help="How many symbols to give for each."),
    as_json: bool = Option(False, "--json", help="One JSON object per drawing."),
    model: ModelOption = None,
) -> None:
    """Read drawings of single symbols: for each the likeliest commands with their probabilities.

    Exit code 1 if one could not be read.
    """
    from inktex.ink import InkError, read_all
    from inktex.reading import ModelError
    from inktex.recognizer import Recognizer

    try:
        recognizer = Recognizer(model)
    except ModelError as error:
        raise BadParameter(str(error)) from None
    drawings = [item for source in sources for item in read_all(source)]
    failed = False
    for name, ink in drawings:
        try:
            if isinstance(ink, InkError):
                raise ink
            guesses = recognizer.symbol(ink, top=top)
        except InkError as error:
            failed = True
            echo(f"inktex: {error.inside(source=name)}", err=True)
            continue
        if as_json:
            found = [{"latex": each.latex, "probability": round(each.probability, 6)} for each in guesses]
            echo(json.dumps({"source": name, "symbols": found}, ensure_ascii=False))
            continue
        if len(drawings) > 1:
            echo(f"{name}:")
        for each in guesses:
            echo(f"{each.probability:.3f}\t{each.latex}")
    raise Exit(1 if failed else 0)
