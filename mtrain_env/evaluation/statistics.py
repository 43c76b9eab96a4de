"""Means with their intervals (bootstrap over deals), and how many deals a difference needs."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
_BLOCK = 1 << 22  # random numbers drawn at once


@dataclass(frozen=True)
class Interval:
    """A mean and its 95% interval."""

    mean: float
    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def bootstrap(
    values: NDArray[np.float64], *, resamples: int = RESAMPLES, level: float = 0.95, seed: int = 0
) -> Interval:
    """Return the mean of `values` with its percentile bootstrap interval; the values are independent deals."""
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"bootstrap needs one or more values in a row, got shape {values.shape}")
    rng = np.random.default_rng(seed)
    rows = max(1, _BLOCK // len(values))
    means = np.empty(resamples)
    for first in range(0, resamples, rows):
        block = means[first : first + rows]
        block[:] = values[rng.integers(0, len(values), (len(block), len(values)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(values.mean()), float(low), float(high))


def resampled(per_deal: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    """Return sums over so many samples of the deals (the first axis), drawn with replacement: (resamples, ...)."""
    deals = len(per_deal)
    drawn = np.random.default_rng(seed).multinomial(deals, np.full(deals, 1 / deals), resamples)
    sums: NDArray[np.float64] = np.tensordot(drawn.astype(np.float64), per_deal, axes=1)
    return sums


def deals_needed(spread: float, difference: float, *, level: float = 0.95, power: float = 0.8) -> int:
    """Return how many deals show a true mean `difference`, if one deal has the standard deviation `spread`.

    A two-sided test at `level` finds it with probability `power`.
    """
    if difference == 0:
        raise ValueError("no number of deals shows a difference of 0")
    z = NormalDist().inv_cdf((1 + level) / 2) + NormalDist().inv_cdf(power)
    return max(2, math.ceil((z * spread / difference) ** 2))
