"""The `inktex` command: one module per group of commands, each a thin layer over the library.

What is heavy (torch, matplotlib, the server) is imported inside the command that needs it, so that
`inktex --help` and `inktex recognize` start fast.
"""

import sys
from collections.abc import Callable

import typer

from inktex import __version__
from inktex.cli import convert, data, evaluate, explain, export, models, recognize, serve, site, symbol, train

COMMANDS: tuple[Callable[..., None], ...] = (
    recognize.recognize,
    symbol.symbol,
    serve.serve,
    site.site,
    train.train,
    evaluate.evaluate,
    export.export,
    export.calibrate,
    explain.explain,
    explain.errors,
    models.models,
    convert.convert,
)


def build_app() -> typer.Typer:
    app = typer.Typer(
        name="inktex",
        help="Handwritten mathematics (pen strokes) to LaTeX.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )

    def show_version(wanted: bool) -> None:
        if wanted:
            typer.echo(f"inktex {__version__}")
            raise typer.Exit

    @app.callback()
    def root(
        version: bool = typer.Option(
            False, "--version", callback=show_version, is_eager=True, help="Show the version."
        ),
    ) -> None:
        del version

    for command in COMMANDS:
        app.command()(command)
    app.add_typer(data.group)
    return app


def main() -> None:
    """Run the command; an error that a person can act on is one line, not a traceback."""
    try:
        build_app()()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise SystemExit(130) from None
    except (ValueError, OSError, ImportError) as error:
        print(f"inktex: {error}", file=sys.stderr)
        raise SystemExit(1) from None
