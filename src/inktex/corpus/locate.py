"""Where things lie on this machine: the data that users keep, and the cache that inktex may write.

Nothing comes in but the environment (`INKTEX_DATA`, `INKTEX_CACHE`, `XDG_CACHE_HOME`); paths come out.
"""

import os
from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parents[3]


def locate() -> Path | None:
    """Find the data folder: `INKTEX_DATA`, else `../shared/data` of the checkout or the working folder."""
    named = os.environ.get("INKTEX_DATA")
    if named:
        folder = Path(named).expanduser()
        if not folder.exists():
            raise FileNotFoundError(f"INKTEX_DATA is set to {folder}, which does not exist")
        return folder
    for base in (_CHECKOUT, Path.cwd()):
        folder = base.parent / "shared" / "data"
        if folder.is_dir():
            return folder
    return None


def cache_folder() -> Path:
    """Find the folder for files that can be made again: `INKTEX_CACHE`, else the user's cache folder."""
    named = os.environ.get("INKTEX_CACHE")
    if named:
        return Path(named).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "inktex"
