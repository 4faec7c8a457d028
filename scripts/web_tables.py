"""What the recogniser for browsers knows about LaTeX and writing: makes web/src/recognizer/tables.json.

    python scripts/web_tables.py          # after a change of the grammar, of symbols, words or lines
    python scripts/web_tables.py --check  # says whether the file is current

The grammar is not written down a second time: all its states are explored through `Grammar` itself and
become the moves of a pushdown automaton. A state is what it is apart from its stack (a *control*) and the
frames of the stack; a move depends on the control, on the topmost frame and on whether the
stack may still grow.
"""

import argparse
import importlib
import json
import string
import sys
from collections import deque
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from inktex.decoding import masks
from inktex.ink import line_bars, line_features
from inktex.ink import lines as line_finder
from inktex.latex import END_MARK, Grammar, State, Vocabulary, mathml, rows, symbols, tokens, typst
from inktex.latex import words as known
from inktex.reading import habits
from inktex.reading import stroke_runs as runs
from inktex.recognizer import page_session
from inktex.recognizer import symbols as restriction

grammar_module = importlib.import_module("inktex.latex.grammar")
normalize = importlib.import_module("inktex.latex.normalize")  # the package has a function of this name

PATH = Path(__file__).resolve().parents[1] / "web" / "src" / "recognizer" / "tables.json"
UNKNOWN = "x"  # stands for every word that no table names


def special_words() -> list[str]:
    """All words that could be something else than a plain symbol to the grammar."""
    found = set(grammar_module._KIND_OF)
    found |= known.ONE_ARGUMENT | known.TWO_ARGUMENTS | known.OPERATORS | known.NOT_IN_CAPTIONS
    return sorted(found - {UNKNOWN, END_MARK})


class Numbering:
    """Numbers in the order of first sight."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def of(self, item: Any) -> int:
        if item not in self._numbers:
            self._numbers[item] = len(self.items)
            self.items.append(item)
        return self._numbers[item]


def explore() -> dict[str, Any]:
    """The grammar as a pushdown automaton: all pairs of a control and a topmost frame that can be reached."""
    vocabulary = Vocabulary([END_MARK, UNKNOWN, *special_words()])
    grammars = (Grammar(vocabulary, max_depth=1), Grammar(vocabulary))  # one that may not nest, one that may
    kinds = sorted({kind: token for token, kind in reversed([*enumerate(grammars[1]._kinds)])}.values())
    controls, frames, moves = Numbering(), Numbering(), Numbering()
    offers: dict[tuple[int, int, int], dict[int, int]] = {}  # (control, top, deeper) -> token -> move
    holders: dict[int, set[int]] = {}  # frame -> what it was opened in
    returns: dict[int, set[State]] = {}  # frame -> controls after it closed
    waiting: deque[tuple[State, int]] = deque()
    seen: set[tuple[State, int]] = set()

    def meet(control: State, top: int) -> None:
        if (control, top) not in seen:
            seen.add((control, top))
            waiting.append((control, top))

    def hold(frame: int, within: set[int]) -> None:
        new = within - holders.setdefault(frame, set())
        holders[frame] |= new
        for control in returns.setdefault(frame, set()):
            for holder in new:
                meet(control, holder)

    meet(grammars[1].start, -1)
    while waiting:
        control, top = waiting.popleft()
        state = control._replace(stack=() if top < 0 else (frames.items[top],))
        for deeper, grammar in enumerate(grammars):
            if not deeper and top < 0:
                continue  # the limit is never zero
            offer = offers[controls.of(control), top, deeper] = {}
            allowed = grammar.allowed(state)
            for token in (each for each in kinds if each in allowed):
                after = grammar.advance(state, token)
                kept = 0 < len(state.stack) <= len(after.stack) and after.stack[0] == state.stack[0]
                pushed = tuple(frames.of(frame) for frame in after.stack[kept:])
                popped = len(state.stack) - kept
                offer[token] = moves.of((controls.of(_control(after)), popped, pushed))
                inner = top
                for number, frame in enumerate(pushed):
                    hold(frame, holders.get(top, set()) if popped and not number else {inner})
                    inner = frame
                if popped and not pushed:
                    returns.setdefault(top, set()).add(_control(after))
                    for holder in holders[top]:
                        meet(_control(after), holder)
                else:
                    meet(_control(after), inner)
    return _automaton(vocabulary, grammars[1], controls, frames, moves, offers)


def _automaton(
    vocabulary: Vocabulary,
    grammar: Grammar,
    controls: Numbering,
    frames: Numbering,
    moves: Numbering,
    offers: dict[tuple[int, int, int], dict[int, int]],
) -> dict[str, Any]:
    tops = range(-1, len(frames.items))
    situations, columns = Numbering(), Numbering()
    shapes, detours = [], [0]
    for control in range(len(controls.items)):
        shape = []
        for deeper in (0, 1):
            opening, closing, lengths = [], [], []
            for top in tops:
                offer = offers.get((control, top, deeper))
                if offer is None:
                    parts = [-1, -1, -1]
                else:
                    state = _state(controls, frames, control, (top,))
                    own = grammar.shortest_end(state)
                    named = [(grammar._kinds[token], move) for token, move in offer.items()]
                    parts = [
                        situations.of(tuple(each for each in named if not moves.items[each[1]][1])),
                        situations.of(tuple(each for each in named if moves.items[each[1]][1])),
                        own,
                    ]
                    after = (grammar.advance(state, token) for token in offer if token)
                    detours += [1 + grammar.shortest_end(each) - own for each in after]
                for column, part in zip((opening, closing, lengths), parts, strict=True):
                    column.append(part)
            shape += [columns.of(tuple(column)) for column in (opening, closing, lengths)]
        shapes.append(shape)
    plain = grammar._kinds[1]
    some = _state(controls, frames, 0, (0,))
    return {
        "max_depth": grammar.max_depth,
        "longest_detour": max(detours),  # no token lengthens the way to the end by more
        "kinds": {
            word: kind for word, kind in zip(vocabulary.tokens, grammar._kinds, strict=True) if kind != plain
        },
        "plain": plain,
        "never": grammar_module.NEVER,
        "never_begins": [r"\begin{", r"\end{"],
        "frames": [  # by frame: how many tokens its closing takes once what is open inside of it is closed
            grammar.shortest_end(some._replace(stack=(frame, *some.stack))) - grammar.shortest_end(some)
            for frame in frames.items
        ],
        "moves": [[control, popped, *pushed] for control, popped, pushed in moves.items],
        # kind, move, kind, move, …
        "situations": [[number for pair in each for number in pair] for each in situations.items],
        # By the topmost frame, beginning with none: value, how often, value, how often, …
        "columns": [_runs(column) for column in columns.items],
        # By control, once at the depth limit and once above it: the columns of moves that close nothing, of
        # those that close the topmost frame (both are situations), and of the tokens to close all.
        "controls": shapes,
    }


def _runs(column: tuple[int, ...]) -> list[int]:
    return [number for value, run in groupby(column) for number in (value, len(list(run)))]


def _state(controls: Numbering, frames: Numbering, control: int, stack: tuple[int, ...]) -> State:
    frame_stack = tuple(frames.items[number] for number in stack if number >= 0)
    state: State = controls.items[control]._replace(stack=frame_stack)
    return state


def _control(state: State) -> State:
    return state._replace(stack=())


def writing_habits() -> dict[str, Any]:
    """How people write, for the alignment of strokes and symbols."""
    return {
        "most_strokes": habits.MOST_STROKES,
        "distances": habits.DISTANCES,
        "overlaps": habits.OVERLAPS,
        "scores": {
            "no_ink": runs._NO_INK,
            "unread": runs._UNREAD,
            "unread_more": runs._UNREAD_MORE,
            "unread_seen": runs._UNREAD_SEEN,
            "apart": runs._APART,
            "least_mass": runs._LEAST_MASS,
        },
        "strokes": habits._habits()["strokes"],
        "usual": np.round(_usual(), 12).tolist(),
        "joins": np.round(habits._join_table(), 12).tolist(),
    }


def _usual() -> Any:
    """(MOST_STROKES,) share of symbols that have 1, 2, … strokes."""
    counts = [habits._padded(each) for each in habits._habits()["strokes"].values()]
    everything = np.sum(counts, axis=0) + 1.0
    return everything / everything.sum()


def line_tables() -> dict[str, Any]:
    """What tells the lines of a page apart: both judges, and the limits."""
    model = line_finder.line_model()
    return {
        "window": line_features.WINDOW,
        "recent": line_features._RECENT,
        "next": line_features._NEXT,
        "joined": line_features._JOINED,
        "late": line_finder._LATE,
        "late_run": line_finder._LATE_RUN,
        "stripe": line_finder._STRIPE,
        "stripe_at_bar": line_finder._STRIPE_AT_BAR,
        "column": line_finder._COLUMN,
        "tall": line_finder._TALL,
        "near": line_finder._NEAR,
        "parts": line_finder._PARTS,
        "slack": line_finder._SLACK,
        "brackets": line_finder._BRACKETS,
        "most_of_a_symbol": line_finder._MOST_OF_A_SYMBOL,
        "flatness": line_finder._FLATNESS,
        "dot": line_finder._DOT,
        "dot_of_many": line_finder._DOT_OF_MANY,
        "over": line_bars._OVER,
        "shortest": line_bars._SHORTEST,
        "straight": line_bars._STRAIGHT,
        "apart": line_bars._APART,
        "far": line_bars._FAR,
        "close": line_bars._CLOSE,
        "soon": line_bars._SOON,
        "speck": line_finder._SPECK,
        "reach": page_session._REACH,
        "just_written": page_session._RECENT,
        "begun": page_session._BEGUN,
        "newest": page_session._NEWEST,
        "long": page_session._LONG,
        "went_back": page_session._WENT_BACK,
        "some": page_session._SOME,
        "back": page_session._BACK,
        "letter": page_session._LETTER,
        "short": page_session._SHORT,
        "tall_letter": page_session._TALL,
        "few": page_session._FEW,
        "touching": page_session._TOUCHING,
        "as_wide": page_session._AS_WIDE,
        "operator": page_session._OPERATOR,
        "settled": page_session._SETTLED,
        "threshold": model.threshold,
        **{
            name: {
                "hidden": judge.hidden.tolist(),
                "hidden_bias": judge.hidden_bias.tolist(),
                "output": judge.output.tolist(),
                "bias": judge.bias,
            }
            for name, judge in (("bar", model.bar), ("cut", model.cut))
        },
    }


def restrictions() -> dict[str, Any]:
    """What restrictions of the symbols know."""
    return {
        "groups": restriction.GROUPS,
        "structure": sorted(masks.STRUCTURE),
        "never_alone": sorted(masks.NEVER_ALONE),
        "undrawn": sorted(token for group in symbols.STRUCTURAL for token in symbols.GROUPS[group]),
    }


def words() -> dict[str, Any]:
    """What the layout tree knows about single words."""
    return {
        "max_depth": tokens.MAX_DEPTH,
        "one_argument": sorted(known.ONE_ARGUMENT),
        "two_arguments": sorted(known.TWO_ARGUMENTS),
        "stacked": sorted(known.STACKED),
        "partners": rows._PARTNERS,
        "wants_more": sorted(role.value for role in rows.WANTS_MORE),
    }


def symbol_table() -> dict[str, Any]:
    """How each symbol looks."""
    letters = string.ascii_uppercase + string.ascii_lowercase + string.digits
    return {
        "table": {
            token: [each.character, each.role.value, each.typst] for token, each in symbols._SYMBOLS.items()
        },
        "letters": letters,
        "alphabets": {
            name: ["".join(symbols.symbol(rf"\{name}{{{each}}}").character for each in letters), call]
            for name, (_, call, _) in symbols._ALPHABETS.items()
        },
        "token_of": symbols.TOKEN_OF,
        "looks": symbols._LOOKS,
        "matrices": symbols.MATRICES,
    }


def mathml_tables() -> dict[str, Any]:
    """What the MathML printer knows."""
    return {
        "namespace": mathml.NAMESPACE,
        "small_accents": sorted(known.SMALL_ACCENTS),
        "below": sorted(mathml._BELOW),
        "upright": list(mathml._UPRIGHT),
        "prefixed": list("∀∃∄¬"),
        "tight": list("./!?%"),
        "adjacent": sorted(role.value for role in mathml._ADJACENT),
        "columns": mathml._COLUMNS,
    }


def typst_tables() -> dict[str, Any]:
    """What the Typst printer knows."""
    return {
        "same_kind": typst._SAME_KIND,
        "splits_calls": sorted(typst._SPLITS_CALLS),
        "calls": typst._CALLS,
    }


def normalizer_tables() -> dict[str, Any]:
    """What the normaliser knows; regular expressions that both languages read alike."""
    return {
        "max_written_depth": normalize.MAX_WRITTEN_DEPTH,
        "word_pattern": tokens._WORD.pattern,
        "row_space_pattern": normalize._ROW_SPACE.pattern,
        "position_pattern": normalize._POSITION.pattern,
        "spelt_pattern": known.SPELT_SYMBOL.pattern,
        "spelt": known.SPELT,
        "synonyms": known.SYNONYMS,
        "starred": sorted(tokens._STARRED),
        "delimiter_sizes": sorted(known.DELIMITER_SIZES),
        "without_ink": sorted(known.WITHOUT_INK),
        "longer_than_lt_gt": sorted(known.LONGER_THAN_LT_GT),
        "infix": known.INFIX,
        "alphabet_switches": known.ALPHABET_SWITCHES,
        "naming": sorted(known.NAMING),
        "named": known.NAMED,
        "fonts": sorted(known.FONTS),
        "alphabets": sorted(known.ALPHABETS),
        "wrapped": known.WRAPPED,
        "dropped_with_argument": sorted(known.DROPPED_WITH_ARGUMENT),
        "negated": known.NEGATED,
        "environments": known.ENVIRONMENTS,
        "with_columns": sorted(known.WITH_COLUMNS),
        "bracketed": known.BRACKETED,
        "long_accents": known.LONG_ACCENTS,
        "short_accents": known.SHORT_ACCENTS,
    }


def tables() -> dict[str, Any]:
    """All tables."""
    return {
        "grammar": explore(),
        "habits": writing_habits(),
        "lines": line_tables(),
        "words": words(),
        "restriction": restrictions(),
        "symbols": symbol_table(),
        "mathml": mathml_tables(),
        "typst": typst_tables(),
        "normalize": normalizer_tables(),
    }


def text() -> str:
    """The file's content: one line per table, so that a change of one shows as such."""
    parts = []
    for name, table in tables().items():
        inner = ",\n".join(f"  {_compact(key)}: {_compact(value)}" for key, value in table.items())
        parts.append(f" {json.dumps(name)}: {{\n{inner}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main() -> None:
    """Write the file, or check it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    content = text()
    if not parser.parse_args().check:
        PATH.write_text(content, encoding="utf-8")
        print(f"{PATH.name}: {len(content)} bytes")
    elif not PATH.is_file() or PATH.read_text(encoding="utf-8") != content:
        sys.exit(f"{PATH} is not current; run python scripts/web_tables.py")


if __name__ == "__main__":
    main()
