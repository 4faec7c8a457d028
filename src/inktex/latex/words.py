"""What the normaliser knows about single LaTeX words: synonyms, words without ink, commands with arguments.

Only tables; each says which habit of truth strings it undoes.
"""

import re

from .symbols import GROUPS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_GREEK_SMALL = """
    alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho
    varrho sigma varsigma tau upsilon phi varphi chi psi omega"""
_GREEK_CAPITALS = "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
_LATIN_LOOKING = "Alpha Beta Epsilon Zeta Eta Iota Kappa Mu Nu Omicron Rho Tau Chi"

# Different words, one symbol on paper; the right-hand side is the word of the captions and of `symbols.WIDE`.
SYNONYMS: dict[str, tuple[str, ...]] = {
    r"\to": (r"\rightarrow",),
    r"\longrightarrow": (r"\rightarrow",),
    r"\gets": (r"\leftarrow",),
    r"\lt": ("<",),
    r"\gt": (">",),
    r"\le": (r"\leq",),
    r"\leqslant": (r"\leq",),
    r"\ge": (r"\geq",),
    r"\geqslant": (r"\geq",),
    r"\ne": (r"\neq",),
    r"\lbrack": ("[",),
    r"\rbrack": ("]",),
    r"\lbrace": (r"\{",),
    r"\rbrace": (r"\}",),
    r"\lparen": ("(",),
    r"\rparen": (")",),
    r"\vert": ("|",),
    r"\lvert": ("|",),
    r"\rvert": ("|",),
    r"\mid": ("|",),
    r"\Vert": (r"\|",),
    r"\lVert": (r"\|",),
    r"\rVert": (r"\|",),
    r"\dots": (r"\ldots",),
    r"\dotsc": (r"\ldots",),
    r"\dotso": (r"\ldots",),
    r"\hdots": (r"\ldots",),
    r"\dotsb": (r"\cdots",),
    r"\dotsm": (r"\cdots",),
    r"\dotsi": (r"\cdots",),
    r"\owns": (r"\ni",),
    r"\land": (r"\wedge",),
    r"\lor": (r"\vee",),
    r"\lnot": (r"\neg",),
    r"\colon": (":",),
    r"\sp": ("^",),
    r"\sb": ("_",),
    r"\dfrac": (r"\frac",),
    r"\tfrac": (r"\frac",),
    r"\cfrac": (r"\frac",),
    r"\dbinom": (r"\binom",),
    r"\tbinom": (r"\binom",),
    "\N{MINUS SIGN}": ("-",),
    "\N{EN DASH}": ("-",),
    "\N{MULTIPLICATION SIGN}": (r"\times",),
    "\N{DIVISION SIGN}": (r"\div",),
    "\N{PLUS-MINUS SIGN}": (r"\pm",),
    "\N{LESS-THAN OR EQUAL TO}": (r"\leq",),
    "\N{GREATER-THAN OR EQUAL TO}": (r"\geq",),
    "\N{NOT EQUAL TO}": (r"\neq",),
    "\N{RIGHTWARDS ARROW}": (r"\rightarrow",),
    "\N{INFINITY}": (r"\infty",),
    "\N{MIDDLE DOT}": (r"\cdot",),
    "\N{HORIZONTAL ELLIPSIS}": (r"\ldots",),
    "\N{RIGHT SINGLE QUOTATION MARK}": ("'",),
    "\N{PRIME}": ("'",),
    **{
        rf"\{word}": tuple(meaning.split())
        for meaning, words in {
            r"\leftarrow": "longleftarrow",
            r"\leftrightarrow": "longleftrightarrow",
            r"\Rightarrow": "Longrightarrow implies",
            r"\Leftarrow": "Longleftarrow impliedby",
            r"\Leftrightarrow": "Longleftrightarrow iff",
            r"\mapsto": "longmapsto",
            r"\leadsto": "rightsquigarrow",
            r"\emptyset": "varnothing empty diameter",
            r"\setminus": "backslash smallsetminus textbackslash",
            r"\triangle": "bigtriangleup vartriangle",
            r"\square": "Box",
            r"\dagger": "dag",
            r"\ddagger": "ddag",
            r"\leq": "leqq",
            r"\geq": "geqq",
            r"\preceq": "preccurlyeq",
            r"\succeq": "succcurlyeq",
            r"\approx": "thickapprox",
            r"\sim": "thicksim",
            r"\propto": "varpropto",
            r"\hbar": "hslash",
            r"\parallel": "shortparallel",
            r"\models": "vDash",
            r"\int": "intop smallint",
            r"\langle": "lang",
            r"\rangle": "rang",
            r"\cdot": "cdotp centerdot",
            r"\degree": "textdegree",
            r"\ldots": "mathellipsis",
            r"\mod": "bmod",
            r"\overset": "stackrel",
            r"\frac": "nicefrac sfrac",
            r"\\": "cr newline tabularnewline",
            r"\mathbb": "Bbb mathds mathbbm",
            r"\mathcal": "mathscr",
            r"\mathbb{R}": "R reals Reals",
            r"\mathbb{N}": "N natnums",
            r"\mathbb{Z}": "Z",
            r"\mathbb{Q}": "Q",
            r"\mathbb{C}": "C cnums Complex",
            r"\arg \max": "argmax",
            r"\arg \min": "argmin",
            ".": "ldotp",
            "*": "ast",
            ":": "vcentcolon",
            ": =": "coloneqq coloneq",
            "= :": "eqqcolon",
            # Greek letters that look like Latin ones, upright and slanted Greek.
            "o": "omicron",
            **dict(zip("ABEZHIKMNOPTX", _LATIN_LOOKING.split(), strict=True)),
            **{rf"\{name}": f"up{name}" for name in _GREEK_SMALL.split()},
            r"\kappa": "varkappa upkappa",
            **{rf"\{name}": f"Up{name.lower()} var{name}" for name in _GREEK_CAPITALS.split()},
        }.items()
        for word in words.split()
    },
    **{digit: ("^", "{", str(value), "}") for value, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{digit: ("_", "{", str(value), "}") for value, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")},
}

# Math mode marks, spacing, fonts and styles that last to the end of their group, sizes of delimiters: no ink.
WITHOUT_INK = _words(
    r"""$ ~ \( \) \[ \] \, \; \: \! \> \/ \- \quad \qquad \enspace \thinspace \medspace \thickspace
    \negthinspace \displaystyle \textstyle \scriptstyle \scriptscriptstyle \nolimits \displaylimits \relax
    \null \nonumber \notag \hline
    \rm \it \bf \sf \tt \sc \sl \em \mit
    \tiny \small \large \Large \LARGE \huge \Huge \normalsize
    \big \Big \bigg \Bigg \bigl \Bigl \biggl \Biggl \bigr \Bigr \biggr \Biggr \bigm \Bigm \biggm \Biggm
    \left \right \middle"""
) | {"\\ ", "\N{NO-BREAK SPACE}"}

# After these a full stop stands for no delimiter at all, and `<`, `>` for angle brackets.
DELIMITER_SIZES = _words(
    r"""\left \right \middle \big \Big \bigg \Bigg \bigl \Bigl \biggl \Biggl \bigr \Bigr \biggr \Biggr
    \bigm \Bigm \biggm \Biggm"""
)

# Commands that only change the look of their argument: the argument stays, the command goes.
FONTS = _words(
    r"""\mathrm \mathbf \mathit \mathsf \mathtt \mathnormal \boldsymbol \bm \pmb \mbox \hbox \vbox \vtop \fbox
    \text \textrm \textbf \textit \textsf \texttt \textnormal \textup \textsl \emph \ensuremath \mathord
    \mathop \mathbin \mathrel \mathopen \mathclose \mathpunct \mathinner \operatorname \operatorname*"""
)

# Commands that go together with their argument.
DROPPED_WITH_ARGUMENT = _words(
    r"\hspace \hspace* \vspace \vspace* \phantom \hphantom \vphantom \label \tag \color \textcolor"
)

# Commands whose arguments carry ink, by the number of them; `\sqrt` with its optional index is treated apart.
ONE_ARGUMENT = _words(
    r"""\overline \underline \hat \widehat \bar \vec \dot \ddot \dddot \tilde \widetilde \check \acute
    \grave \mathring \overrightarrow \overleftarrow \overleftrightarrow \overbrace \underbrace \boxed
    \cancel"""
)
TWO_ARGUMENTS = _words(r"\frac \binom \overset \underset")

# Accents that differ only in length.
LONG_ACCENTS = {
    r"\bar": r"\overline",
    r"\hat": r"\widehat",
    r"\tilde": r"\widetilde",
    r"\vec": r"\overrightarrow",
}
SHORT_ACCENTS = {long: short for short, long in LONG_ACCENTS.items()}

# Commands that set their argument in another alphabet; `\cal` does so to the end of its group.
ALPHABETS = _words(r"\mathbb \mathcal \mathfrak")
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
NEGATED = {
    "=": r"\neq",
    r"\in": r"\notin",
    r"\subseteq": r"\nsubseteq",
    r"\exists": r"\nexists",
    "|": r"\nmid",
    r"\rightarrow": r"\nrightarrow",
}

# The environments of LaTeX, by what they look like on paper; "" are those of a whole display.
ENVIRONMENTS = {
    name: like
    for like, names in {
        "": "equation displaymath math",
        "matrix": "matrix smallmatrix array tabular subarray Bmatrix Vmatrix",
        "pmatrix": "pmatrix",
        "bmatrix": "bmatrix",
        "vmatrix": "vmatrix",
        "cases": "cases dcases",
        "aligned": "aligned align split gathered gather eqnarray multline alignedat alignat flalign",
    }.items()
    for name in names.split()
}
WITH_COLUMNS = _words("array tabular subarray alignedat alignat")  # an argument in braces follows
BRACKETED = {"Bmatrix": (r"\{", r"\}"), "Vmatrix": (r"\|", r"\|")}

# Infix forms `{a \over b}` and the command that says the same.
INFIX = {r"\over": r"\frac", r"\choose": r"\binom"}

# Function names inside of `\operatorname{…}`, beyond those that are commands.
NAMED = {"argmax": (r"\arg", r"\max"), "argmin": (r"\arg", r"\min")} | {
    token[1:]: (token,) for token in GROUPS["functions"]
}
NAMING = _words(r"\operatorname \operatorname* \mathrm \text \textrm")

# Function names that truth strings also spell with single letters, as in `sin x`: those of the captions only,
# since `max` or `exp` as letters could as well be products, and not inside of a longer name;
# `div` between two things; and three dots.
SPELT_SYMBOL = re.compile(
    r"(?<!arc)(?:sin(?![hc])|cos(?!h|ec)|tan(?!h)|log|lim)|(?<=.)div|(?<!\.)\.\.\.(?!\.)"
)
SPELT = {name: "\\" + name for name in ("sin", "cos", "tan", "log", "lim", "div")} | {"...": r"\ldots"}

# `\lt` and `\gt` come from escaped XML without a space after them: `\ltN` is `\lt N`.
# These are longer words of their own.
LONGER_THAN_LT_GT = _words(r"\ltimes \gtrsim \gtrapprox \gtrdot \gtreqless \gtreqqless \gtrless \gtneqqless")

# Symbols that TeX treats as operators: `\limits` may follow them, and their scripts stand above and below.
OPERATORS = _words(
    r"""\int \iint \iiint \oint \oiint \sum \prod \coprod \lim \limsup \liminf \max \min \sup \inf \det \gcd
    \Pr \bigcup \bigcap \bigsqcup \bigvee \bigwedge \bigoplus \bigotimes \bigodot \biguplus"""
)

# What has its scripts above and below even without `\limits`.
STACKED = (OPERATORS - _words(r"\int \iint \iiint \oint \oiint")) | _words(r"\overbrace \underbrace")

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
MATHML_SPELLINGS = {
    name: "\\" + name
    for name in _words(
        """sin cos tan log lim infty sum int rightarrow pi alpha beta gamma theta phi mu sigma lambda Delta
        times div pm in forall exists prime leq geq neq ldots cdots cdot"""
    )
} | {
    "{": r"\{",
    "}": r"\}",
    "im": r"\lim",
    "\N{MIDDLE DOT}": r"\cdot",
    "ctdot": r"\cdots",
    "hellip": r"\ldots",
    "infin": r"\infty",
    "rarr": r"\rightarrow",
    "le": r"\leq",
    "ge": r"\geq",
    "ne": r"\neq",
    "exist": r"\exists",
}


def argument_count(word: str) -> int:
    """How many arguments in braces follow a word in the caption form."""
    return 2 if word in TWO_ARGUMENTS else 1 if word in ONE_ARGUMENT or word == r"\sqrt" else 0
