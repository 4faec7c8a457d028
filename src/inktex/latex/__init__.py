"""LaTeX of mathematical expressions: tokens, normaliser, grammar, layout tree, and what it is turned into."""

from .normalize import normalize
from .tokens import LatexError, join, tokenize
from .vocabulary import END_MARK, Vocabulary

__all__ = ["END_MARK", "LatexError", "Vocabulary", "join", "normalize", "tokenize"]
