"""Augmentation of ink: the same expression as another hand or pen would have written it.

Moves the points of many inks (`PointBatch`) at random. Whole inks are slanted, stretched and rotated;
strokes are scaled, rotated and shifted on their own; a smooth wave bends the plane; points jitter. All of it
is array arithmetic over the batch, well under a millisecond per expression.
"""

from dataclasses import dataclass, fields

import numpy as np

from inktex.features import Floats, PointBatch, is_first, is_last, stroke_starts, stroke_units


@dataclass(frozen=True)
class AugmentOptions:
    """Standard deviations; lengths in mean stroke diagonals, angles in radians."""

    ink_rotation: float = 0.05
    ink_slant: float = 0.12
    ink_stretch: float = 0.12  # of the logarithm of width over height
    stroke_rotation: float = 0.05
    stroke_scale: float = 0.06
    stroke_shift: float = 0.03
    wave: float = 0.06  # amplitude of the smooth bending
    point_jitter: float = 0.006
    drop_points: float = 0.08  # share of inner points left out at most (speed of the pen)

    def scaled(self, factor: float) -> "AugmentOptions":
        """The same, all of it weaker or stronger."""
        return AugmentOptions(*(factor * getattr(self, each.name) for each in fields(self)))


def augment(batch: PointBatch, options: AugmentOptions, random: np.random.Generator) -> PointBatch:
    """Move the points of every ink at random."""
    inks, strokes = len(batch.first_stroke) - 1, int(batch.first_stroke[-1])
    units = stroke_units(batch)
    ink = batch.ink_of_stroke[batch.stroke]
    unit = units[ink][:, None]
    starts = stroke_starts(batch.stroke)
    counts = np.diff(np.append(starts, len(batch.xy)))

    # Strokes about their own centres, then everything about the ink's origin.
    xy = batch.xy / unit
    centres = np.add.reduceat(xy, starts) / counts[:, None]
    angle = random.normal(0.0, options.stroke_rotation, strokes)
    size = np.exp(random.normal(0.0, options.stroke_scale, strokes))
    turn = size[:, None, None] * _rotations(angle)
    moved = np.einsum("nij,nj->ni", turn[batch.stroke], xy - centres[batch.stroke])
    shift = random.normal(0.0, options.stroke_shift, (strokes, 2))
    xy = moved + (centres + shift)[batch.stroke]

    stretch = np.exp(random.normal(0.0, options.ink_stretch, inks) / 2)
    affine = _rotations(random.normal(0.0, options.ink_rotation, inks))
    affine[:, :, 1] += random.normal(0.0, options.ink_slant, inks)[:, None] * affine[:, :, 0]
    affine = affine * np.stack((stretch, 1 / stretch), axis=1)[:, :, None]
    xy = np.einsum("nij,nj->ni", affine[ink], xy)

    for _ in range(2):
        direction = random.normal(0.0, 1.5, (inks, 2))
        phase = random.uniform(0.0, 2 * np.pi, inks)
        push = random.normal(0.0, options.wave, (inks, 2))
        xy = xy + push[ink] * np.sin((xy * direction[ink]).sum(1) + phase[ink])[:, None]
    xy = xy + random.normal(0.0, options.point_jitter, xy.shape)

    result = PointBatch(xy * unit, batch.stroke, batch.point, batch.first_stroke)
    if options.drop_points > 0:
        edge = is_first(batch.stroke) | is_last(batch.stroke)
        share = random.uniform(0.0, options.drop_points, inks)
        result = result.keep(edge | (random.random(len(xy)) >= share[ink]))
    return result


def _rotations(angles: Floats) -> Floats:
    """(n, 2, 2) rotation matrices."""
    cosine, sine = np.cos(angles), np.sin(angles)
    return np.stack((np.stack((cosine, -sine), -1), np.stack((sine, cosine), -1)), -2)
