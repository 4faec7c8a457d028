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


class _Table:
    """Numbers for strings, in order of first use."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, word: str) -> int:
        return self.numbers.setdefault(word, len(self.numbers))


def write_corpus(
    path: Path,
    split: str,
    examples: Iterable[Example],
    problems: Iterable[Problem] = (),
    origin: dict[str, Any] | None = None,
) -> None:
    """Write examples (and the files that gave none) to a cache file; `origin` says what it was made from."""
    tokens, labels, writers, folders = _Table(), _Table(), _Table(), _Table()
    points: list[np.ndarray] = []
    lengths: list[np.ndarray] = []
    flat: dict[str, list[int]] = {name: [] for name in ("token", "token_strokes", "symbol", "symbol_strokes")}
    counts: dict[str, list[int]] = {
        name: [] for name in ("strokes", "tokens", "symbols", "token_strokes", "symbol_strokes")
    }
    who: list[int] = []
    where: list[int] = []
    stems: list[str] = []
    truths: list[str | None] = []
    sources: list[str | None] = []
    for example in examples:
        ink = example.ink
        points.append(np.asarray(ink.points, dtype=np.float64))
        lengths.append(np.diff(ink.offsets))
        counts["strokes"].append(len(ink))
        counts["tokens"].append(len(example.tokens))
        counts["symbols"].append(len(ink.symbols))
        flat["token"].extend(tokens.number(token) for token in example.tokens)
        flat["symbol"].extend(labels.number(symbol.label) for symbol in ink.symbols)
        for name, groups in (
            ("token_strokes", example.strokes_of),
            ("symbol_strokes", tuple(symbol.strokes for symbol in ink.symbols)),
        ):
            counts[name].extend(len(group) for group in groups)
            for group in groups:
                flat[name].extend(group)
        who.append(writers.number(ink.writer) if ink.writer is not None else -1)
        where.append(folders.number(example.folder))
        stems.append(example.stem)
        truths.append(ink.truth)
        sources.append(ink.source)
    arrays = {
        "points": np.concatenate(points) if points else np.zeros((0, 2)),
        "stroke_starts": _starts(np.concatenate(lengths) if lengths else []),
        "example_strokes": _starts(counts["strokes"]),
        "example_tokens": _starts(counts["tokens"]),
        "example_symbols": _starts(counts["symbols"]),
        "token_strokes_starts": _starts(counts["token_strokes"]),
        "symbol_strokes_starts": _starts(counts["symbol_strokes"]),
        "writer": np.asarray(who, dtype=np.int32),
        "folder": np.asarray(where, dtype=np.int32),
        **{name: np.asarray(values, dtype=np.int32) for name, values in flat.items()},
    }
    header = {
        "format": FORMAT,
        "split": split,
        "origin": origin or {},
        "stems": stems,
        "truths": truths,
        "sources": sources,
        "token_table": list(tokens.numbers),
        "label_table": list(labels.numbers),
        "writer_table": list(writers.numbers),
        "folder_table": list(folders.numbers),
        "problems": [[problem.path, problem.reason] for problem in problems],
    }
    write_container(path, header, arrays)


def _starts(lengths: Sequence[int] | np.ndarray) -> np.ndarray:
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts
