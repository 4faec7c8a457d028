"""`Ink`: the strokes of one expression, with their annotations.

All points are in one array and `offsets` divides it into strokes, so that slicing makes views, a transform
is one matrix product, and a corpus can be memory-mapped. Ink never changes: its arrays are read-only, and
every operation returns a new ink. Coordinates are those of the file, y pointing down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from operator import index as as_index
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

from inktex.ink import checks
from inktex.ink.checks import Floats, Indices, clean_text
from inktex.ink.errors import InkError, shown
from inktex.ink.limits import MAX_POINTS
from inktex.ink.svg import draw_svg

StrokeLike = npt.ArrayLike | Sequence[Sequence[float]]


@dataclass(frozen=True)
class Symbol:
    """One written symbol: its label, the indices of its strokes, and the id of its leaf in the MathML."""

    label: str
    strokes: tuple[int, ...]
    id: str | None = None

    def __post_init__(self) -> None:
        label = clean_text(self.label, "the label of a symbol")
        if label is None:
            raise InkError("a symbol needs a label")
        try:
            strokes = tuple(dict.fromkeys(as_index(stroke) for stroke in self.strokes))
        except TypeError:
            raise InkError(f"symbol {shown(label)}: its strokes are whole numbers") from None
        if not strokes:
            raise InkError(f"symbol {shown(label)} has no strokes")
        object.__setattr__(self, "label", label)
        object.__setattr__(self, "strokes", strokes)
        object.__setattr__(self, "id", clean_text(self.id, "the id of a symbol"))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Ink:
    """Strokes of x and y, optionally with time and pressure per point, truth, segmentation and origin.

    Stroke i is `points[offsets[i]:offsets[i + 1]]` and has at least one point. `source` says where the ink
    came from; two inks that differ only there are equal.
    """

    points: Floats  # (N, 2)
    offsets: Indices  # (S + 1,)
    time: Floats | None = None  # (N,)
    pressure: Floats | None = None  # (N,)
    truth: str | None = None
    symbols: tuple[Symbol, ...] = ()
    mathml: str | None = None
    writer: str | None = None
    source: str | None = None

    def __post_init__(self) -> None:
        points = checks.frozen(self.points, "points")
        if points.ndim != 2 or points.shape[1] != 2:
            raise InkError(f"points are an array of shape (N, 2), not {points.shape}")
        if len(points) > MAX_POINTS:
            raise InkError(f"{len(points)} points, more than the limit of {MAX_POINTS}")
        offsets = checks.frozen_offsets(self.offsets, len(points))
        symbols = tuple(self.symbols)
        stroke_count = len(offsets) - 1
        for symbol in symbols:
            if not isinstance(symbol, Symbol):
                raise InkError(f"symbols are of type Symbol, not {type(symbol).__name__}")
            if not all(0 <= stroke < stroke_count for stroke in symbol.strokes):
                raise InkError(
                    f"symbol {shown(symbol.label)} names a stroke that is not there (of {stroke_count})"
                )
        put = object.__setattr__
        put(self, "points", points)
        put(self, "offsets", offsets)
        put(self, "time", checks.frozen_channel(self.time, "time", len(points)))
        put(self, "pressure", checks.frozen_channel(self.pressure, "pressure", len(points)))
        put(self, "symbols", symbols)
        for name in ("truth", "mathml", "writer", "source"):
            put(self, name, clean_text(getattr(self, name), name))

    @classmethod
    def from_strokes(
        cls,
        strokes: Iterable[StrokeLike],
        *,
        time: Iterable[npt.ArrayLike] | None = None,
        pressure: Iterable[npt.ArrayLike] | None = None,
        truth: str | None = None,
        symbols: Iterable[Symbol] = (),
        mathml: str | None = None,
        writer: str | None = None,
        source: str | None = None,
    ) -> Self:
        """Make ink from strokes, each an (n, 2) array or a list of (x, y); time and pressure likewise."""
        arrays = [checks.stroke_array(stroke, number) for number, stroke in enumerate(strokes)]
        lengths = [len(stroke) for stroke in arrays]
        return cls(
            points=np.concatenate(arrays) if arrays else np.empty((0, 2)),
            offsets=np.cumsum([0, *lengths], dtype=np.int64),
            time=checks.joined_channel(time, "time", lengths),
            pressure=checks.joined_channel(pressure, "pressure", lengths),
            truth=truth,
            symbols=tuple(symbols),
            mathml=mathml,
            writer=writer,
            source=source,
        )

    @property
    def strokes(self) -> tuple[Floats, ...]:
        """The strokes as (n, 2) views of `points`."""
        cuts = self.offsets.tolist()
        return tuple(self.points[a:b] for a, b in pairwise(cuts))

    @property
    def stroke_of_point(self) -> Indices:
        """For every point the index of its stroke, shape (N,)."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets))

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """The smallest box around the ink: left, top, right, bottom."""
        if not len(self.points):
            raise InkError("an ink without strokes has no bounds")
        left, top = self.points.min(axis=0).tolist()
        right, bottom = self.points.max(axis=0).tolist()
        return left, top, right, bottom

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Floats]:
        return iter(self.strokes)

    @overload
    def __getitem__(self, key: int) -> Floats: ...
    @overload
    def __getitem__(self, key: slice) -> Ink: ...
    def __getitem__(self, key: int | slice) -> Floats | Ink:
        """`ink[i]` is one stroke as an (n, 2) array, `ink[i:j]` the ink of those strokes."""
        if isinstance(key, slice):
            return self.select(range(len(self))[key])
        number = range(len(self))[key]
        return self.points[self.offsets[number] : self.offsets[number + 1]]

    def select(self, indices: Iterable[int]) -> Ink:
        """Return the chosen strokes in the order given.

        Symbols stay when all their strokes were chosen. Truth and MathML stay when no stroke was left out.
        """
        numbers = range(len(self))
        chosen = [numbers[as_index(number)] for number in indices]
        place = {number: position for position, number in reversed([*enumerate(chosen)])}
        whole = len(place) == len(self)
        rows = self._rows_of(chosen)
        return self.replace(
            points=self.points[rows],
            offsets=np.cumsum([0, *np.diff(self.offsets)[chosen]], dtype=np.int64),
            time=None if self.time is None else self.time[rows],
            pressure=None if self.pressure is None else self.pressure[rows],
            truth=self.truth if whole else None,
            symbols=[
                Symbol(symbol.label, tuple(place[s] for s in symbol.strokes), symbol.id if whole else None)
                for symbol in self.symbols
                if all(s in place for s in symbol.strokes)
            ],
            mathml=self.mathml if whole else None,
        )

    def _rows_of(self, chosen: Sequence[int]) -> slice | Indices:
        """The rows of `points` under the chosen strokes; a slice (no copy) where they follow each other."""
        if not chosen:
            return slice(0, 0)
        if all(b == a + 1 for a, b in pairwise(chosen)):
            return slice(int(self.offsets[chosen[0]]), int(self.offsets[chosen[-1] + 1]))
        return np.concatenate([np.arange(self.offsets[i], self.offsets[i + 1]) for i in chosen])

    def translate(self, dx: float, dy: float) -> Ink:
        return self.replace(points=self.points + np.array([dx, dy], dtype=np.float64))

    def scale(self, factor: float, factor_y: float | None = None) -> Ink:
        """Scale about the origin; with two factors x and y differently."""
        return self.replace(points=self.points * np.array([factor, factor if factor_y is None else factor_y]))

    def transform(self, matrix: npt.ArrayLike, offset: npt.ArrayLike = (0.0, 0.0)) -> Ink:
        """Apply an affine map: every point p becomes `matrix @ p + offset` (matrix 2×2)."""
        linear = np.asarray(matrix, dtype=np.float64)
        shift = np.asarray(offset, dtype=np.float64)
        if linear.shape != (2, 2) or shift.shape != (2,):
            raise InkError("an affine map is a 2x2 matrix and an offset of two numbers")
        return self.replace(points=self.points @ linear.T + shift)

    def __add__(self, other: Ink) -> Ink:
        """Write `other` after this ink. Truth and MathML are not known of the whole; symbols are kept."""
        if not isinstance(other, Ink):
            return NotImplemented
        if not len(other):
            return self
        if not len(self):
            return other
        moved = [Symbol(each.label, tuple(s + len(self) for s in each.strokes)) for each in other.symbols]
        time, pressure = (
            None if mine is None or theirs is None else np.concatenate([mine, theirs])
            for mine, theirs in ((self.time, other.time), (self.pressure, other.pressure))
        )
        return Ink(
            points=np.concatenate([self.points, other.points]),
            offsets=np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]]),
            time=time,
            pressure=pressure,
            symbols=(*(Symbol(each.label, each.strokes) for each in self.symbols), *moved),
            writer=self.writer if self.writer == other.writer else None,
            source=self.source if self.source == other.source else None,
        )

    def replace(self, **changes: Any) -> Ink:
        """Return the same ink with some fields exchanged, in any form that the constructor understands."""
        return replace(self, **changes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ink):
            return NotImplemented
        arrays = ("points", "offsets", "time", "pressure")  # two that are None are equal, too
        rest = ("truth", "symbols", "mathml", "writer")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays) and all(
            getattr(self, name) == getattr(other, name) for name in rest
        )

    def __hash__(self) -> int:
        points = self.points + 0.0  # -0.0 equals 0.0 and must hash the same
        return hash((points.tobytes(), self.offsets.tobytes(), self.truth, self.symbols, self.writer))

    def __reduce__(self) -> tuple[type[Ink], tuple[object, ...]]:
        # Pickle would bring the arrays back writable; going through the constructor freezes them again.
        return Ink, tuple(getattr(self, field.name) for field in fields(self))

    def __repr__(self) -> str:
        known = [f"{len(self)} strokes", f"{len(self.points)} points"]
        known += [f"truth={self.truth!r}"] if self.truth else []
        known += [f"{len(self.symbols)} symbols"] if self.symbols else []
        known += [f"source={self.source!r}"] if self.source else []
        return f"Ink({', '.join(known)})"

    to_svg = draw_svg

    def _repr_svg_(self) -> str:
        return self.to_svg()
