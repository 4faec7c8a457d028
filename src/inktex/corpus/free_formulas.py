r"""Formulas from a grammar of our own: the mathematics of school and the first years of university.

`FormulaGrammar().sample(random)` gives canonical tokens. Every weight, here and in `free_formulas.toml`, was
chosen by a person; none was counted in a data set, so ink made from these formulas contains nothing of
anybody's collection. A formula is drawn for a given number of symbols, which its parts share.
"""

import tomllib
from collections.abc import Callable
from importlib.resources import files
from itertools import accumulate, pairwise
from random import Random

from inktex.corpus.language import FORMULAS
from inktex.corpus.roles import PAIRS
from inktex.latex import normalize, symbols

Tokens = list[str]
_MOST_TOKENS = 60  # of a formula


_TABLES = tomllib.loads(files("inktex.corpus").joinpath("free_formulas.toml").read_text("utf-8"))


def _weights(name: str) -> dict[str, float]:
    """A table of tokens, each followed by its weight."""
    words = _TABLES["weights"][name].split()
    return dict(zip(words[::2], map(float, words[1::2]), strict=True))


def _choice(weights: dict[str, float]) -> Callable[[Random], str]:
    """Draws by weight."""
    tokens, sums = tuple(weights), tuple(accumulate(weights.values()))
    return lambda random: random.choices(tokens, cum_weights=sums)[0]


_SMALL_LETTERS, _CAPITALS, _GREEK, _DIGITS = map(_weights, ("small_letters", "capitals", "greek", "digits"))
_RELATIONS, _FUNCTIONS, _SETS = map(_weights, ("relations", "functions", "sets"))
_letter, _capital, _greek, _digit = map(_choice, (_SMALL_LETTERS, _CAPITALS, _GREEK, _DIGITS))
_relation, _function, _set = map(_choice, (_RELATIONS, _FUNCTIONS, _SETS))
_index, _length = map(_choice, map(_weights, ("indices", "lengths")))
_RARE, _PUNCTUATION, _STRUCTURE = (
    _TABLES["tokens"][name].split() for name in ("rare", "punctuation", "structure")
)

FREE_TOKENS: tuple[str, ...] = tuple(
    token
    for token in symbols.WIDE
    if token
    in {
        *_SMALL_LETTERS, *_CAPITALS, *_GREEK, *_DIGITS, *_RELATIONS, *_FUNCTIONS, *_SETS, *_RARE,
        *_PUNCTUATION, *_STRUCTURE,
    }
)  # fmt: skip
_DRAWN = tuple(token for token in FREE_TOKENS if token not in _STRUCTURE[:6])
# What stands for a number or a name, and what carries a script, up to which share of the draws.
_ATOMS = ((0.42, _letter), (0.72, _digit), (0.82, _capital), (0.97, _greek))
_BASES = ((0.66, _letter), (0.80, _capital), (0.91, _greek), (1.0, _digit))


def _any_symbol(random: Random) -> str:
    return _DRAWN[int(random.random() * len(_DRAWN))]


def _group(*rows: Tokens) -> Tokens:
    return [token for row in rows for token in ("{", *row, "}")]


def _shares(total: int, random: Random, parts: int) -> list[int]:
    """Divide symbols between parts, at least one for each."""
    cuts = sorted(random.random() for _ in range(parts - 1))
    spare = max(0, total - parts)
    return [1 + round(spare * (b - a)) for a, b in pairwise((0.0, *cuts, 1.0))]


class FormulaGrammar:
    def __init__(self) -> None:
        known = set(FREE_TOKENS)
        self._known_formulas = [
            list(tokens) for tokens in map(normalize, FORMULAS) if set(tokens) - {"'"} <= known
        ]
        self._makers: tuple[tuple[Callable[[int, Random], Tokens], float, int], ...] = (
            # what, how often, for how many symbols at least
            (self._scripted, 30, 2),
            (self._number, 9, 2),
            (self._fraction, 17, 3),
            (self._root, 8, 2),
            (self._bracketed, 14, 5),
            (self._applied, 8, 4),
            (self._named, 10, 2),
            (self._sum, 6, 4),
            (self._integral, 5, 3),
            (self._limit, 3, 5),
            (self._derivative, 3, 4),
            (self._factorial, 2, 2),
            (self._list, 4, 5),
            (self._absolute, 3, 3),
        )

    def sample(self, random: Random) -> tuple[str, ...]:
        for _ in range(100):
            tokens = self._draw(random)
            if len(tokens) <= _MOST_TOKENS:
                return tuple(tokens)
        return ("x",)

    def _draw(self, random: Random) -> Tokens:
        chance = random.random()
        if chance < 0.06:
            return [_any_symbol(random)]  # every symbol also occurs alone
        if chance < 0.20:
            return self._well_known(random)
        if chance < 0.27:
            return self._medley(random)
        return self._statement(int(_length(random)), random)

    def _well_known(self, random: Random) -> Tokens:
        """A formula that everyone knows, now and then with other letters and numbers."""
        tokens = ["\\prime" if token == "'" else token for token in random.choice(self._known_formulas)]
        if random.random() < 0.3:
            return tokens
        names: dict[str, str] = {}
        for token in dict.fromkeys(tokens):
            if random.random() >= 0.5 and token not in ("d", "e", r"\pi"):
                for letters, draw in ((_SMALL_LETTERS, _letter), (_CAPITALS, _capital), (_GREEK, _greek)):
                    if token in letters:
                        names[token] = draw(random)
        tokens = [names.get(token, token) for token in tokens]
        return [_digit(random) if token in _DIGITS and random.random() < 0.4 else token for token in tokens]

    def _medley(self, random: Random) -> Tokens:
        """Symbols in a row that mean nothing: they have to be read one by one."""
        tokens: Tokens = []
        for _ in range(1 + int(random.random() * 7)):
            token = _any_symbol(random)
            if token in PAIRS and random.random() < 0.7:
                tokens += [token, *self._atom(random), PAIRS[token]]
            elif token not in PAIRS.values():
                tokens.append(token)
            if tokens and tokens[-1] not in (*PAIRS, "}") and random.random() < 0.25:
                mark = "^" if random.random() < 0.5 else "_"
                tokens += [mark, *_group([_any_symbol(random)])]
        return tokens or ["x"]

    def _statement(self, size: int, random: Random) -> Tokens:
        chance = random.random()
        if size < 3 or chance < 0.36:
            return self._sum_of_terms(size, random)
        if chance < 0.40 and size >= 4:
            quantifier = r"\forall" if random.random() < 0.6 else r"\exists"
            tokens = [quantifier, _letter(random), r"\in", _set(random)]
            return tokens + ([",", *self._statement(size - 4, random)] if size > 7 else [])
        if chance < 0.43 and size >= 5:
            relation = "<" if random.random() < 0.4 else r"\leq"
            parts = _shares(size - 2, random, 3)
            left, middle, right = (self._sum_of_terms(part, random) for part in parts)
            return [*left, relation, *middle, relation, *right]
        if chance < 0.45 and size >= 6:
            return self._row_of(size, random)
        sizes = _shares(size - 1, random, 2)
        if random.random() < 0.6:
            sizes.sort()
        sides = [self._sum_of_terms(part, random) for part in sizes]
        if size > 10 and random.random() < 0.12:
            sides.append(self._sum_of_terms(max(1, sizes[1] // 3), random))
        return [*sides[0], *(token for side in sides[1:] for token in (_relation(random), *side))]

    def _row_of(self, size: int, random: Random) -> Tokens:
        """Terms with dots between them: a_1, a_2, …, a_n or 1 + 2 + … + n."""
        between, dots = (",", r"\ldots") if random.random() < 0.6 else ("+", r"\cdots")
        if random.random() < 0.5:
            name = _letter(random) if random.random() < 0.8 else _capital(random)
            items = [[name, "_", *_group([place])] for place in ("1", "2")]
            last = [name, "_", *_group([_index(random)])]
        else:
            items = [self._term(max(1, size // 4), random) for _ in range(2)]
            last = self._term(max(1, size // 4), random)
        return [*items[0], between, *items[1], between, dots, between, *last]

    def _sum_of_terms(self, size: int, random: Random) -> Tokens:
        count = 1
        while size > 2 * count and count < 6 and random.random() < 0.55:
            count += 1
        parts = _shares(size - count + 1, random, count)
        tokens = ["-"] if random.random() < 0.07 and size > 1 else []
        for number, part in enumerate(parts):
            if number:
                chance = random.random()
                tokens.append("+" if chance < 0.58 else "-" if chance < 0.95 else r"\pm")
            tokens += self._term(part, random)
        return tokens

    def _term(self, size: int, random: Random) -> Tokens:
        """Factors side by side: a number first, then letters, then the rest."""
        if size <= 1:
            return self._atom(random)
        chance = random.random()
        if size >= 3 and chance < 0.10:
            left, right = _shares(size - 1, random, 2)
            joint = random.choices((r"\times", r"\cdot", r"\div", "/"), (4, 4, 2, 3))[0]
            return [*self._factor(left, random), joint, *self._factor(right, random)]
        count = 1 if chance < 0.55 else 2 if chance < 0.85 else 3
        parts = _shares(size, random, min(count, size))
        factors = [self._factor(part, random) for part in parts]
        factors.sort(key=lambda factor: (factor[0] not in _DIGITS, len(factor) > 1))
        tokens: Tokens = []
        for factor in factors:
            # Two numbers side by side would be one number.
            if tokens and factor[0] in _DIGITS:
                tokens.append(r"\cdot" if random.random() < 0.5 else r"\times")
            tokens += factor
        return tokens

    def _atom(self, random: Random) -> Tokens:
        chance = random.random()
        for share, draw in _ATOMS:
            if chance < share:
                return [draw(random)]
        return [r"\infty"] if chance < 0.985 else [random.choice(_RARE[:5])]

    def _factor(self, size: int, random: Random) -> Tokens:
        if size <= 1:
            return self._atom(random)
        if size == 2 and random.random() < 0.25:
            return [*self._atom(random), _letter(random)]
        fitting = [(make, weight) for make, weight, least in self._makers if size >= least]
        make = random.choices([make for make, _ in fitting], [weight for _, weight in fitting])[0]
        return make(size, random)

    def _number(self, size: int, random: Random) -> Tokens:
        first = _digit(random)
        count = min(size, random.choices((2, 3, 4, 5), (10, 5, 3, 1))[0])
        digits = [first, *(str(int(random.random() * 10)) for _ in range(count - 1))]
        if random.random() < 0.3:
            digits.insert(1 if random.random() < 0.7 else len(digits) - 1, ".")
        return digits

    def _scripted(self, size: int, random: Random) -> Tokens:
        chance, left = random.random(), size - 1
        tokens = [next(draw for share, draw in _BASES if chance < share)(random)]
        if random.random() < 0.45 and tokens[0] not in _DIGITS:
            tokens += ["_", *_group(self._subscript(min(left, 4), random))]
            if random.random() < (0.25 if left >= 3 else 0.1 if left == 2 else 0.0):
                tokens += ["^", *_group(self._superscript(1, random))]
        else:
            tokens += ["^", *_group(self._superscript(left, random))]
        return tokens

    def _subscript(self, size: int, random: Random) -> Tokens:
        if size >= 3 and random.random() < 0.35:
            return [_index(random), "+" if random.random() < 0.5 else "-", _digit(random)]
        if size >= 2 and random.random() < 0.3:
            joint = [","] if size >= 3 and random.random() < 0.3 else []
            return [_index(random), *joint, _index(random)]
        return [_index(random)]

    def _superscript(self, size: int, random: Random) -> Tokens:
        chance = random.random()
        if size <= 1 or chance < 0.4:
            if chance < 0.04:
                return [r"\prime"]
            if random.random() < 0.62:
                return [random.choices(("2", "3", "4", "5", "6"), (14, 6, 2, 1, 1))[0]]
            return [_index(random) if random.random() < 0.6 else self._atom(random)[0]]
        if size == 2 and chance < 0.6:
            return ["-", _digit(random)]
        return self._sum_of_terms(min(size, 8), random)

    def _fraction(self, size: int, random: Random) -> Tokens:
        above, below = _shares(size - 1, random, 2)
        if random.random() < 0.2:
            above, below = 1, max(1, size - 2)
        return [r"\frac", *_group(self._sum_of_terms(above, random), self._sum_of_terms(below, random))]

    def _root(self, size: int, random: Random) -> Tokens:
        index = ["[", random.choice("33n45k6"), "]"] if random.random() < 0.2 else []
        return [r"\sqrt", *index, *_group(self._sum_of_terms(size - 1 - len(index) // 3, random))]

    def _bracketed(self, size: int, random: Random) -> Tokens:
        opening = random.choices(("(", "[", r"\{"), (20, 3, 0.6))[0]
        tokens = [opening, *self._sum_of_terms(max(1, size - 2), random), PAIRS[opening]]
        if random.random() < 0.35:
            tokens += ["^", *_group(self._superscript(1 + (size > 8), random))]
        return tokens

    def _applied(self, size: int, random: Random) -> Tokens:
        name = random.choices(
            ("f", "g", "P", "F", "h", "y", "u", "p", r"\phi", "v"), (20, 8, 5, 5, 3, 4, 2, 3, 1, 1)
        )[0]
        tokens = [name]
        if random.random() < 0.12:
            tokens += ["^", *_group([r"\prime"] * (1 if random.random() < 0.7 else 2))]
        elif random.random() < 0.12:
            tokens += ["_", *_group([_index(random)])]
        inner = self._sum_of_terms(max(1, size - 3), random)
        if size > 5 and random.random() < 0.25:
            inner = [_letter(random), ",", *self._sum_of_terms(max(1, size - 5), random)]
        return [*tokens, "(", *inner, ")"]

    def _named(self, size: int, random: Random) -> Tokens:
        name = _function(random)
        tokens = [name]
        if name in (r"\sin", r"\cos", r"\tan") and random.random() < 0.18:
            tokens += ["^", *_group(["2" if random.random() < 0.8 else _digit(random)])]
        elif name == r"\log" and random.random() < 0.35:
            tokens += ["_", *_group([random.choice(("2", "a", "b", "3", "x", "1"))])]
        if size >= 4 and random.random() < 0.45:
            return [*tokens, "(", *self._sum_of_terms(size - 3, random), ")"]
        if size <= 2:
            return [*tokens, _greek(random) if random.random() < 0.45 else _letter(random)]
        return [*tokens, *self._term(size - 1, random)]

    def _sum(self, size: int, random: Random) -> Tokens:
        operator = random.choices((r"\sum", r"\prod", r"\max", r"\min"), (20, 1.5, 0.5, 0.5))[0]
        index = random.choices(("i", "n", "k", "j", "m"), (8, 6, 6, 2, 1))[0]
        tokens = [operator]
        if random.random() < 0.9:
            low = [index, "=", random.choices(("1", "0", "2", "m"), (10, 7, 1, 1))[0]]
            tokens += ["_", *_group(low if random.random() < 0.85 else [index])]
            if random.random() < 0.85:
                high = random.choices(("n", r"\infty", "N", "m", "k"), (10, 7, 2, 1, 1))[0]
                tokens += ["^", *_group([high] if random.random() < 0.85 else ["n", "-", "1"])]
        return [*tokens, *self._term(max(1, size - 4), random)]

    def _integral(self, size: int, random: Random) -> Tokens:
        variable = random.choices(("x", "t", "y", "u", "z", "r", r"\theta"), (20, 5, 3, 2, 2, 1, 2))[0]
        tokens = [r"\int"]
        chance = random.random()
        if chance < 0.6:
            low = self._atom(random) if random.random() < 0.8 else ["-", *self._atom(random)]
            tokens += ["_", *_group(low), "^", *_group(self._atom(random))]
        elif chance < 0.7:
            tokens += ["_", *_group([_capital(random)])]
        return [*tokens, *self._sum_of_terms(max(1, size - 3), random), "d", variable]

    def _limit(self, size: int, random: Random) -> Tokens:
        goal = self._atom(random) if random.random() < 0.5 else [random.choice(("0", r"\infty", "a", "1"))]
        tokens = [r"\lim", "_", *_group([random.choice(("x", "n", "h", "t", "y")), r"\rightarrow", *goal])]
        return [*tokens, *self._term(max(1, size - 4), random)]

    def _derivative(self, size: int, random: Random) -> Tokens:
        d = "d" if random.random() < 0.8 else r"\partial"
        above, below = [_letter(random)], [_letter(random)]
        if random.random() < 0.25:
            power = ["^", *_group(["2"])]
            return [r"\frac", *_group([d, *power, *above], [d, *below, *power])]
        if random.random() < 0.3:
            return [r"\frac", *_group([d], [d, *below]), *self._factor(max(1, size - 4), random)]
        return [r"\frac", *_group([d, *above], [d, *below])]

    def _factorial(self, size: int, random: Random) -> Tokens:
        if size >= 4 and random.random() < 0.4:
            return ["(", *self._sum_of_terms(size - 3, random), ")", "!"]
        return [*self._atom(random), "!"]

    def _list(self, size: int, random: Random) -> Tokens:
        opening = random.choices(("(", r"\{", "["), (5, 2, 3))[0]
        parts = _shares(size - 3, random, 2 if opening == "[" or random.random() < 0.6 else 3)
        _, *tokens = (token for part in parts for token in (",", *self._sum_of_terms(part, random)))
        return [opening, *tokens, PAIRS[opening]]

    def _absolute(self, size: int, random: Random) -> Tokens:
        return ["|", *self._sum_of_terms(max(1, size - 2), random), "|"]
