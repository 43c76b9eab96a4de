"""Expert: legal and fair under every rule set, reproducible, and right in positions where hard is not."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bot import make_bot, view_of
from mtrain_env.bots.expert import MOST_DEALS, Expert, make
from mtrain_env.bots.rollout import ITS_VIEW, best_choices, cheapest, lead_lost, new_scratch, new_words, play_in_threads
from mtrain_env.engine import batch
from mtrain_env.engine.belief import WORK
from mtrain_env.engine.determinize import determinize
from mtrain_env.engine.rng import seed_words
from mtrain_env.engine.state import GAME_OVER, ROUND_OVER
from mtrain_env.errors import BotError
from mtrain_env.evaluation.matches import match
from mtrain_env.rules import Rules
from tests.bots.tables import Table, chosen_index, every_rules, legal_ids, level, words
from tests.bots.test_levels import rules_id

many_rollouts = pytest.mark.skipif(JIT_DISABLED, reason="thousands of rollouts are for compiled code")


@many_rollouts
@pytest.mark.parametrize("rules", every_rules(), ids=rules_id)
def test_moves_are_legal_and_depend_only_on_what_the_seat_knows(rules: Rules) -> None:
    """One round; at every third choice hidden tiles are blanked and dealt anew, and the move is the same."""
    games = batch.new_games(rules, [7])
    batch.deal(games, 0, -1, -1)
    expert, hard = level("expert:4:gate=0"), level("hard")
    redealt, work, rng = np.zeros_like(games), np.zeros(1, WORK), seed_words(2)
    decision = 0
    while games[0]["phase"] not in (ROUND_OVER, GAME_OVER):
        ids, seat = legal_ids(games), int(games[0]["seat"])
        k = chosen_index(hard, games, words(games)) if len(ids) > 1 else 0
        if len(ids) > 1 and decision % 3 == 0:
            before = games.tobytes()
            k = chosen_index(expert, games, words(games, decision))
            assert games.tobytes() == before, "the bot changed the game"
            assert 0 <= k < len(ids)
            seen = view_of(games, 0, seat, np.array(ids, np.int16)).game
            assert chosen_index(expert, seen, words(games, decision)) == k
            determinize(games, 0, seat, redealt, 0, work, rng)
            assert chosen_index(expert, redealt, words(games, decision)) == k
        batch.step(games, 0, ids[k], 255)
        decision += 1


def many_positions(rules: Rules, count: int) -> tuple[np.ndarray, list[list[int]]]:
    """Positions with a choice, after more and more actions of hard."""
    games = batch.new_games(rules, list(range(count)))
    hard, found = level("hard"), []
    for i in range(count):
        batch.deal(games, i, -1, -1)
        one = games[i : i + 1]
        for _ in range(6 * i):
            if len(ids := legal_ids(one)) == 0:
                break
            batch.step(one, 0, ids[chosen_index(hard, one, words(one))], 255)
        while len(ids := legal_ids(one)) == 1:
            batch.step(one, 0, ids[0], 255)
        found.append(ids)
    return games, found


def choices_of(bot: Expert, games: np.ndarray, found: list[list[int]], which: list[int], seed: int = 3) -> list[int]:
    """What the bot chooses in the games `which`, all in one call."""
    counts = np.array([len(ids) for ids in found], np.int32)
    actions = np.zeros((len(found), max(counts)), np.int16)
    for row, ids in zip(actions, found, strict=True):
        row[: len(ids)] = ids
    out = np.full(len(found), -1, np.int64)
    bot.choose(games, np.array(which), actions, counts, words(games, seed), out)
    assert all(out[g] == -1 for g in range(len(found)) if g not in which)
    return [int(out[g]) for g in which]


@many_rollouts
@pytest.mark.parametrize("preset", ["core", "deluxe"])
def test_a_move_depends_on_the_seed_and_neither_on_the_batch_nor_on_the_threads(preset: str) -> None:
    games, found = many_positions(Rules.preset(preset), 8)
    which = [g for g in range(8) if len(found[g]) > 1]
    together = choices_of(make("20:gate=0"), games, found, which)
    assert choices_of(make("20:gate=0"), games, found, which) == together
    assert choices_of(make("20:gate=0:threads=3"), games, found, which) == together
    for g in reversed(which):
        assert choices_of(make("20:gate=0"), games, found, [g]) == [together[which.index(g)]]
    others = [choices_of(make("3:gate=0"), games, found, which, seed) for seed in range(5)]
    assert any(other != together for other in others)


def test_plain_python_plays_the_same() -> None:
    other_mode = os.environ | {"NUMBA_DISABLE_JIT": "0" if JIT_DISABLED else "1"}
    command = "from tests.bots.test_expert import *; print(*small_round())"
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", command], env=other_mode, cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == list(map(str, small_round()))


def small_round() -> list[int]:
    """What expert plays in a small round."""
    rules = Rules.preset("core", num_players=2, max_pip=6, hand_size=5)
    games, bot, played = batch.new_games(rules, [4]), level("expert:2:candidates=2:gate=0"), []
    batch.deal(games, 0, -1, -1)
    rngs = words(games)
    while ids := legal_ids(games):
        played.append(ids[chosen_index(bot, games, rngs) if len(ids) > 1 else 0])
        batch.step(games, 0, played[-1], 255)
    return played


@many_rollouts
def test_a_time_limit_is_kept_and_ends_in_a_legal_move() -> None:
    games, found = many_positions(Rules.preset("core"), 3)
    bot = make("ms=30")
    for g in range(3):
        assert 0 <= choices_of(bot, games, found, [g])[0] < len(found[g])
    assert choices_of(make("ms=5:threads=2"), games, found, [0]) != [-1]
    assert choices_of(bot, games, found, []) == []


def test_candidates_are_the_cheapest_in_order_the_first_of_equals_before() -> None:
    out = np.zeros(4, np.int64)
    assert cheapest(np.array([5, 1, 7, 1, -2]), 5, out) == 4
    assert list(out) == [4, 1, 3, 0]
    assert cheapest(np.array([5, 1, 0]), 2, out) == 2
    assert list(out[:2]) == [1, 0]


def test_the_first_candidate_is_what_hard_plays() -> None:
    games, found = many_positions(Rules.preset("deluxe", num_players=3), 6)
    for g in range(6):
        one, ids = games[g : g + 1], found[g]
        if len(ids) > 1:
            assert chosen_index(make("2:candidates=1"), one, words(one)) == chosen_index(level("hard"), one, words(one))


def test_the_gate_leaves_the_first_choice_only_for_a_clear_gain() -> None:
    """Differences over 4 deals: -1 and +1 alternating plus a mean; the standard error of the mean is 0.577."""
    deals = 4
    sums = np.array([[[0, 0], [4 * mean, 4 * (1 + mean**2)]] for mean in (-1, -2, 2)])
    assert list(best_choices(sums, deals, 2.0)) == [0, 1, 0]
    assert list(best_choices(sums, deals, 1.0)) == [1, 1, 0]
    assert list(best_choices(sums, deals, 0.0)) == [1, 1, 0]
    several = np.array([[[0, 0], [-400, 40400], [-800, 640000], [-300, 900]]])
    assert list(best_choices(several, 100, 2.0)) == [1] and list(best_choices(several, 100, 0.0)) == [2]


@many_rollouts
def test_the_sums_are_what_plain_rollouts_give() -> None:
    """All choices on the same deals, each to the round's end by hard, against a plain loop."""
    table = Table("core", 12, "3-12 0-12 3-5 0-9 | 1-12 1-1 1-2 2-4 | 4-12 4-4 5-5 6-6")
    games, ids = table.games, legal_ids(table.games)
    actions, which = np.array([ids], np.int16), np.zeros(1, np.int64)
    choices, used = np.arange(len(ids))[None], np.array([len(ids)])
    words_of_deals = new_words(games, which, words(games), 6)
    sums = play_in_threads(1, ITS_VIEW, games, which, actions, choices, used, words_of_deals)
    expected = np.zeros((len(ids), 2), np.int64)
    world, hard = np.zeros_like(games), level("hard")
    for d in range(6):
        determinize(games, 0, 0, world, 0, np.zeros(1, WORK), words_of_deals[0, d].copy())
        lost = []
        for action in ids:
            game = world.copy()
            batch.step(game, 0, action, 255)
            while legal := legal_ids(game):
                batch.step(game, 0, legal[chosen_index(hard, game, words(game))], 255)
            pips = game[0]["pips"][:3].astype(int)
            lost.append(3 * pips[0] - pips.sum())
            assert lead_lost(game[0], 0) == lost[-1]
        for c, value in enumerate(lost):
            expected[c] += (value - lost[0], (value - lost[0]) ** 2)
    assert np.array_equal(sums[0], expected) and expected.any()
    assert len(new_scratch(50).actions) == 50


def test_names_say_what_can_change_a_move() -> None:
    assert make_bot("expert").name == "expert" and make_bot("expert").fair
    assert make("400").name == make("rollouts=400").name == "expert:400"
    assert make("gate=0:400:candidates=6:threads=2").name == "expert:400:candidates=6:gate=0"
    assert make("ms=50").options.ms == 50 and make("ms=50").name == "expert:ms=50"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("expert:many", "'expert' has no option 'many'; write expert:NAME=VALUE, usual are rollouts=100, candidates=4"),
        ("expert:gates=2", "'expert' has no option 'gates=2'"),
        ("expert:candidates=2.5", "'expert' has no option 'candidates=2.5'"),
        ("expert:1", f"'expert' needs 2 to {MOST_DEALS:,} rollouts"),
        ("expert:candidates=0", "1 or more candidates"),
        ("expert:gate=-1", "a gate and ms of 0 or more"),
        ("expert:ms=nan", "a gate and ms of 0 or more"),
        ("expert:", "'expert:' lacks its ROLLOUTS"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(name: str, part: str) -> None:
    with pytest.raises(BotError) as error:
        make_bot(name)
    assert part in str(error.value) and str(error.value).endswith(".")


@many_rollouts
def test_plays_a_double_with_its_partner() -> None:
    table = Table("core", 12, "5-12 5-5 5-7 0-12 | 1-12 2-2 3-3 4-4").play("5-12 > P0", "1-12 > M")
    assert table.turn("expert") == ["5-5 > P0", "5-7 > P0"]


@many_rollouts
@pytest.mark.slow
def test_expert_beats_hard() -> None:
    """With 4 players hard is some pips worse."""
    result = match(make("100"), make_bot("hard"), Rules.preset("core"), 400, seed=21)
    assert result.pips_difference.high < 0
