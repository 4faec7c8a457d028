"""Limits on what is read: the sizes past which a file is refused, and the count of what one source has cost.

All readers share these. `Limits` are the options of `read` and `read_all`, with defaults that hold for
files of strangers. A `Budget` counts over everything that is unpacked from one source, archives inside it
included, so that a small file cannot grow without end by being many small things.
"""

from collections.abc import Callable
from dataclasses import dataclass

from inktex.ink.errors import InkError

MIB = 2**20

MAX_POINTS = 1_000_000  # of one ink, whatever the limits of a caller are
MAX_STROKES = 20_000

MEMBER_COST = 4096  # bytes that a member of an archive counts beyond its content: blank ones cost time too
FREE_BYTES = 16 * MIB  # below this the ratio of unpacked to packed size is not looked at


class LimitError(InkError):
    """A source that unpacks to more than its limits; nothing further is read from it."""


@dataclass(frozen=True)
class Limits:
    """How much is read before a file is refused."""

    file_bytes: int = 64 * MIB  # one ink file, after decompression
    points: int = MAX_POINTS  # one ink
    strokes: int = MAX_STROKES  # one ink
    depth: int = 200  # of XML elements, or JSON lists and objects
    elements: int = 300_000  # XML elements in one file
    attributes: int = 100  # of one XML element
    nodes: int = 1_200_000  # JSON lists and objects in one file
    values: int = 6_000_000  # JSON values in one file
    archive_depth: int = 4  # archives inside archives; 0 refuses archives
    members: int = 1_000_000  # files in one source, over all its archives
    total_bytes: int = 16 * 1024 * MIB  # unpacked from one source, over all its archives
    ratio: int = 250  # of unpacked to packed size; pen strokes written as text reach about 30

    def __post_init__(self) -> None:
        if self.points > MAX_POINTS or self.strokes > MAX_STROKES:
            raise ValueError(f"an ink has at most {MAX_STROKES} strokes and {MAX_POINTS} points")
        if min(vars(self).values()) < 0:
            raise ValueError("limits cannot be negative")

    @property
    def too_packed(self) -> str:
        """What is said of a file that unpacks to more than the ratio."""
        return f"unpacks to more than {self.ratio} times its size, which ink does not; refused"

    def unpacked(self, packed: int) -> int:
        """How many bytes so many packed ones may become."""
        return min(self.total_bytes, max(FREE_BYTES, self.ratio * packed))


DEFAULT_LIMITS = Limits()


class Budget:
    """What was unpacked from one source so far; `packed()` tells how many bytes of the source were read."""

    def __init__(self, limits: Limits, packed: Callable[[], int]) -> None:
        self.limits = limits
        self.exhausted = False
        self._packed = packed
        self._members = 0
        self._bytes = 0

    def member(self) -> None:
        self._members += 1
        if self._members > self.limits.members:
            self._refuse(f"more than the limit of {self.limits.members} files in one archive")
        self.spend(MEMBER_COST)

    def spend(self, size: int) -> None:
        """Count bytes that were, or are about to be, unpacked."""
        self._bytes += size
        if self._bytes > self.limits.total_bytes:
            self._refuse(f"more than the limit of {self.limits.total_bytes // MIB} MiB when unpacked")
        if self._bytes > self.limits.unpacked(self._packed()):
            self._refuse(self.limits.too_packed)

    def _refuse(self, reason: str) -> None:
        self.exhausted = True
        raise LimitError(reason)
