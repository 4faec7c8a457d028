"""The one exception of this room, and the sizes past which a file is refused instead of read.

Every message has the form `source: place: reason`, so that a person with ten thousand files knows which
one to open, where to look in it, and what is wrong there.
"""

MAX_BYTES = 64 * 1024 * 1024  # one ink file, after decompression
MAX_POINTS = 1_000_000  # one ink
MAX_STROKES = 20_000  # one ink
MAX_NODES = 4_000_000  # XML elements, or JSON lists and objects, in one file
MAX_DEPTH = 200  # how deep XML elements, or JSON lists and objects, may nest
MAX_ARCHIVE_BYTES = 4 * 1024 * 1024 * 1024  # one archive inside another archive, after decompression
MAX_ARCHIVE_DEPTH = 4  # archives inside archives


def shown(text: str, length: int = 40) -> str:
    """Quote a piece of a file for an error message, which stays short whatever is in the file."""
    return repr(text if len(text) <= length else text[:length] + "…")


class InkError(ValueError):
    """Ink that cannot be read, or cannot be what it claims to be.

    `reason` says what is wrong (and what to do), `place` where in the file, `source` in which file.
    """

    def __init__(self, reason: str, place: str | None = None, source: str | None = None) -> None:
        super().__init__(reason, place, source)  # as arguments, so that the error survives pickling
        self.reason = reason
        self.place = place
        self.source = source

    def __str__(self) -> str:
        return ": ".join(part for part in (self.source, self.place, self.reason) if part)

    def inside(self, source: str | None = None, place: str | None = None) -> "InkError":
        """Return the same error with the file or the place filled in where it was not known yet."""
        return InkError(self.reason, self.place or place, self.source or source)
