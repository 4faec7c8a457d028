r"""Restrictions of the answer: turns names of groups and LaTeX words into token ids.

A restriction is a collection, or a text separated by spaces, of LaTeX words and names of groups; a minus in
front excludes: `"digits operators x y"`, `"all -greek"`, `["latin", "-uppercase", r"\pi"]`. Structure
(braces, scripts, fractions, roots) is always allowed.
"""

from collections.abc import Collection

from inktex.latex import Vocabulary
from inktex.latex import symbols as table

# Beside the groups of the symbol table, which have the same names with - for spaces.
_OWN: dict[str, str] = {
    "lowercase": "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "uppercase": "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z",
    "operators": r"/ \ast ! =",
    "relations": r"\in \rightarrow \subset \propto",
    "brackets": " ".join(table.GROUPS["delimiters"]),
    "punctuation": r". : ' \ldots \cdots !",
    "calculus": r"\int \iint \iiint \oint \oiint \sum \prod \lim \infty \partial \nabla \prime \dot \ddot d",
    "logic": r"\in \rightarrow \leftarrow \Rightarrow \Leftarrow \Leftrightarrow",
    "letters": " ".join((*table.GROUPS["latin"], *table.GROUPS["greek"])),
}
_WRITTEN = {
    name.replace(" ", "-"): tokens
    for name, tokens in table.GROUPS.items()
    if name == "accents" or name not in table.STRUCTURAL
}
GROUPS: dict[str, tuple[str, ...]] = {
    name: tuple(dict.fromkeys((*_WRITTEN.get(name, ()), *_OWN.get(name, "").split())))
    for name in dict.fromkeys((*_WRITTEN, *_OWN))
}


def allowed_ids(symbols: Collection[str], vocabulary: Vocabulary) -> frozenset[int]:
    """Ids of the symbols that may be written; ValueError names what the model does not know."""
    return frozenset(vocabulary.id(token) for token in allowed_tokens(symbols, vocabulary))


def allowed_tokens(symbols: Collection[str], vocabulary: Vocabulary) -> frozenset[str]:
    """The tokens that names and words stand for, without those that a minus excludes."""
    words = symbols.split() if isinstance(symbols, str) else list(symbols)
    allowed: set[str] = set()
    taken: set[str] = set()
    for word in words:
        if not isinstance(word, str):
            raise ValueError(f"symbols are LaTeX words or names of groups, not {type(word).__name__}")
        if len(word) > 1 and word.startswith("-"):
            taken |= _meaning(word[1:], vocabulary)
        else:
            allowed |= _meaning(word, vocabulary)
    if not allowed and taken:
        allowed = set(vocabulary.tokens[1:])
    if not allowed - taken:
        raise ValueError("symbols: no symbol is left")
    return frozenset(allowed - taken)


def _meaning(word: str, vocabulary: Vocabulary) -> set[str]:
    if word == "all":
        return set(vocabulary.tokens[1:])
    if word in GROUPS:
        return {token for token in GROUPS[word] if token in vocabulary}
    if word in vocabulary and word != vocabulary.tokens[0]:
        return {word}
    apart = " ".join(word)
    hint = f"; letters are separated by spaces, as {apart!r}" if word.isalnum() and len(word) > 1 else ""
    raise ValueError(
        f"symbols: {word!r} is neither a symbol that this model can write nor a group "
        f"(groups: all, {', '.join(sorted(GROUPS))}{hint})"
    )
