"""`InkError`, the only exception that readers raise.

Every message has the form `source: place: reason`, so that a person with ten thousand files knows which one
to open, where to look in it, and what is wrong there.
"""

import re

_UNPRINTABLE = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def shown(text: str, length: int = 40) -> str:
    """Quote a piece of a file for an error message, which stays short whatever is in the file."""
    return repr(text if len(text) <= length else text[:length] + "…")


def printable(name: str) -> str:
    """A file name for any terminal: control characters, and bytes that are not UTF-8, appear as `\\xe9`."""

    def escaped(match: re.Match[str]) -> str:
        code = ord(match.group())
        code -= 0xDC00 if 0xDC80 <= code <= 0xDCFF else 0
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"

    return _UNPRINTABLE.sub(escaped, name)


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
        return type(self)(self.reason, self.place or place, self.source or source)
