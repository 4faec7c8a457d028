"""How large people write each symbol, and where on the line: the typography of handwriting.

The numbers, in x-heights, were measured on CROHME's training set (`shapes.toml`).
"""

from inktex.corpus.roles import PAIRS, TABLES, Shape, read_shape, role_of, shape_of
from inktex.latex import symbols

METRICS = {
    label: read_shape("measured", box, table == "measured_flat")
    for table in ("measured", "measured_flat")
    for label, box in TABLES[table].items()
}

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
