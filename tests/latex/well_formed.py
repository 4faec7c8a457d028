"""Whether tokens, of whatever vocabulary, are a whole expression in caption form."""

from collections.abc import Sequence

from inktex.latex import Grammar, Vocabulary


def is_well_formed(tokens: Sequence[str]) -> bool:
    """By the grammar of just these tokens."""
    return Grammar(Vocabulary.build([tokens])).accepts(tokens)
