"""Server options: where it listens, who may use it, and its limits."""

from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, ip_address
from socket import gethostname


@dataclass(frozen=True)
class Limits:
    """Past these a request is refused. They bound what one client can cost the others."""

    body_bytes: int = 512 * 1024  # one request, or one message of a live session
    file_bytes: int = 8 * 1024 * 1024  # an ink file after decompression
    strokes: int = 1_000
    points: int = 20_000
    file_seconds: float = 3.0  # of CPU for reading a file
    inks: int = 20  # expressions in one file
    seconds: float = 10.0  # waiting and recognising together
    body_seconds: float = 15.0  # time a client has to send its request
    queue: int = 16  # requests that wait, per process; more are answered 503
    sessions: int = 64  # live sessions, per process


@dataclass(frozen=True)
class ServerOptions:
    """How to serve. The defaults are safe: this machine only, no other origin, no ink in the log."""

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    model: str | None = None
    beam: int = 10
    token: str | None = None
    allow_anyone: bool = False  # serve a network without a token
    origins: tuple[str, ...] = ()  # other origins whose pages may ask
    hosts: tuple[str, ...] = ()  # further names this server is reached by
    log_ink: bool = False
    log_level: str = "info"
    grace_seconds: float = 10.0  # for requests under way when the server is told to stop
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ValueError("a server needs at least one worker")
        if self.token is not None and (not self.token.isascii() or not self.token.isprintable()):
            raise ValueError("a token is made of printable ASCII characters")
        if self.token is not None and len(self.token.strip()) < 8:
            raise ValueError("a token needs at least 8 characters; make one with: openssl rand -hex 16")
        if not self.loopback and self.token is None and not self.allow_anyone:
            raise ValueError(
                f"on {self.host} everyone who reaches this machine could use the server; "
                "set a token with --token, or say --allow-anyone"
            )
        for origin in self.origins:
            if "://" not in origin or origin.count("/") != 2:
                raise ValueError(f"an origin looks like https://example.org, not {origin!r}")

    @property
    def loopback(self) -> bool:
        """Whether only programs on this machine can connect."""
        address = _address(self.host)
        return self.host == "localhost" or (address is not None and address.is_loopback)

    def is_called(self, name: str) -> bool:
        """Whether requests may call this server by this name.

        A page of another site can make a browser ask this machine under the site's own name (DNS rebinding);
        then the browser takes both for one origin. Only the name tells. Numeric addresses are nobody's name.
        """
        return name in self._own_names or (
            not self.loopback and _address(name.removeprefix("[").removesuffix("]")) is not None
        )

    @cached_property
    def _own_names(self) -> frozenset[str]:
        own = {"localhost", "127.0.0.1", "[::1]", self.host, f"[{self.host}]", *self.hosts}
        if not self.loopback:
            own.add(gethostname())
        return frozenset(each.lower() for each in own)

    @property
    def address(self) -> str:
        """Where a person finds the page."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "") else "[::1]" if self.host == "::" else self.host  # noqa: S104
        return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{self.port}/"


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name)
    except ValueError:
        return None
