"""Where data and caches are on this machine, from `INKTEX_DATA`, `INKTEX_CACHE` and the XDG variables."""

import os
from pathlib import Path


def locate() -> Path | None:
    """Find the data folder: `INKTEX_DATA`, or `~/.local/share/inktex`."""
    named = os.environ.get("INKTEX_DATA")
    if named:
        folder = Path(named).expanduser()
        if not folder.exists():
            raise FileNotFoundError(f"INKTEX_DATA is set to {folder}, which does not exist")
        return folder
    folder = _user_folder("XDG_DATA_HOME", ".local/share")
    return folder if folder.is_dir() else None


def cache_folder() -> Path:
    """Find the folder for files that can be made again: `INKTEX_CACHE`, or `~/.cache/inktex`."""
    named = os.environ.get("INKTEX_CACHE")
    return Path(named).expanduser() if named else _user_folder("XDG_CACHE_HOME", ".cache")


def _user_folder(variable: str, usual: str) -> Path:
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / usual) / "inktex"
