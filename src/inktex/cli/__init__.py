"""The `inktex` command: one module per group of commands, each a thin layer over the library.

A command module exposes `register(app)`; what is heavy (torch, matplotlib, the server) is imported inside the
command that needs it, so that `inktex --help` and `inktex recognize` start fast.
"""

import sys
from importlib import import_module
from importlib.util import find_spec

import typer

from inktex import __version__

COMMAND_MODULES = (
    "recognize",
    "symbol",
    "serve",
    "site",
    "data",
    "train",
    "evaluate",
    "export",
    "explain",
    "models",
    "convert",
)


def build_app() -> typer.Typer:
    """Put all command groups together."""
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

    for name in COMMAND_MODULES:
        if find_spec(f"inktex.cli.{name}") is not None:
            import_module(f"inktex.cli.{name}").register(app)
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
