"""Symbol banks: hand-drawn symbols by class, to write new expressions with.

In go drawings of single symbols, from wherever; out comes a `SymbolBank` that hands out glyphs of a label, of
one writer where it has any of them, so that an expression looks as if one hand had written it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]

MAX_POINTS = 400  # of one glyph; more is a scribble or a pen that was left on the paper


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
        """Make a glyph of strokes in any coordinates."""
        arrays = [np.asarray(stroke, dtype=np.float64).reshape(-1, 2) for stroke in strokes]
        points = np.concatenate(arrays)
        points = points - points.min(axis=0)
        width, height = points.max(axis=0).tolist()
        offsets = [0]
        for stroke in arrays:
            offsets.append(offsets[-1] + len(stroke))
        return cls(label, points, tuple(offsets), width, height, writer)

    @property
    def strokes(self) -> tuple[Points, ...]:
        """The strokes as (n, 2) arrays."""
        return tuple(self.points[a:b] for a, b in zip(self.offsets[:-1], self.offsets[1:], strict=True))


class SymbolBank:
    """Glyphs by label and writer."""

    def __init__(self, name: str, glyphs: Iterable[Glyph]) -> None:
        self.name = name
        self._by_label: dict[str, list[Glyph]] = {}
        self._by_writer: dict[tuple[str, str], list[Glyph]] = {}
        writers: dict[str, None] = {}
        for glyph in glyphs:
            self._by_label.setdefault(glyph.label, []).append(glyph)
            self._by_writer.setdefault((glyph.label, glyph.writer), []).append(glyph)
            writers[glyph.writer] = None
        self.writers: tuple[str, ...] = tuple(writers)

    def __contains__(self, label: object) -> bool:
        return label in self._by_label

    def __len__(self) -> int:
        return sum(map(len, self._by_label.values()))

    def __iter__(self) -> Iterator[Glyph]:
        return (glyph for glyphs in self._by_label.values() for glyph in glyphs)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels it has glyphs of."""
        return tuple(self._by_label)

    def glyphs(self, label: str) -> Sequence[Glyph]:
        """All glyphs of a label."""
        if label not in self._by_label:
            raise KeyError(f"the symbol bank {self.name!r} has no {label}")
        return self._by_label[label]

    def pick(self, label: str, random: Random, writer: str | None = None) -> Glyph:
        """Choose a glyph, by the writer if they drew any."""
        glyphs = self._by_writer.get((label, writer)) if writer is not None else None
        return random.choice(glyphs or self.glyphs(label))

    def filled_up(self, other: "SymbolBank") -> "SymbolBank":
        """Add from another bank the labels that this one lacks."""
        missing = (glyph for glyph in other if glyph.label not in self)
        return SymbolBank(self.name, [*self, *missing])

    def merged(self, other: "SymbolBank") -> "SymbolBank":
        """Put two banks together, label by label."""
        return SymbolBank(f"{self.name}+{other.name}", [*self, *other])
