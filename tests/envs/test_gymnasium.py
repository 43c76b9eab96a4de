"""The Gymnasium environments: its checker, its vectors, MaskablePPO's contract, opponents."""

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import mtrain_env.envs
from mtrain_env.envs import mexican_train_v0
from mtrain_env.envs.single import MexicanTrainEnv
from mtrain_env.envs.vector import Buffers, MexicanTrainVectorEnv
from tests.envs.players import SHORT, Picker, pick, play_aec

ID = mtrain_env.envs.GYMNASIUM_ID
RULES = {"preset": "core", **SHORT}


def test_gymnasiums_checker_has_nothing_to_say() -> None:
    env = gymnasium.make(ID, opponents=["easy"], rules=RULES, illegal="first_legal")  # the checker plays without masks
    check_env(env.unwrapped, skip_render_check=True)


def test_stable_baselines3s_checker_has_nothing_to_say() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(MexicanTrainEnv(["easy"], RULES, illegal="first_legal"))


def test_it_is_made_by_name_with_names_of_bots() -> None:
    env = gymnasium.make(ID, opponents=["easy", "medium", "hard"], rules="core", episode="round", reward="win")
    observation, info = env.reset(seed=1)
    over, steps, total = False, 0, 0.0
    while not over:
        masks = env.get_wrapper_attr("action_masks")()
        assert masks.dtype == np.bool_ and np.array_equal(masks, info["action_mask"])
        assert env.observation_space.contains(observation)
        observation, reward, over, truncated, info = env.step(int(np.flatnonzero(masks)[0]))
        assert isinstance(reward, float) and isinstance(over, bool) and truncated is False
        steps, total = steps + 1, total + reward
    assert steps > 5 and 0 <= total <= 1 and not info["action_mask"].any()
    assert env.observation_space.contains(observation)


def test_the_learner_sits_where_it_is_told_or_anywhere() -> None:
    assert {play_to_first_decision(seat=2, seed=seed) for seed in range(5)} == {2}
    assert {play_to_first_decision(seat=None, seed=seed) for seed in range(40)} == {0, 1, 2, 3}


def play_to_first_decision(seat: int | None, seed: int) -> int:
    env = MexicanTrainEnv(["easy"], RULES, seat=seat)
    env.reset(seed=seed)
    assert env.tables.seats[0] == env.seat
    return env.seat


def test_a_seed_settles_the_bots_too() -> None:
    ends = []
    for _ in range(2):
        env = MexicanTrainEnv(["easy"], RULES)
        env.reset(seed=5)
        over = False
        while not over:
            over = env.step(np.flatnonzero(env.action_masks())[0])[2]
        ends.append(env.tables.games.tobytes())
    assert ends[0] == ends[1]


def test_gymnasiums_own_vectors_carry_it() -> None:
    makers = [lambda: gymnasium.make(ID, opponents=["easy"], rules=RULES, episode="round")] * 2
    envs = SyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP)
    _, infos = envs.reset(seed=1)
    ended = 0
    for _ in range(60):
        _, _, terminated, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
        ended += int(terminated.sum())
    assert ended > 0


@pytest.mark.parametrize("opponents", [None, ["easy"], Picker()])
@pytest.mark.parametrize("observation", ["float32", "uint8"])
def test_vectors_keep_their_word(opponents: Any, observation: Any) -> None:
    env: Any = gymnasium.make_vec(ID, 4, rules=RULES, episode="round", opponents=opponents, observation=observation)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seen, infos = env.reset(seed=1)
    kept: list[tuple[Any, Any]] = []
    ended = 0
    for _ in range(300):
        assert env.observation_space.contains(seen)
        assert infos["action_mask"].shape == (4, env.single_action_space.n) and infos["action_mask"].any(axis=1).all()
        kept.append((seen, seen.copy()))
        actions = infos["action_mask"].argmax(axis=1)
        assert env.action_space.contains(actions)
        seen, rewards, terminated, truncated, infos = env.step(actions)
        assert rewards.shape == terminated.shape == truncated.shape == (4,) and not truncated.any()
        assert ("final_obs" in infos) == terminated.any()
        if terminated.any():
            ended += 1
            assert np.array_equal(infos["_final_obs"], terminated)
            for row in infos["final_obs"][terminated]:
                assert env.single_observation_space.contains(row)
            assert infos["rewards"][terminated].any()
    assert ended > 3
    assert all(np.array_equal(one, then) for one, then in kept), "with copy=True nothing returned is written again"
    assert env.action_masks().dtype == np.bool_
    env.close()


def test_both_precisions_are_the_same_observation() -> None:
    envs = [MexicanTrainVectorEnv(3, rules="deluxe", observation=kind) for kind in ("float32", "uint8")]
    (floats, infos), (whole, _) = (env.reset(seed=1) for env in envs)
    for _ in range(80):
        assert np.allclose(floats, whole / envs[0].tables.obs.maximum, atol=1e-6)
        actions = infos["action_mask"].argmax(axis=1)
        (floats, *_, infos), (whole, *_) = (env.step(actions) for env in envs)


@pytest.mark.parametrize("opponents", [None, ["easy"]])
@pytest.mark.parametrize("observation", ["float32", "uint8"])
def test_a_step_writes_into_the_callers_buffers(opponents: Any, observation: Any) -> None:
    tables = MexicanTrainVectorEnv(3).tables
    mine = Buffers.for_games(3, tables.obs.size, tables.act.size, 4, observation)
    memory = bytearray(mine.observation.nbytes)  # of somebody else, such as shared memory
    mine.observation = np.frombuffer(memory, observation).reshape(mine.observation.shape)
    options: dict[str, Any] = {"opponents": opponents, "episode": "round", "observation": observation}
    env, other = MexicanTrainVectorEnv(3, **options, copy=False, buffers=mine), MexicanTrainVectorEnv(3, **options)
    (seen, infos), _ = env.reset(seed=1), other.reset(seed=1)
    assert seen is mine.observation and infos["action_mask"] is mine.action_mask and infos["seat"] is mine.seat
    ended = 0
    for _ in range(150):
        actions = mine.action_mask.argmax(axis=1)
        seen, _, terminated, _, infos = env.step(actions)
        want, _, _, _, others = other.step(actions)
        assert seen is mine.observation and terminated is mine.terminated and infos["rewards"] is mine.rewards
        assert bytes(memory) == want.tobytes() and np.array_equal(mine.action_mask, others["action_mask"])
        if terminated.any():
            ended += 1
            assert infos["final_obs"] is mine.final_observation
    assert ended


@pytest.mark.parametrize("skip_forced", [False, True])
def test_the_final_observation_is_that_of_the_game_that_ended(skip_forced: bool) -> None:
    options: dict[str, Any] = {"rules": "core", "episode": "round", "skip_forced": skip_forced}
    many, one = MexicanTrainVectorEnv(1, **options), mexican_train_v0.env(**options)
    learners = MexicanTrainVectorEnv(1, Picker(), **options, seat=2)
    for seed in range(5):
        _, infos = many.reset(seed=seed)
        one.reset(seed=seed)
        over = False
        while not over:
            mover = one.agent_selection
            action = int(np.flatnonzero(infos["action_mask"][0])[0])
            one.step(action)
            _, _, terminated, _, infos = many.step(np.array([action]))
            over = bool(terminated[0])
        assert all(one.terminations.values())
        assert infos["final_obs"][0].tobytes() == one.observe(mover)["observation"].tobytes()
        play_aec(one, seed)
        learners.reset(seed=seed)
        while not learners.buffers.terminated[0]:
            legal = learners.tables.actions[0, : learners.tables.counts[0]]
            infos = learners.step(legal[[pick(learners.tables.games[0], legal)]])[-1]
        assert infos["final_obs"][0].tobytes() == one.observe("player_2")["observation"].tobytes()


@pytest.mark.slow
def test_gymnasiums_vectors_of_processes_carry_it() -> None:
    makers = [partial(MexicanTrainEnv, ["easy", "hard", "easy"], RULES, episode="round")] * 2
    modes = {"autoreset_mode": AutoresetMode.SAME_STEP}
    ways = [SyncVectorEnv(makers, **modes), AsyncVectorEnv(makers, context="spawn", **modes)]  # type: ignore[arg-type]
    runs = []
    for envs in ways:
        seen, infos = envs.reset(seed=3)
        runs.append([seen.tobytes()])
        for _ in range(40):
            seen, rewards, ended, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
            runs[-1] += [seen.tobytes(), rewards.tobytes(), ended.tobytes(), infos["action_mask"].tobytes()]
        envs.close()
    assert runs[0] == runs[1]


def test_vectors_render_every_game() -> None:
    env = MexicanTrainVectorEnv(2, render_mode="ansi", render_seat=0)
    env.reset(seed=1)
    pictures = env.render()
    assert pictures is not None and len(set(pictures)) == 2
