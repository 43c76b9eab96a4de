"""Ratings from who finished before whom: the Plackett-Luce model, and a matrix of pairs, with intervals over deals.

Every bot has a worth; of those who are not placed yet, one is next with a chance proportional to its worth. A tie
counts half in either order. Each bot has also drawn one game more (`PRIOR`), shared among all others, so that one who
lost or won everything has a rating too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mtrain_env.evaluation.statistics import Interval, resampled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SCALE: Final = 400 / np.log(10)
"""As Elo's: 400 points are ten times the worth, 100 points finish first in 64% of two."""
PRIOR: Final = 1.0
RESAMPLES: Final = 200
_PRECISION: Final = 1e-6
_MOST_STEPS: Final = 2000


@dataclass(frozen=True)
class Finishes:
    """Games at tables of any bots; a row is a game."""

    bots: int
    """How many bots there are."""
    seated: Ints
    """The bot in each seat (games, seats)."""
    points: Ints
    """The points of each seat: fewer are better (games, seats)."""
    deal: Ints
    """The deal that was played (games,): 0, 1, ... Games on one deal are not independent."""

    @property
    def deals(self) -> int:
        """How many deals there are."""
        return int(self.deal.max()) + 1


def worths(orders: Ints, weights: Floats, bots: int) -> Floats:
    """Return the logarithms of the worths (fits, bots) that make the orders most likely.

    `orders` (orders, seats) has the bots from first to last, `weights` (fits, orders) how often each order counts in
    each fit. The method is the MM algorithm of Hunter (2004), all fits at once.
    """
    seats = orders.shape[1]
    at = np.zeros((*orders.shape, bots))
    np.put_along_axis(at, orders[..., None], 1.0, axis=2)
    wins = weights @ at[:, :-1].sum(axis=1) + PRIOR / 2
    drawn = PRIOR / max(1, bots - 1) * (1 - np.eye(bots))
    worth = np.ones((len(weights), bots))
    for _ in range(_MOST_STEPS):
        # of all those not placed yet, at each place but the last
        left = np.cumsum(worth[:, orders[:, ::-1]], axis=2)[..., :0:-1]
        shares = np.cumsum(weights[..., None] / left, axis=2)
        shares = np.concatenate([shares, shares[..., -1:]], axis=2)
        faced = shares.reshape(len(weights), -1) @ at.reshape(len(orders) * seats, bots)
        faced += (drawn / (worth[:, :, None] + worth[:, None])).sum(axis=2)
        better = wins / faced
        change = np.abs(np.log(better / worth)).max()
        worth = better
        if change < _PRECISION:
            break
    return np.log(worth)


def ratings(finishes: Finishes, zero: int, *, resamples: int = RESAMPLES, seed: int = 0) -> list[Interval]:
    """Return the rating of each bot, that of bot `zero` being 0, with its 95% bootstrap interval over deals."""
    places = np.argsort(finishes.points, axis=1, kind="stable")
    swapped = finishes.points.shape[1] - 1 - np.argsort(finishes.points[:, ::-1], axis=1, kind="stable")
    both = np.concatenate([np.take_along_axis(finishes.seated, order, axis=1) for order in (places, swapped)])
    orders, which = np.unique(both, axis=0, return_inverse=True)
    per_deal = np.zeros((finishes.deals, len(orders)))
    np.add.at(per_deal, (np.tile(finishes.deal, 2), which.reshape(-1)), 0.5)
    weights = np.concatenate([per_deal.sum(axis=0, keepdims=True), resampled(per_deal, resamples, seed)])
    found = SCALE * worths(orders, weights, finishes.bots)
    found -= found[:, zero : zero + 1]
    low, high = np.quantile(found[1:], [0.025, 0.975], axis=0)
    return [Interval(*map(float, numbers)) for numbers in zip(found[0], low, high, strict=True)]


def pairs_won(finishes: Finishes, *, resamples: int = RESAMPLES, seed: int = 0) -> list[list[Interval | None]]:
    """Return how often the row's bot left fewer points than the column's at one table (ties half); None = never met."""
    won = np.zeros((finishes.deals, finishes.bots, finishes.bots))
    met = np.zeros_like(won)
    for a in range(finishes.seated.shape[1]):
        for b in range(finishes.seated.shape[1]):
            at = (finishes.deal, finishes.seated[:, a], finishes.seated[:, b])
            fewer = np.sign(finishes.points[:, b] - finishes.points[:, a])
            np.add.at(won, at, (1 + fewer) / 2)
            np.add.at(met, at, 1)
    shares = _share(won.sum(axis=0), met.sum(axis=0))
    again = _share(*(resampled(x, resamples, seed) for x in (won, met)))
    low, high = np.nanquantile(np.where(met.sum(axis=0) > 0, again, 0), [0.025, 0.975], axis=0)
    cells = np.stack([shares, low, high], axis=2)
    others = met.sum(axis=0) * (1 - np.eye(finishes.bots)) > 0
    return [
        [Interval(*map(float, cell)) if other else None for cell, other in zip(*row, strict=True)]
        for row in zip(cells, others, strict=True)
    ]


def _share(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return part / whole


def gather(bots: int, tables: Sequence[tuple[Ints, Ints]]) -> Finishes:
    """Return the games of many tables: `seated` (seatings, seats) and `points` (deals, seatings, seats) of each."""
    seated, points, deal = [], [], []
    first = 0
    for seats, scored in tables:
        deals, copies, width = scored.shape
        seated.append(np.broadcast_to(seats, scored.shape).reshape(-1, width))
        points.append(scored.reshape(-1, width))
        deal.append(np.repeat(np.arange(first, first + deals), copies))
        first += deals
    return Finishes(bots, np.concatenate(seated), np.concatenate(points), np.concatenate(deal))
