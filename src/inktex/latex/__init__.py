"""LaTeX of mathematical expressions: tokens, normaliser, grammar, layout tree, and what it is turned into."""

from .alignment import CROHME_CLASSES, token_strokes
from .grammar import Grammar, State
from .layout import Layout, Node, Relation, parse_layout
from .mathml import to_mathml
from .mathml_layout import layout_from_mathml
from .normalize import normalize
from .tokens import LatexError, join, tokenize
from .typst import to_typst
from .vocabulary import END_MARK, Vocabulary

__all__ = [
    "CROHME_CLASSES",
    "END_MARK",
    "Grammar",
    "LatexError",
    "Layout",
    "Node",
    "Relation",
    "State",
    "Vocabulary",
    "join",
    "layout_from_mathml",
    "normalize",
    "parse_layout",
    "to_mathml",
    "to_typst",
    "token_strokes",
    "tokenize",
]
