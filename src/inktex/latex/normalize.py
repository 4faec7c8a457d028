"""The normaliser: turns any truth string into the caption form.

The caption form has braces around every script and every argument and nowhere else; no math marks, spacing,
sizing or font commands; one word per symbol. In the canonical form scripts stand in the order `_`, `^`;
`\\limits`, which the ink does not show, is left out; what looks the same is written the same (`atoms.py`).
Normalising twice changes nothing.
"""

import re
from collections.abc import Collection, Iterator

from . import words as known
from .atoms import Atom, append, extend, grid, join_spelt, joined, make_canonical, written
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
    atoms = parser.lines("", None, depth=0)  # lines that no environment encloses are aligned ones
    join_spelt(atoms)
    if canonical:
        make_canonical(atoms)
    tokens = tuple(written(atoms, canonical=canonical))
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
    after_size = False
    for word in raw:
        if after_size and word == ".":
            after_size = False
            continue
        if after_size and word in ("<", ">"):
            yield r"\langle" if word == "<" else r"\rangle"
            after_size = False
            continue
        after_size = word in known.DELIMITER_SIZES
        if word in known.WITHOUT_INK:
            continue
        if word[:3] in (r"\lt", r"\gt") and len(word) > 3 and word not in known.LONGER_THAN_LT_GT:
            yield from known.SYNONYMS[word[:3]]
            yield from word[3:]
            continue
        if word.startswith(r"\mathscr{"):
            word = word.replace("scr", "cal", 1)
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

    def lines(self, environment: str, closing: str | None, depth: int) -> list[Atom]:
        """Rows of cells up to and past the closing word; "" makes an environment only where it needs one."""
        closings = _LINES if closing is None else _LINES | {closing}
        rows: list[list[list[Atom]]] = [[]]
        while True:
            cell: list[Atom] = []
            ended = self.row(cell, depth, closings)
            rows[-1].append(cell)
            if ended == NEW_ROW:
                rows.append([])
            elif ended != CELL:
                break
        if environment:
            return grid(environment, rows)
        filled = [row for row in rows if any(row)]
        if len(filled) > 1:
            return grid("aligned", filled)
        return joined(cell for row in filled for cell in row)

    def row(
        self, atoms: list[Atom], depth: int, closings: Collection[str] = ("}",), in_script: bool = False
    ) -> str | None:
        """Read up to and past a closing word, and return it; a group inside adds to the same row."""
        if depth > MAX_DEPTH:
            raise self.error(f"groups are nested more than {MAX_DEPTH} deep")
        start = len(atoms)
        while (word := self.peek()) is not None:
            if word in closings:
                self.place += 1
                return word
            if word in known.INFIX:
                self.place += 1
                below: list[Atom] = []
                above, atoms[start:] = atoms[start:], [Atom([known.INFIX[word]])]
                ended = self.row(below, depth + 1, closings)
                atoms[start].arguments = [("{", above, "}"), ("{", below, "}")]
                return ended
            if word in known.ALPHABET_SWITCHES:
                self.place += 1
                switched: list[Atom] = []
                ended = self.row(switched, depth + 1, closings, in_script)
                extend(atoms, _in_alphabet(known.ALPHABET_SWITCHES[word], switched))
                return ended
            self.element(atoms, depth, in_script)
        if closings is not _LINES:
            missing = next(word for word in closings if word not in _LINES)
            raise self.error(f"a group is never closed: '{missing}' is missing")
        return None

    def element(self, atoms: list[Atom], depth: int, in_script: bool = False) -> None:
        word = self.words[self.place]
        self.place += 1
        if word == "}":
            return
        if word == "{":
            self.row(atoms, depth + 1, in_script=in_script)
        elif word in _LINES or word.startswith(r"\end{"):
            raise self.error(f"{word} stands where no environment is open")
        elif word.startswith(r"\begin{"):
            extend(atoms, self.environment(word[len(r"\begin{") : -1], depth + 1))
        elif word in known.INFIX or word in known.ALPHABET_SWITCHES:
            raise self.error(f"{word} stands where an argument is expected")
        elif word in known.NAMING and (name := self.name()):
            extend(atoms, (Atom([token]) for token in name))
        elif word in known.FONTS:
            self.argument(word, atoms, depth, in_script)
        elif word in known.ALPHABETS:
            letters: list[Atom] = []
            self.argument(word, letters, depth, in_script)
            extend(atoms, _in_alphabet(word, letters))
        elif word in known.WRAPPED:
            before, after = known.WRAPPED[word]
            extend(atoms, (Atom([token]) for token in before))
            self.argument(word, atoms, depth)
            extend(atoms, (Atom([token]) for token in after))
        elif word == r"\substack":
            if self.peek() != "{":
                raise self.error(f"{word} lacks its argument")
            self.place += 1
            extend(atoms, self.lines("matrix", "}", depth + 1))
        elif word in known.DROPPED_WITH_ARGUMENT:
            self.argument(word, [], depth)
        elif word in ("^", "_"):
            base = _base(atoms)
            script = base.scripts.get(word, [])
            self.argument(word, script, depth, in_script=True)
            if script:
                base.scripts[word] = script
            elif not base.head and not base.scripts:
                atoms.pop()
        elif word == r"\limits":
            if atoms and atoms[-1].head:
                atoms[-1].limits = True
        elif word == "A" and self.words[self.place : self.place + 5] == [*"BOVE{"] and _lacks_index(atoms):
            # One exporter of truth strings writes the index of a root after it: `\sqrt {x} ABOVE {n}`.
            self.place += 4
            index: list[Atom] = []
            self.argument("ABOVE", index, depth)
            atoms[-1].arguments.insert(0, ("[", self.checked_index(index), "]"))
        elif word == "'" and not (in_script and all(atom.head == ["'"] for atom in atoms)):
            _base(atoms).scripts.setdefault("^", []).append(Atom([r"\prime"]))
        else:
            append(atoms, self.command(word, depth))

    def environment(self, name: str, depth: int) -> list[Atom]:
        """The rest of an environment, from after its head to past its tail."""
        closing = rf"\end{{{name}}}"
        base = name.removesuffix("*")
        if base not in known.ENVIRONMENTS:
            raise self.error(f"the environment {name} is unknown")
        if base in known.WITH_COLUMNS:
            self.argument(name, [], depth)
        atoms = self.lines(known.ENVIRONMENTS[base], closing, depth)
        if base in known.BRACKETED:
            before, after = known.BRACKETED[base]
            return [Atom([before]), *atoms, Atom([after])]
        return atoms

    def name(self) -> tuple[str, ...]:
        """The function that the next group spells, which is then taken; () if it spells none."""
        if self.peek() != "{" or "}" not in self.words[self.place : self.place + 9]:
            return ()
        end = self.words.index("}", self.place)
        name = known.NAMED.get("".join(self.words[self.place + 1 : end]), ())
        if name:
            self.place = end + 1
        return name

    def command(self, word: str, depth: int) -> Atom:
        atom = Atom([word])
        if word == r"\sqrt" and self.peek() == "[":
            self.place += 1
            index: list[Atom] = []
            self.row(index, depth + 1, ("]",))
            if self.checked_index(index):
                atom.arguments.append(("[", index, "]"))
        for _ in range(known.argument_count(word)):
            content: list[Atom] = []
            self.argument(word, content, depth)
            atom.arguments.append(("{", content, "}"))
        return atom

    def checked_index(self, index: list[Atom]) -> list[Atom]:
        """The index of a root ends at the first `]`, so that it cannot hold one outside of braces."""
        if any(
            atom.cells or "]" in (*atom.head, *(closing for _, _, closing in atom.arguments))
            for atom in index
        ):
            raise self.error("the index of a root cannot hold a bracket")
        return index

    def argument(self, of: str, atoms: list[Atom], depth: int, in_script: bool = False) -> None:
        if self.peek() in (None, "}"):
            raise self.error(f"{of} lacks its argument")
        if depth > MAX_DEPTH:
            raise self.error(f"groups are nested more than {MAX_DEPTH} deep")
        self.element(atoms, depth + 1, in_script)


def _base(atoms: list[Atom]) -> Atom:
    """What a script belongs to: the last symbol of the row, or an empty base at its start."""
    if not atoms:
        atoms.append(Atom([]))
    return atoms[-1]


def _in_alphabet(alphabet: str, atoms: list[Atom]) -> list[Atom]:
    """The row with its letters and digits in another alphabet."""
    for atom in atoms:
        letter = "".join(atom.head)
        if len(letter) == 1 and letter.isascii() and letter.isalnum():
            atom.head = [f"{alphabet}{{{letter}}}"]
    return atoms


def _lacks_index(atoms: list[Atom]) -> bool:
    return bool(atoms) and atoms[-1].head == [r"\sqrt"] and len(atoms[-1].arguments) == 1
