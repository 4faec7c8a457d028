"""The words of LaTeX: `tokenize` cuts a LaTeX string into them, `join` writes them out again.

A word is a command (`\\frac`), a symbol (`\\{`), the head or tail of an environment (`\\begin{matrix}`), a
letter of another alphabet (`\\mathbb{R}`) or a single character. White space separates words. It is not a
word itself, except for the explicit space `\\ `. Control characters, which no file of LaTeX or MathML may
hold, count as white space.
"""

import re
from collections.abc import Iterable

MAX_DEPTH = 100  # of groups inside groups; people write 6

_WORD = re.compile(
    r"\\(?:begin|end)\s*\{\s*[a-zA-Z]+\*?\s*\}|\\math(?:bb|cal|frak|scr)\s*\{\s*[a-zA-Z0-9]\s*\}"
    r"|\\[a-zA-Z]+\*?|\\[^\x00-\x08\x0e-\x1f\x7f]|[^\s\x00-\x1f\x7f]",
    re.DOTALL,
)

# The few commands with a starred form; after any other the star is a symbol of its own.
_STARRED = frozenset({r"\operatorname*", r"\hspace*", r"\vspace*"})


class LatexError(ValueError):
    """LaTeX that cannot be understood; the message says where and why."""


def tokenize(latex: str) -> tuple[str, ...]:
    """Cut a LaTeX string into its words, unchanged: `\\frac12` gives `\\frac`, `1`, `2`.

    A backslash with nothing after it is not LaTeX and raises LatexError.
    """
    words: list[str] = []
    for match in _WORD.finditer(latex):
        word = match.group()
        if word == "\\":
            raise LatexError(f"{excerpt(latex)}: a backslash with nothing after it")
        if word[-1] == "}" and len(word) > 2:
            word = "".join(word.split())
        elif word[0] == "\\" and word[1:2].isspace():
            word = "\\ "
        elif word[-1] == "*" and len(word) > 2 and word not in _STARRED:
            words.append(word[:-1])
            word = "*"
        words.append(word)
    return tuple(words)


def join(tokens: Iterable[str]) -> str:
    """Write words as one LaTeX string, separated by single spaces as in the captions."""
    return " ".join(tokens)


def excerpt(latex: str, limit: int = 60) -> str:
    """The beginning of a LaTeX string, in quotes, short enough for an error message."""
    text = " ".join(latex.split())
    return f"'{text}'" if len(text) <= limit else f"'{text[:limit]}…'"
