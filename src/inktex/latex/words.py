"""What the normaliser knows about single LaTeX words: synonyms, words without ink, commands with arguments.

Only tables, most of them from `words.toml`; each says which habit of truth strings it undoes.
"""

import re
import tomllib
from importlib.resources import files

from .symbols import GROUPS

_DATA = tomllib.loads(files("inktex.latex").joinpath("words.toml").read_text("utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_DATA["words"][name].split())


# Different words, one symbol on paper; the right-hand side is the word of the captions and of `symbols.WIDE`.
SYNONYMS: dict[str, tuple[str, ...]] = {
    word: tuple(meaning.split())
    for words, _, meaning in (line.partition(" -> ") for line in _DATA["synonyms"].splitlines())
    for word in words.split()
}

# Math mode marks, spacing, fonts and styles that last to the end of their group, sizes of delimiters: no ink.
WITHOUT_INK = _words("without_ink") | {"\\ ", "\N{NO-BREAK SPACE}"}

# After these a full stop stands for no delimiter at all, and `<`, `>` for angle brackets.
DELIMITER_SIZES = _words("delimiter_sizes")

# Commands that only change the look of their argument: the argument stays, the command goes.
FONTS = _words("fonts")

# Commands that go together with their argument.
DROPPED_WITH_ARGUMENT = _words("dropped_with_argument")

# Commands whose arguments carry ink, by the number of them; `\sqrt` with its optional index is treated apart.
ONE_ARGUMENT = _words("one_argument")
TWO_ARGUMENTS = _words("two_arguments")

# Accents that keep their size; all others grow with what they stand over.
SMALL_ACCENTS = _words("small_accents")

# Accents that differ only in length.
LONG_ACCENTS: dict[str, str] = _DATA["long_accents"]
SHORT_ACCENTS = {long: short for short, long in LONG_ACCENTS.items()}

# Commands that set their argument in another alphabet; `\cal` does so to the end of its group.
ALPHABETS = _words("alphabets")
ALPHABET_SWITCHES = {r"\cal": r"\mathcal"}

# Commands that put something around their argument.
WRAPPED = {
    r"\pmod": (("(", r"\mod"), (")",)),
    r"\abs": (("|",), ("|",)),
    r"\norm": ((r"\|",), (r"\|",)),
    r"\floor": ((r"\lfloor",), (r"\rfloor",)),
    r"\ceil": ((r"\lceil",), (r"\rceil",)),
}

# What `\not` in front of a symbol makes of it.
NEGATED: dict[str, str] = _DATA["negated"]

# The environments of LaTeX, by what they look like on paper; "" are those of a whole display.
ENVIRONMENTS = {name: like for like, names in _DATA["environments"].items() for name in names.split()}
WITH_COLUMNS = _words("with_columns")  # an argument in braces follows
BRACKETED = {"Bmatrix": (r"\{", r"\}"), "Vmatrix": (r"\|", r"\|")}

# Infix forms `{a \over b}` and the command that says the same.
INFIX = {r"\over": r"\frac", r"\choose": r"\binom"}

# Function names inside of `\operatorname{…}`, beyond those that are commands.
NAMED = {"argmax": (r"\arg", r"\max"), "argmin": (r"\arg", r"\min")} | {
    token[1:]: (token,) for token in GROUPS["functions"]
}
NAMING = _words("naming")

# Function names that truth strings also spell with single letters, as in `sin x`: those of the captions only,
# since `max` or `exp` as letters could as well be products, and not inside of a longer name;
# `div` between two things; and three dots.
SPELT_SYMBOL = re.compile(
    r"(?<!arc)(?:sin(?![hc])|cos(?!h|ec)|tan(?!h)|log|lim)|(?<=.)div|(?<!\.)\.\.\.(?!\.)"
)
SPELT = {name: "\\" + name for name in ("sin", "cos", "tan", "log", "lim", "div")} | {"...": r"\ldots"}

# `\lt` and `\gt` come from escaped XML without a space after them: `\ltN` is `\lt N`.
# These are longer words of their own.
LONGER_THAN_LT_GT = _words("longer_than_lt_gt")

# Symbols that TeX treats as operators: `\limits` may follow them, and their scripts stand above and below.
OPERATORS = _words("operators")

# What has its scripts above and below even without `\limits`.
STACKED = (OPERATORS - {r"\int", r"\iint", r"\iiint", r"\oint", r"\oiint"}) | {r"\overbrace", r"\underbrace"}

# Words that LaTeX has and the caption form does not.
NOT_IN_CAPTIONS = (
    WITHOUT_INK
    | FONTS
    | DROPPED_WITH_ARGUMENT
    | SYNONYMS.keys()
    | INFIX.keys()
    | ALPHABETS
    | ALPHABET_SWITCHES.keys()
    | WRAPPED.keys()
    | {"#", "%", r"\substack"}
)

# How MathML leaves of ink files spell symbols: LaTeX without its backslash, names of entities, bare braces.
_SPELLINGS = _DATA["mathml_spellings"]
MATHML_SPELLINGS: dict[str, str] = {name: "\\" + name for name in _SPELLINGS["same"].split()} | dict(
    zip(_SPELLINGS["other"].split()[::2], _SPELLINGS["other"].split()[1::2], strict=True)
)


def argument_places(word: str) -> tuple[str, ...]:
    """Where the arguments in braces that follow a word in the caption form stand around its symbol."""
    if word in TWO_ARGUMENTS:
        return ("above", "below")
    return ("inside",) if word in ONE_ARGUMENT or word == r"\sqrt" else ()
