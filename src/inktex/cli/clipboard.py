"""Copies text to the clipboard with the program that the system has for it."""

import shutil
import subprocess
import sys

_PROGRAMS = (
    ("wl-copy",),
    ("xclip", "-selection", "clipboard"),
    ("xsel", "--clipboard", "--input"),
    ("termux-clipboard-set",),
)


def copy_text(text: str) -> bool:
    """Put the text on the clipboard; False where there is none."""
    programs: tuple[tuple[str, ...], ...] = _PROGRAMS
    if sys.platform == "darwin":
        programs = (("pbcopy",),)
    elif sys.platform == "win32":
        programs = (("clip",),)
    for program, *arguments in programs:
        path = shutil.which(program)
        if path is None:
            continue
        try:
            subprocess.run([path, *arguments], input=text.encode(), check=True, timeout=5)  # noqa: S603
        except (OSError, subprocess.SubprocessError):
            continue
        return True
    return False
