"""The code blocks of a Markdown page, and the commands in those of the shell."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*/README.md")]
    if "node_modules" not in path.parts
)
# A block without a language is shell if it begins with one of these; otherwise it is text.
COMMANDS = ("inktex", "python", "make", "pip", "npm", "npx", "curl", "torchrun", "export", ".venv")


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: Path
    line: int  # of its first line of code
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"


@dataclass(frozen=True)
class Command:
    """One command of a shell block; `needs` is why it cannot be run here."""

    text: str
    needs: str | None

    def __str__(self) -> str:
        return self.text


def blocks_of(page: Path) -> Iterator[Block]:
    """All fenced blocks, those inside of lists too."""
    fence: tuple[str, str, int] | None = None
    lines: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        mark = re.match(r"( *)```(\w*)", line)
        if mark and fence is None:
            fence, lines = (mark[1], mark[2], number + 1), []
        elif mark and fence is not None:
            text = "\n".join(lines)
            yield Block(page, fence[2], fence[1] or _guessed(text), text)
            fence = None
        elif fence is not None:
            lines.append(line.removeprefix(fence[0]))


def _guessed(text: str) -> str:
    return "sh" if text.split(maxsplit=1)[0].split("/")[0] in COMMANDS else "text"


def needs_of(comment: str) -> str | None:
    """Why a command or block with this comment cannot run in a test: `# needs CROHME and hours`."""
    found = re.search(r"\bneeds\s+(?!no\b)(.*)", comment)
    return found and found[1]


def commands_of(text: str) -> list[Command]:
    """Commands of a shell block; a comment on a line of its own is about all lines up to an empty one."""
    found: list[Command] = []
    over_all: str | None = None
    words = comment = ""
    for line in text.splitlines():
        if not words and (not line.strip() or line.startswith("#")):
            over_all = needs_of(line) if line.strip() else None
            continue
        code, said = re.fullmatch(r"(.*?)(?:\s+# (.*))?", line).groups()  # type: ignore[union-attr]
        comment = said or comment
        if code.endswith("\\"):
            words += code[:-1]
            continue
        words += code
        try:
            shlex.split(words)
        except ValueError:  # a quotation that goes on in the next line
            words += "\n"
            continue
        parts = words.strip().removeprefix("$ ").split(" && ")
        found += [Command(part, needs_of(comment) or over_all) for part in parts]
        words = comment = ""
    return found
