"""Symbol banks: hand-drawn symbols by class, to write new expressions with.

A `SymbolBank` collects drawings of single symbols and hands out glyphs of a label, of one writer where
possible, so that an expression looks as if one hand had written it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt

from inktex.corpus.cache import open_container, write_container

Points = npt.NDArray[np.float64]

MAX_POINTS = 400  # of one glyph; more is a scribble, or a pen left lying on the paper


@dataclass(frozen=True, eq=False)
class Glyph:
    """One drawn symbol, its box moved to the origin."""

    label: str
    points: Points  # (N, 2), y down
    offsets: tuple[int, ...]  # stroke i is points[offsets[i]:offsets[i + 1]]
    width: float
    height: float
    writer: str

    @classmethod
    def from_strokes(cls, label: str, strokes: Sequence[npt.ArrayLike], writer: str) -> "Glyph":
        """Make a glyph from strokes in any coordinates."""
        arrays = [np.asarray(stroke, dtype=np.float64).reshape(-1, 2) for stroke in strokes]
        points = np.concatenate(arrays)
        points = points - points.min(axis=0)
        width, height = points.max(axis=0).tolist()
        return cls(label, points, (0, *accumulate(map(len, arrays))), width, height, writer)

    @property
    def strokes(self) -> tuple[Points, ...]:
        """The strokes as (n, 2) arrays."""
        return tuple(self.points[a:b] for a, b in pairwise(self.offsets))


class SymbolBank:
    """Glyphs by label and writer."""

    def __init__(self, name: str, glyphs: Iterable[Glyph]) -> None:
        self.name = name
        self._by_label: dict[str, list[Glyph]] = {}
        self._by_writer: dict[tuple[str, str], list[Glyph]] = {}
        for glyph in glyphs:
            self._by_label.setdefault(glyph.label, []).append(glyph)
            self._by_writer.setdefault((glyph.label, glyph.writer), []).append(glyph)
        self.writers = tuple(dict.fromkeys(writer for _, writer in self._by_writer))

    def __contains__(self, label: object) -> bool:
        return label in self._by_label

    def __len__(self) -> int:
        return sum(map(len, self._by_label.values()))

    def __iter__(self) -> Iterator[Glyph]:
        return (glyph for glyphs in self._by_label.values() for glyph in glyphs)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self._by_label)

    def glyphs(self, label: str) -> Sequence[Glyph]:
        if label not in self._by_label:
            raise KeyError(f"the symbol bank {self.name!r} has no {label}")
        return self._by_label[label]

    def pick(self, label: str, random: Random, writer: str | None = None) -> Glyph:
        """Choose a glyph, by this writer if they drew any."""
        glyphs = self._by_writer.get((label, writer)) if writer is not None else None
        return random.choice(glyphs or self.glyphs(label))


Banks = Sequence[tuple[SymbolBank, float]]  # with the weight of each: how much it is drawn from


def write_bank(path: Path, bank: SymbolBank) -> None:
    glyphs = list(bank)
    labels = {label: number for number, label in enumerate(bank.labels)}
    writers = {writer: number for number, writer in enumerate(bank.writers)}
    arrays = {
        "points": np.concatenate([glyph.points for glyph in glyphs]) if glyphs else np.zeros((0, 2)),
        "strokes": np.array([len(glyph.offsets) - 1 for glyph in glyphs], dtype=np.int64),
        "lengths": np.array([b - a for glyph in glyphs for a, b in pairwise(glyph.offsets)], dtype=np.int64),
        "label": np.array([labels[glyph.label] for glyph in glyphs], dtype=np.int64),
        "writer": np.array([writers[glyph.writer] for glyph in glyphs], dtype=np.int64),
        "box": np.array([(glyph.width, glyph.height) for glyph in glyphs], dtype=np.float64).reshape(-1, 2),
    }
    header = {"name": bank.name, "labels": list(labels), "writers": list(writers)}
    write_container(path, header, arrays)


def read_bank(path: Path) -> SymbolBank:
    """Map a bank that `write_bank` wrote; the points stay in the file."""
    header, arrays = open_container(path)
    points, lengths = arrays["points"], arrays["lengths"].tolist()
    label_table, writer_table = header["labels"], header["writers"]
    glyphs = []
    start = stroke = 0
    columns = (arrays[name].tolist() for name in ("strokes", "label", "writer", "box"))
    for count, label, writer, (width, height) in zip(*columns, strict=True):
        offsets = (0, *accumulate(lengths[stroke : stroke + count]))
        end = start + offsets[-1]
        about = (offsets, width, height, writer_table[writer])
        glyphs.append(Glyph(label_table[label], points[start:end], *about))
        start, stroke = end, stroke + count
    return SymbolBank(header["name"], glyphs)
