"""A split as one memory-mapped file, so that nothing is parsed twice.

`write_corpus` puts examples into a container of flat arrays; `Corpus.open` maps it and makes an `Example` on
request. It keeps strokes, truth, tokens with their strokes, segmentation, writer and source. Time, pressure
and the MathML text are left out, since nothing learns from them.

A container holds named arrays and a JSON header: 8 bytes of magic, 8 bytes header length, the header, every
array at a multiple of 64 bytes, then the SHA-256 of everything before it, which is checked when the file is
opened. This is what safetensors does; that comes with the extra `train` only, and evaluation reads corpora
without it.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inktex.corpus.example import Example
from inktex.files import write_atomically
from inktex.ink import Ink, Symbol

FORMAT = 4  # raised whenever what is stored, or how it is derived from the files, changes
_MAGIC = b"INKTEX\x00\x01"
_ALIGNMENT = 64
_DIGEST = hashlib.sha256().digest_size

Arrays = dict[str, npt.NDArray[Any]]


class ContainerError(ValueError):
    """The file is not a complete container."""


def write_container(path: Path, header: dict[str, Any], arrays: Arrays) -> None:
    places, data = {}, b""
    for name, array in arrays.items():
        places[name] = {"dtype": array.dtype.str, "shape": list(array.shape), "offset": len(data)}
        data += array.tobytes() + b"\0" * (-array.nbytes % _ALIGNMENT)
    text = json.dumps({"header": header, "arrays": places, "bytes": len(data)}, ensure_ascii=False).encode()
    text += b" " * (-(len(_MAGIC) + 8 + len(text)) % _ALIGNMENT)
    content = _MAGIC + len(text).to_bytes(8, "little") + text + data
    write_atomically(path, content + hashlib.sha256(content).digest())


def read_header(path: Path) -> dict[str, Any]:
    return _read_index(path)[0]["header"]  # type: ignore[no-any-return]


def open_container(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Map the file into memory; the arrays are read-only views of it."""
    index, start = _read_index(path)
    end = start + index["bytes"]
    whole = np.memmap(path, dtype=np.uint8, mode="r")
    if len(whole) not in (end, end + _DIGEST):
        raise ContainerError(f"{path}: the file is cut off; delete it and it will be made again")
    # Files of earlier versions end without a checksum.
    if len(whole) > end and hashlib.sha256(whole[:end].data).digest() != whole[end:].tobytes():
        raise ContainerError(f"{path}: damaged (its SHA-256 differs); delete it and it will be made again")
    # A plain view: indexing the memmap class itself is several times slower.
    plain = np.asarray(whole)
    arrays = {
        name: np.ndarray(place["shape"], place["dtype"], plain.data, start + place["offset"])
        for name, place in index["arrays"].items()
    }
    return index["header"], arrays


def _read_index(path: Path) -> tuple[dict[str, Any], int]:
    with path.open("rb") as file:
        head = file.read(len(_MAGIC) + 8)
        if head[: len(_MAGIC)] != _MAGIC:
            raise ContainerError(f"{path}: not a file of inktex's cache; delete it and it will be made again")
        length = int.from_bytes(head[len(_MAGIC) :], "little")
        try:
            if length > path.stat().st_size:
                raise ValueError("cut off")
            index = json.loads(file.read(length))
        except ValueError as error:
            reason = f"{path}: the header is damaged; delete it and it will be made again"
            raise ContainerError(reason) from error
    return index, len(head) + length


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
        folder = header["folder_table"][int(arrays["folder"][index])]
        return Example(ink, self.tokens(index), self.strokes_of(index), self.stems[index], folder)

    def tokens(self, index: int) -> tuple[str, ...]:
        """Give the tokens of an example without making its ink."""
        first, last = self.arrays["example_tokens"][index : index + 2].tolist()
        return tuple(self.token_table[i] for i in self.arrays["token"][first:last].tolist())

    def strokes_of(self, index: int) -> tuple[tuple[int, ...], ...]:
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
    flat, base = arrays[name][starts[0] : starts[-1]].tolist(), starts[0]
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
    return np.cumsum([0, *lengths], dtype=np.int64)
