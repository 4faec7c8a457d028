"""LaTeX of mathematical expressions: tokens, normaliser, grammar, layout tree, and what it is turned into."""

from .grammar import Grammar, State
from .normalize import normalize
from .tokens import LatexError, join, tokenize
from .vocabulary import END_MARK, Vocabulary

__all__ = ["END_MARK", "Grammar", "LatexError", "State", "Vocabulary", "join", "normalize", "tokenize"]
