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
    rows = [(each.label, each.writer, each.offsets, each.width, each.height) for each in glyphs]
    write_container(path, {"name": bank.name, "glyphs": rows}, [glyph.points for glyph in glyphs])


def read_bank(path: Path) -> SymbolBank:
    """Map a bank that `write_bank` wrote; the points stay in the file."""
    header, points = open_container(path)
    glyphs, start = [], 0
    for label, writer, offsets, width, height in header["glyphs"]:
        end = start + offsets[-1]
        glyphs.append(Glyph(label, points[start:end], tuple(offsets), width, height, writer))
        start = end
    return SymbolBank(header["name"], glyphs)
