r"""Roles and shapes of all symbols: which can stand in another's place, how large and where they are written.

`role_of(r"\cup")` is "binary", `shape_of("g")` is "descender"; a `Shape` gives the usual place on the line,
in x-heights, heights counted up from the baseline. `stand_ins(token)` lists the symbols that could be written
where a token was written without anything around it having to move. The sizes are those of writing primers
and type (letters of one, ascenders of 1.75 x-heights, operators on the axis); no data set was measured.
"""

from dataclasses import dataclass
from functools import cache

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
        """From bottom to top."""
        return self.top - self.bottom


_SHAPES = {
    shape.name: shape
    for shape in (
        Shape("x-height", 0.0, 1.0, 1.0),
        Shape("ascender", 0.0, 1.75, 0.95),
        Shape("half", 0.0, 1.5, 0.7),  # i and t rise less than b and l
        Shape("descender", -0.8, 1.0, 1.0),
        Shape("both", -0.65, 1.75, 1.0),
        Shape("digit", 0.0, 1.55, 0.95),
        Shape("capital", 0.0, 1.75, 1.4),
        Shape("tall", -0.45, 1.9, 0.55),
        Shape("bar", -0.4, 1.9, 0.12),
        Shape("big", -0.45, 2.0, 1.8),
        Shape("integral", -1.0, 2.6, 1.2),
        Shape("operator", 0.05, 1.0, 0.95),
        Shape("round", -0.1, 1.1, 1.2),  # a circle or box with something in it
        Shape("relation", 0.0, 1.05, 1.1),
        Shape("high relation", -0.2, 1.3, 1.15),
        Shape("upright", -0.2, 1.6, 1.0),
        Shape("line", 0.45, 0.6, 0.9, flat=True),
        Shape("flat", 0.25, 0.8, 1.1, flat=True),
        Shape("arrow", 0.15, 0.9, 1.6, flat=True),
        Shape("wide", 0.1, 0.95, 1.7, flat=True),
        Shape("dots low", 0.0, 0.12, 1.7, flat=True),
        Shape("dots mid", 0.45, 0.57, 1.7, flat=True),
        Shape("dots upright", -0.2, 1.6, 0.15),
        Shape("dots slanted", 0.0, 1.5, 1.6),
        Shape("point low", 0.0, 0.1, 0.1),
        Shape("point mid", 0.45, 0.57, 0.12),
        Shape("points", 0.1, 0.85, 0.12),
        Shape("comma", -0.45, 0.15, 0.25),
        Shape("prime", 1.0, 1.75, 0.25),
        Shape("small ring", 1.1, 1.6, 0.5),
    )
}

# The shape of every symbol whose group, below, does not give it.
_OF_SHAPE = {
    "x-height": r"a c e m n o r s u v w x z \alpha \epsilon \varepsilon \iota \kappa \nu \pi \varpi"
    r" \sigma \tau \upsilon \omega",
    "ascender": r"b d h k l \delta \theta \vartheta \lambda \ell \hbar \partial ?",
    "half": "i t",
    "descender": r"g p q y \gamma \eta \mu \rho \varrho \varsigma \chi",
    "both": r"f j \beta \zeta \xi \phi \varphi \psi",
    "capital": r"\nabla \aleph \Re \Im \forall \exists \nexists \top \bot \emptyset \angle \triangle \square"
    r" \sharp \% \$",
    "bar": r"! |",
    "operator": r"+ \pm \mp \times \div * \star \circ \bullet \wedge \vee \cup \cap",
    "round": r"\oplus \ominus \otimes \odot \oslash",
    "upright": r"\dagger \setminus \parallel \nmid \uparrow \downarrow /",
    "line": "-",
    "flat": r"= \equiv \approx \sim \simeq \neg",
    "relation": r"< > \prec \succ \ll \gg \propto \in \ni \subset \supset \perp \vdash \models"
    r" \therefore \because \nearrow \searrow",
    "high relation": r"\leq \geq \neq \cong \preceq \succeq \lesssim \gtrsim \doteq \triangleq \notin"
    r" \subseteq \supseteq \subsetneq \nsubseteq",
    "arrow": r"\rightarrow \leftarrow \leftrightarrow \Rightarrow \Leftarrow \Leftrightarrow \mapsto"
    r" \hookrightarrow \rightharpoonup \rightleftharpoons \leadsto",
    "wide": r"\infty",
    "integral": r"\int \iint \iiint \oint \oiint",
    "dots low": r"\ldots",
    "dots mid": r"\cdots",
    "dots upright": r"\vdots",
    "dots slanted": r"\ddots",
    "point low": ".",
    "point mid": r"\cdot",
    "points": ":",
    "comma": ", ;",
    "prime": r"\prime '",
    "small ring": r"\degree",
}
_OF_GROUP = {
    "digits": "digit",
    "big operators": "big",
    "delimiters": "tall",
    "blackboard": "capital",
    "calligraphic": "capital",
    "latin": "capital",
    "greek": "capital",
}
_SHAPE_OF = {token: name for name, tokens in _OF_SHAPE.items() for token in tokens.split()}
# Widths that differ much from those of their shape.
_WIDTHS = {
    "m": 1.6, "w": 1.5, r"\omega": 1.4, r"\pi": 1.2, "r": 0.75, "s": 0.75, r"\iota": 0.35, "l": 0.4,
    "i": 0.3, "1": 0.4, "I": 0.6, "M": 1.8, "W": 2.0, r"\|": 0.4, r"\parallel": 0.4, ";": 0.25,
    r"\varpi": 1.5,
    r"\iint": 1.8, r"\iiint": 2.5, r"\oiint": 1.9, r"\ll": 1.5, r"\gg": 1.5, r"\mathbb{M}": 1.8,
    r"\mathbb{W}": 2.0,
    r"\mathcal{M}": 1.9, r"\mathcal{W}": 1.9, r"\dagger": 0.8, r"\nmid": 0.5, r"\uparrow": 0.7,
    r"\downarrow": 0.7, r"\neg": 1.0,
}  # fmt: skip

_FUNCTIONS = frozenset(symbols.GROUPS["functions"])
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
    return token[1:] if token in _FUNCTIONS else ""


@cache
def shape_of(token: str) -> Shape:
    """The usual box of a symbol; that of a capital for symbols not in the table."""
    letters = function_letters(token)
    if letters:
        shapes = [shape_of(letter) for letter in letters]
        return Shape(
            "word",
            min(shape.bottom for shape in shapes),
            max(shape.top for shape in shapes),
            sum(shape.width + 0.15 for shape in shapes) - 0.15,
        )
    name = _SHAPE_OF.get(token) or _OF_GROUP.get(symbols.symbol(token).group, "capital")
    shape = _SHAPES[name]
    if token in _WIDTHS:
        return Shape(name, shape.bottom, shape.top, _WIDTHS[token], shape.flat)
    return shape


@cache
def role_of(token: str) -> str:
    """What part a symbol plays on the line: letter, digit, binary, relation, big, function, open, …"""
    known = symbols.symbol(token)
    if known.group in ("latin", "greek", "blackboard", "calligraphic"):
        return "letter"
    if known.group == "letter-like":
        return "sign" if token in _NOT_LETTERS else "letter"
    if known.group == "logic" and known.role is symbols.Role.ORDINARY:
        return "sign"
    if token in _UPRIGHT_ARROWS:
        return "binary"
    if known.group == "dots":
        return "dots"
    return {
        symbols.Role.NUMBER: "digit",
        symbols.Role.BINARY: "function" if function_letters(token) else "binary",
        symbols.Role.RELATION: "relation",
        symbols.Role.FUNCTION: "function",
        symbols.Role.OPERATOR: "limit" if function_letters(token) else "big",
        symbols.Role.OPEN: "open",
        symbols.Role.CLOSE: "close",
        symbols.Role.BAR: "bar",
        symbols.Role.PUNCTUATION: "punctuation",
        symbols.Role.PRIME: "prime",
        symbols.Role.STRUCTURE: "structure",
        symbols.Role.ORDINARY: "sign",
    }[known.role]


# A letter or another symbol of its height can stand for a digit, and a quantifier for a capital.
_TAKEN_BY = {"digit": ("digit", "letter", "sign"), "letter": ("letter", "sign")}
_UPRIGHT_SHAPES = frozenset({"ascender", "half", "capital", "digit"})


@cache
def stand_ins(token: str) -> tuple[str, ...]:
    """The symbols that fit where a token was written; () for structure, and for brackets (see `PAIRS`)."""
    role, shape = role_of(token), shape_of(token)
    if role in ("structure", "open", "close", "bar", "punctuation", "prime", "dots"):
        return ()
    roles = _TAKEN_BY.get(role, (role,))
    return tuple(
        other
        for other in symbols.WIDE
        if other != token and role_of(other) in roles and _fits(shape, shape_of(other), role)
    )


def _fits(old: Shape, new: Shape, role: str) -> bool:
    if role in ("binary", "relation"):
        return True
    if role in ("function", "limit"):
        return 0.7 < new.width / old.width < 1.35
    if role == "big":
        return old.name == new.name
    return old.name == new.name or (old.name in _UPRIGHT_SHAPES and new.name in _UPRIGHT_SHAPES)
