"""Positions can be copied, pickled and saved in mid-game."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mtrain_env.envs.aec import RawMexicanTrain
from mtrain_env.envs.base import EnvOptionError
from mtrain_env.envs.single import MexicanTrainEnv
from tests.envs.players import SHORT, Picker, midway, pick, short_env

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
