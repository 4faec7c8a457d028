"""LaTeX of mathematical expressions: tokens, normaliser, grammar, layout tree and printers."""

from .grammar import Grammar, State
from .labelgraph import CROHME_CLASSES
from .layout import Layout, Node, parse_layout
from .mathml import to_mathml
from .mathml_layout import layout_from_mathml
from .normalize import normalize
from .printer import Style, in_lines, print_latex
from .symbols import look_alike, symbol
from .tokens import LatexError, join, tokenize
from .typst import to_typst
from .vocabulary import END_MARK, Vocabulary, wide_vocabulary

__all__ = [
    "CROHME_CLASSES",
    "END_MARK",
    "Grammar",
    "LatexError",
    "Layout",
    "Node",
    "State",
    "Style",
    "Vocabulary",
    "in_lines",
    "join",
    "layout_from_mathml",
    "look_alike",
    "normalize",
    "parse_layout",
    "print_latex",
    "symbol",
    "to_mathml",
    "to_typst",
    "tokenize",
    "wide_vocabulary",
]
