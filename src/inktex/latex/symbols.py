r"""The symbols that people write, in one table (`symbols.toml`): token, group, role, character, Typst name.

One token is one symbol on paper, or one piece of structure. Its spelling has no spaces inside:

- Blackboard-bold and calligraphic capitals are one token each: `\mathbb{R}`, `\mathcal{L}`.
- Accents and lines (group "accents") take one group: `\hat { x }`, `\overline { a b }`, `\underbrace { x }`.
- `\frac` and `\binom` take two groups, `\sqrt` one and an optional index: `\sqrt [ 3 ] { x }`.
- An environment is `\begin{pmatrix} a & b \\ c & d \end{pmatrix}`: each head and tail is one token, `&`
  separates cells, `\\` separates rows.

Groups in `STRUCTURAL` hold the tokens that arrange others; "accents" among them have ink of their own. All
other groups hold symbols that can be drawn alone. Of several LaTeX commands for one symbol the table has one;
the normaliser maps the others to it (`\le`, `\varnothing`, upright Greek, `\R`).
"""

import tomllib
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from importlib.resources import files


class Role(Enum):
    """TeX's kinds of atoms, as far as they matter for spacing and for pairing brackets."""

    ORDINARY = "ordinary"
    NUMBER = "number"
    FUNCTION = "function"
    OPERATOR = "operator"
    BINARY = "binary"
    RELATION = "relation"
    PUNCTUATION = "punctuation"
    OPEN = "open"
    CLOSE = "close"
    BAR = "bar"
    PRIME = "prime"
    STRUCTURE = "structure"


@dataclass(frozen=True)
class Symbol:
    """One symbol; `typst` is its name there, or the character itself."""

    token: str
    character: str  # in Unicode, as MathML shows it
    role: Role
    typst: str
    group: str = "other"


ENVIRONMENTS = ("matrix", "pmatrix", "bmatrix", "vmatrix", "cases", "aligned")
# Environments whose rows all have the same number of cells, and the brackets around them.
MATRICES = {"matrix": ("", ""), "pmatrix": ("(", ")"), "bmatrix": ("[", "]"), "vmatrix": ("|", "|")}
MAX_COLUMNS = 10  # of a matrix; `cases` and `aligned` have one or two
CELL, NEW_ROW = "&", r"\\"

_DATA = tomllib.loads(files("inktex.latex").joinpath("symbols.toml").read_text("utf-8"))


def _table(table: dict[str, str]) -> list[Symbol]:
    """The symbols of one table of the file."""
    group, role = table["group"], Role(table["role"])
    if "rows" in table:
        words = table["rows"].split()
        rows = zip(words[::3], words[1::3], words[2::3], strict=True)
        return [Symbol(token, character, role, typst, group) for token, character, typst in rows]
    if "plain" in table:
        return [Symbol(token, token, role, token, group) for token in table["plain"].split()]
    if "names" in table:
        return [Symbol("\\" + name, name, role, name, group) for name in table["names"].split()]
    if "letters" in table:
        return [_letter(table["alphabet"], letter) for letter in table["letters"].split()]
    return [Symbol(token, "", role, "", group) for token in table["bare"].split()]


def _letter(alphabet: str, letter: str) -> Symbol:
    r"""A letter or digit of another alphabet, as `\mathbb{R}`; Unicode gives some of them an older name."""
    prefixes, call, group = _ALPHABETS[alphabet]
    name = unicodedata.name(letter).removeprefix("LATIN ").replace("LETTER ", "")
    character = letter
    for prefix in reversed(prefixes):
        with suppress(KeyError):
            character = unicodedata.lookup(f"{prefix} {name}")
    return Symbol(rf"\{alphabet}{{{letter}}}", character, Role.ORDINARY, f"{call}({letter})", group)


_ALPHABETS = {
    "mathbb": (("MATHEMATICAL DOUBLE-STRUCK", "DOUBLE-STRUCK"), "bb", "blackboard"),
    "mathcal": (("MATHEMATICAL SCRIPT", "SCRIPT"), "cal", "calligraphic"),
    "mathscr": (("MATHEMATICAL SCRIPT", "SCRIPT"), "cal", "other"),
    "mathfrak": (("MATHEMATICAL FRAKTUR", "BLACK-LETTER"), "frak", "other"),
}

_SYMBOLS = {each.token: each for table in _DATA["tables"] for each in _table(table)}

# The groups in table order, with their tokens.
GROUPS: dict[str, tuple[str, ...]] = {
    group: tuple(each.token for each in _SYMBOLS.values() if each.group == group)
    for group in dict.fromkeys(each.group for each in _SYMBOLS.values())
    if group != "other"
}
STRUCTURAL = ("accents", "scripts", "structures", "environments")
WIDE: tuple[str, ...] = tuple(token for tokens in GROUPS.values() for token in tokens)

# Classes of what cannot be told apart when it stands alone. The first of a class stands for it.
LOOK_ALIKES: tuple[tuple[str, ...], ...] = tuple(
    tuple(row.split()) for row in _DATA["look_alikes"].splitlines()
)
_LOOKS: dict[str, str] = {token: row[0] for row in LOOK_ALIKES for token in row}


def look_alike(token: str) -> str:
    r"""The token that stands for all that look the same alone: `0` for `O`, `\sum` for `\Sigma`."""
    return _LOOKS.get(token, token)


def symbol(token: str) -> Symbol:
    """The symbol of a LaTeX token; an unknown command is shown as its own name."""
    if token in _SYMBOLS:
        return _SYMBOLS[token]
    if token.isdigit():
        return Symbol(token, token, Role.NUMBER, token)
    if not token.startswith("\\"):
        return Symbol(token, token, Role.ORDINARY, token if token.isalpha() else "\\" + token)
    alphabet, _, letter = token[1:].rstrip("}").partition("{")
    if alphabet in _ALPHABETS and len(letter) == 1 and letter.isascii() and letter.isalnum():
        return replace(_letter(alphabet, letter), group="other")
    name = token[1:]
    return Symbol(token, name, Role.ORDINARY, f'"{name}"' if name.isalnum() else "\\" + name)


# The LaTeX token of a character, as in `α`, where that is not ASCII. Of two tokens for one character (`\perp`
# and `\bot`) the first counts; accents never stand alone.
TOKEN_OF = {
    each.character: each.token
    for each in reversed(_SYMBOLS.values())
    if len(each.character) == 1 and not each.character.isascii() and each.role is not Role.STRUCTURE
}
