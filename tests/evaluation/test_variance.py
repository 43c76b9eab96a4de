"""Luck and skill against planted components, and by hand."""

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bot import make_bot
from mtrain_env.evaluation.matches import Values, match
from mtrain_env.evaluation.variance import Split, split
from mtrain_env.rules import Rules


def planted(luck: float, skill: float, rest: float, *, deals: int, seed: int, bots: int = 4, seats: int = 4) -> Split:
    """Results whose parts have these variances; the rest is skewed, as pips are."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(-1, 1, bots)
    strength *= np.sqrt(skill) / strength.std()
    cards = rng.normal(0, np.sqrt(luck), (deals, seats))
    own: list[Values] = [cards + one + np.sqrt(rest) * (rng.exponential(1, cards.shape) - 1) for one in strength]
    return split(own, resamples=300)


@pytest.mark.parametrize("parts", [(60, 10, 30), (90, 0, 10), (10, 60, 30), (0, 5, 95)])
@pytest.mark.parametrize("bots", [2, 5])
def test_planted_components_are_found(parts: tuple[float, float, float], bots: int) -> None:
    found = planted(*parts, deals=20_000, seed=1, bots=bots)
    assert found.deviation == pytest.approx(10, rel=0.02)
    for share, true in zip((found.luck, found.skill, found.rest), parts, strict=True):
        assert share.mean == pytest.approx(true / 100, abs=0.015)
        assert share.low <= share.mean <= share.high
    assert found.luck.mean + found.skill.mean + found.rest.mean == pytest.approx(1)


def test_few_deals_bring_no_bias() -> None:
    """With 10 deals the bots' means differ by chance alone as much as by a tenth of the planted luck."""
    found = [planted(60, 10, 30, deals=10, seed=seed) for seed in range(400)]
    variances = [[one.deviation**2 * part.mean for part in (one.luck, one.skill, one.rest)] for one in found]
    assert np.mean(variances, axis=0) == pytest.approx([60, 10, 30], rel=0.08)


def test_intervals_cover_the_planted_shares_as_often_as_they_say() -> None:
    found = [planted(60, 10, 30, deals=150, seed=seed) for seed in range(200)]
    for part, true in (("luck", 0.6), ("skill", 0.1), ("rest", 0.3)):
        assert 0.90 <= np.mean([true in getattr(one, part) for one in found]) <= 0.99, part


def test_equal_bots_differ_by_no_skill() -> None:
    found = [planted(50, 0, 50, deals=100, seed=seed) for seed in range(100)]
    assert np.mean([0 in one.skill for one in found]) > 0.9
    assert np.mean([one.skill.mean for one in found]) < 0.005


def test_by_hand() -> None:
    """Two bots, two deals, one seat: with the same cards the second always leaves 2 pips more, so nothing is left."""
    found = split([np.array([[0.0], [10.0]]), np.array([[2.0], [12.0]])])
    assert found.deviation == pytest.approx(np.sqrt(50 + 1))
    assert (found.luck.mean, found.skill.mean) == pytest.approx((50 / 51, 1 / 51))
    assert found.rest.mean == pytest.approx(0)


def test_no_spread_at_all() -> None:
    assert split([np.ones((3, 2)), np.ones((3, 2))]).deviation == 0


def test_bots_on_other_deals_cannot_be_split() -> None:
    for results in ([np.zeros((3, 2))], [np.zeros((3, 2)), np.zeros((4, 2))]):
        with pytest.raises(ValueError, match="two or more bots on the same deals"):
            split(results)


@pytest.mark.skipif(JIT_DISABLED, reason="thousands of rounds are for compiled code")
def test_in_play_the_same_bot_twice_is_luck_and_dice_are_rest() -> None:
    rules = Rules.preset("core", num_players=3, max_pip=9, hand_size=8)
    hard, medium, easy = (match(make_bot(name), make_bot("hard"), rules, 150).by_place for name in LEVELS)
    assert split([hard, hard]).luck.mean == pytest.approx(1)
    far, near = split([hard, easy]), split([hard, medium])
    assert far.skill.low > near.skill.mean > 0
    assert near.luck.mean > far.luck.mean and far.rest.mean > near.rest.mean


LEVELS = ("hard", "medium", "easy")
