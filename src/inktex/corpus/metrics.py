"""How large people write each symbol, and where on the line: the typography of handwriting.

All lengths are in x-heights (the height of a written `x`); heights count up from the baseline. The numbers
are medians over the CROHME 2014 training set, of every symbol that stands in one row with a letter of
x-height; rare symbols have the numbers of similar ones.
"""

from inktex.corpus.roles import PAIRS, Shape, role_of, shape_of
from inktex.latex import symbols

_MEASURED = r"""
x 0 1 1.05        a 0 1 1.15       c 0 1 0.95       e 0 1 0.95       m 0 1 1.65       n 0 1 1.0
o 0 1 0.95        r 0 1 0.8        s 0 1 0.8        u 0 1 1.15       v 0 1 1.05       w 0 1 1.6
z 0 1 0.9         b 0 1.8 0.95     d 0 1.9 1.0      h 0 1.9 1.0      k 0 1.9 1.2      l -0.05 2.0 0.6
f -0.6 2.1 1.15   t 0 1.65 0.85    i 0 1.45 0.6     j -0.95 1.55 0.9 g -1.05 0.95 1.1 p -0.9 1 0.9
q -1.0 1 1.0      y -0.76 1 0.95
0 0 1.35 0.95     1 0 1.45 0.5     2 0 1.5 1.1      3 0 1.5 0.95     4 -0.05 1.65 1.05 5 0 1.7 1.2
6 0 1.65 0.9      7 0 1.6 1.05     8 0 1.7 0.95     9 -0.1 1.6 0.95
A 0 1.9 1.3       B 0 1.8 1.3      C -0.1 1.75 1.3  D 0 1.8 1.4      E -0.1 1.85 1.3  F -0.2 1.95 1.3
G -0.1 1.95 1.4   H 0 1.9 1.3      I -0.1 1.75 1.0  J -0.2 1.8 1.2   K 0 1.85 1.4     L -0.1 1.7 1.1
M 0 1.8 1.75      N 0 1.85 1.6     O 0 1.75 1.4     P -0.2 1.85 1.3  Q -0.1 1.75 1.5  R -0.1 1.7 1.35
S -0.1 1.75 1.2   T 0 1.75 1.5     U 0 1.75 1.4     V 0 1.9 1.4      W 0 1.8 2.0      X -0.1 1.7 1.45
Y -0.3 1.75 1.2   Z 0 1.75 1.4
\alpha 0 1 1.15         \beta -0.5 1.4 0.85     \gamma -0.45 1.1 1.1    \delta 0 1.75 0.95
\epsilon 0 1.05 0.85    \theta 0 1.45 0.9       \lambda -0.1 1.4 1.1    \mu -0.8 0.95 1.3
\pi 0 1.2 1.35          \sigma 0 1.1 1.35       \phi -0.6 1.8 1.2       \omega 0 1 1.5
\rho -0.8 1 1.0         \tau 0 1.1 1.1          \eta -0.7 1 1.0         \psi -0.6 1.6 1.3
\xi -0.5 1.7 0.9        \zeta -0.5 1.7 0.9      \chi -0.5 1 1.1         \nu 0 1 0.95
\kappa 0 1 1.0          \iota 0 1 0.4           \upsilon 0 1 1.1
\Delta 0 1.5 1.4        \Gamma 0 1.75 1.2       \Theta 0 1.75 1.4       \Lambda 0 1.75 1.4
\Pi 0 1.75 1.5          \Sigma 0 1.75 1.4       \Phi 0 1.8 1.4          \Psi 0 1.8 1.5
\Omega 0 1.75 1.6       \Xi 0 1.7 1.4
\nabla 0 1.6 1.5        \partial 0 1.7 1.0
+ 0.1 1.0 0.9           \pm -0.1 1.4 1.0        \times 0.1 0.95 0.8     \div 0.1 1.0 1.0
< 0.05 1.1 1.1          > 0.05 1.1 1.0          \leq -0.1 1.35 1.2      \geq -0.1 1.3 1.1
\neq -0.1 1.2 1.2       \in 0 1.4 1.3           / -0.4 1.75 1.0         ! 0 1.75 0.15
( -0.4 1.85 0.55        ) -0.45 1.9 0.55        [ -0.55 1.9 0.65        ] -0.6 1.9 0.6
\{ -0.7 2.0 0.7         \} -0.7 2.0 0.65        | -0.4 1.95 0.12
\int -1.1 2.7 1.3       \sum -0.45 1.95 2.0     \prod -0.45 1.95 2.0    \lim -0.1 1.9 2.8
\sin -0.1 1.3 2.5       \cos -0.05 1.05 2.7     \tan -0.05 1.3 2.4      \log -1.0 1.9 2.7
\forall 0 1.8 1.5       \exists 0 1.75 1.1      \prime 0.2 1.3 0.25     ' 0.2 1.3 0.25
, -0.5 0.15 0.25        ; -0.5 0.7 0.3          : 0.1 0.8 0.12          . -0.02 0.1 0.1
\cdot 0.5 0.62 0.1
"""
_FLAT = r"""
- 0.45 0.6 0.85         = 0.25 0.75 1.0         \frac 0.45 0.6 3.0      \rightarrow 0.15 0.95 1.5
\leftarrow 0.15 0.95 1.5    \infty 0.1 0.95 1.75    \ldots 0 0.15 1.9   \cdots 0.45 0.6 1.9
\sim 0.35 0.75 1.1      \approx 0.25 0.8 1.1    \equiv 0.2 0.9 1.1
"""


def _read(table: str, flat: bool) -> dict[str, Shape]:
    words = table.split()
    return {
        label: Shape("measured", float(bottom), float(top), float(width), flat)
        for label, bottom, top, width in zip(*(words[i::4] for i in range(4)), strict=True)
    }


METRICS = _read(_MEASURED, flat=False) | _read(_FLAT, flat=True)

OPENING = {opening: closing for opening, closing in PAIRS.items() if opening != closing}
CLOSING = frozenset(OPENING.values())
STRETCHED = frozenset({*OPENING, *CLOSING, "|", r"\|"})
WORDS = frozenset(symbols.GROUPS["functions"])
# Scripts go above and below.
STACKED = frozenset(
    token
    for token in symbols.WIDE
    if role_of(token) == "limit" or (role_of(token) == "big" and "int" not in token)
)
DOTS = frozenset({".", r"\cdot"})


def metric(label: str) -> Shape:
    """Give the usual box of a symbol; for symbols never measured, that of their shape."""
    return METRICS.get(label) or shape_of(label)


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
