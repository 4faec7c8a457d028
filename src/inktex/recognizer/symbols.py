r"""Which symbols an answer may use: names of groups and LaTeX words in, token ids out.

A restriction is a collection, or a text separated by spaces, of LaTeX words and names of groups; a minus in
front takes away: `"digits operators x y"`, `"all -greek"`, `["latin", "-uppercase", r"\pi"]`. Structure
(braces, scripts, fractions, roots) is always allowed.
"""

from collections.abc import Collection

from inktex.latex import Vocabulary

GROUPS: dict[str, str] = {
    "digits": "0 1 2 3 4 5 6 7 8 9",
    "lowercase": "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "uppercase": "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z",
    "greek": r"""\alpha \beta \gamma \delta \epsilon \varepsilon \zeta \eta \theta \vartheta \iota \kappa
        \lambda \mu \nu \xi \pi \varpi \rho \varrho \sigma \varsigma \tau \upsilon \phi \varphi \chi \psi
        \omega \Gamma \Delta \Theta \Lambda \Xi \Pi \Sigma \Upsilon \Phi \Psi \Omega""",
    "operators": r"+ - \pm \mp \times \div \cdot / * \ast ! =",
    "relations": r"= < > \neq \leq \geq \equiv \approx \sim \in \rightarrow \subset \propto",
    "brackets": r"( ) [ ] \{ \} |",
    "punctuation": r". , ; : ' \prime \ldots \cdots !",
    "functions": r"\sin \cos \tan \cot \sec \log \ln \lg \exp \lim \max \min \arcsin \arccos \arctan",
    "calculus": r"\int \sum \prod \lim \infty \partial \nabla d",
    "logic": r"\forall \exists \in \rightarrow \leftarrow \neg \wedge \vee",
}
GROUPS["latin"] = f"{GROUPS['lowercase']} {GROUPS['uppercase']}"


def allowed_ids(symbols: Collection[str], vocabulary: Vocabulary) -> frozenset[int]:
    """Ids of the symbols that may be written; ValueError names what the model does not know."""
    return frozenset(vocabulary.id(token) for token in allowed_tokens(symbols, vocabulary))


def allowed_tokens(symbols: Collection[str], vocabulary: Vocabulary) -> frozenset[str]:
    """The tokens behind names, words, and what a minus takes away from them."""
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
        raise ValueError("symbols: nothing is left that could be written")
    return frozenset(allowed - taken)


def _meaning(word: str, vocabulary: Vocabulary) -> set[str]:
    if word == "all":
        return set(vocabulary.tokens[1:])
    if word in GROUPS:
        return {token for token in GROUPS[word].split() if token in vocabulary}
    if word in vocabulary and word != vocabulary.tokens[0]:
        return {word}
    if not word.startswith("\\") and all(letter in vocabulary for letter in word) and word:
        return set(word)
    raise ValueError(
        f"symbols: this model cannot write {word!r}, and no group is called so "
        f"(groups: all, {', '.join(GROUPS)})"
    )
