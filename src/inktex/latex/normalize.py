"""The normaliser: any truth string comes in, the caption form goes out.

The caption form has braces around every script and every argument and nowhere else; no math marks, spacing,
sizing or font commands; one word per sign. In the canonical form scripts stand in the order `_`, `^`, and
`\\limits`, which the ink does not show, is left out. Normalising twice changes nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from . import words as known
from .signs import word_of
from .tokens import MAX_DEPTH, LatexError, excerpt, tokenize

# A brace that is written out counts up to three levels when it is read again (argument, group, index of a
# root), so that what is written never nests deeper than can be read.
MAX_WRITTEN_DEPTH = MAX_DEPTH // 3


def normalize(latex: str, *, canonical: bool = True) -> tuple[str, ...]:
    """The tokens of a LaTeX string in caption form; LatexError where the string has no reading.

    With `canonical=False` the scripts keep the order in which they were written, and `\\limits` stays.
    Two scripts of the same kind on one base, as in `{x^2}^3`, stand side by side on paper and are merged; a
    closing brace too many is ignored, since truth strings in circulation have them.
    """
    parser = _Parser(latex, list(_clean(tokenize(latex))))
    atoms: list[_Atom] = []
    parser.row(atoms, depth=0)
    _join_spelt(atoms)
    tokens = tuple(_written(atoms, canonical))
    if _deepest(tokens) > MAX_WRITTEN_DEPTH:
        raise parser.error(f"scripts and arguments are nested more than {MAX_WRITTEN_DEPTH} deep")
    return tokens


def _deepest(tokens: tuple[str, ...]) -> int:
    depth = deepest = 0
    for token in tokens:
        depth += (token == "{") - (token == "}")
        deepest = max(deepest, depth)
    return deepest


@dataclass
class _Atom:
    """One sign or command with its arguments written out, and the scripts attached to it."""

    head: list[str]
    arguments: list[tuple[str, list["_Atom"], str]] = field(default_factory=list)  # opening, content, closing
    scripts: dict[str, list["_Atom"]] = field(default_factory=dict)  # in the order written
    limits: bool = False


def _written(atoms: list[_Atom], canonical: bool) -> Iterator[str]:
    for atom in atoms:
        yield from atom.head
        for opening, content, closing in atom.arguments:
            yield opening
            yield from _written(content, canonical)
            yield closing
        if atom.limits and not canonical:
            yield r"\limits"
        for kind in sorted(atom.scripts, key="_^".index) if canonical else atom.scripts:
            yield from (kind, "{", *_written(atom.scripts[kind], canonical), "}")


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
        yield from known.SYNONYMS.get(word) or (word_of(word) or word,)


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

    def row(
        self, atoms: list[_Atom], depth: int, closing: str | None = None, in_script: bool = False
    ) -> None:
        """Read up to and past the closing word, adding to `atoms`; a group inside adds to the same row."""
        if depth > MAX_DEPTH:
            raise self.error(f"groups are nested more than {MAX_DEPTH} deep")
        start = len(atoms)
        while (word := self.peek()) is not None:
            if word == closing:
                self.place += 1
                return
            if word in known.INFIX:
                self.place += 1
                below: list[_Atom] = []
                above, atoms[start:] = atoms[start:], [_Atom([known.INFIX[word]])]
                self.row(below, depth + 1, closing)
                atoms[start].arguments = [("{", above, "}"), ("{", below, "}")]
                return
            self.element(atoms, depth, in_script)
        if closing is not None:
            raise self.error(f"a group is never closed: '{closing}' is missing")

    def element(self, atoms: list[_Atom], depth: int, in_script: bool = False) -> None:
        """Read one word with all that belongs to it."""
        word = self.words[self.place]
        self.place += 1
        if word == "}":
            return
        if word == "{":
            self.row(atoms, depth + 1, "}", in_script)
        elif word in known.INFIX:
            raise self.error(f"{word} stands where an argument is expected")
        elif word in known.FONTS:
            self.argument(word, atoms, depth, in_script)
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
        elif word == "=" and atoms and atoms[-1].head == [r"\not"] and not atoms[-1].scripts:
            atoms[-1].head = [r"\neq"]
        elif word == "A" and self.words[self.place : self.place + 5] == [*"BOVE{"] and _lacks_index(atoms):
            # One exporter of truth strings writes the index of a root behind it: `\sqrt {x} ABOVE {n}`.
            self.place += 4
            index: list[_Atom] = []
            self.argument("ABOVE", index, depth)
            atoms[-1].arguments.insert(0, ("[", self.checked_index(index), "]"))
        elif word == "'" and not (in_script and all(atom.head == ["'"] for atom in atoms)):
            _base(atoms).scripts.setdefault("^", []).append(_Atom([r"\prime"]))
        elif atoms and atoms[-1].head == [r"\sqrt"] and not (atoms[-1].arguments[-1][1] or atoms[-1].scripts):
            # A radical with nothing under it, `\sqrt{} 3`: what follows is what was written under it.
            atoms[-1].arguments[-1][1].append(self.command(word, depth))
        else:
            atoms.append(self.command(word, depth))

    def command(self, word: str, depth: int) -> _Atom:
        """A sign, or a command with its arguments."""
        atom = _Atom([word])
        if word == r"\sqrt" and self.peek() == "[":
            self.place += 1
            index: list[_Atom] = []
            self.row(index, depth + 1, "]")
            if self.checked_index(index):
                atom.arguments.append(("[", index, "]"))
        for _ in range(known.argument_count(word)):
            content: list[_Atom] = []
            self.argument(word, content, depth)
            atom.arguments.append(("{", content, "}"))
        return atom

    def checked_index(self, index: list[_Atom]) -> list[_Atom]:
        """The index of a root ends at the first `]`, so that it cannot hold one outside of braces."""
        if any("]" in (*atom.head, *(closing for _, _, closing in atom.arguments)) for atom in index):
            raise self.error("the index of a root cannot hold a bracket")
        return index

    def argument(self, of: str, atoms: list[_Atom], depth: int, in_script: bool = False) -> None:
        if self.peek() in (None, "}"):
            raise self.error(f"{of} lacks its argument")
        if depth > MAX_DEPTH:
            raise self.error(f"groups are nested more than {MAX_DEPTH} deep")
        self.element(atoms, depth + 1, in_script)


def _base(atoms: list[_Atom]) -> _Atom:
    """What a script belongs to: the last sign of the row, or an empty base at its start."""
    if not atoms:
        atoms.append(_Atom([]))
    return atoms[-1]


def _lacks_index(atoms: list[_Atom]) -> bool:
    return bool(atoms) and atoms[-1].head == [r"\sqrt"] and len(atoms[-1].arguments) == 1


def _join_spelt(atoms: list[_Atom]) -> None:
    """Put `\\sin` for the letters `s i n`, if what the function is taken of follows; `\\ldots` for `...`.

    `a_{tan}` is left alone (a word, nothing follows), and so are longer names: `sinh`, `arctan`, `sinc`.
    """
    for atom in atoms:
        for _, content, _ in atom.arguments:
            _join_spelt(content)
        for content in atom.scripts.values():
            _join_spelt(content)
    letters = "".join(" " if len(sign) != 1 else sign for sign in ("".join(atom.head) for atom in atoms))
    for match in reversed([*known.SPELT_SIGN.finditer(letters)]):
        first, last = match.start(), match.end() - 1
        plain = not any(atom.scripts or atom.limits for atom in atoms[first:last])
        has_operand = bool(atoms[last].scripts) or match.end() < len(atoms)
        if plain and (has_operand or match.group() == "..."):
            named = _Atom(
                [known.SPELT[match.group()]], scripts=atoms[last].scripts, limits=atoms[last].limits
            )
            atoms[first : match.end()] = [named]
