"""What every seat is paid equals the score table of the game's record, in every environment."""

import itertools
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils import wrappers  # type: ignore[import-untyped]

from mtrain_env.envs import GYMNASIUM_ID, mexican_train_v0
from mtrain_env.envs.base import Settings, Tables
from mtrain_env.envs.single import MexicanTrainEnv
from mtrain_env.envs.vector import MexicanTrainVectorEnv
from mtrain_env.rules import Rules
from tests.envs.players import SHORT, Picker, pick, play_aec, play_record, short_env, worth

KINDS = ("pips", "relative", "win")
GAMES = (("core", 1), ("pagat", 2), ("dominoplay-chosen", 3), ("deluxe", 4))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("preset", "seed"), GAMES)
def test_r23_r24_rewards_are_the_score_table_of_the_record(kind: Any, preset: str, seed: int) -> None:
    rules = Rules.preset(preset, num_rounds=2)
    game = play_record(rules, seed)
    want = pytest.approx(worth(kind, game), abs=1e-9)
    assert kind == "win" or min(worth(kind, game)) < 0, "there must be a loss to deliver"
    for skip_forced, mask_in in itertools.product((False, True), ("observation", "infos")):
        env = mexican_train_v0.env(rules, reward=kind, skip_forced=skip_forced, mask_in=mask_in)  # type: ignore[arg-type]
        assert play_aec(env, seed) == want
        assert env.tables.games.tobytes() == game.games.tobytes()
    wrapped: Any = mexican_train_v0.raw_env(rules, reward=kind)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    assert play_aec(wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped)), seed) == want
    assert play_parallel(rules, kind, seed) == want
    assert play_vector(rules, kind, seed) == want
    for seat in range(rules.num_players):
        assert play_single(rules, kind, seed, seat) == pytest.approx(worth(kind, game)[seat], abs=1e-9)
        assert play_learners(rules, kind, seed, seat) == pytest.approx(worth(kind, game)[seat], abs=1e-9)


def play_parallel(rules: Rules, kind: Any, seed: int) -> list[float]:
    env = mexican_train_v0.parallel_env(rules, reward=kind)
    observations, _ = env.reset(seed=seed)
    earned = dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        legal = np.flatnonzero(observations[env.to_move]["action_mask"])
        action = legal[pick(env._table.tables.games[0], legal)]
        observations, rewards, *_ = env.step({env.to_move: action})
        for agent, reward in rewards.items():
            earned[agent] += reward
    return list(earned.values())


def play_vector(rules: Rules, kind: Any, seed: int) -> list[float]:
    """The second of three games, by all seats' rewards; and each seat's own rewards must be among them."""
    env = MexicanTrainVectorEnv(3, rules=rules, reward=kind)
    _, infos = env.reset(seed=seed - 1)
    earned = np.zeros(rules.num_players)
    while True:
        legal = [np.flatnonzero(mask) for mask in infos["action_mask"]]
        movers = infos["seat"]
        actions = np.array([ids[pick(env.tables.games[g], ids)] for g, ids in enumerate(legal)])
        _, rewards, terminated, _, infos = env.step(actions)
        assert rewards.tolist() == [infos["rewards"][g, movers[g]] for g in range(3)]
        earned += infos["rewards"][1]
        if terminated[1]:
            return list(earned)


def play_single(rules: Rules, kind: Any, seed: int, seat: int) -> float:
    env: Any = gymnasium.make(GYMNASIUM_ID, opponents=Picker(), rules=rules, reward=kind, seat=seat)
    _, info = env.reset(seed=seed)
    earned, over = 0.0, False
    while not over:
        legal = np.flatnonzero(info["action_mask"])
        _, reward, over, _, info = env.step(legal[pick(env.unwrapped.tables.games[0], legal)])
        earned += reward
    return earned


def play_learners(rules: Rules, kind: Any, seed: int, seat: int) -> float:
    env = MexicanTrainVectorEnv(2, Picker(), rules, reward=kind, seat=seat, skip_forced=True)
    _, infos = env.reset(seed=seed)
    earned = 0.0
    while True:
        legal = [np.flatnonzero(mask) for mask in infos["action_mask"]]
        actions = np.array([ids[pick(env.tables.games[g], ids)] for g, ids in enumerate(legal)])
        _, rewards, terminated, _, infos = env.step(actions)
        earned += rewards[0]
        if terminated[0]:
            return float(earned)


@pytest.mark.parametrize("kind", KINDS)
def test_an_episode_of_one_round_is_paid_once_by_its_pips(kind: Any) -> None:
    for seed in range(6):
        env = mexican_train_v0.env("core", episode="round", reward=kind)
        earned = play_aec(env, seed)
        pips = [int(p) for p in env.tables.games[0]["pips"][:4]]
        best = [seat for seat in range(4) if pips[seat] == min(pips)]
        want = {
            "pips": [-own / 100 for own in pips],
            "relative": [((sum(pips) - own) / 3 - own) / 100 for own in pips],
            "win": [1 / len(best) if seat in best else 0.0 for seat in range(4)],
        }[kind]
        assert earned == pytest.approx(want, abs=1e-9)
        assert sum(map(bool, env.tables.games["totals"][0])) <= 4 and int(env.tables.games[0]["round"]) == 1


def test_an_episode_of_one_round_has_any_opening_double_and_any_starter() -> None:
    env = mexican_train_v0.env("core", episode="round")
    seen = []
    for seed in range(300):
        env.reset(seed=seed)
        seen.append((int(env.tables.games[0]["opening"]), int(env.tables.games[0]["starter"])))
    openings, starters = zip(*seen, strict=True)
    assert set(openings) == set(range(13)) and set(starters) == set(range(4))
    assert max(openings.count(k) for k in range(13)) < 50 and max(starters.count(k) for k in range(4)) < 110


@pytest.mark.parametrize("preset", ["core", "pagat", "deluxe-random", "dominoplay-chosen"])
def test_options_fix_the_opening_double_and_the_starter(preset: str) -> None:
    env = mexican_train_v0.env(preset, episode="round")
    options = {"opening": 7, "starter": 2}
    for seed in range(5):
        env.reset(seed=seed, options=options)
        state = env.tables.games[0]
        assert int(state["opening"]) == 7
        fixed = "starter" if env.rules.opening_source == "set_out" else "hunting_seat"
        assert int(state[fixed]) == 2
    assert options == {"opening": 7, "starter": 2}
    openings = set()
    for seed in range(20):  # an option holds for one reset
        env.reset(seed=seed)
        openings.add(int(env.tables.games[0]["opening"]))
    assert len(openings) > 4


def test_skip_forced_asks_only_where_there_is_a_choice_and_plays_the_same_games() -> None:
    env = short_env(skip_forced=True)
    env.reset(seed=1)
    for agent in env.agent_iter():
        if env.terminations[agent]:
            break
        assert env.observe(agent)["action_mask"].sum() > 1
        env.step(env.tables.actions[0, 0])


def test_rewards_of_rounds_that_pass_without_a_decision_are_kept() -> None:
    tiny = {"name": "custom", "num_players": 2, "max_pip": 3, "hand_size": 2}
    rules = Rules.preset("core", **tiny, num_rounds=4, mexican_train="never")
    paid = 0
    for seed in range(60):
        tables = Tables(Settings(rules, reward="pips", skip_forced=True), 1)
        tables.seed([seed])
        tables.begin(tables.everyone)
        if not tables.due.any():
            continue
        paid += 1
        env = mexican_train_v0.env(rules, reward="pips", skip_forced=True)
        want = pytest.approx(worth("pips", play_record(rules, seed)))
        assert play_aec(env, seed) == want
        assert play_parallel(rules, "pips", seed) == want
    assert paid > 0


def test_the_shortest_games_end_in_every_environment() -> None:
    rules = Rules.preset("core", name="custom", num_players=2, max_pip=3, hand_size=2, num_rounds=1)
    env = MexicanTrainEnv(Picker(), rules, skip_forced=True)
    for seed in range(30):
        _, info = env.reset(seed=seed)
        assert info["action_mask"].any()
        over = False
        while not over:
            _, _, over, _, info = env.step(np.flatnonzero(info["action_mask"])[0])
    many = MexicanTrainVectorEnv(16, rules=rules, skip_forced=True)
    _, infos = many.reset(seed=1)
    for _ in range(50):
        assert infos["action_mask"].any(axis=1).all()
        _, _, _, _, infos = many.step(infos["action_mask"].argmax(axis=1))


def test_short_games_are_short() -> None:
    assert short_env().rules.rounds_in_game == SHORT["num_rounds"]
