"""Oracles: unfair, and far better than anybody who sees only the own hand."""

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bot import make_bot
from mtrain_env.bots.oracle import make
from mtrain_env.bots.rollout import ALL_HANDS, EVERYTHING, draw_world, look, new_scratch
from mtrain_env.engine import batch
from mtrain_env.engine.state import GAME_OVER, ROUND_OVER
from mtrain_env.errors import BotError
from mtrain_env.evaluation.matches import match
from mtrain_env.rules import Rules
from tests.bots.tables import chosen_index, every_rules, legal_ids, level, words
from tests.bots.test_levels import rules_id

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="thousands of rollouts are for compiled code")
HARD = make_bot("hard")


@pytest.mark.parametrize("rules", every_rules()[::2], ids=rules_id)
def test_moves_are_legal(rules: Rules) -> None:
    games = batch.new_games(rules, [3])
    batch.deal(games, 0, -1, -1)
    bots = [level("oracle"), level("oracle:hands:2")]
    decision = 0
    while games[0]["phase"] not in (ROUND_OVER, GAME_OVER):
        ids = legal_ids(games)
        k = chosen_index(bots[decision % 2], games, words(games, decision))
        assert 0 <= k < len(ids)
        batch.step(games, 0, ids[k], 255)
        decision += 1


def test_what_an_oracle_sees() -> None:
    """Everything; or all hands, and the boneyard in another order."""
    games = batch.new_games(Rules.preset("core"), [1])
    batch.deal(games, 0, 12, 0)
    scratch = new_scratch(int(games[0]["num_actions"]))
    scratch.rng[:] = 1
    look(EVERYTHING, games, 0, scratch)
    draw_world(EVERYTHING, scratch)
    assert scratch.world.tobytes() == games.tobytes()
    look(ALL_HANDS, games, 0, scratch)
    draw_world(ALL_HANDS, scratch)
    found, true = scratch.world[0], games[0]
    first = int(true["deck_next"])
    assert np.array_equal(found["hand"], true["hand"]) and np.array_equal(found["deck"][:first], true["deck"][:first])
    assert sorted(found["deck"][first:]) == sorted(true["deck"][first:])
    assert not np.array_equal(found["deck"], true["deck"]) and not np.array_equal(found["rng"], true["rng"])


def test_the_more_it_sees_the_stronger_it_is() -> None:
    sees_all = match(make(), HARD, Rules.preset("core"), 40)
    sees_hands = match(make("hands"), HARD, Rules.preset("core"), 40)
    assert sees_all.pips_difference.high < sees_hands.pips_difference.low < -5
    assert sees_all.rounds_won.low > 0.5


def test_names_and_fairness() -> None:
    assert [make_bot(name).name for name in ("oracle", "oracle:hands", "oracle:hands:20", "oracle:candidates=9")] == [
        "oracle",
        "oracle:hands",
        "oracle:hands:20",
        "oracle:candidates=9",
    ]
    assert not make().fair and not make("hands").fair


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("oracle:eyes", "'oracle' has no option 'eyes'"),
        ("oracle:40", "takes neither rollouts nor ms"),
        ("oracle:ms=5", "takes neither rollouts nor ms"),
        ("oracle:hands:x", "'oracle:hands' has no option 'x'"),
    ],
)
def test_wrong_options_are_refused(name: str, part: str) -> None:
    with pytest.raises(BotError) as error:
        make_bot(name)
    assert part in str(error.value)
