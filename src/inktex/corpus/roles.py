r"""Roles and shapes of all symbols: which can stand in another's place, how large and where they are written.

`role_of(r"\cup")` is "binary", `shape_of("g")` is "descender"; a `Shape` gives the usual place on the line,
in x-heights, heights counted up from the baseline. `stand_ins(token)` lists the symbols that could be written
where a token was written without anything around it having to move. The boxes are in `shapes.toml`; `metric`
prefers those that were measured on CROHME's training set, the typography of handwriting.
"""

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from inktex.latex import symbols


@dataclass(frozen=True)
class Shape:
    """The usual box of a symbol."""

    name: str
    bottom: float
    top: float
    width: float
    flat: bool = False  # sized by its width (a minus, an arrow) and not by its height

    @property
    def height(self) -> float:
        return self.top - self.bottom


_TABLES: dict[str, dict[str, Any]] = tomllib.loads(
    files("inktex.corpus").joinpath("shapes.toml").read_text("utf-8")
)
_SHAPES = {
    name: replace(Shape(name, *entry["box"]), flat=entry.get("flat", False))
    for name, entry in _TABLES["shapes"].items()
}
_SHAPE_OF = {
    token: name for name, entry in _TABLES["shapes"].items() for token in entry.get("symbols", "").split()
}
_MEASURED = {
    label: replace(Shape("measured", *box), flat=table == "measured_flat")
    for table in ("measured", "measured_flat")
    for label, box in _TABLES[table].items()
}

WORDS = frozenset(symbols.GROUPS["functions"])
PAIRS = {
    "(": ")", "[": "]", r"\{": r"\}", r"\langle": r"\rangle", r"\lfloor": r"\rfloor", r"\lceil": r"\rceil",
    "|": "|", r"\|": r"\|",
}  # fmt: skip
# Symbols that are written as letters of a word or of a name are letters; the rest of these are not.
_NOT_LETTERS = frozenset((r"\infty", r"\degree", r"\angle", "!", "?", "/", r"\%", r"\$"))
_UPRIGHT_ARROWS = frozenset((r"\uparrow", r"\downarrow"))


def function_letters(token: str) -> str:
    r"""The letters that a function name is written with, "" for other symbols: `\sin` gives sin."""
    if token == r"\mod":
        return "mod"
    return token[1:] if token in WORDS else ""


@cache
def shape_of(token: str) -> Shape:
    """The usual box of a symbol; that of a capital for symbols not in the table."""
    if letters := function_letters(token):
        shapes = [shape_of(letter) for letter in letters]
        bottom, top = min(shape.bottom for shape in shapes), max(shape.top for shape in shapes)
        return Shape("word", bottom, top, sum(shape.width + 0.15 for shape in shapes) - 0.15)
    name = _SHAPE_OF.get(token) or _TABLES["groups"].get(symbols.symbol(token).group, "capital")
    shape = _SHAPES[name]
    return replace(shape, width=_TABLES["widths"].get(token, shape.width))


@cache
def role_of(token: str) -> str:
    """What part a symbol plays on the line: letter, digit, binary, relation, big, function, open, …"""
    known = symbols.symbol(token)
    if known.group in ("latin", "greek", "blackboard", "calligraphic", "letter-like"):
        return "symbol" if token in _NOT_LETTERS else "letter"
    if token in _UPRIGHT_ARROWS:
        return "binary"
    if known.group == "dots":
        return "dots"
    word = bool(function_letters(token))
    others = {"number": "digit", "operator": "limit" if word else "big", "ordinary": "symbol"}
    return (
        "function"
        if word and known.role.value == "binary"
        else others.get(known.role.value, known.role.value)
    )


# A letter or another symbol of its height can stand for a digit, and a quantifier for a capital.
_TAKEN_BY = {"digit": ("digit", "letter", "symbol"), "letter": ("letter", "symbol")}
_UPRIGHT_SHAPES = frozenset({"ascender", "half", "capital", "digit"})


@cache
def stand_ins(token: str) -> tuple[str, ...]:
    """The symbols that fit where a token was written; () for structure, and for brackets (see `PAIRS`)."""
    role, shape = role_of(token), shape_of(token)
    if role in ("structure", "open", "close", "bar", "punctuation", "prime", "dots"):
        return ()
    roles = _TAKEN_BY.get(role, (role,))
    others = [other for other in symbols.WIDE if other != token and role_of(other) in roles]
    return tuple(other for other in others if _fits(shape, shape_of(other), role))


def _fits(old: Shape, new: Shape, role: str) -> bool:
    if role in ("binary", "relation"):
        return True
    if role in ("function", "limit"):
        return 0.7 < new.width / old.width < 1.35
    if role == "big":
        return old.name == new.name
    return old.name == new.name or (old.name in _UPRIGHT_SHAPES and new.name in _UPRIGHT_SHAPES)


OPENING = {opening: closing for opening, closing in PAIRS.items() if opening != closing}
CLOSING = frozenset(OPENING.values())
STRETCHED = frozenset({*OPENING, *CLOSING, "|", r"\|"})
# Scripts go above and below.
STACKED = frozenset(
    token for token in symbols.WIDE if role_of(token) in ("limit", "big") and "int" not in token
)
DOTS = frozenset({".", r"\cdot"})


def metric(label: str) -> Shape:
    """Give the usual box of a symbol; for symbols never measured, that of their shape."""
    return _MEASURED.get(label) or shape_of(label)


def gap(before: str, after: str) -> float:
    """Give the usual distance between two neighbours, from box to box."""
    if before in OPENING or after in CLOSING or after in (",", "."):
        return 0.25
    roles = (role_of(before), role_of(after))
    if "relation" in roles:
        return 0.85
    if "binary" in roles or "/" in (before, after) or before == "," or before in WORDS:
        return 0.62
    if before.isdigit() and after.isdigit():
        return 0.35
    return 0.45
