"""A SHA-256 inside a Parquet file, so that any changed byte is noticed when the file is opened.

Parquet has checksums of pages, but not of their headers, nor of the footer that says where everything is.
The seal stands between the last page and the footer, where readers of Parquet do not look: every tool reads
the file as before. Files that other programs wrote have none, and are read without this check.
"""

import hashlib
import os
from pathlib import Path
from typing import IO

_MARK = b"inktex.sha256\0\0\0"
_SIZE = len(_MARK) + hashlib.sha256().digest_size
_PIECE = 2**20


def seal(path: Path) -> None:
    """Put the seal into a file that was just written."""
    with path.open("r+b") as file:
        start = _footer_start(file)
        file.seek(start)
        footer = file.read()
        digest = _digest(file, start, footer)
        file.seek(start)
        file.write(_MARK + digest + footer)
        file.flush()
        os.fsync(file.fileno())


def is_broken(path: Path) -> bool:
    """Whether the file has a seal that does not fit the rest of it."""
    with path.open("rb") as file:
        start = _footer_start(file)
        file.seek(max(0, start - _SIZE))
        block, footer = file.read(min(start, _SIZE)), file.read()
        if not block.startswith(_MARK):
            return False
        return block[len(_MARK) :] != _digest(file, start - _SIZE, footer)


def _footer_start(file: IO[bytes]) -> int:
    """Where the footer begins: its length stands before the last four bytes."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 8))
    return max(0, size - 8 - int.from_bytes(file.read(4), "little"))


def _digest(file: IO[bytes], length: int, footer: bytes) -> bytes:
    digest = hashlib.sha256()
    file.seek(0)
    while length > 0 and (piece := file.read(min(_PIECE, length))):
        digest.update(piece)
        length -= len(piece)
    digest.update(footer)
    return digest.digest()
