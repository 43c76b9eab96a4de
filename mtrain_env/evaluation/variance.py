"""How much of a result is luck of the cards, and how much is who plays.

Several bots, each in turn in every seat of every deal, among the same others. The result of bot b in seat s of deal d,
its pips minus the others', is taken apart as

    x[b, d, s] = mean + skill[b] + luck[d, s] + rest[b, d, s]

- *skill*: the variance of the bots' means, without the part that the few deals explain by chance;
- *luck*: what this seat's cards in this deal give to whoever holds them: the mean covariance of two different bots
  over the same seats of the same deals, Cov(x[b], x[b']);
- *rest*: what is left of the variance of a bot's results, how this bot fares with these cards: its plans, what it
  provokes, its dice.

The three add up to the variance of a result if each bot plays equally often. The estimates of luck and rest are exact
in the mean; skill too, but for being cut off at 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mtrain_env.evaluation.statistics import Interval, resampled

RESAMPLES: Final = 1000


@dataclass(frozen=True)
class Split:
    """Shares of the variance of a result, each with its 95% interval; the means add up to 1."""

    deviation: float
    """Standard deviation of a result, in pips."""
    luck: Interval
    skill: Interval
    rest: Interval


def split(results: Sequence[NDArray[np.float64]], *, resamples: int = RESAMPLES, seed: int = 0) -> Split:
    """Take apart the results (deals, seats) of two or more bots on the same deals; bootstrap over deals."""
    if len(results) < 2 or len({result.shape for result in results}) != 1:
        raise ValueError("a split needs the results of two or more bots on the same deals and seats")
    x = np.stack(results, axis=1)  # deals, bots, seats
    x = x - x.mean()
    deals, bots, seats = x.shape
    sums = x.sum(axis=2) / seats
    products = np.einsum("dbs,dcs->dbc", x, x) / seats
    per_deal = np.concatenate([sums, products.reshape(deals, -1)], axis=1)
    all_sums = np.concatenate([per_deal.sum(axis=0, keepdims=True), resampled(per_deal, resamples, seed)]) / deals
    means, squares = all_sums[:, :bots], all_sums[:, bots:].reshape(-1, bots, bots)
    # The covariance of the bots' means, over deals as the seats of one are not independent. Products of means are
    # larger by it than those of the true means, and once more in a sample of the deals.
    noise = np.cov(sums.T) / deals * np.array([1] + [2] * resamples)[:, None, None]
    covariance = squares - means[:, :, None] * means[:, None] + noise
    within = np.trace(covariance, axis1=1, axis2=2) / bots
    luck = (covariance.sum(axis=(1, 2)) - bots * within) / (bots * (bots - 1))
    chance = np.trace(noise, axis1=1, axis2=2) / bots - noise.mean(axis=(1, 2))
    skill = np.maximum(0, means.var(axis=1) - chance)
    total = within + skill
    shares = np.stack([luck, skill, within - luck], axis=1) / np.where(total > 0, total, 1)[:, None]
    low, high = np.quantile(shares[1:], [0.025, 0.975], axis=0)
    parts = [Interval(*map(float, numbers)) for numbers in zip(shares[0], low, high, strict=True)]
    return Split(float(np.sqrt(total[0])), *parts)
