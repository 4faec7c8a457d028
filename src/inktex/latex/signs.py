"""How each LaTeX sign looks in print: its character, its role in a formula, and its name in Typst.

The role decides about spacing and about which brackets belong together. Letters, digits and ASCII signs that
are not listed stand for themselves.
"""

from dataclasses import dataclass
from enum import Enum


class Role(Enum):
    """TeX's kinds of atoms, as far as they matter for MathML and Typst."""

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


@dataclass(frozen=True)
class Sign:
    """One sign; `typst` is its name there, or the character itself."""

    character: str
    role: Role
    typst: str


def sign(label: str) -> Sign:
    """The sign of a LaTeX word; an unknown command is shown as its own name."""
    if label in _SIGNS:
        return _SIGNS[label]
    if label.isdigit():
        return Sign(label, Role.NUMBER, label)
    if label.startswith("\\"):
        name = label[1:]
        return Sign(name, Role.ORDINARY, f'"{name}"' if name.isalnum() else "\\" + name)
    return Sign(label, Role.ORDINARY, label if label.isalpha() else "\\" + label)


def word_of(character: str) -> str | None:
    """The LaTeX word whose sign is this character, as in `α`; None for ASCII and for unknown characters."""
    return _WORDS.get(character)


def pairs(text: str) -> dict[str, str]:
    """A dictionary out of words that alternate: key, value, key, value."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def _table(role: Role, rows: str) -> dict[str, Sign]:
    """Rows of: LaTeX word, character, name in Typst (the character itself where names changed over time)."""
    signs = {}
    for row in rows.strip().splitlines():
        label, character, typst = row.split()
        signs[label] = Sign(character, role, typst)
    return signs


_GREEK_SMALL = (
    "alpha beta gamma delta zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon chi psi omega"
)
_GREEK_CAPITAL = "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
_GREEK = {
    rf"\{name}": Sign(character, Role.ORDINARY, name)
    for names, characters in ((_GREEK_SMALL, "αβγδζηθικλμνξπρστυχψω"), (_GREEK_CAPITAL, "ΓΔΘΛΞΠΣΥΦΨΩ"))
    for name, character in zip(names.split(), characters, strict=True)
}

_SIGNS = {
    **_GREEK,
    **_table(
        Role.ORDINARY,
        r"""
        \phi ϕ phi.alt
        \varphi φ phi
        \epsilon ϵ epsilon.alt
        \varepsilon ε epsilon
        \vartheta ϑ theta.alt
        \infty ∞ infinity
        \partial ∂ partial
        \nabla ∇ nabla
        \emptyset ∅ emptyset
        \hbar ℏ planck
        \ell ℓ ell
        \forall ∀ forall
        \exists ∃ exists
        \neg ¬ not
        \angle ∠ angle
        \ldots … dots.h
        \cdots ⋯ ⋯
        \vdots ⋮ dots.v
        ! ! !
        ? ? ?
        / / slash
        . . .
        \% % %
        \$ $ \$
        \# # \#
        \& & \&
        \_ _ \_
        """,
    ),
    **_table(
        Role.BINARY,
        r"""
        + + +
        - − -
        \times × times
        \div ÷ div
        \pm ± plus.minus
        \mp ∓ minus.plus
        \cdot ⋅ dot.op
        * ∗ *
        \ast ∗ *
        \circ ∘ compose
        \cup ∪ union
        \cap ∩ ∩
        \wedge ∧ and
        \vee ∨ or
        \setminus ∖ without
        \oplus ⊕ ⊕
        \otimes ⊗ ⊗
        """,
    ),
    **_table(
        Role.RELATION,
        r"""
        = = =
        < < <
        > > >
        \leq ≤ <=
        \geq ≥ >=
        \neq ≠ !=
        \equiv ≡ equiv
        \approx ≈ approx
        \sim ∼ tilde.op
        \simeq ≃ tilde.eq
        \cong ≅ tilde.equiv
        \propto ∝ prop
        \ll ≪ <<
        \gg ≫ >>
        \in ∈ in
        \ni ∋ in.rev
        \notin ∉ in.not
        \subset ⊂ subset
        \subseteq ⊆ subset.eq
        \supset ⊃ supset
        \supseteq ⊇ supset.eq
        \rightarrow → arrow.r
        \leftarrow ← arrow.l
        \leftrightarrow ↔ arrow.l.r
        \Rightarrow ⇒ arrow.r.double
        \Leftarrow ⇐ arrow.l.double
        \Leftrightarrow ⇔ arrow.l.r.double
        \mapsto ↦ arrow.r.bar
        \parallel ∥ parallel
        \perp ⊥ perp
        : : :
        """,
    ),
    **_table(
        Role.OPERATOR,
        r"""
        \sum ∑ sum
        \prod ∏ product
        \int ∫ integral
        \iint ∬ integral.double
        \iiint ∭ integral.triple
        \oint ∮ integral.cont
        \bigcup ⋃ union.big
        \bigcap ⋂ ⋂
        \lim lim lim
        \limsup limsup limsup
        \liminf liminf liminf
        \max max max
        \min min min
        \sup sup sup
        \inf inf inf
        """,
    ),
    **{
        rf"\{name}": Sign(name, Role.FUNCTION, name)
        for name in (
            *("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth"),
            *(
                "arcsin",
                "arccos",
                "arctan",
                "log",
                "ln",
                "lg",
                "exp",
                "det",
                "dim",
                "ker",
                "deg",
                "gcd",
                "arg",
            ),
        )
    },
    **_table(Role.PUNCTUATION, ", , ,\n; ; ;"),
    **_table(Role.OPEN, "( ( (\n[ [ [\n\\{ { {\n\\langle ⟨ ⟨\n\\lfloor ⌊ ⌊\n\\lceil ⌈ ⌈"),
    **_table(Role.CLOSE, ") ) )\n] ] ]\n\\} } }\n\\rangle ⟩ ⟩\n\\rfloor ⌋ ⌋\n\\rceil ⌉ ⌉"),
    **_table(Role.BAR, "| | |\n\\| ‖ ‖"),
    **_table(Role.PRIME, "\\prime ′ prime\n' ′ prime"),
}

# Of two words for one sign (`*` and `\ast`) the first counts.
_WORDS = {
    shown.character: label
    for label, shown in reversed(_SIGNS.items())
    if len(shown.character) == 1 and not shown.character.isascii()
}
