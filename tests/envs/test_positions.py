"""Positions can be copied, pickled and saved in mid-game."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mtrain_env.envs import mexican_train_v0
from mtrain_env.envs.aec import RawMexicanTrain
from mtrain_env.envs.base import EnvOptionError
from mtrain_env.envs.single import MexicanTrainEnv
from mtrain_env.envs.vector import MexicanTrainVectorEnv
from tests.envs.players import SHORT, Picker, midway, pick, short_env

COPIES: dict[str, Callable[[Any], Any]] = {
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
    single = MexicanTrainEnv("easy")
    for data, reason in (
        (b"", "no state of an environment"),
        (b'{"format":"other"}\n', "no state of an environment"),
        (env.to_bytes()[:-1], "written by another version, or is damaged"),
        (single.to_bytes(), "the kind 'single', not 'aec'"),
    ):
        with pytest.raises(EnvOptionError, match=reason):
            RawMexicanTrain.from_bytes(data)
    for made in (MexicanTrainEnv([Picker()]), MexicanTrainVectorEnv(2, [Picker()])):
        with pytest.raises(EnvOptionError, match="give from_bytes the opponents again"):
            made.from_bytes(made.to_bytes())


RULES = {"preset": "deluxe", **SHORT}
OTHERS: dict[str, Callable[[], Any]] = {
    "parallel": lambda: mexican_train_v0.parallel_env(RULES, mask_in="infos", skip_forced=True),
    "single": lambda: MexicanTrainEnv(["easy", "hard", "easy"], RULES, reward="pips", render_seat=1),
    "vector": lambda: MexicanTrainVectorEnv(3, rules=RULES, observation="uint8", episode="round", skip_forced=True),
    "learners": lambda: MexicanTrainVectorEnv(3, ["easy", "hard", "easy"], RULES, episode="round", copy=False),
}


def act(env: Any) -> Any:
    """One step of any environment but the AEC ones, the lowest legal id in every game; all that it returned."""
    if isinstance(env, MexicanTrainVectorEnv):
        returned: Any = env.step(env.action_masks().argmax(axis=1))
        if "final_obs" in returned[-1]:  # the other rows are nobody's business
            returned[-1]["final_obs"] = returned[-1]["final_obs"][returned[-1]["_final_obs"]]
    elif isinstance(env, MexicanTrainEnv):
        returned = env.step(int(env.action_masks().argmax()))
        if returned[2]:
            returned = returned, env.reset()
    else:
        returned = env.step({env.to_move: env._table.tables.actions[0, 0]})
        if not env.agents:
            returned = returned, env.reset()
    return plain(returned)


def plain(value: Any) -> Any:
    """A value with arrays in it as one that can be compared."""
    if isinstance(value, np.ndarray):
        return value.dtype.name, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, tuple) else value


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("kind", OTHERS)
def test_a_copy_of_any_environment_goes_on_by_itself_in_the_same_way(kind: str, way: str) -> None:
    env = OTHERS[kind]()
    COPIES[way](env).reset(seed=1)  # before reset
    env.reset(seed=4)
    for steps in (0, 25):
        for _ in range(steps):
            act(env)
        before = env.to_bytes()
        twin = COPIES[way](env)
        assert twin.to_bytes() == before
        ahead = [act(twin) for _ in range(150)]
        assert env.to_bytes() == before
        assert [act(env) for _ in range(150)] == ahead
    twin.reset(seed=9)
    env.reset(seed=9)
    assert twin.to_bytes() == env.to_bytes() and act(twin) == act(env)


def test_opponents_that_are_no_names_are_given_again() -> None:
    env = MexicanTrainEnv(Picker(), RULES)
    env.reset(seed=3)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env.clone(), env.from_bytes(env.to_bytes(), Picker())]
    for one in (env, *twins):
        for _ in range(20):
            act(one)
    assert len({one.to_bytes() for one in (env, *twins)}) == 1
