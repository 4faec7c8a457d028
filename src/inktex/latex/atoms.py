r"""The normaliser's own tree, and the rules that give one form to what looks the same on paper.

A row is a list of atoms: a symbol or command with its arguments, cells and scripts. The rules only apply in
the canonical form: `\overline` over one symbol is `\bar`, brackets around a matrix belong to it, a matrix of
one cell is just that cell, and a raised ring is `\degree`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from . import words as known
from .symbols import CELL, MATRICES, NEW_ROW


@dataclass
class Atom:
    """One symbol or command with its arguments written out, and the scripts attached to it."""

    head: list[str]
    arguments: list[tuple[str, list["Atom"], str]] = field(default_factory=list)  # opening, content, closing
    cells: list[list[list["Atom"]]] = field(default_factory=list)  # of an environment: rows of cells
    scripts: dict[str, list["Atom"]] = field(default_factory=dict)  # in the order written
    limits: bool = False

    @property
    def environment(self) -> str | None:
        return self.head[0][len(r"\begin{") : -1] if self.cells else None

    def inner_rows(self) -> Iterator[list["Atom"]]:
        """All rows inside and around the atom."""
        yield from (content for _, content, _ in self.arguments)
        yield from (cell for row in self.cells for cell in row)
        yield from self.scripts.values()


def append(atoms: list[Atom], atom: Atom) -> None:
    r"""Add an atom to a row, as if its words followed those of the row.

    Scripts without a base go to the last atom, `\not` changes what follows, and what follows a radical with
    nothing under it, `\sqrt{} 3`, is what was written under it.
    """
    last = atoms[-1] if atoms else None
    if last is None:
        atoms.append(atom)
    elif not atom.head:
        for kind, script in atom.scripts.items():
            for each in script:
                append(last.scripts.setdefault(kind, []), each)
    elif last.head == [r"\not"] and not last.scripts and atom.head[0] in known.NEGATED:
        atoms[-1] = replace(atom, head=[known.NEGATED[atom.head[0]]])
    elif last.head == [r"\sqrt"] and not (last.arguments[-1][1] or last.scripts):
        last.arguments[-1][1].append(replace(atom, scripts={}))
        last.scripts = atom.scripts
    else:
        atoms.append(atom)


def extend(atoms: list[Atom], following: Iterable[Atom]) -> None:
    for atom in following:
        append(atoms, atom)


def joined(rows: Iterable[list[Atom]]) -> list[Atom]:
    """Several rows, one after the other, as one row."""
    atoms: list[Atom] = []
    for row in rows:
        extend(atoms, row)
    return atoms


def grid(environment: str, cells: list[list[list[Atom]]]) -> list[Atom]:
    """An environment of these cells, without rows that are empty and with the columns it may have."""
    rows = [row for row in cells if any(row)]
    if environment in MATRICES:
        width = max(map(len, rows), default=0)
        rows = [[*row, *([] for _ in range(width - len(row)))] for row in rows]
    else:
        rows = [[row[0], joined(row[1:])] for row in rows]
        rows = [row if row[1] else row[:1] for row in rows]
    return [Atom([rf"\begin{{{environment}}}"], cells=rows)] if rows else []


def written(atoms: list[Atom], *, canonical: bool) -> Iterator[str]:
    """The tokens of a row; in canonical form scripts stand in the order `_`, `^` and without `\\limits`."""
    for atom in atoms:
        yield from atom.head
        for opening, content, closing in atom.arguments:
            yield opening
            yield from written(content, canonical=canonical)
            yield closing
        for number, row in enumerate(atom.cells):
            if number:
                yield NEW_ROW
            for column, cell in enumerate(row):
                if column:
                    yield CELL
                yield from written(cell, canonical=canonical)
        if atom.cells:
            yield rf"\end{{{atom.environment}}}"
        if atom.limits and not canonical:
            yield r"\limits"
        for kind in sorted(atom.scripts, key="_^".index) if canonical else atom.scripts:
            yield from (kind, "{", *written(atom.scripts[kind], canonical=canonical), "}")


def join_spelt(atoms: list[Atom]) -> None:
    r"""Put `\sin` for the letters `s i n`, if what the function is taken of follows; `\ldots` for `...`.

    `a_{tan}` is left alone (a word, nothing follows), and so are longer names: `sinh`, `arctan`, `sinc`.
    """
    for atom in atoms:
        for row in atom.inner_rows():
            join_spelt(row)
    _join_row(atoms)


def _join_row(atoms: list[Atom]) -> None:
    letters = "".join(" " if len(head) != 1 else head for head in ("".join(atom.head) for atom in atoms))
    for match in reversed([*known.SPELT_SYMBOL.finditer(letters)]):
        first, last = match.start(), match.end() - 1
        plain = not any(atom.scripts or atom.limits for atom in atoms[first:last])
        has_operand = bool(atoms[last].scripts) or match.end() < len(atoms)
        if plain and (has_operand or match.group() == "..."):
            named = Atom([known.SPELT[match.group()]], scripts=atoms[last].scripts, limits=atoms[last].limits)
            atoms[first : match.end()] = [named]


def make_canonical(atoms: list[Atom]) -> None:
    """Apply the rules of the canonical form, from the inside out."""
    for atom in atoms:
        for row in atom.inner_rows():
            make_canonical(row)
        _drop_empty_columns(atom)
    atoms[:] = joined(map(_opened, atoms))
    _join_row(atoms)
    _join_brackets(atoms)
    for atom in atoms:
        _choose_accent(atom)
    _raise_degrees(atoms)


def _choose_accent(atom: Atom) -> None:
    """A short accent over one symbol, a long one over several: the ink shows no other difference."""
    word = atom.head[0] if len(atom.head) == 1 else ""
    if word in known.LONG_ACCENTS or word in known.SHORT_ACCENTS:
        content = atom.arguments[0][1]
        single = len(content) == 1 and not (content[0].scripts or content[0].arguments or content[0].cells)
        atom.head = [known.SHORT_ACCENTS.get(word, word) if single else known.LONG_ACCENTS.get(word, word)]


def _raise_degrees(atoms: list[Atom]) -> None:
    for place in reversed(range(len(atoms))):
        atom = atoms[place]
        if atom.head and atom.scripts == {"^": [Atom([r"\circ"])]}:
            atom.scripts = {}
            atoms.insert(place + 1, Atom([r"\degree"]))


def _drop_empty_columns(atom: Atom) -> None:
    width = max(map(len, atom.cells), default=0)
    used = [any(column < len(row) and row[column] for row in atom.cells) for column in range(width)]
    if not all(used):
        atom.cells = [[cell for cell, kept in zip(row, used, strict=False) if kept] for row in atom.cells]


def _opened(atom: Atom) -> list[Atom]:
    """A matrix of one cell, and one aligned line, are what stands in them."""
    environment = atom.environment
    if len(atom.cells) != 1 or (environment != "aligned" and len(atom.cells[0]) > 1):
        return [atom]
    content = joined(atom.cells[0])
    opening, closing = (r"\{", "") if environment == "cases" else MATRICES.get(environment or "", ("", ""))
    if closing:
        return [Atom([opening]), *content, Atom([closing], scripts=atom.scripts)]
    if atom.scripts:
        return [atom]
    return [Atom([opening]), *content] if opening else content


def _join_brackets(atoms: list[Atom]) -> None:
    r"""Brackets right around a matrix become part of it; a brace that never closes makes `cases` of it."""
    for place in reversed(range(1, len(atoms))):
        before, atom = atoms[place - 1], atoms[place]
        if atom.environment not in ("matrix", "aligned") or before.scripts or atom.scripts:
            continue
        opening = before.head[0] if len(before.head) == 1 else ""
        closing = atoms[place + 1].head if place + 1 < len(atoms) else []
        for name, brackets in MATRICES.items():
            if atom.environment == "matrix" and (opening, closing) == (brackets[0], [brackets[1]]):
                bracketed = Atom([rf"\begin{{{name}}}"], cells=atom.cells, scripts=atoms[place + 1].scripts)
                atoms[place - 1 : place + 2] = [bracketed]
                break
        else:
            closed = any(each.head == [r"\}"] for each in atoms[place + 1 :])
            if opening == r"\{" and not closed and all(len(row) <= 2 for row in atom.cells):
                cells = atom.cells
                if atom.environment == "aligned":
                    cells = [[joined(row)] for row in cells]
                atoms[place - 1 : place + 1] = grid("cases", cells)
