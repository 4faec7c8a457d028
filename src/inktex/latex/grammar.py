"""The grammar of the caption form, as an incremental acceptor that search asks at every step.

Comes in: a vocabulary. Goes out: which tokens may follow a prefix, as a set or as a shared boolean mask, and
how far a prefix is from a well-formed end. In the caption form

    row     = element, one or more
    element = sign [\\limits] scripts, where scripts = `_ { row }` and `^ { row }`, none of them twice
    sign    = symbol | \\frac { row } { row } | \\sqrt { row } | \\sqrt [ row ] { row } | \\hat { row } …

so that no group is empty and no script lacks its base. A `]` ends the index of a root when it stands at the
level of that index, and is a symbol everywhere else; for TeX to agree, that level holds no other `[`. The
sign `'` makes a superscript of its own, so it stands only where the captions have it: first in a script.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import words as known
from .tokens import LatexError
from .vocabulary import END_MARK, Vocabulary

# What a token is to the grammar.
END, SYMBOL, OPERATOR, SUB, SUP, LIMITS, FRAC, SQRT, ACCENT, LBRACE, RBRACE = range(11)
LPAREN, RPAREN, LBRACKET, RBRACKET, LSET, RSET, PRIME, NEVER = range(11, 19)

# Where in an element the prefix ends.
ROW_START, AFTER_SIGN, AFTER_LIMITS, BEFORE_BRACE, AFTER_SQRT, FINISHED = range(6)

# What an open group is.
SCRIPT, ARGUMENT, INDEX = range(3)

_KIND_OF = {
    END_MARK: END,
    "_": SUB,
    "^": SUP,
    r"\limits": LIMITS,
    r"\sqrt": SQRT,
    "{": LBRACE,
    "}": RBRACE,
    "(": LPAREN,
    ")": RPAREN,
    "[": LBRACKET,
    "]": RBRACKET,
    r"\{": LSET,
    r"\}": RSET,
    "'": PRIME,
}
_SCRIPT_BIT = {SUB: 1, SUP: 2}
_STRUCTURE = (SUB, SUP, LIMITS, FRAC, SQRT, ACCENT)
_INTERVAL, _SET = "i", "s"  # a half-open interval is a pair as well, so round and square ones count alike
_DELIMITER = {
    LPAREN: _INTERVAL,
    RPAREN: _INTERVAL,
    LBRACKET: _INTERVAL,
    RBRACKET: _INTERVAL,
    LSET: _SET,
    RSET: _SET,
}
_ONE_SIGN_GROUP = 3  # the shortest group: `{`, a symbol, `}`
_LONGEST_DETOUR = 8  # more than any single token adds to the way to the end


class Frame(NamedTuple):
    """A group that is open: what it is, what follows when it closes, and the delimiters open around it."""

    kind: int
    after: int = 0  # SCRIPT: bits of the scripts that the base then has; ARGUMENT: arguments still to come
    delimiters: str = ""


class State(NamedTuple):
    """A prefix as the grammar sees it: prefixes with equal states have the same continuations."""

    stack: tuple[Frame, ...] = ()
    place: int = ROW_START
    scripts: int = 0  # bits of the scripts that the last sign has
    last: int = SYMBOL  # the kind of the last sign, if that matters: OPERATOR, PRIME or else SYMBOL
    pending: Frame | None = None  # the group that the next `{` opens
    delimiters: str = ""  # delimiters open in this row, if they are paired


class Grammar:
    """Which tokens may follow which, for one vocabulary."""

    start: Final = State()

    def __init__(self, vocabulary: Vocabulary, *, paired: bool = False, max_depth: int = 24) -> None:
        """With `paired`, each `(`, `[` and `\\{` is closed in its row, and nothing else closes."""
        self.vocabulary = vocabulary
        self.paired = paired
        self.max_depth = max_depth
        self._kinds = _kinds(vocabulary, paired)
        self._kind_masks = [np.array([kind == each for each in self._kinds]) for kind in range(NEVER)]
        self._masks: dict[tuple[object, ...], NDArray[np.bool_]] = {}
        self._sets: dict[tuple[object, ...], frozenset[int]] = {}

    def mask(self, state: State) -> NDArray[np.bool_]:
        """True for the ids that may come next, id 0 if the expression may end; shared and read-only."""
        key = self._situation(state)
        mask = self._masks.get(key)
        if mask is None:
            mask = self._join(self._next_kinds(state))
            self._masks[key] = mask
        return mask  # (K,)

    def allowed(self, state: State) -> frozenset[int]:
        """The ids that may come next, as a set."""
        key = self._situation(state)
        if key not in self._sets:
            self._sets[key] = frozenset(np.flatnonzero(self.mask(state)).tolist())
        return self._sets[key]

    def advance(self, state: State, token: int) -> State:
        """The state after one more token; LatexError if that token may not come here."""
        if not 0 <= token < len(self._kinds) or not self.mask(state)[token]:
            name = self.vocabulary.tokens[token] if 0 <= token < len(self._kinds) else f"id {token}"
            raise LatexError(f"the token {name} cannot come here")
        stack, _, scripts, _, pending, delimiters = state
        kind = self._kinds[token]
        if kind in (SYMBOL, OPERATOR):
            return State(stack, AFTER_SIGN, 0, kind, None, delimiters)
        if kind == PRIME:
            return State(stack, AFTER_SIGN, _SCRIPT_BIT[SUP], kind, None, delimiters)
        if kind in _SCRIPT_BIT:
            script = Frame(SCRIPT, scripts | _SCRIPT_BIT[kind], delimiters)
            return State(stack, BEFORE_BRACE, 0, SYMBOL, script, delimiters)
        if kind == LBRACE:
            opened = pending or Frame(ARGUMENT, 0, delimiters)
            return State((*stack, opened))
        if kind == RBRACE or (kind == RBRACKET and stack and stack[-1].kind == INDEX):
            return _after_group(stack)
        if kind in (FRAC, ACCENT):
            return State(
                stack, BEFORE_BRACE, 0, SYMBOL, Frame(ARGUMENT, kind == FRAC, delimiters), delimiters
            )
        if kind == SQRT:
            return State(stack, AFTER_SQRT, 0, SYMBOL, None, delimiters)
        if kind == LIMITS:
            return State(stack, AFTER_LIMITS, 0, SYMBOL, None, delimiters)
        if kind == LBRACKET and state.place == AFTER_SQRT:
            return State((*stack, Frame(INDEX, 0, delimiters)))
        if kind == END:
            return State((), FINISHED)
        return State(stack, AFTER_SIGN, 0, SYMBOL, None, self._delimiters_after(kind, delimiters))

    def shortest_end(self, state: State) -> int:
        """How many more tokens it takes at least until the expression may end (the end mark not counted)."""
        own = (1, 0, 1 + _ONE_SIGN_GROUP, _ONE_SIGN_GROUP, _ONE_SIGN_GROUP, 0)[state.place]
        if state.pending is not None and state.pending.kind == ARGUMENT:
            own += _ONE_SIGN_GROUP * state.pending.after
        return own + len(state.delimiters) + sum(_closing_length(frame) for frame in state.stack)

    def mask_within(self, state: State, budget: int) -> NDArray[np.bool_]:
        """Like `mask`, but only tokens after which `budget` tokens, this one included, are enough to end."""
        if budget >= self.shortest_end(state) + _LONGEST_DETOUR:
            return self.mask(state)
        mask = self.mask(state)
        within = []
        for kind in self._next_kinds(state):
            members = np.flatnonzero(self._kind_masks[kind] & mask)
            if len(members) and (
                kind == END or 1 + self.shortest_end(self.advance(state, int(members[0]))) <= budget
            ):
                within.append(kind)
        return self._join(within)

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

    def _situation(self, state: State) -> tuple[object, ...]:
        """All of a state that decides about the next token: few values, so that masks are made only once."""
        stack = state.stack
        return (
            state.place,
            state.scripts,
            state.last,
            stack[-1].kind if stack else None,
            len(stack) < self.max_depth,
            state.delimiters[-1:],
        )

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
        kinds = [SYMBOL, OPERATOR, LPAREN, LSET]
        if not in_index:
            kinds.append(LBRACKET)
        open_delimiter = state.delimiters[-1:]
        kinds += [
            kind
            for kind in (RPAREN, RBRACKET, RSET)
            if (not self.paired or _DELIMITER[kind] == open_delimiter) and not (kind == RBRACKET and in_index)
        ]
        deeper = len(state.stack) < self.max_depth
        if deeper:
            kinds += [FRAC, SQRT, ACCENT]
        if state.last == PRIME or (
            state.place == ROW_START and state.stack and state.stack[-1].kind == SCRIPT
        ):
            kinds.append(PRIME)
        if state.place == AFTER_SIGN:
            if deeper:
                kinds += [kind for kind, bit in _SCRIPT_BIT.items() if not state.scripts & bit]
            if deeper and state.last == OPERATOR:
                kinds.append(LIMITS)
            if not open_delimiter:
                kinds.append(RBRACKET if in_index else RBRACE if state.stack else END)
        return kinds

    def _delimiters_after(self, kind: int, delimiters: str) -> str:
        if not self.paired:
            return ""
        return delimiters + _DELIMITER[kind] if kind in (LPAREN, LBRACKET, LSET) else delimiters[:-1]

    def _join(self, kinds: Iterable[int]) -> NDArray[np.bool_]:
        mask = np.zeros(self.vocabulary.size, dtype=np.bool_)
        for kind in kinds:
            mask |= self._kind_masks[kind]
        mask.flags.writeable = False
        return mask


def _kinds(vocabulary: Vocabulary, paired: bool) -> tuple[int, ...]:
    """The kind of every token; a structure that the vocabulary cannot complete is never offered."""
    kinds = [_kind(token) for token in vocabulary.tokens]
    present = set(kinds)
    unusable: set[int] = set()
    if not {LBRACE, RBRACE} <= present:
        unusable |= {*_STRUCTURE, LBRACE, RBRACE}
    if not {SUB, SUP} & present:
        unusable.add(LIMITS)
    if paired and RSET not in present:
        unusable.add(LSET)
    if paired and RPAREN not in present:
        unusable |= {LPAREN, LBRACKET}
    return tuple(NEVER if kind in unusable else kind for kind in kinds)


def _kind(token: str) -> int:
    if token in _KIND_OF:
        return _KIND_OF[token]
    if token in known.TWO_ARGUMENTS:
        return FRAC
    if token in known.ONE_ARGUMENT:
        return ACCENT
    if token in known.OPERATORS:
        return OPERATOR
    if token in known.NOT_IN_CAPTIONS or token.startswith((r"\begin{", r"\end{")):
        return NEVER
    return SYMBOL


def _after_group(stack: tuple[Frame, ...]) -> State:
    """Close the innermost group: go back to its base, to its next argument, or to the body of its root."""
    closed, outer = stack[-1], stack[:-1]
    if closed.kind == SCRIPT:
        return State(outer, AFTER_SIGN, closed.after, SYMBOL, None, closed.delimiters)
    if closed.kind == ARGUMENT and not closed.after:
        return State(outer, AFTER_SIGN, 0, SYMBOL, None, closed.delimiters)
    following = Frame(ARGUMENT, max(closed.after - 1, 0), closed.delimiters)
    return State(outer, BEFORE_BRACE, 0, SYMBOL, following, closed.delimiters)


def _closing_length(frame: Frame) -> int:
    arguments = frame.after if frame.kind == ARGUMENT else 1 if frame.kind == INDEX else 0
    return 1 + len(frame.delimiters) + _ONE_SIGN_GROUP * arguments
