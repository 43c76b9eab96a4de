"""PettingZoo's own tests, its registry and its stock wrappers."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pettingzoo  # type: ignore[import-untyped]
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test  # type: ignore[import-untyped]
from pettingzoo.utils import wrappers  # type: ignore[import-untyped]

import mtrain_env.envs
from mtrain_env.envs import mexican_train_v0
from tests.envs.players import SHORT, short_env

PRESETS = ("core", "pagat", "dominoplay", "deluxe")
EXPECTED = (
    # A Dict observation draws two warnings, unless the name is on PettingZoo's own list of classic games.
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    # A seat that is done is still observed once and has nothing to do: its mask is all 0.
    "Action mask numpy array is all zeros",
)


@contextmanager
def only_known_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in EXPECTED:
            warnings.filterwarnings("ignore", text)
        yield


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("mask_in", ["observation", "infos"])
@pytest.mark.parametrize("make", [mexican_train_v0.env, mexican_train_v0.raw_env])
def test_api(preset: str, mask_in: str, make: Any) -> None:
    with only_known_warnings():
        api_test(make({"preset": preset, **SHORT}, mask_in=mask_in), num_cycles=400)


@pytest.mark.parametrize(("preset", "players"), [("deluxe", 2), ("pagat", 7), ("dominoplay", 16)])
def test_api_with_few_and_with_many_seats(preset: str, players: int) -> None:
    rules = {"preset": preset, "num_players": players, **SHORT}
    with only_known_warnings():
        api_test(mexican_train_v0.env(rules), num_cycles=100)
        parallel_api_test(mexican_train_v0.parallel_env(rules), num_cycles=100)


def test_api_with_a_mask_in_infos_draws_no_warning_at_all() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        api_test(short_env(mask_in="infos", skip_forced=True, episode="round"), num_cycles=100)


@pytest.mark.parametrize("episode", ["game", "round"])
def test_seeds_settle_everything(episode: Any) -> None:
    seed_test(lambda: short_env(episode=episode), num_cycles=100)
    seed_test(lambda: short_env("deluxe", episode=episode, mask_in="infos"), num_cycles=100)
    parallel_seed_test(
        lambda: mexican_train_v0.parallel_env("core", episode=episode, illegal="first_legal"), num_cycles=60
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_parallel_api(preset: str) -> None:
    with only_known_warnings():
        parallel_api_test(mexican_train_v0.parallel_env({"preset": preset, **SHORT}), num_cycles=1000)


def test_it_is_registered() -> None:
    assert hasattr(pettingzoo, "register"), "new in PettingZoo 1.27, which the tests have"
    made = pettingzoo.make("aec", mtrain_env.envs.PETTINGZOO_ID, rules="core", num_players=3)
    assert made.possible_agents == ["player_0", "player_1", "player_2"]
    assert str(made) == "mexican_train_v0"
    parallel = pettingzoo.make("parallel", mtrain_env.envs.PETTINGZOO_ID)
    assert len(parallel.reset(seed=1)[0]) == 4


@pytest.mark.parametrize("mask_in", ["observation", "infos"])
def test_stock_wrappers_fit_around_it(mask_in: Any) -> None:
    env: Any = mexican_train_v0.raw_env({"preset": "core", **SHORT}, mask_in=mask_in)
    env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    env = wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))
    with only_known_warnings():
        api_test(env, num_cycles=100)


def test_the_loop_of_the_readme() -> None:
    env = mexican_train_v0.env(rules="core", episode="round")
    env.reset(seed=7)
    steps = 0
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        action = None if over else env.action_space(agent).sample(observation["action_mask"])
        env.step(action)
        steps += 1
    env.close()
    assert steps > 40 and not env.agents


def test_the_same_agent_moves_again_after_a_draw_and_after_a_double() -> None:
    env = short_env()
    env.reset(seed=3)
    draw = env.tables.act.draw
    after_draw: set[bool] = set()
    after_double: set[bool] = set()
    for agent in env.agent_iter():
        observation, _, over, _, _ = env.last()
        if over:
            break
        action = int(np.flatnonzero(observation["action_mask"])[0])
        text = env.tables.text(0, action)
        env.step(action)
        numbers = text.partition(" ")[0].split("-")
        if action == draw:
            after_draw.add(env.agent_selection == agent)
        elif len(set(numbers)) == 1 and len(numbers) == 2 and env.tables.games[0]["owed"]:
            after_double.add(env.agent_selection == agent)
    assert after_draw == {True} and after_double == {True}


def test_an_observation_is_pure_and_shows_a_mask_to_the_mover_alone() -> None:
    env = short_env("deluxe")
    env.reset(seed=5)
    for agent in env.agent_iter(120):
        if env.terminations[agent]:
            break
        before = env.tables.games.tobytes()
        seen = {other: env.observe(other) for other in env.possible_agents}
        assert env.tables.games.tobytes() == before
        for other, one in seen.items():
            assert one["action_mask"].any() == (other == agent)
            assert env.observation_space(other).contains(one)
            again = env.observe(other)
            assert np.array_equal(one["observation"], again["observation"])
            assert one["observation"] is not again["observation"]
        env.step(int(np.flatnonzero(seen[agent]["action_mask"])[0]))


def test_infos_have_the_same_keys_always_and_the_mask_if_so_asked() -> None:
    keys: set[str]
    for mask_in, keys in (("observation", set()), ("infos", {"action_mask"})):
        env = short_env(mask_in=mask_in)
        env.reset(seed=2)
        for _ in env.agent_iter():
            over = env.last()[2]
            assert all(set(info) == keys for info in env.infos.values())
            env.step(None if over else env.tables.actions[0, 0])


def test_idle_seats_of_the_parallel_environment_wait() -> None:
    env = mexican_train_v0.parallel_env({"preset": "core", **SHORT})
    observations, _ = env.reset(seed=4)
    wait = env._table.tables.act.wait
    while env.agents:
        legal = {agent: np.flatnonzero(one["action_mask"]).tolist() for agent, one in observations.items()}
        mover = env.to_move
        assert wait not in legal[mover]
        assert all(legal[agent] == [wait] for agent in env.agents if agent != mover)
        observations, _, ended, _, _ = env.step({agent: legal[agent][0] for agent in env.agents})
    assert all(ended.values())
    assert all(one["action_mask"].any() for one in observations.values())
