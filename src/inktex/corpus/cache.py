"""A split as one memory-mapped file, so that nothing is parsed twice.

`write_corpus` puts examples into a container, their points as one array and the rest as its header;
`Corpus.open` maps it and makes an `Example` on request. It keeps strokes, truth, tokens with their strokes,
segmentation, writer and source. Time and pressure are left out, since nothing learns from them, and so is the
MathML text, unless nothing else says which strokes there are.

A container is 8 bytes of magic, 8 bytes header length, a JSON header, points from a multiple of 64 bytes on,
then the SHA-256 of everything before it, which is checked when the file is opened. This is what safetensors
does; that comes with the extra `train` only, and evaluation reads corpora without it.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from inktex.corpus.example import Example
from inktex.files import write_atomically
from inktex.ink import Ink, Symbol
from inktex.ink.checks import Floats

FORMAT = 6  # raised whenever what is stored, or how it is derived from the files, changes
_MAGIC = b"INKTEX\x00\x01"
_ALIGNMENT = 64
_DIGEST = hashlib.sha256().digest_size
_NONE = np.zeros((0, 2))

Header = dict[str, Any]


class ContainerError(ValueError):
    """The file is not a complete container."""


def write_container(path: Path, header: Header, points: Sequence[Floats]) -> None:
    text = json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-(len(_MAGIC) + 8 + len(text)) % _ALIGNMENT)
    content = _MAGIC + len(text).to_bytes(8, "little") + text + np.concatenate([_NONE, *points]).tobytes()
    write_atomically(path, content + hashlib.sha256(content).digest())


def open_container(path: Path) -> tuple[Header, Floats]:
    """Map the file into memory; the points are a read-only view of it."""
    # A plain view: indexing the memmap class itself is several times slower. An empty file cannot be mapped.
    whole = np.asarray(np.memmap(path, np.uint8, "r")) if path.stat().st_size else np.empty(0, np.uint8)
    if hashlib.sha256(whole[:-_DIGEST].data).digest() != whole[-_DIGEST:].tobytes():
        raise ContainerError(
            f"{path}: damaged or cut off (its SHA-256 differs); delete it and it will be made again"
        )
    begin = len(_MAGIC) + 8
    end = begin + int.from_bytes(whole[len(_MAGIC) : begin].tobytes(), "little")
    return json.loads(whole[begin:end].tobytes()), whole[end:-_DIGEST].view(np.float64).reshape(-1, 2)


@dataclass(frozen=True)
class Problem:
    """A file that gives no example, and why."""

    path: str
    reason: str


class Corpus(Sequence[Example]):
    """The examples of one split; their points are memory-mapped."""

    def __init__(self, path: Path, header: Header, points: Floats) -> None:
        self.path = path
        self.header = header
        self._rows: list[Header] = header["examples"]
        self._points = points
        self._starts = [0, *accumulate(sum(row["lengths"]) for row in self._rows)]
        self.split: str = header["split"]
        self.stems: tuple[str, ...] = tuple(row["stem"] for row in self._rows)
        self.problems: tuple[Problem, ...] = tuple(Problem(*pair) for pair in header["problems"])

    @classmethod
    def open(cls, path: Path | str) -> "Corpus":
        """Map a file that `write_corpus` made."""
        path = Path(path)
        header, points = open_container(path)
        if header.get("format") != FORMAT:
            raise ContainerError(
                f"{path}: written by another version of inktex; delete it and it will be made again"
            )
        return cls(path, header, points)

    def __reduce__(self) -> tuple[Any, ...]:
        return Corpus.open, (self.path,)  # workers map the file again instead of copying it

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Example:  # type: ignore[override]
        row = self._rows[index]
        offsets = np.cumsum([0, *row["lengths"]], dtype=np.int64)
        start = self._starts[index % len(self)]
        ink = Ink(
            points=self._points[start : start + offsets[-1]],
            offsets=offsets,
            truth=row["truth"],
            symbols=tuple(Symbol(label, tuple(strokes), leaf) for label, strokes, leaf in row["symbols"]),
            mathml=row["mathml"],
            writer=row["writer"],
            source=row["source"],
        )
        strokes_of = tuple(map(tuple, row["strokes_of"]))
        return Example(ink, self.tokens(index), strokes_of, row["stem"], row["folder"])

    def tokens(self, index: int) -> tuple[str, ...]:
        """Give the tokens of an example without making its ink."""
        return tuple(self._rows[index]["tokens"])


def write_corpus(
    path: Path,
    split: str,
    examples: Iterable[Example],
    problems: Iterable[Problem] = (),
    origin: Header | None = None,
) -> None:
    """Write examples (and the files that gave none) to a cache file; `origin` says what it was made from."""
    made = list(examples)
    rows = []
    for example in made:
        row: Header = {name: getattr(example, name) for name in ("stem", "folder", "tokens", "strokes_of")}
        row |= {name: getattr(example.ink, name) for name in ("truth", "writer", "source")}
        row["mathml"] = mathml = None if any(example.strokes_of) else example.ink.mathml
        symbols = example.ink.symbols
        row["symbols"] = [(each.label, each.strokes, each.id if mathml else None) for each in symbols]
        rows.append(row | {"lengths": np.diff(example.ink.offsets).tolist()})
    told = [[problem.path, problem.reason] for problem in problems]
    header = {"format": FORMAT, "split": split, "origin": origin or {}, "problems": told, "examples": rows}
    write_container(path, header, [example.ink.points for example in made])
