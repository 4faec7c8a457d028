"""The grammar of the caption form, as an incremental acceptor that search asks at every step.

For one vocabulary it says which tokens may follow a prefix, as a set or as a shared boolean mask, and how
far a prefix is from a well-formed end. In the caption form

    row     = element, one or more
    element = symbol [\\limits] scripts, where scripts = `_ { row }` and `^ { row }`, none of them twice
    symbol  = a token | \\frac { row } { row } | \\sqrt { row } | \\sqrt [ row ] { row } | \\hat { row } …
            | \\begin{matrix} cell & cell … \\\\ cell & cell … \\end{matrix}

so that no group is empty and no script lacks its base. A `]` ends the index of a root when it stands at the
level of that index, and is a symbol everywhere else; for TeX to agree, that level holds no other `[` and no
environment. The symbol `'` makes a superscript of its own, so it stands only where the captions have it:
first in a script. `\\mod` takes an argument in TeX, so something always follows it. A cell is a row or empty,
but no line of cells is empty as a whole. All lines of a matrix have as many cells as its first; lines of
`cases` and `aligned` have one or two, and the last one is not empty.
"""

from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import words as known
from .symbols import CELL, ENVIRONMENTS, MATRICES, MAX_COLUMNS, NEW_ROW
from .tokens import LatexError
from .vocabulary import END_MARK, Vocabulary

# What a token is to the grammar.
END, SYMBOL, OPERATOR, SUB, SUP, LIMITS, FRAC, SQRT, ACCENT, LBRACE, RBRACE = range(11)
LBRACKET, RBRACKET, PRIME, MOD, AMPERSAND, BREAK = range(11, 17)
# One kind for the head and one for the tail of each environment, in the order of ENVIRONMENTS.
BEGIN = BREAK + 1
TAIL = BEGIN + len(ENVIRONMENTS)
NEVER = TAIL + len(ENVIRONMENTS)

# Where in an element the prefix ends.
ROW_START, AFTER_SYMBOL, AFTER_LIMITS, BEFORE_BRACE, AFTER_SQRT, AFTER_MOD, FINISHED = range(7)

# What an open group is.
SCRIPT, ARGUMENT, INDEX, ENVIRONMENT = range(4)

_KIND_OF = {
    **dict.fromkeys(known.NOT_IN_CAPTIONS, NEVER),
    **dict.fromkeys(known.OPERATORS, OPERATOR),
    **dict.fromkeys(known.ONE_ARGUMENT, ACCENT),
    **dict.fromkeys(known.TWO_ARGUMENTS, FRAC),
    END_MARK: END,
    "_": SUB,
    "^": SUP,
    r"\limits": LIMITS,
    r"\sqrt": SQRT,
    "{": LBRACE,
    "}": RBRACE,
    "[": LBRACKET,
    "]": RBRACKET,
    "'": PRIME,
    r"\mod": MOD,
    CELL: AMPERSAND,
    NEW_ROW: BREAK,
    **{rf"\begin{{{name}}}": BEGIN + number for number, name in enumerate(ENVIRONMENTS)},
    **{rf"\end{{{name}}}": TAIL + number for number, name in enumerate(ENVIRONMENTS)},
}
_SCRIPT_BIT = {SUB: 1, SUP: 2}
_PLACE_AFTER = {SQRT: AFTER_SQRT, LIMITS: AFTER_LIMITS, MOD: AFTER_MOD}
_STRUCTURE = (SUB, SUP, LIMITS, FRAC, SQRT, ACCENT)
_IS_MATRIX = tuple(name in MATRICES for name in ENVIRONMENTS)
_ONE_SYMBOL_GROUP = 3  # the shortest group: `{`, a symbol, `}`
LONGEST_DETOUR = MAX_COLUMNS + 2  # no token lengthens the way to the end by more: a new line of a matrix


class Grid(NamedTuple):
    """Where in an environment the prefix is."""

    environment: int  # its place in ENVIRONMENTS
    width: int = 0  # cells of the first line of a matrix, 0 while it is open; always 0 for others
    column: int = 0  # of the open cell
    filled: bool = False  # whether a cell before it, in the same line, has a symbol


class Frame(NamedTuple):
    """A group that is open: what it is, and what follows when it closes."""

    kind: int
    after: int = 0  # SCRIPT: bits of the scripts that the base then has; ARGUMENT: arguments still to come
    grid: Grid | None = None  # ENVIRONMENT only


class State(NamedTuple):
    """A prefix as the grammar sees it: prefixes with equal states have the same continuations."""

    stack: tuple[Frame, ...] = ()
    place: int = ROW_START
    scripts: int = 0  # bits of the scripts that the last symbol has
    last: int = SYMBOL  # the kind of the last symbol, if that matters: OPERATOR, PRIME or else SYMBOL
    pending: Frame | None = None  # the group that the next `{` opens


class Grammar:
    """Which tokens may follow which, for one vocabulary."""

    start: Final = State()

    def __init__(self, vocabulary: Vocabulary, *, max_depth: int = 24) -> None:
        """Groups nest at most `max_depth` deep."""
        self.vocabulary = vocabulary
        self.max_depth = max_depth
        self._kinds = _kinds(vocabulary)
        self._kind_masks = [np.array([kind == each for each in self._kinds]) for kind in range(NEVER)]
        self._examples = {kind: token for token, kind in reversed(list(enumerate(self._kinds)))}
        self._heads = [kind for kind in range(BEGIN, TAIL) if kind in self._kinds]
        self._mask_of = cache(self._join)  # there are few different sets of kinds, so masks are reused

    def mask(self, state: State) -> NDArray[np.bool_]:
        """True for the ids that may come next, id 0 if the expression may end; shared and read-only."""
        return self._mask_of(tuple(self._next_kinds(state)))  # (K,)

    def allowed(self, state: State) -> frozenset[int]:
        return frozenset(np.flatnonzero(self.mask(state)).tolist())

    def advance(self, state: State, token: int) -> State:
        """The state after one more token; LatexError if that token may not come here."""
        if not 0 <= token < len(self._kinds) or not self.mask(state)[token]:
            name = self.vocabulary.tokens[token] if 0 <= token < len(self._kinds) else f"id {token}"
            raise LatexError(f"the token {name} cannot come here")
        stack, _, scripts, _, pending = state
        kind = self._kinds[token]
        if kind in (SYMBOL, OPERATOR):
            return State(stack, AFTER_SYMBOL, 0, kind)
        if kind == PRIME:
            return State(stack, AFTER_SYMBOL, _SCRIPT_BIT[SUP], kind)
        if kind in _SCRIPT_BIT:
            return State(stack, BEFORE_BRACE, pending=Frame(SCRIPT, scripts | _SCRIPT_BIT[kind]))
        if kind == LBRACE:
            return State((*stack, pending or Frame(ARGUMENT)))
        if kind == RBRACE or (kind == RBRACKET and stack and stack[-1].kind == INDEX):
            return _after_group(stack)
        if kind in (FRAC, ACCENT):
            return State(stack, BEFORE_BRACE, pending=Frame(ARGUMENT, kind == FRAC))
        if kind in _PLACE_AFTER:
            return State(stack, _PLACE_AFTER[kind])
        if kind == LBRACKET and state.place == AFTER_SQRT:
            return State((*stack, Frame(INDEX)))
        if kind == END:
            return State((), FINISHED)
        if kind >= AMPERSAND:
            return self._advance_in_environment(state, kind)
        return State(stack, AFTER_SYMBOL)

    def _advance_in_environment(self, state: State, kind: int) -> State:
        if BEGIN <= kind < TAIL:
            return State((*state.stack, Frame(ENVIRONMENT, grid=Grid(kind - BEGIN))))
        outer, grid = state.stack[:-1], state.stack[-1].grid
        if kind >= TAIL:
            return State(outer, AFTER_SYMBOL)
        assert grid is not None
        if kind == AMPERSAND:
            filled = grid.filled or state.place == AFTER_SYMBOL
            following = Grid(grid.environment, grid.width, grid.column + 1, filled)
        else:
            following = Grid(grid.environment, grid.column + 1 if _IS_MATRIX[grid.environment] else 0)
        return State((*outer, Frame(ENVIRONMENT, grid=following)))

    def shortest_end(self, state: State) -> int:
        """How many more tokens it takes at least until the expression may end (the end mark not counted)."""
        own = (1, 0, 1 + _ONE_SYMBOL_GROUP, _ONE_SYMBOL_GROUP, _ONE_SYMBOL_GROUP, 1, 0)[state.place]
        if state.place == ROW_START and state.stack and _may_stay_empty(state.stack[-1].grid):
            own = 0
        if state.pending is not None and state.pending.kind == ARGUMENT:
            own += _ONE_SYMBOL_GROUP * state.pending.after
        return own + sum(_closing_length(frame) for frame in state.stack)

    def mask_within(self, state: State, budget: int) -> NDArray[np.bool_]:
        """Like `mask`, but only tokens after which `budget` tokens, this one included, are enough to end."""
        if budget >= self.shortest_end(state) + LONGEST_DETOUR:
            return self.mask(state)
        within = (
            kind
            for kind in self._next_kinds(state)
            if kind in self._examples
            and (kind == END or 1 + self.shortest_end(self.advance(state, self._examples[kind])) <= budget)
        )
        return self._mask_of(tuple(within))

    def accepts(self, tokens: Iterable[str]) -> bool:
        """Is this a whole expression in caption form, over the tokens of the vocabulary?"""
        state = self.start
        for token in tokens:
            if token == END_MARK or token not in self.vocabulary:
                return False
            index = self.vocabulary.id(token)
            if not self.mask(state)[index]:
                return False
            state = self.advance(state, index)
        return bool(self.mask(state)[0])

    def _next_kinds(self, state: State) -> list[int]:
        in_index = bool(state.stack) and state.stack[-1].kind == INDEX
        if state.place == FINISHED:
            return []
        if state.place == BEFORE_BRACE:
            return [LBRACE]
        if state.place == AFTER_SQRT:
            return [LBRACE] if in_index else [LBRACE, LBRACKET]
        if state.place == AFTER_LIMITS:
            return [SUB, SUP]
        kinds = [SYMBOL, OPERATOR, MOD]
        if not in_index:
            kinds += [LBRACKET, RBRACKET]
        deeper = len(state.stack) < self.max_depth
        if deeper:
            kinds += [FRAC, SQRT, ACCENT]
            if not in_index:
                kinds += self._heads
        if state.last == PRIME or (
            state.place == ROW_START and state.stack and state.stack[-1].kind == SCRIPT
        ):
            kinds.append(PRIME)
        if state.place == AFTER_SYMBOL:
            if deeper:
                kinds += [kind for kind, bit in _SCRIPT_BIT.items() if not state.scripts & bit]
            if deeper and state.last == OPERATOR:
                kinds.append(LIMITS)
        if state.place != AFTER_MOD:
            if state.stack and state.stack[-1].grid is not None:
                kinds += _next_in_grid(state.stack[-1].grid, empty=state.place == ROW_START)
            elif state.place == AFTER_SYMBOL:
                kinds.append(RBRACKET if in_index else RBRACE if state.stack else END)
        return kinds

    def _join(self, kinds: tuple[int, ...]) -> NDArray[np.bool_]:
        mask = np.zeros(self.vocabulary.size, dtype=np.bool_)
        for kind in kinds:
            mask |= self._kind_masks[kind]
        mask.flags.writeable = False
        return mask


def _kinds(vocabulary: Vocabulary) -> tuple[int, ...]:
    """The kind of every token; a structure that the vocabulary cannot complete is never offered."""
    kinds = [_kind(token) for token in vocabulary.tokens]
    present = set(kinds)
    unusable: set[int] = set()
    if not {LBRACE, RBRACE} <= present:
        unusable |= {*_STRUCTURE, LBRACE, RBRACE}
    if not {SUB, SUP} & present:
        unusable.add(LIMITS)
    for head, tail in zip(range(BEGIN, TAIL), range(TAIL, NEVER), strict=True):
        if not {head, tail} <= present:
            unusable |= {head, tail}
    return tuple(NEVER if kind in unusable else kind for kind in kinds)


def _kind(token: str) -> int:
    is_environment = token.startswith((r"\begin{", r"\end{"))
    return _KIND_OF.get(token, NEVER if is_environment else SYMBOL)


def _after_group(stack: tuple[Frame, ...]) -> State:
    """Close the innermost group: go back to its base, to its next argument, or to the body of its root."""
    closed, outer = stack[-1], stack[:-1]
    if closed.kind == SCRIPT:
        return State(outer, AFTER_SYMBOL, closed.after)
    if closed.kind == ARGUMENT and not closed.after:
        return State(outer, AFTER_SYMBOL)
    return State(outer, BEFORE_BRACE, pending=Frame(ARGUMENT, max(closed.after - 1, 0)))


def _next_in_grid(grid: Grid, *, empty: bool) -> list[int]:
    """What may separate or end the cells of an environment after a cell, which may be empty."""
    matrix, cells = _IS_MATRIX[grid.environment], grid.column + 1
    kinds = []
    if cells < ((grid.width or MAX_COLUMNS) if matrix else 2):
        kinds.append(AMPERSAND)
    complete = (grid.filled or not empty) and cells == (grid.width or cells) if matrix else not empty
    if complete:
        kinds += [BREAK, TAIL + grid.environment]
    return kinds


def _may_stay_empty(grid: Grid | None) -> bool:
    """Whether the open cell needs no symbol for its line to be complete."""
    return grid is not None and grid.filled and _IS_MATRIX[grid.environment]


def _closing_length(frame: Frame) -> int:
    if frame.grid is not None:
        missing = frame.grid.width - frame.grid.column - 1 if frame.grid.width else 0
        return 1 + missing
    arguments = frame.after if frame.kind == ARGUMENT else 1 if frame.kind == INDEX else 0
    return 1 + _ONE_SYMBOL_GROUP * arguments
