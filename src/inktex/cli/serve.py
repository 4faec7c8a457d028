"""`inktex serve`: the web page to write on, and the HTTP API."""

import sys
from typing import Literal

from typer import Option


def serve(
    host: str = Option("127.0.0.1", help="Address to listen on; 0.0.0.0 opens it to the network."),
    port: int = Option(8000, min=0, max=65535, help="Port; 0 takes any free one."),
    workers: int = Option(1, min=1, max=256, help="Recognition processes."),
    model: str | None = Option(None, help="Model: a name or a file (see `inktex models`)."),
    beam: int = Option(10, min=1, max=100, help="Hypotheses kept per step."),
    token: str | None = Option(
        None, envvar="INKTEX_TOKEN", help="Answer only to clients that send this token."
    ),
    allow_anyone: bool = Option(False, "--allow-anyone", help="Serve a network without a token."),
    cors: list[str] | None = Option(
        None, help="Allow requests from pages of this origin, such as https://example.org; repeatable."
    ),
    allow_host: list[str] | None = Option(None, help="Another host name of this server; repeatable."),
    queue: int = Option(16, min=1, help="Requests that may wait, per process; further ones get 503."),
    time_limit: float = Option(10.0, min=0.1, help="Time limit for one request, in seconds."),
    max_body: int = Option(512, min=1, help="Largest request, in KB."),
    max_strokes: int = Option(1000, min=1, help="Strokes in one request."),
    max_points: int = Option(20_000, min=1, help="Points in one request."),
    grace: float = Option(10.0, min=0, help="Seconds that requests have left when the server stops."),
    log_level: Literal["debug", "info", "warning"] = Option("warning", help="How much is logged."),
    log_ink: bool = Option(False, "--log-ink", help="Also log the ink and what was read from it."),
    open_page: bool | None = Option(
        None, "--open/--no-open", help="Open the page in a browser (default: on a terminal)."
    ),
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
