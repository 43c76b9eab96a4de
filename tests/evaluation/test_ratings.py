"""Plackett-Luce against planted strengths, and pairs by hand."""

import numpy as np
import pytest

from mtrain_env.evaluation.ratings import SCALE, Finishes, Ints, gather, pairs_won, ratings, worths


def simulated(worth: list[float], deals: int, seats: int, seed: int) -> Finishes:
    """Tables of bots with these worths: times to finish are exponential, so that orders are as the model says."""
    rng = np.random.default_rng(seed)
    seated = np.array([rng.permutation(len(worth))[:seats] for _ in range(deals)])
    times = rng.exponential(1 / np.array(worth)[seated])
    points: Ints = np.argsort(np.argsort(times, axis=1), axis=1)
    return Finishes(len(worth), seated, points, np.arange(deals))


@pytest.mark.parametrize("seats", [2, 4])
def test_planted_strengths_are_recovered(seats: int) -> None:
    worth = [1.0, 0.5, 2.0, 4.0, 1.0]
    true = SCALE * np.log(worth)
    found = ratings(simulated(worth, 3000, seats, 1), 0)
    assert found[0].mean == found[0].low == found[0].high == 0
    for rating, expected in zip(found[1:], true[1:], strict=True):
        assert rating.low < expected < rating.high
        assert rating.high - rating.low < 80


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    worth = [1.0, 0.6, 1.5]
    true = SCALE * np.log(worth)
    found = [ratings(simulated(worth, 150, 3, seed), 0, seed=seed) for seed in range(60)]
    hits = [row[k].low < true[k] < row[k].high for row in found for k in (1, 2)]
    assert 0.88 < np.mean(hits) <= 1


def test_two_bots_are_rated_by_their_share() -> None:
    """75 wins of 100 mean three times the worth, but for the draw with the bot that is not there."""
    orders = np.array([[0, 1], [1, 0]])
    found = worths(orders, np.array([[75.0, 25.0], [7500.0, 2500.0]]), 2)
    assert np.diff(found)[0, 0] == pytest.approx(-np.log(3), abs=0.05)
    assert np.diff(found)[1, 0] == pytest.approx(-np.log(3), abs=0.001)


def test_a_tie_counts_half_in_either_order() -> None:
    always_tied = Finishes(2, np.tile([0, 1], (50, 1)), np.zeros((50, 2), np.int64), np.arange(50))
    assert [rating.mean for rating in ratings(always_tied, 0)] == pytest.approx([0, 0])
    (cell,) = [cell for cell in pairs_won(always_tied)[0] if cell]
    assert (cell.mean, cell.low, cell.high) == (0.5, 0.5, 0.5)


def test_who_always_loses_has_a_finite_rating_that_falls_with_the_games() -> None:
    found = []
    for games in (10, 1000):
        lost = Finishes(2, np.tile([0, 1], (games, 1)), np.tile([0, 9], (games, 1)), np.arange(games))
        found.append(ratings(lost, 0)[1].mean)
    assert -1500 < found[1] < found[0] < -200


def test_pairs_by_hand() -> None:
    """Two deals, two seatings each; bots 0 and 1 twice at one table with bot 2, which never met bot 3."""
    seated = np.array([[0, 1, 2], [1, 2, 0]])
    points = np.array([[[0, 5, 9], [5, 9, 0]], [[7, 3, 7], [4, 4, 8]]])
    finishes = gather(4, [(seated, points)])
    assert finishes.deals == 2 and list(finishes.deal) == [0, 0, 1, 1]
    pairs = pairs_won(finishes)
    shares = [[cell.mean if cell else None for cell in row] for row in pairs]
    assert shares[0] == [None, 0.5, 0.625, None]
    assert shares[1] == [None if k == 1 else share for k, share in enumerate([0.5, None, 0.875, None])]
    assert shares[3] == [None] * 4
    cell = pairs[0][1]
    assert cell is not None and (cell.low, cell.high) == (0.0, 1.0)


def test_a_bot_twice_at_a_table_is_not_compared_with_itself() -> None:
    finishes = Finishes(2, np.array([[0, 1, 0]] * 20), np.array([[0, 5, 9]] * 20), np.arange(20))
    pairs = pairs_won(finishes)
    assert pairs[0][0] is None and pairs[0][1] is not None and pairs[0][1].mean == 0.5
    assert abs(ratings(finishes, 0)[1].mean) < 100
