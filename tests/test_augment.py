"""Augmented ink is the same expression in another hand: same strokes, same order, moved a little."""

import numpy as np

from inktex.augment import AugmentOptions, augment
from inktex.features import PointBatch
from inktex.ink import Ink


def inks() -> list[Ink]:
    angle = np.linspace(0, 6, 50)
    wave = np.stack((angle * 10, np.sin(angle) * 8), axis=1)
    return [
        Ink.from_strokes([wave, wave + np.array((70, 3)), [(150.0, 2.0)]]),
        Ink.from_strokes([wave * 100]),
    ]


def test_strokes_and_order_stay() -> None:
    batch = PointBatch.of(inks())
    moved = augment(batch, AugmentOptions(), np.random.default_rng(1))
    assert (np.unique(moved.stroke) == np.unique(batch.stroke)).all()
    assert (np.diff(moved.stroke) >= 0).all()
    assert len(moved.xy) <= len(batch.xy)


def test_ink_moves_but_not_far() -> None:
    batch = PointBatch.of(inks()[:1])
    options = AugmentOptions(drop_points=0.0, ink_rotation=0.0, ink_slant=0.0, ink_stretch=0.0)
    moved = augment(batch, options, np.random.default_rng(2))
    distance = np.hypot(*(moved.xy - batch.xy).T)
    assert 0.01 < distance.mean() < 15.0


def test_same_generator_same_ink() -> None:
    batch = PointBatch.of(inks())
    first, second = (augment(batch, AugmentOptions(), np.random.default_rng(3)) for _ in range(2))
    assert (first.xy == second.xy).all()


def test_size_of_the_ink_does_not_matter() -> None:
    small, large = PointBatch.of(inks()[:1]), PointBatch.of([inks()[0].scale(1000)])
    first = augment(small, AugmentOptions(), np.random.default_rng(4))
    second = augment(large, AugmentOptions(), np.random.default_rng(4))
    np.testing.assert_allclose(first.xy * 1000, second.xy, rtol=1e-6, atol=1e-3)
