"""Positions can be copied, pickled and saved in mid-game, and one seed is one game everywhere."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mtrain_env.envs.aec import RawMexicanTrain
from mtrain_env.envs.base import EnvOptionError
from mtrain_env.envs.single import MexicanTrainEnv
from mtrain_env.envs.vector import MexicanTrainVectorEnv
from mtrain_env.game import Game
from mtrain_env.rules import Rules
from tests.envs.players import SHORT, Picker, midway, pick, play_aec, short_env

COPIES: dict[str, Callable[[RawMexicanTrain], RawMexicanTrain]] = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "bytes": lambda env: env.from_bytes(env.to_bytes()),
}


def outlook(env: RawMexicanTrain) -> Any:
    """Everything that an environment shows, as plain values."""
    seen = {agent: env.observe(agent) for agent in env.possible_agents}
    plain = {
        agent: (one["observation"].tobytes(), one["action_mask"].tobytes()) if isinstance(one, dict) else one.tobytes()
        for agent, one in seen.items()
    }
    infos = {agent: {key: value.tobytes() for key, value in info.items()} for agent, info in env.infos.items()}
    sums = (env.rewards, env._cumulative_rewards, env.terminations, env.truncations)
    return plain, infos, sums, env.agents, env.agent_selection


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("mask_in", ["observation", "infos"])
@pytest.mark.parametrize("steps", [0, 40, 90])
def test_a_copy_in_mid_game_goes_on_by_itself_in_the_same_way(way: str, mask_in: str, steps: int) -> None:
    env = short_env("deluxe", mask_in=mask_in)
    midway(env, 3, steps)
    twin = COPIES[way](env)
    assert outlook(twin) == outlook(env)
    before = outlook(env)
    ahead = []
    for one in (twin, env):
        seen: list[Any] = []
        for _ in one.agent_iter():
            over = one.last()[2]
            legal = one.tables.actions[0, : one.tables.counts[0]]
            one.step(None if over else legal[pick(one.tables.games[0], legal)])
            if one.agents:
                seen.append(outlook(one))
        ahead.append(seen)
        if one is twin:
            assert outlook(env) == before
    assert ahead[0] == ahead[1] and len(ahead[0]) > 20


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_before_reset_and_one_after_the_end(way: str) -> None:
    env = short_env(illegal="terminate")
    COPIES[way](env).reset(seed=1)
    midway(env, 1, 10)
    env.step(env.tables.act.wait)  # illegal: the episode is over
    twin = COPIES[way](env)
    assert outlook(twin) == outlook(env) and all(twin.terminations.values())
    env.step(None)
    twin = COPIES[way](env)
    assert len(twin.agents) == 3 and outlook(twin) == outlook(env)


def test_bytes_that_are_no_state_are_refused_in_a_sentence() -> None:
    env = short_env()
    env.reset(seed=1)
    for data, reason in (
        (b"", "no state of an environment"),
        (b'{"format":"other"}\n', "no state of an environment"),
        (env.to_bytes()[:-1], "written by another version, or is damaged"),
    ):
        with pytest.raises(EnvOptionError, match=reason):
            RawMexicanTrain.from_bytes(data)


def test_the_environment_for_one_learner_can_be_copied_too() -> None:
    env = MexicanTrainEnv(Picker(), {"preset": "core", **SHORT})
    env.reset(seed=3)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for one in (env, *twins):
        for _ in range(20):
            one.step(np.flatnonzero(one.action_masks())[0])
    assert len({one.tables.games.tobytes() for one in (env, *twins)}) == 1


def picks(env: MexicanTrainVectorEnv) -> NDArray[np.int64]:
    """The actions of `pick` in every game."""
    tables = env.tables
    legal = [tables.actions[g, : tables.counts[g]] for g in range(env.num_envs)]
    return np.array([ids[pick(tables.games[g], ids)] for g, ids in enumerate(legal)], np.int64)


@pytest.mark.parametrize("preset", ["core", "pagat", "deluxe"])
def test_a_seed_is_one_game_in_every_environment_and_batch(preset: str) -> None:
    rules = Rules.preset(preset)
    seed, steps = 11, 60
    game = Game(rules, seed)
    for _ in range(steps):
        legal = game.legal_ids()
        game.act(legal[pick(game.state, legal)])
    assert not game.round_over
    want = game.games.tobytes()
    env = RawMexicanTrain(rules)
    midway(env, seed, steps)
    assert env.tables.games.tobytes() == want
    for count, first in ((1, seed), (7, seed - 3)):
        many = MexicanTrainVectorEnv(count, rules=rules)
        many.reset(seed=first)
        for _ in range(steps):
            many.step(picks(many))
        assert many.tables.games[seed - first : seed - first + 1].tobytes() == want


@pytest.mark.parametrize("episode", ["game", "round"])
def test_episodes_that_follow_each_other_are_the_same_in_every_batch(episode: Any) -> None:
    dealt = []
    for env in (MexicanTrainVectorEnv(1, rules="core", episode=episode), MexicanTrainVectorEnv(5, episode=episode)):
        env.reset(seed=2)
        openings = []
        for _ in range(3):
            openings.append(env.tables.games[:1].tobytes())
            terminated = np.zeros(1, bool)
            while not terminated[0]:
                _, _, terminated, _, _ = env.step(picks(env))
        dealt.append(openings)
    assert dealt[0] == dealt[1] and len(set(dealt[0])) == 3
    one = RawMexicanTrain(episode=episode)
    one.reset(seed=2)
    assert one.tables.games.tobytes() == dealt[0][0]
    play_aec(one, 2)
    one.reset()
    assert one.tables.games.tobytes() == dealt[0][1]


def test_without_a_seed_every_environment_is_another_game() -> None:
    games = set()
    for _ in range(3):
        env = short_env()
        env.reset()
        games.add(env.tables.games.tobytes())
        env.reset()
        games.add(env.tables.games.tobytes())
    assert len(games) == 6
