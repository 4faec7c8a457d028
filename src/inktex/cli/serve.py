"""`inktex serve`: the web page to write on, and the HTTP API."""

import sys
from typing import Annotated, Literal

import typer


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 opens it to the network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any free one.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Recognition processes.")] = 1,
    model: Annotated[str | None, typer.Option(help="Model: a name or a file (see `inktex models`).")] = None,
    beam: Annotated[int, typer.Option(min=1, max=100, help="Hypotheses kept per step.")] = 10,
    token: Annotated[
        str | None, typer.Option(envvar="INKTEX_TOKEN", help="Answer only to clients that send this token.")
    ] = None,
    allow_anyone: Annotated[
        bool, typer.Option("--allow-anyone", help="Serve a network without a token.")
    ] = False,
    cors: Annotated[
        list[str] | None,
        typer.Option(
            help="Allow requests from pages of this origin, such as https://example.org; repeatable."
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Another host name of this server; repeatable.")
    ] = None,
    queue: Annotated[
        int, typer.Option(min=1, help="Requests that may wait, per process; further ones get 503.")
    ] = 16,
    time_limit: Annotated[
        float, typer.Option(min=0.1, help="Time limit for one request, in seconds.")
    ] = 10.0,
    max_body: Annotated[int, typer.Option(min=1, help="Largest request, in KB.")] = 512,
    max_strokes: Annotated[int, typer.Option(min=1, help="Strokes in one request.")] = 1000,
    max_points: Annotated[int, typer.Option(min=1, help="Points in one request.")] = 20_000,
    grace: Annotated[
        float, typer.Option(min=0, help="Seconds that requests have left when the server stops.")
    ] = 10.0,
    log_level: Annotated[
        Literal["debug", "info", "warning"], typer.Option(help="How much is logged.")
    ] = "warning",
    log_ink: Annotated[
        bool, typer.Option("--log-ink", help="Also log the ink and what was read from it.")
    ] = False,
    open_page: Annotated[
        bool | None,
        typer.Option("--open/--no-open", help="Open the page in a browser (default: on a terminal)."),
    ] = None,
) -> None:
    """Serve the page to write on and the HTTP API."""
    try:
        from inktex.server import Limits, ServerOptions, run
    except ImportError as error:
        raise ImportError(f"the server needs more packages ({error}): pip install 'inktex[serve]'") from None
    options = ServerOptions(
        host=host,
        port=port,
        workers=workers,
        model=model,
        beam=beam,
        token=token or None,
        allow_anyone=allow_anyone,
        origins=tuple(cors or ()),
        hosts=tuple(allow_host or ()),
        log_ink=log_ink,
        log_level="info" if log_ink and log_level == "warning" else log_level,
        grace_seconds=grace,
        limits=Limits(
            body_bytes=max_body * 1024,
            strokes=max_strokes,
            points=max_points,
            seconds=time_limit,
            queue=queue,
        ),
    )
    run(options, open_page=sys.stdout.isatty() if open_page is None else open_page)
