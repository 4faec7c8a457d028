"""Files that are there whole or not at all: written beside the target, flushed, then renamed over it."""

import os
from pathlib import Path


def write_atomically(path: Path, content: bytes | str) -> None:
    """Write `content` to `path`; on failure the old file stays as it was and an `OSError` names the path."""
    data = content.encode() if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        reason = error.strerror or str(error)
        raise OSError(
            f"{path}: could not be written ({reason}); free space or choose another folder"
        ) from error
