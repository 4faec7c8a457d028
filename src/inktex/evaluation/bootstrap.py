"""95 % percentile intervals for rates, from resampled test sets.

Takes the numerator and the denominator of each rate per expression; returns two bounds per rate. Expressions
are drawn with replacement; every rate (a share of expressions, or WER, a ratio of sums) is recomputed for
all draws by one matrix product. The same seed gives the same bounds.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_CHUNK = 500  # draws per matrix product: bounds the memory


def bootstrap_intervals(
    numerators: NDArray[Any],
    denominators: NDArray[Any],
    *,
    draws: int = 5000,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Bounds (rates, 2) of sum(numerators) / sum(denominators), both (expressions, rates).

    A rate whose denominator is zero in every draw has no bounds: nan.
    """
    expressions, rates = numerators.shape
    if expressions == 0:
        return np.full((rates, 2), np.nan)
    random = np.random.default_rng(seed)
    columns = np.concatenate([numerators, denominators], axis=1).astype(np.float64)
    ratios = np.empty((draws, rates))
    for start in range(0, draws, _CHUNK):
        size = min(_CHUNK, draws - start)
        picked = random.integers(0, expressions, (size, expressions))
        picked += np.arange(size)[:, None] * expressions
        times = np.bincount(picked.ravel(), minlength=size * expressions).reshape(size, expressions)
        sums = times.astype(np.float64) @ columns
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios[start : start + size] = sums[:, :rates] / sums[:, rates:]
    bounds = np.full((rates, 2), np.nan)
    known = np.isfinite(ratios).any(axis=0)
    if known.any():
        bounds[known] = np.nanpercentile(
            np.where(np.isfinite(ratios), ratios, np.nan)[:, known], [2.5, 97.5], axis=0
        ).T
    return bounds
