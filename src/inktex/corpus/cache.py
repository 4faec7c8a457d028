"""A split as one memory-mapped file, so that nothing is parsed twice.

`write_corpus` puts examples into a container, their points as one array and the rest as its header;
`Corpus.open` maps it and makes an `Example` on request. It keeps strokes, truth, tokens with their strokes,
segmentation, writer and source. Time, pressure and the MathML text are left out, since nothing learns from
them.

A container holds named arrays and a JSON header: 8 bytes of magic, 8 bytes header length, the header, every
array at a multiple of 64 bytes, then the SHA-256 of everything before it, which is checked when the file is
opened. This is what safetensors does; that comes with the extra `train` only, and evaluation reads corpora
without it.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inktex.corpus.example import Example
from inktex.files import write_atomically
from inktex.ink import Ink, Symbol

FORMAT = 5  # raised whenever what is stored, or how it is derived from the files, changes
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
    text = json.dumps({"header": header, "arrays": places}, ensure_ascii=False).encode()
    text += b" " * (-(len(_MAGIC) + 8 + len(text)) % _ALIGNMENT)
    content = _MAGIC + len(text).to_bytes(8, "little") + text + data
    write_atomically(path, content + hashlib.sha256(content).digest())


def open_container(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Map the file into memory; the arrays are read-only views of it."""
    # A plain view: indexing the memmap class itself is several times slower. An empty file cannot be mapped.
    whole = np.asarray(np.memmap(path, np.uint8, "r")) if path.stat().st_size else np.empty(0, np.uint8)
    if hashlib.sha256(whole[:-_DIGEST].data).digest() != whole[-_DIGEST:].tobytes():
        raise ContainerError(
            f"{path}: damaged or cut off (its SHA-256 differs); delete it and it will be made again"
        )
    start = len(_MAGIC) + 8
    start += int.from_bytes(whole[len(_MAGIC) : start].tobytes(), "little")
    index = json.loads(whole[len(_MAGIC) + 8 : start].tobytes())
    arrays = {
        name: np.ndarray(place["shape"], place["dtype"], whole.data, start + place["offset"])
        for name, place in index["arrays"].items()
    }
    return index["header"], arrays


@dataclass(frozen=True)
class Problem:
    """A file that gives no example, and why."""

    path: str
    reason: str


class Corpus(Sequence[Example]):
    """The examples of one split; their points are memory-mapped."""

    def __init__(self, path: Path, header: dict[str, Any], arrays: Arrays) -> None:
        self.path = path
        self.header = header
        self._rows: list[dict[str, Any]] = header["examples"]
        self._points, self._starts = arrays["points"], arrays["stroke_starts"]
        self.split: str = header["split"]
        self.stems: tuple[str, ...] = tuple(row["stem"] for row in self._rows)
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
        return len(self._rows)

    def __getitem__(self, index: int) -> Example:  # type: ignore[override]
        row = self._rows[index]
        starts = self._starts[row["first"] : row["first"] + row["strokes"] + 1]
        ink = Ink(
            points=self._points[starts[0] : starts[-1]],
            offsets=starts - starts[0],
            truth=row["truth"],
            symbols=tuple(Symbol(label, tuple(strokes)) for label, strokes in row["symbols"]),
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
    origin: dict[str, Any] | None = None,
) -> None:
    """Write examples (and the files that gave none) to a cache file; `origin` says what it was made from."""
    rows: list[dict[str, Any]] = []
    points, lengths = [np.zeros((0, 2))], [0]
    for example in examples:
        ink = example.ink
        row = {name: getattr(example, name) for name in ("stem", "folder", "tokens", "strokes_of")}
        row |= {name: getattr(ink, name) for name in ("truth", "writer", "source")}
        row["symbols"] = [(symbol.label, symbol.strokes) for symbol in ink.symbols]
        rows.append({**row, "first": len(lengths) - 1, "strokes": len(ink)})
        points.append(ink.points)
        lengths += np.diff(ink.offsets).tolist()
    arrays = {"points": np.concatenate(points), "stroke_starts": np.cumsum(lengths, dtype=np.int64)}
    told = [[problem.path, problem.reason] for problem in problems]
    header = {"format": FORMAT, "split": split, "origin": origin or {}, "problems": told, "examples": rows}
    write_container(path, header, arrays)
