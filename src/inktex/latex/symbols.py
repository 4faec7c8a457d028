r"""The symbols that people write, in one table: token, group, role, character and Typst name.

How to use it:

    from inktex.latex import symbols

    symbols.WIDE                        # every token of the wide vocabulary, in table order
    symbols.GROUPS["relations"]         # the tokens of a group, ("=", "<", ">", r"\leq", …)
    symbols.symbol(r"\leq")             # Symbol(token=r"\leq", group="relations", role=Role.RELATION, …)
    symbols.look_alike(r"\Sigma")       # r"\sum": what cannot be told apart when it stands alone
    inktex.latex.wide_vocabulary()      # the Vocabulary of <eol> and WIDE

One token is one symbol on paper, or one piece of structure. Its spelling has no spaces inside:

- Blackboard-bold and calligraphic capitals are one token each: `\mathbb{R}`, `\mathcal{L}`.
- Accents and lines (group "accents") take one group: `\hat { x }`, `\overline { a b }`, `\underbrace { x }`.
- `\frac` and `\binom` take two groups, `\sqrt` one and an optional index: `\sqrt [ 3 ] { x }`.
- An environment is `\begin{pmatrix} a & b \\ c & d \end{pmatrix}`: each head and tail is one token, `&`
  separates cells, `\\` separates rows.

Groups in `STRUCTURAL` hold the tokens that arrange others ("scripts", "structures", "environments", and
"accents", which have ink of their own). All other groups hold symbols that can be drawn alone. Of several
LaTeX commands for one symbol the table has one; the normaliser maps the others to it (`\le`, `\varnothing`,
upright Greek, `\R`). Letters, digits and commands outside the table can be printed all the same: `symbol`
returns a `Symbol` of the group "other" for them.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum


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

_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FUNCTIONS = """
    sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp det dim ker deg gcd arg Pr
"""
_STACKED_FUNCTIONS = "lim limsup liminf max min sup inf"

# Rows of: token, character, name in Typst (the character itself where the name changed over time).
_GREEK = r"""
    \alpha α alpha           \beta β beta             \gamma γ gamma           \delta δ delta
    \epsilon ϵ epsilon.alt   \varepsilon ε epsilon    \zeta ζ zeta             \eta η eta
    \theta θ theta           \vartheta ϑ theta.alt    \iota ι iota             \kappa κ kappa
    \lambda λ lambda         \mu μ mu                 \nu ν nu                 \xi ξ xi
    \pi π pi                 \varpi ϖ pi.alt          \rho ρ rho               \varrho ϱ rho.alt
    \sigma σ sigma           \varsigma ς sigma.alt    \tau τ tau               \upsilon υ upsilon
    \phi ϕ phi.alt           \varphi φ phi            \chi χ chi               \psi ψ psi
    \omega ω omega           \Gamma Γ Gamma           \Delta Δ Delta           \Theta Θ Theta
    \Lambda Λ Lambda         \Xi Ξ Xi                 \Pi Π Pi                 \Sigma Σ Sigma
    \Upsilon Υ Upsilon       \Phi Φ Phi               \Psi Ψ Psi               \Omega Ω Omega
"""
_OPERATORS = r"""
    + + +                    - − -                    \pm ± plus.minus         \mp ∓ minus.plus
    \times × times           \div ÷ div               \cdot ⋅ dot.op           * ∗ *
    \star ⋆ star.op          \circ ∘ compose          \bullet ∙ ∙              \oplus ⊕ ⊕
    \ominus ⊖ ⊖              \otimes ⊗ ⊗              \odot ⊙ ⊙                \oslash ⊘ ⊘
    \dagger † dagger
"""
_RELATIONS = r"""
    = = =                    < < <                    > > >                    \leq ≤ <=
    \geq ≥ >=                \neq ≠ !=                \equiv ≡ equiv           \approx ≈ approx
    \sim ∼ tilde.op          \simeq ≃ tilde.eq        \cong ≅ tilde.equiv      \propto ∝ prop
    \ll ≪ <<                 \gg ≫ >>                 \prec ≺ prec             \succ ≻ succ
    \preceq ⪯ ⪯              \succeq ⪰ ⪰              \lesssim ≲ ≲             \gtrsim ≳ ≳
    \doteq ≐ ≐               \triangleq ≜ ≜           \parallel ∥ parallel     \nmid ∤ ∤
    \perp ⊥ perp             : : :
"""
_SETS = r"""
    \in ∈ in                 \ni ∋ in.rev             \notin ∉ in.not          \subset ⊂ subset
    \supset ⊃ supset         \subseteq ⊆ subset.eq    \supseteq ⊇ supset.eq    \subsetneq ⊊ ⊊
    \nsubseteq ⊈ ⊈
"""
_SET_OPERATORS = r"\cup ∪ union    \cap ∩ ∩    \setminus ∖ without"
_LOGIC = r"\vdash ⊢ ⊢  \models ⊨ ⊨  \therefore ∴ therefore  \because ∵ because"
_LOGIC_OPERATORS = r"\wedge ∧ and    \vee ∨ or"
_LOGIC_LETTERS = r"\forall ∀ forall  \exists ∃ exists  \nexists ∄ ∄  \neg ¬ not  \top ⊤ top  \bot ⊥ bot"
_ARROWS = r"""
    \rightarrow → arrow.r    \leftarrow ← arrow.l     \leftrightarrow ↔ arrow.l.r
    \Rightarrow ⇒ arrow.r.double \Leftarrow ⇐ arrow.l.double \Leftrightarrow ⇔ arrow.l.r.double
    \mapsto ↦ arrow.r.bar    \uparrow ↑ arrow.t       \downarrow ↓ arrow.b     \nearrow ↗ arrow.tr
    \searrow ↘ arrow.br      \hookrightarrow ↪ ↪      \rightharpoonup ⇀ ⇀      \rightleftharpoons ⇌ ⇌
    \leadsto ⇝ ⇝
"""
_BIG_OPERATORS = r"""
    \sum ∑ sum               \prod ∏ product          \coprod ∐ ∐              \int ∫ integral
    \iint ∬ integral.double  \iiint ∭ integral.triple \oint ∮ integral.cont    \oiint ∯ ∯
    \bigcup ⋃ union.big      \bigcap ⋂ ⋂              \bigoplus ⨁ ⨁            \bigotimes ⨂ ⨂
    \bigvee ⋁ ⋁              \bigwedge ⋀ ⋀
"""
_OPENING = r"( ( (  [ [ [  \{ { {  \langle ⟨ ⟨  \lfloor ⌊ ⌊  \lceil ⌈ ⌈"
_CLOSING = r") ) )  ] ] ]  \} } }  \rangle ⟩ ⟩  \rfloor ⌋ ⌋  \rceil ⌉ ⌉"
_DOTS = r". . .  \ldots … dots.h  \cdots ⋯ ⋯  \vdots ⋮ dots.v  \ddots ⋱ dots.down"
_LETTER_LIKE = r"""
    \infty ∞ infinity        \partial ∂ partial       \nabla ∇ nabla           \hbar ℏ planck
    \ell ℓ ell               \aleph ℵ aleph           \Re ℜ Re                 \Im ℑ Im
    \emptyset ∅ emptyset     \degree ° degree         \angle ∠ angle           \triangle △ triangle.t
    \square □ square         \sharp ♯ ♯               ! ! !                    ? ? ?
    / / slash                \% % %                   \$ $ \$
"""
_ACCENTS = r"""
    \hat ^ hat               \bar ¯ macron            \vec → arrow             \dot ˙ dot
    \ddot ¨ dot.double       \tilde ~ tilde           \overline ‾ overline     \underline _ underline
    \widehat ^ hat           \widetilde ~ tilde       \overrightarrow → arrow  \overbrace ⏞ overbrace
    \underbrace ⏟ underbrace
"""
# Known to every printer but not in the wide vocabulary: rare in handwriting, or a second token for one look.
_RARE = {
    Role.BINARY: r"""
        \uplus ⊎ ⊎               \sqcup ⊔ ⊔               \sqcap ⊓ ⊓               \ddagger ‡ dagger.double
        \amalg ⨿ ⨿               \diamond ⋄ ⋄             \ltimes ⋉ ⋉              \rtimes ⋊ ⋊
        \boxtimes ⊠ ⊠            \ast ∗ *
    """,
    Role.RELATION: r"""
        \asymp ≍ ≍               \bowtie ⋈ ⋈              \supsetneq ⊋ ⊋           \sqsubseteq ⊑ ⊑
        \sqsupseteq ⊒ ⊒          \dashv ⊣ ⊣               \updownarrow ↕ arrow.t.b \Uparrow ⇑ arrow.t.double
        \Downarrow ⇓ arrow.b.double \swarrow ↙ arrow.bl      \nwarrow ↖ arrow.tl      \hookleftarrow ↩ ↩
        \nrightarrow ↛ ↛         \twoheadrightarrow ↠ ↠   \rightrightarrows ⇉ ⇉
    """,
    Role.OPERATOR: r"""
        \biguplus ⨄ ⨄            \bigsqcup ⨆ ⨆            \bigodot ⨀ ⨀
    """,
    Role.OPEN: r"""
        \llbracket ⟦ ⟦
    """,
    Role.CLOSE: r"""
        \rrbracket ⟧ ⟧
    """,
    Role.ORDINARY: r"""
        \wp ℘ ℘                  \imath ı dotless.i       \checkmark ✓ checkmark   \flat ♭ ♭
        \natural ♮ ♮             \backslash \ backslash   \# # \#                  \& & \&
        \_ _ \_
    """,
    Role.PRIME: r"""
        ' ′ prime
    """,
    Role.STRUCTURE: r"""
        \acute ´ acute           \grave ` grave           \mathring ˚ circle       \dddot ⃛ dot.triple
        \overleftarrow ← arrow.l \overleftrightarrow ↔ arrow.l.r \check ˇ caron
    """,
}


def _table(group: str, role: Role, rows: str) -> list[Symbol]:
    words = rows.split()
    return [
        Symbol(token, character, role, typst, group)
        for token, character, typst in zip(words[::3], words[1::3], words[2::3], strict=True)
    ]


def _names(role: Role, names: str) -> list[Symbol]:
    return [Symbol("\\" + name, name, role, name, "functions") for name in names.split()]


def _structures(group: str, tokens: Iterable[str]) -> list[Symbol]:
    return [Symbol(token, "", Role.STRUCTURE, "", group) for token in tokens]


def _letter(alphabet: str, letter: str) -> Symbol:
    r"""A letter or digit of another alphabet, as `\mathbb{R}`; Unicode gives some of them an older name."""
    prefixes, call, group = _ALPHABETS[alphabet]
    name = unicodedata.name(letter).removeprefix("LATIN ").replace("LETTER ", "")
    character = letter
    for prefix in prefixes:
        try:
            character = unicodedata.lookup(f"{prefix} {name}")
        except KeyError:
            continue
        break
    return Symbol(rf"\{alphabet}{{{letter}}}", character, Role.ORDINARY, f"{call}({letter})", group)


_ALPHABETS = {
    "mathbb": (("MATHEMATICAL DOUBLE-STRUCK", "DOUBLE-STRUCK"), "bb", "blackboard"),
    "mathcal": (("MATHEMATICAL SCRIPT", "SCRIPT"), "cal", "calligraphic"),
    "mathscr": (("MATHEMATICAL SCRIPT", "SCRIPT"), "cal", "other"),
    "mathfrak": (("MATHEMATICAL FRAKTUR", "BLACK-LETTER"), "frak", "other"),
}

_SYMBOLS = {
    each.token: each
    for each in (
        *(Symbol(digit, digit, Role.NUMBER, digit, "digits") for digit in "0123456789"),
        *(Symbol(letter, letter, Role.ORDINARY, letter, "latin") for letter in _CAPITALS.lower() + _CAPITALS),
        *_table("greek", Role.ORDINARY, _GREEK),
        *_table("operators", Role.BINARY, _OPERATORS),
        *_table("relations", Role.RELATION, _RELATIONS),
        *_table("sets", Role.RELATION, _SETS),
        *_table("sets", Role.BINARY, _SET_OPERATORS),
        *_table("logic", Role.RELATION, _LOGIC),
        *_table("logic", Role.BINARY, _LOGIC_OPERATORS),
        *_table("logic", Role.ORDINARY, _LOGIC_LETTERS),
        *_table("arrows", Role.RELATION, _ARROWS),
        *_table("big operators", Role.OPERATOR, _BIG_OPERATORS),
        *_table("delimiters", Role.OPEN, _OPENING),
        *_table("delimiters", Role.CLOSE, _CLOSING),
        *_table("delimiters", Role.BAR, r"| | |  \| ‖ ‖"),
        *_table("dots", Role.ORDINARY, _DOTS),
        *_table("punctuation", Role.PUNCTUATION, ", , ,  ; ; ;"),
        *_table("punctuation", Role.PRIME, r"\prime ′ prime"),
        *_table("letter-like", Role.ORDINARY, _LETTER_LIKE),
        *(_letter("mathbb", letter) for letter in (*_CAPITALS, "1")),
        *(_letter("mathcal", letter) for letter in _CAPITALS),
        *_names(Role.FUNCTION, _FUNCTIONS),
        *_names(Role.OPERATOR, _STACKED_FUNCTIONS),
        Symbol(r"\mod", "mod", Role.BINARY, "mod", "functions"),
        *_table("accents", Role.STRUCTURE, _ACCENTS),
        *_structures("scripts", "_^{}"),
        *_structures("structures", (r"\frac", r"\binom", r"\sqrt")),
        *_structures("environments", (CELL, NEW_ROW)),
        *_structures("environments", (rf"\begin{{{name}}}" for name in ENVIRONMENTS)),
        *_structures("environments", (rf"\end{{{name}}}" for name in ENVIRONMENTS)),
        *(each for role, rows in _RARE.items() for each in _table("other", role, rows)),
    )
}

# The groups in table order, with their tokens.
GROUPS: dict[str, tuple[str, ...]] = {
    group: tuple(each.token for each in _SYMBOLS.values() if each.group == group)
    for group in dict.fromkeys(each.group for each in _SYMBOLS.values())
    if group != "other"
}
STRUCTURAL = ("accents", "scripts", "structures", "environments")
WIDE: tuple[str, ...] = tuple(token for tokens in GROUPS.values() for token in tokens)

# What cannot be told apart when it stands alone, at any size. The first of a class stands for it.
LOOK_ALIKES: tuple[tuple[str, ...], ...] = tuple(
    tuple(row.split())
    for row in r"""
        0 o O \circ \degree
        1 l I |
        x X \times
        c C
        k K \kappa
        p P \rho
        s S
        u U \cup \bigcup
        v V \vee \bigvee \nu
        w W \omega
        z Z
        Y \Upsilon
        T \top
        \iota \imath
        \theta \Theta
        \phi \varphi \Phi
        \psi \Psi
        \in \epsilon
        \sigma \varsigma
        \sum \Sigma
        \prod \Pi
        \coprod \amalg
        \Delta \triangle
        \wedge \Lambda \bigwedge
        \cap \bigcap
        \uplus \biguplus
        \sqcup \bigsqcup
        \oplus \bigoplus
        \otimes \bigotimes
        \odot \bigodot
        \emptyset \oslash
        \equiv \Xi
        \perp \bot
        \| \parallel
        \setminus \backslash
        < \langle
        > \rangle
        . \cdot
        , \prime '
        \ldots \cdots
        \bar \overline
        \hat \widehat
        \tilde \widetilde
        \vec \overrightarrow
    """.strip().splitlines()
)
_LOOKS = {token: row[0] for row in LOOK_ALIKES for token in row}


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


def token_of(character: str) -> str | None:
    """The LaTeX token of a character, as in `α`; None for ASCII and for unknown characters."""
    return _TOKENS.get(character)


# Of two tokens for one character (`\perp` and `\bot`) the first counts; accents never stand alone.
_TOKENS = {
    each.character: each.token
    for each in reversed(_SYMBOLS.values())
    if len(each.character) == 1 and not each.character.isascii() and each.role is not Role.STRUCTURE
}
