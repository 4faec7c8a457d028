"""Random expressions that resemble those of a corpus: statistics of layout trees, and sampling from them.

Learns from token sequences and makes new ones. A row is sampled symbol by symbol, each given the two
before it and the kind of the row (the main line, the numerator of a fraction, the subscript of an `x`,
…), backing off to less context where the corpus has seen little (Witten and Bell 1991). What a symbol has
around it is sampled together with it. Brackets opened in a row are closed in it. All samples are in the
caption form by construction.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from itertools import accumulate
from random import Random

from inktex.corpus.roles import CLOSING, OPENING
from inktex.latex import Node, normalize, parse_layout

# Formulas that everyone knows, from school to first-year university; they use every symbol of CROHME.
FORMULAS = tuple(files("inktex.corpus").joinpath("formulas.txt").read_text("utf-8").splitlines())

Shape = tuple[str, tuple[str, ...]]  # a symbol and the names of the rows around it
Context = tuple[object, ...]

_END: Shape = ("", ())
_ROWS = ("above", "inside", "below", "sub", "sup")

# Symbols of one kind stand for each other: what is said of `x` could be said of `y`.
_KINDS = (
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789",
    (r"\alpha", r"\beta", r"\gamma", r"\theta", r"\lambda", r"\mu", r"\sigma", r"\phi", r"\pi", r"\Delta"),
    (r"\sin", r"\cos", r"\tan", r"\log"),
    ("=", "<", ">", r"\leq", r"\geq", r"\neq"),
    ("+", "-", r"\times", r"\div", r"\pm", r"\cdot"),
    (r"\ldots", r"\cdots"),
    (r"\forall", r"\exists"),
)
_UNFINISHED = frozenset({*_KINDS[5], *_KINDS[6], ","})


_PATIENCE = 60  # draws that may be refused before a row is ended
MAX_TOKENS = 60  # from here on rows are brought to an end
MAX_DEPTH = 4
_EXCHANGED = 0.06  # how often a symbol is exchanged for another of its kind


class ExpressionModel:
    """The statistics of a corpus of expressions."""

    def __init__(self, sequences: Iterable[Sequence[str]]) -> None:
        seen: dict[Context, Counter[Shape]] = {}
        self._labels: set[str] = set()
        for tokens in sequences:
            self._count(parse_layout(tokens).row, ("main", ""), seen)
        if not seen:
            raise ValueError("no expressions to learn from")
        # What was seen in a context, and how often, summed up.
        self._choices = {
            context: (list(counts), list(accumulate(counts.values()))) for context, counts in seen.items()
        }
        kinds = [[label for label in kind if label in self._labels] for kind in _KINDS]
        self._kind_of = {label: kind for kind in kinds for label in kind if len(kind) > 1}

    @classmethod
    def builtin(cls) -> "ExpressionModel":
        """Learn from the formulas that come with inktex; needs no data."""
        return cls([normalize(formula) for formula in FORMULAS])

    def _count(
        self, row: Sequence[Node], place: tuple[str, str], seen: dict[Context, Counter[Shape]]
    ) -> None:
        before: tuple[Shape, Shape] = (_END, _END)
        for node in row:
            if not node.label:
                continue  # a script without a base
            around = tuple(name for name in _ROWS if getattr(node, name))
            shape: Shape = (node.label, around)
            self._labels.add(node.label)
            for context in _contexts(place, before):
                seen.setdefault(context, Counter())[shape] += 1
            for name in around:
                self._count(getattr(node, name), (name, node.label), seen)
            before = (before[1], shape)
        for context in _contexts(place, before):
            seen.setdefault(context, Counter())[_END] += 1

    def sample(self, random: Random) -> tuple[str, ...]:
        """Draw an expression, as canonical tokens."""
        tokens: list[str] = []
        self._draw_row(("main", ""), 0, tokens, random)
        return tuple(tokens)

    def _draw_row(self, place: tuple[str, str], depth: int, tokens: list[str], random: Random) -> None:
        before: tuple[Shape, Shape] = (_END, _END)
        opened: list[str] = []
        refused = 0
        while True:
            full = len(tokens) >= MAX_TOKENS
            if full and before[1] != _END and before[1][0] not in (*_UNFINISHED, *OPENING):
                break
            # Where all that was seen is refused, widen the context step by step.
            shape = self._draw_shape(place, before, random, refused // 3)
            label, around = shape
            too_much = around and (full or depth >= MAX_DEPTH)
            if too_much or not _fits(label, place, before[1], opened):
                refused += 1
                if refused > _PATIENCE and before[1] != _END:
                    break
                if refused > 10 * _PATIENCE:
                    raise ValueError("nothing in these expressions can begin a row")
                continue
            refused = 0
            if shape == _END:
                break
            if label in CLOSING:
                label = opened.pop()
            elif label in OPENING:
                opened.append(OPENING[label])
            else:
                kind = self._kind_of.get(label)
                if kind is not None and random.random() < _EXCHANGED:
                    label = random.choice(kind)
            tokens.append(label)
            for name in around:
                mark = {"sub": ["_"], "sup": ["^"]}.get(name, [])
                opening, closing = ("[", "]") if label == r"\sqrt" and name == "above" else ("{", "}")
                tokens += [*mark, opening]
                self._draw_row((name, label), depth + 1, tokens, random)
                tokens.append(closing)
            before = (before[1], shape)
        tokens.extend(reversed(opened))

    def _draw_shape(
        self, place: tuple[str, str], before: tuple[Shape, Shape], random: Random, widened: int
    ) -> Shape:
        known = _contexts(place, before)
        contexts = known[min(widened, len(known) - 1) :]
        for context in contexts:
            if context not in self._choices:
                continue
            shapes, counts = self._choices[context]
            trust = counts[-1] / (counts[-1] + len(shapes))
            if context == contexts[-1] or random.random() < trust:
                return random.choices(shapes, cum_weights=counts)[0]
        raise AssertionError("the last context, which is empty, is always known")


def _fits(label: str, place: tuple[str, str], last: Shape, opened: list[str]) -> bool:
    """Tell whether a symbol, or the end of the row, can stand here at all."""
    if label == "":
        return last != _END and last[0] not in OPENING
    if label in CLOSING and (not opened or last[0] in OPENING):
        return False
    # A bracket would end the index of a root.
    return not (place == ("above", r"\sqrt") and label in ("[", "]"))


def _contexts(place: tuple[str, str], before: tuple[Shape, Shape]) -> tuple[Context, ...]:
    """List what a symbol depends on, from most to least."""
    relation = place[0]
    last = before[1]
    return (
        (place, before),
        (relation, before),
        (relation, before[0][0], last),
        (place, last),
        (relation, last),
        (relation, last == _END, last[0] in OPENING),
        (),
    )
