"""The normaliser: turns any truth string into the caption form.

The caption form has braces around every script and every argument and nowhere else; no math marks, spacing,
sizing or font commands; one word per symbol. In the canonical form scripts stand in the order `_`, `^`;
`\\limits`, which the ink does not show, is left out; what looks the same is written the same
(`canonical.py`). Normalising twice changes nothing.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import pairwise

from . import words as known
from .canonical import extend, grid, join_spelt, joined, make_canonical
from .layout import Layout, Node, Row
from .symbols import CELL, NEW_ROW, TOKEN_OF
from .tokens import MAX_DEPTH, LatexError, excerpt, tokenize

# A brace that is written out counts up to three levels when it is read again (argument, group, index of a
# root), so that what is written never nests deeper than can be read.
MAX_WRITTEN_DEPTH = MAX_DEPTH // 3

# Optional arguments of environments and rows: `\\[2pt]`, `\begin{aligned}[t]`. They follow without a space,
# which a bracket that is a symbol never does in what `join` writes.
_ROW_SPACE = re.compile(r"\\\\\*?\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm|in|mu|bp|pc)\s*\]")
_POSITION = re.compile(r"(\\begin\s*\{[a-z]+\*?\})\[[tbclr]\]")

_LINES = frozenset({CELL, NEW_ROW})  # what parts a row that no brace and no environment encloses


def normalize(latex: str, *, canonical: bool = True) -> tuple[str, ...]:
    """The tokens of a LaTeX string in caption form; LatexError where the string has no reading.

    With `canonical=False` the scripts keep the order in which they were written, and `\\limits` stays.
    Two scripts of the same kind on one base, as in `{x^2}^3`, stand side by side on paper and are merged; a
    closing brace too many is ignored, since truth strings in circulation have them.
    """
    parser = _Parser(latex, list(_clean(tokenize(_POSITION.sub(r"\1", _ROW_SPACE.sub(r"\\\\ ", latex))))))
    row = join_spelt(parser.lines("", None, depth=0))  # lines that no environment encloses are aligned ones
    tokens = Layout(make_canonical(row) if canonical else row).tokens(canonical=canonical)
    if _deepest(tokens) > MAX_WRITTEN_DEPTH:
        raise parser.error(f"scripts and arguments are nested more than {MAX_WRITTEN_DEPTH} deep")
    return tokens


def _deepest(tokens: tuple[str, ...]) -> int:
    depth = deepest = 0
    for token in tokens:
        depth += (token == "{" or token.startswith(r"\begin{")) - (token == "}" or token.startswith(r"\end{"))
        deepest = max(deepest, depth)
    return deepest


def _clean(raw: tuple[str, ...]) -> Iterator[str]:
    """Word by word: drop what has no ink, replace synonyms."""
    for before, word in pairwise(("", *raw)):
        after_size = before in known.DELIMITER_SIZES
        if word in known.WITHOUT_INK or (after_size and word == "."):
            continue
        if after_size and word in ("<", ">"):
            yield r"\langle" if word == "<" else r"\rangle"
        elif word[:3] in (r"\lt", r"\gt") and len(word) > 3 and word not in known.LONGER_THAN_LT_GT:
            yield from (*known.SYNONYMS[word[:3]], *word[3:])
        else:
            word = word.replace(r"\mathscr{", r"\mathcal{")
            yield from known.SYNONYMS.get(word) or (TOKEN_OF.get(word, word),)


class _Parser:
    """Recursive descent over cleaned words, with TeX's rule that an argument is one word or one group."""

    def __init__(self, latex: str, words: list[str]) -> None:
        self.latex = latex
        self.words = words
        self.place = 0

    def error(self, reason: str) -> LatexError:
        return LatexError(f"{excerpt(self.latex)}: {reason}")

    def peek(self) -> str | None:
        return self.words[self.place] if self.place < len(self.words) else None

    def lines(self, environment: str, closing: str | None, depth: int) -> list[Node]:
        """Rows of cells up to and past the closing word; "" makes an environment only where it needs one."""
        closings = _LINES if closing is None else _LINES | {closing}
        lines: list[list[list[Node]]] = [[]]
        while True:
            cell: list[Node] = []
            ended = self.row(cell, depth, closings)
            lines[-1].append(cell)
            if ended == NEW_ROW:
                lines.append([])
            elif ended != CELL:
                break
        if environment or sum(map(any, lines)) > 1:
            return grid(environment or "aligned", lines)
        return joined(cell for line in lines for cell in line)

    def row(
        self, nodes: list[Node], depth: int, closings: Collection[str] = ("}",), in_script: bool = False
    ) -> str | None:
        """Read up to and past a closing word, and return it; a group inside adds to the same row."""
        if depth > MAX_DEPTH:
            raise self.error(f"groups are nested more than {MAX_DEPTH} deep")
        start = len(nodes)
        while (word := self.peek()) is not None:
            if word in closings:
                self.place += 1
                return word
            if word in known.INFIX or word in known.ALPHABET_SWITCHES:
                self.place += 1
                rest: list[Node] = []
                ended = self.row(rest, depth + 1, closings, in_script and word not in known.INFIX)
                if word in known.INFIX:
                    nodes[start:] = [Node(known.INFIX[word], above=tuple(nodes[start:]), below=tuple(rest))]
                else:
                    extend(nodes, _in_alphabet(known.ALPHABET_SWITCHES[word], rest))
                return ended
            self.element(nodes, depth, in_script)
        if closings is not _LINES:
            missing = next(word for word in closings if word not in _LINES)
            raise self.error(f"a group is never closed: '{missing}' is missing")
        return None

    def element(self, nodes: list[Node], depth: int, in_script: bool = False) -> None:
        word = self.words[self.place]
        self.place += 1
        if word == "}":
            return
        if word == "{":
            self.row(nodes, depth + 1, in_script=in_script)
        elif word in _LINES or word.startswith(r"\end{"):
            raise self.error(f"{word} stands where no environment is open")
        elif word.startswith(r"\begin{"):
            extend(nodes, self.environment(word[len(r"\begin{") : -1], depth + 1))
        elif word in known.INFIX or word in known.ALPHABET_SWITCHES:
            raise self.error(f"{word} stands where an argument is expected")
        elif word in known.NAMING and (name := self.name()):
            extend(nodes, map(Node, name))
        elif word in known.FONTS:
            self.argument(word, nodes, depth, in_script)
        elif word in known.ALPHABETS:
            extend(nodes, _in_alphabet(word, self.content(word, depth, in_script)))
        elif word in known.WRAPPED:
            before, after = known.WRAPPED[word]
            extend(nodes, map(Node, before))
            self.argument(word, nodes, depth)
            extend(nodes, map(Node, after))
        elif word == r"\substack":
            if self.peek() != "{":
                raise self.error(f"{word} lacks its argument")
            self.place += 1
            extend(nodes, self.lines("matrix", "}", depth + 1))
        elif word in known.DROPPED_WITH_ARGUMENT:
            self.content(word, depth)
        elif word in ("^", "_"):
            base = _base(nodes)
            script = [*(base.sup if word == "^" else base.sub)]
            self.argument(word, script, depth, in_script=True)
            base = base.with_script("sup" if word == "^" else "sub", tuple(script))
            nodes += [base] if base.label or base.sub or base.sup else []
        elif word == r"\limits":
            if nodes and nodes[-1].label:
                nodes[-1] = replace(nodes[-1], limits=True)
        elif word == "A" and self.words[self.place : self.place + 5] == [*"BOVE{"] and _lacks_index(nodes):
            # One exporter of truth strings writes the index of a root after it: `\sqrt {x} ABOVE {n}`.
            self.place += 4
            nodes[-1] = replace(nodes[-1], above=self.checked_index(self.content("ABOVE", depth)))
        elif word == "'" and not (in_script and all(node.label == "'" for node in nodes)):
            base = _base(nodes)
            nodes.append(base.with_script("sup", (*base.sup, Node(r"\prime"))))
        else:
            extend(nodes, [self.command(word, depth)])

    def environment(self, name: str, depth: int) -> list[Node]:
        """The rest of an environment, from after its head to past its tail."""
        closing = rf"\end{{{name}}}"
        base = name.removesuffix("*")
        if base not in known.ENVIRONMENTS:
            raise self.error(f"the environment {name} is unknown")
        if base in known.WITH_COLUMNS:
            self.content(name, depth)
        nodes = self.lines(known.ENVIRONMENTS[base], closing, depth)
        if base in known.BRACKETED:
            before, after = known.BRACKETED[base]
            return [Node(before), *nodes, Node(after)]
        return nodes

    def name(self) -> tuple[str, ...]:
        """The function that the next group spells, which is then taken; () if it spells none."""
        if self.peek() != "{" or "}" not in self.words[self.place : self.place + 9]:
            return ()
        end = self.words.index("}", self.place)
        name = known.NAMED.get("".join(self.words[self.place + 1 : end]), ())
        if name:
            self.place = end + 1
        return name

    def command(self, word: str, depth: int) -> Node:
        node = Node(word)
        if word == r"\sqrt" and self.peek() == "[":
            self.place += 1
            index: list[Node] = []
            self.row(index, depth + 1, ("]",))
            node = replace(node, above=self.checked_index(tuple(index)))
        return node.with_arguments(lambda: self.content(word, depth))

    def checked_index(self, index: Row) -> Row:
        """The index of a root ends at the first `]`, so that it cannot hold one outside of braces."""
        for node in index:
            if node.cells or node.label == "]" or (node.label == r"\sqrt" and node.above):
                raise self.error("the index of a root cannot hold a bracket")
        return index

    def content(self, of: str, depth: int, in_script: bool = False) -> Row:
        nodes: list[Node] = []
        self.argument(of, nodes, depth, in_script)
        return tuple(nodes)

    def argument(self, of: str, nodes: list[Node], depth: int, in_script: bool = False) -> None:
        if self.peek() in (None, "}"):
            raise self.error(f"{of} lacks its argument")
        if depth > MAX_DEPTH:
            raise self.error(f"groups are nested more than {MAX_DEPTH} deep")
        self.element(nodes, depth + 1, in_script)


def _base(nodes: list[Node]) -> Node:
    """Take what a script belongs to: the last symbol of the row, or an empty base at its start."""
    return nodes.pop() if nodes else Node("")


def _in_alphabet(alphabet: str, nodes: Collection[Node]) -> Iterator[Node]:
    """The row with its letters and digits in another alphabet."""
    for node in nodes:
        is_letter = len(node.label) == 1 and node.label.isascii() and node.label.isalnum()
        yield replace(node, label=f"{alphabet}{{{node.label}}}") if is_letter else node


def _lacks_index(nodes: list[Node]) -> bool:
    return bool(nodes) and nodes[-1].label == r"\sqrt" and not nodes[-1].above
