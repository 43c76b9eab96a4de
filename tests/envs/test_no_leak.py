"""What a seat cannot know changes nothing that it sees: deals are redrawn and everything is compared."""

from typing import Any

import numpy as np
import pytest

from mtrain_env.engine.belief import WORK
from mtrain_env.engine.determinize import determinize
from mtrain_env.engine.rng import seed_words
from mtrain_env.envs.aec import RawMexicanTrain
from mtrain_env.envs.vector import MexicanTrainVectorEnv
from mtrain_env.errors import IllegalAction
from tests.envs.players import midway, pick, short_env


def redealt(env: RawMexicanTrain, seat: int, seed: int) -> RawMexicanTrain:
    """The environment with another deal that `seat` cannot tell apart."""
    twin = env.clone()
    rng = seed_words(seed)
    determinize(env.tables.games, 0, seat, twin.tables.games, 0, np.zeros(1, WORK), rng)
    return twin


def seen_by(env: RawMexicanTrain, seat: int) -> Any:
    """All that a seat gets to see."""
    agent = f"player_{seat}"
    found = env.observe(agent)
    info = env.infos[agent]
    arrays = [*(found.values() if isinstance(found, dict) else [found]), *info.values()]
    error = ""
    if env.agent_selection == agent:
        with pytest.raises(IllegalAction) as caught:
            env.step(env.tables.act.wait)
        error = str(caught.value)
    return [array.tobytes() for array in arrays], env.render(), repr(env), str(env), error


@pytest.mark.parametrize("preset", ["core", "pagat", "dominoplay", "deluxe"])
@pytest.mark.parametrize("mask_in", ["observation", "infos"])
def test_r26_nothing_hidden_shows(preset: str, mask_in: str) -> None:
    changed = 0
    for steps in (5, 17, 33, 48):
        for seat in range(4):
            env = short_env(preset, mask_in=mask_in, render_mode="ansi", render_seat=seat)
            midway(env, 10 * steps, steps)
            twin = redealt(env, seat, seat)
            changed += twin.tables.games[0]["deck"].tobytes() != env.tables.games[0]["deck"].tobytes()
            assert seen_by(twin, seat) == seen_by(env, seat)
    assert changed > 8


def test_r26_the_table_without_hands_shows_none_of_them() -> None:
    for mode in ("ansi", "svg", "rgb_array"):
        env = short_env(render_mode=mode)
        midway(env, 3, 30)
        for seat in range(4):
            assert np.array_equal(redealt(env, seat, 5).render(), env.render())


def test_r26_vectors_show_no_more() -> None:
    env = MexicanTrainVectorEnv(1, rules={"preset": "core", "num_rounds": 2})
    observation, infos = env.reset(seed=4)
    one = short_env()
    one.reset(seed=4)
    for _ in range(40):
        agent = one.agent_selection
        want = redealt(one, int(infos["seat"][0]), 1).observe(agent)
        assert np.array_equal(observation[0], want["observation"])
        assert np.array_equal(infos["action_mask"][0], want["action_mask"])
        legal = np.flatnonzero(infos["action_mask"][0])
        action = legal[pick(one.tables.games[0], legal)]
        one.step(action)
        observation, _, _, _, infos = env.step(np.array([action]))
