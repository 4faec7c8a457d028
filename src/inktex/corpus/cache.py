"""A split as one memory-mapped file, so that nothing is parsed twice.

`write_corpus` puts examples into a container of flat arrays; `Corpus.open` maps it and makes an `Example` on
request. It keeps strokes, truth, tokens with their strokes, segmentation, writer and source. Time, pressure
and the MathML text are left out, since nothing learns from them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from inktex.corpus.container import Arrays, ContainerError, open_container, write_container
from inktex.corpus.example import Example
from inktex.ink import Ink, Symbol

FORMAT = 4  # raised whenever what is stored, or how it is derived from the files, changes


@dataclass(frozen=True)
class Problem:
    """A file that gives no example, and why."""

    path: str
    reason: str


class Corpus(Sequence[Example]):
    """The examples of one split, memory-mapped."""

    def __init__(self, path: Path, header: dict[str, Any], arrays: Arrays) -> None:
        self.path = path
        self.header = header
        self.arrays = arrays
        self.split: str = header["split"]
        self.stems: tuple[str, ...] = tuple(header["stems"])
        self.token_table: tuple[str, ...] = tuple(header["token_table"])
        self.problems: tuple[Problem, ...] = tuple(Problem(*pair) for pair in header["problems"])

    @classmethod
    def open(cls, path: Path | str) -> "Corpus":
        """Map a file that `write_corpus` made."""
        path = Path(path)
        header, arrays = open_container(path)
        if header.get("format") != FORMAT:
            raise ContainerError(
                f"{path}: written by another version of inktex; delete it and it will be made again"
            )
        return cls(path, header, arrays)

    def __reduce__(self) -> tuple[Any, ...]:
        return Corpus.open, (self.path,)  # workers map the file again instead of copying it

    def __len__(self) -> int:
        return len(self.stems)

    def __getitem__(self, index: int) -> Example:  # type: ignore[override]
        """Make the example at `index`."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"example {index} of {len(self)}")
        index %= len(self)
        arrays, header = self.arrays, self.header
        first, last = arrays["example_strokes"][index : index + 2].tolist()
        starts = arrays["stroke_starts"][first : last + 1]
        writer = int(arrays["writer"][index])
        ink = Ink(
            points=arrays["points"][starts[0] : starts[-1]],
            offsets=starts - starts[0],
            truth=header["truths"][index],
            symbols=self._symbols(index),
            writer=header["writer_table"][writer] if writer >= 0 else None,
            source=header["sources"][index],
        )
        return Example(
            ink=ink,
            tokens=self.tokens(index),
            strokes_of=self.strokes_of(index),
            stem=self.stems[index],
            folder=header["folder_table"][int(arrays["folder"][index])],
        )

    def __iter__(self) -> Iterator[Example]:
        return (self[index] for index in range(len(self)))

    def tokens(self, index: int) -> tuple[str, ...]:
        """Give the tokens of an example without making its ink."""
        first, last = self.arrays["example_tokens"][index : index + 2].tolist()
        return tuple(self.token_table[i] for i in self.arrays["token"][first:last].tolist())

    def strokes_of(self, index: int) -> tuple[tuple[int, ...], ...]:
        """Give the strokes of each token of an example."""
        first, last = self.arrays["example_tokens"][index : index + 2].tolist()
        return _ragged(self.arrays, "token_strokes", first, last)

    def _symbols(self, index: int) -> tuple[Symbol, ...]:
        first, last = self.arrays["example_symbols"][index : index + 2].tolist()
        labels = self.arrays["symbol"][first:last].tolist()
        strokes = _ragged(self.arrays, "symbol_strokes", first, last)
        table = self.header["label_table"]
        return tuple(Symbol(table[label], part) for label, part in zip(labels, strokes, strict=True))


def _ragged(arrays: Arrays, name: str, first: int, last: int) -> tuple[tuple[int, ...], ...]:
    starts = arrays[f"{name}_starts"][first : last + 1].tolist()
    flat = arrays[name][starts[0] : starts[-1]].tolist()
    base = starts[0]
    return tuple(tuple(flat[a - base : b - base]) for a, b in pairwise(starts))


def _numbered(words: Iterable[str | None]) -> tuple[list[str | None], np.ndarray]:
    """The different words in order of first use, and the number of every word there; -1 for None."""
    numbers: dict[str | None, int] = {None: -1}
    places = [numbers.setdefault(word, len(numbers) - 1) for word in words]
    return list(numbers)[1:], np.array(places, dtype=np.int32)


def write_corpus(
    path: Path,
    split: str,
    examples: Iterable[Example],
    problems: Iterable[Problem] = (),
    origin: dict[str, Any] | None = None,
) -> None:
    """Write examples (and the files that gave none) to a cache file; `origin` says what it was made from."""
    made = list(examples)
    inks = [example.ink for example in made]
    symbols = [symbol for ink in inks for symbol in ink.symbols]
    token_table, token = _numbered(token for example in made for token in example.tokens)
    label_table, symbol = _numbered(symbol.label for symbol in symbols)
    writer_table, writer = _numbered(ink.writer for ink in inks)
    folder_table, folder = _numbered(example.folder for example in made)
    token_strokes = [strokes for example in made for strokes in example.strokes_of]
    symbol_strokes = [symbol.strokes for symbol in symbols]
    arrays = {
        "points": np.concatenate([np.zeros((0, 2)), *(ink.points for ink in inks)]),
        "stroke_starts": _starts([length for ink in inks for length in np.diff(ink.offsets).tolist()]),
        "example_strokes": _starts([len(ink) for ink in inks]),
        "example_tokens": _starts([len(example.tokens) for example in made]),
        "example_symbols": _starts([len(ink.symbols) for ink in inks]),
        "token_strokes_starts": _starts([len(strokes) for strokes in token_strokes]),
        "symbol_strokes_starts": _starts([len(strokes) for strokes in symbol_strokes]),
        "writer": writer,
        "folder": folder,
        "token": token,
        "token_strokes": np.array([stroke for strokes in token_strokes for stroke in strokes], np.int32),
        "symbol": symbol,
        "symbol_strokes": np.array([stroke for strokes in symbol_strokes for stroke in strokes], np.int32),
    }
    header = {
        "format": FORMAT,
        "split": split,
        "origin": origin or {},
        "stems": [example.stem for example in made],
        "truths": [ink.truth for ink in inks],
        "sources": [ink.source for ink in inks],
        "token_table": token_table,
        "label_table": label_table,
        "writer_table": writer_table,
        "folder_table": folder_table,
        "problems": [[problem.path, problem.reason] for problem in problems],
    }
    write_container(path, header, arrays)


def _starts(lengths: Sequence[int]) -> np.ndarray:
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts
