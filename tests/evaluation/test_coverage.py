"""Intervals mean what they say: over many repeats of a match they hold the truth as often as they claim."""

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bot import Bot, make_bot
from mtrain_env.evaluation.matches import match
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
