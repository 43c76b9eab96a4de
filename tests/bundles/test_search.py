"""`search:BUNDLE`: legal and fair, reproducible, and a look-ahead to the own next turn."""

from pathlib import Path

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bot import Games, Ints, make_bot, view_of
from mtrain_env.bots.bundle import load_bundle
from mtrain_env.bots.learned import make as learned
from mtrain_env.bots.learned import network_of
from mtrain_env.bots.networks import Floats
from mtrain_env.bots.rollout import ITS_VIEW, LIKELY, draw_world, lead_lost, look, new_scratch
from mtrain_env.bots.search import judge_of, look_ahead, make, play_to_next_turn
from mtrain_env.engine import batch
from mtrain_env.engine.belief import WORK
from mtrain_env.engine.determinize import determinize
from mtrain_env.engine.rng import seed_words
from mtrain_env.engine.state import GAME_OVER, ROUND_OVER
from mtrain_env.errors import BotError, BundleError
from mtrain_env.rules import Rules
from tests.bots.tables import chosen_index, legal_ids, words
from tests.bots.test_levels import rules_id

many_rollouts = pytest.mark.skipif(JIT_DISABLED, reason="thousands of rollouts are for compiled code")
RULES = [Rules.preset(preset, num_players=n) for preset in ("core", "deluxe", "pagat", "dominoplay") for n in (2, 4)]
RULES.append(Rules.preset("dominoplay-chosen"))


@many_rollouts
@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_moves_are_legal_and_depend_only_on_what_the_seat_knows(rules: Rules, bundle: Path) -> None:
    games = batch.new_games(rules, [7])
    batch.deal(games, 0, -1, -1)
    bot, policy = make(f"{bundle}:4:gate=0:candidates=3"), learned(bundle)
    redealt, work, rng = np.zeros_like(games), np.zeros(1, WORK), seed_words(2)
    decision = 0
    while games[0]["phase"] not in (ROUND_OVER, GAME_OVER):
        ids, seat = legal_ids(games), int(games[0]["seat"])
        k = chosen_index(policy, games, words(games)) if len(ids) > 1 else 0
        if len(ids) > 1 and decision % 5 == 0:
            before = games.tobytes()
            k = chosen_index(bot, games, words(games, decision))
            assert games.tobytes() == before, "the bot changed the game"
            assert 0 <= k < len(ids)
            assert chosen_index(bot, view_of(games, 0, seat, np.array(ids)).game, words(games, decision)) == k
            determinize(games, 0, seat, redealt, 0, work, rng)
            assert chosen_index(bot, redealt, words(games, decision)) == k
        batch.step(games, 0, ids[k], 255)
        decision += 1


def test_without_other_candidates_it_is_the_policy(bundle: Path) -> None:
    games = batch.new_games(Rules.preset("core"), [1])
    batch.deal(games, 0, 12, 0)
    one = make(f"{bundle}:2:candidates=1")
    assert chosen_index(one, games, words(games)) == chosen_index(learned(bundle), games, words(games))


@many_rollouts
def test_a_leaf_is_a_choice_of_the_seat_in_a_later_turn_or_the_end() -> None:
    games = batch.new_games(Rules.preset("core", num_players=3), list(range(30)))
    scratch = new_scratch(int(games[0]["num_actions"]))
    actions, ends = np.zeros_like(scratch.actions), 0
    scratch.rng[:] = 5
    for i in range(30):
        batch.deal(games, i, -1, -1)
        for _ in range(3 * i):
            if ids := legal_ids(games, i):
                batch.step(games, i, ids[-1], 255)
        if not legal_ids(games, i):
            continue
        look(ITS_VIEW, games, i, scratch)
        draw_world(ITS_VIEW, scratch)
        world, seat = scratch.world.copy(), int(games[i]["seat"])
        count = play_to_next_turn(world[0], seat, actions, scratch)
        assert list(actions[:count]) == legal_ids(world)
        if count == 0:
            ends += 1
            pips = world[0]["pips"][:3].astype(int)
            assert lead_lost(world[0], seat) == 3 * pips[seat] - pips.sum()
        else:
            assert count > 1 and world[0]["seat"] == seat
            assert world[0]["laid_count"] + world[0]["gains"] > games[i]["laid_count"] + games[i]["gains"]
    assert 0 < ends < 30


@many_rollouts
def test_a_seed_reproduces_its_move_and_a_time_limit_ends_it(bundle: Path) -> None:
    games = batch.new_games(Rules.preset("core"), [1])
    batch.deal(games, 0, 12, 0)
    bot = make(f"{bundle}:30:gate=0")
    assert chosen_index(bot, games, words(games, 4)) == chosen_index(bot, games, words(games, 4))
    assert 0 <= chosen_index(make(f"{bundle}:ms=20"), games, words(games)) < len(legal_ids(games))


def test_names_and_refusals(bundle: Path) -> None:
    assert make_bot(f"search:{bundle}").name == "search:small-1"
    assert make_bot(f"search:{bundle}:20:gate=0").name == "search:small-1:20:gate=0"
    with pytest.raises(BotError, match="in one thread"):
        make_bot(f"search:{bundle}:threads=2")
    with pytest.raises(BotError, match="looks 1 or more turns ahead, not 0"):
        make_bot(f"search:{bundle}:turns=0")
    with pytest.raises(BotError, match="has no option 'x=1'"):
        make_bot(f"search:{bundle}:x=1")
    with pytest.raises(BotError, match="lacks its PATH"):
        make_bot("search:")
    with pytest.raises(BundleError, match="no such folder"):
        make_bot("search:nowhere")


@many_rollouts
def test_turns_are_looked_ahead_up_to_the_end_of_the_round(bundle: Path) -> None:
    games = batch.new_games(Rules.preset("core", num_players=3), [1])
    batch.deal(games, 0, 12, 0)
    scratch, ids, judged = new_scratch(int(games[0]["num_actions"])), np.array(legal_ids(games), np.int16), []
    network = judge_of(network_of(load_bundle(bundle), "numpy"), 300)

    def judge(leaves: Games, which: Ints, actions: Ints, counts: Ints) -> tuple[Floats, Floats]:
        assert (leaves["seat"][which] == games["seat"][0]).all() and (counts[which] > 1).all()
        judged.append(leaves["laid_count"][which].mean())
        return network(leaves, which, actions, counts)

    words = seed_words(3)[None, None, :].repeat(4, axis=1)
    words[0, :, 0] += np.arange(4, dtype=np.uint64)
    for turns in (1, 3):
        judged.clear()
        look_ahead(judge, [games], [ids], [np.arange(2)], words, scratch, turns, LIKELY)
        assert len(judged) == turns and sorted(set(judged)) == judged
    (lost,) = look_ahead(judge, [games], [ids], [np.arange(2)], words, scratch, 1000, LIKELY)
    np.testing.assert_allclose(2 * lost, np.round(2 * lost), atol=1e-9)  # pips, not forecasts
    assert lost.std() > 1
