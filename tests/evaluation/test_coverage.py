"""Intervals mean what they say: over many repeats of a match they hold the truth as often as they claim."""

from typing import Any

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bot import Bot, make_bot
from mtrain_env.evaluation.comparison import Versus
from mtrain_env.evaluation.deals import Deals
from mtrain_env.evaluation.matches import MatchResult, match, match_result, paired_difference, rotations
from mtrain_env.rules import Rules
from tests.evaluation.test_matches import OtherDice

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(JIT_DISABLED, reason="thousands of rounds are for compiled code"),
]
RULES = Rules.preset("core", num_players=3, max_pip=9, hand_size=8)
REPEATS = 200


def covered(bot: Bot, others: Bot, true: float) -> float:
    """Share of REPEATS matches, each of 60 deals of its own, whose interval holds the true difference."""
    found = [match(bot, others, RULES, 60, seed=2, first=60 * k).pips_difference for k in range(REPEATS)]
    return float(np.mean([true in interval for interval in found]))


def test_a_bot_against_itself_with_other_dice() -> None:
    assert 0.90 <= covered(OtherDice("easy"), make_bot("easy"), 0.0) <= 0.99


def test_a_difference_that_is_known_from_many_deals() -> None:
    medium, easy = make_bot("medium"), make_bot("easy")
    true = match(medium, easy, RULES, 10_000, seed=1).pips_difference
    assert true.high < 0 and true.high - true.low < 1
    assert 0.90 <= covered(medium, easy, true.mean) <= 0.99


def planted(
    a: float, b: float, names: tuple[str, str], deals: Deals, rng: np.random.Generator, cards: Any
) -> MatchResult:
    """A match of bots that leave `a` and `b` pips more than cards and (skewed) chance give to their seats."""
    seatings = np.array(rotations(deals.rules.num_players))
    chance = rng.gamma(1.0, 20.0, (deals.count, *seatings.shape))
    points = cards[:, None] + chance + np.where(seatings == 0, a, b)
    return match_result(names, deals, np.round(points).astype(np.int64), 1.0)


def test_planted_differences_in_every_kind_of_comparison() -> None:
    """A leaves 3 pips fewer than B and 5 fewer than C: among B's, both ways round, and A and C among the same B's."""
    rng, hits = np.random.default_rng(5), []
    for k in range(REPEATS):
        deals = Deals(RULES, 60, seed=3, first=60 * k)
        cards = rng.gamma(2.0, 15.0, (60, RULES.num_players))
        a = planted(-3, 0, ("a", "b"), deals, rng, cards)
        b = planted(0, -3, ("b", "a"), deals, rng, cards)
        c = planted(2, 0, ("c", "b"), deals, rng, cards)
        both = Versus(a, b)
        hits.append([-3 in a.pips_difference, -3 in both.pips_difference, -5 in paired_difference(a, c)])
    for share in np.mean(hits, axis=0):
        assert 0.90 <= share <= 0.99
