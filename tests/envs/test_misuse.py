"""Misuse is answered with one sentence, and leaves the game as it was."""

from typing import Any

import numpy as np
import pytest

from mtrain_env.envs import mexican_train_v0
from mtrain_env.envs.base import EnvOptionError, OutOfOrder
from mtrain_env.envs.single import MexicanTrainEnv
from mtrain_env.envs.vector import Buffers, MexicanTrainVectorEnv
from mtrain_env.errors import IllegalAction, InvalidAction, MtrainError
from tests.envs.players import SHORT, midway, short_env

MAKERS: dict[str, Any] = {
    "aec": mexican_train_v0.env,
    "raw": mexican_train_v0.raw_env,
    "single": lambda **options: MexicanTrainEnv("easy", **options),
}
NO_ACTIONS = (
    (3.0, "whole number from 0 to 458, got 3.0"),
    ("draw", "whole number from 0 to 458, got 'draw'"),
    (True, "got the truth value True"),
    (np.True_, "got the truth value"),
    (None, "whole number from 0 to 458, got None"),
    (np.array([1, 2]), "whole number from 0 to 458, got array"),
    (-1, "-1 is no action: ids run from 0 to 458"),
    (459, "459 is no action: ids run from 0 to 458"),
    (2**70, "is no action: ids run from 0 to 458"),
)


@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_no_action_is_refused(kind: str) -> None:
    env: Any = MAKERS[kind]()
    env.reset(seed=1)
    before = env.tables.games.tobytes()
    for action, sentence in NO_ACTIONS:
        with pytest.raises(InvalidAction, match=sentence):
            env.step(action)
    assert env.tables.games.tobytes() == before


@pytest.mark.parametrize("kind", MAKERS)
def test_an_illegal_action_says_what_is_allowed_and_changes_nothing(kind: str) -> None:
    env: Any = MAKERS[kind]()
    env.reset(seed=1)
    tables = env.tables
    before = tables.games.tobytes(), tables.actions.tobytes(), tables.due.tobytes()
    mover = f"player_{tables.seats[0]}"
    allowed = ", ".join(f"{tables.text(0, k)} \\({k}\\)" for k in map(int, tables.actions[0, : tables.counts[0]]))
    with pytest.raises(IllegalAction, match=f"^{mover} may not do pass \\(456\\) now; allowed: {allowed}.$"):
        env.step(456)
    assert (tables.games.tobytes(), tables.actions.tobytes(), tables.due.tobytes()) == before
    env.step(int(tables.actions[0, 0]))


def test_whole_numbers_of_any_kind_are_actions() -> None:
    for kind in (int, np.int8, np.int32, np.int64, np.uint16):
        env = short_env("dominoplay")
        env.reset(seed=2)
        env.step(kind(env.tables.actions[0, 0]))


@pytest.mark.parametrize("illegal", ["terminate", "first_legal"])
def test_illegal_actions_as_the_switch_says(illegal: str) -> None:
    env = short_env(illegal=illegal)
    midway(env, 2, 7)
    mover, first = env.agent_selection, int(env.tables.actions[0, 0])
    twin = env.clone()
    env.step(env.tables.act.wait)
    if illegal == "first_legal":
        twin.step(first)
        assert env.tables.games.tobytes() == twin.tables.games.tobytes()
        return
    assert env.tables.games.tobytes() == twin.tables.games.tobytes()
    assert all(env.terminations.values()) and not any(env.truncations.values())
    paid: dict[str, float] = {}
    for agent in env.agent_iter():
        _, paid[agent], over, _, _ = env.last()
        assert over
        env.step(None)
    assert paid == {agent: -1.0 if agent == mover else 0.0 for agent in twin.agents}


def test_an_idle_seat_of_the_parallel_environment_may_only_wait() -> None:
    for illegal in ("raise", "terminate", "first_legal"):
        env = mexican_train_v0.parallel_env("core", illegal=illegal)
        env.reset(seed=1)
        idle = next(agent for agent in env.agents if agent != env.to_move)
        actions: dict[str, Any] = {env.to_move: env._table.tables.actions[0, 0], idle: 0}
        if illegal == "raise":
            before = env.to_bytes()
            with pytest.raises(IllegalAction, match=f"{idle} is not to move and may only wait"):
                env.step(actions)
            with pytest.raises(InvalidAction, match="its action is missing"):
                env.step({})
            with pytest.raises(InvalidAction, match="There is no agent 'player_9'"):
                env.step({**actions, "player_9": 1})
            for action, sentence in NO_ACTIONS:
                with pytest.raises(InvalidAction, match=sentence):
                    env.step({env.to_move: action})
                with pytest.raises(InvalidAction, match=sentence):
                    env.step({env.to_move: actions[env.to_move], idle: action})
            with pytest.raises(IllegalAction, match=f"^{env.to_move} may not do pass"):
                env.step({env.to_move: 456})
            assert env.to_bytes() == before
            continue
        _, rewards, ended, _, _ = env.step(actions)
        assert ended[idle] == (illegal == "terminate")
        assert rewards[idle] == (-1.0 if illegal == "terminate" else 0.0)


def test_calls_before_reset_are_refused() -> None:
    env = short_env()
    for name in ("agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos"):
        with pytest.raises(AttributeError, match=f"{name} cannot be accessed before reset"):
            getattr(env, name)
    for call in (lambda: env.step(0), lambda: env.observe("player_0"), env.render, env.agent_iter):
        with pytest.raises(OutOfOrder, match="before reset"):
            call()
    with pytest.raises(AttributeError, match="has no attribute 'agnets'"):
        _ = env.agnets
    with pytest.raises(AttributeError, match="agent_selection cannot be accessed before reset"):
        mexican_train_v0.raw_env().step(0)
    for other in (MexicanTrainEnv("easy"), MexicanTrainVectorEnv(1), mexican_train_v0.parallel_env()):
        with pytest.raises(OutOfOrder, match="before reset"):
            other.step({} if hasattr(other, "agents") else np.zeros(1, int) if hasattr(other, "num_envs") else 0)  # type: ignore[arg-type]


def test_calls_after_the_end_are_refused() -> None:
    env = short_env(illegal="terminate")
    env.reset(seed=1)
    env.step(458)
    with pytest.raises(IllegalAction, match="player_0 is done and can only step\\(None\\), got 3"):
        env.step(3)
    for _ in range(4):
        env.step(None)
    assert env.agents == []
    with pytest.raises(OutOfOrder, match="every agent has left: call reset"):
        env.step(None)
    assert not env.observe("player_2")["action_mask"].any()
    env.reset()
    assert len(env.agents) == 4


def test_the_single_seat_and_the_parallel_environment_refuse_steps_after_the_end() -> None:
    single = MexicanTrainEnv("easy", illegal="terminate")
    single.reset(seed=1)
    assert single.step(single.tables.act.wait)[1:4] == (-1.0, True, False)
    parallel = mexican_train_v0.parallel_env(illegal="terminate")
    parallel.reset(seed=1)
    parallel.step({parallel.to_move: parallel._table.tables.act.wait})
    ended: list[tuple[Any, Any]] = [(single, 0), (parallel, {"player_0": 0})]
    for env, action in ended:
        before = env.to_bytes()
        with pytest.raises(OutOfOrder, match="after the end of the episode"):
            env.step(action)
        assert env.to_bytes() == before
        env.reset()


def test_agent_iter_wants_a_step_for_every_agent() -> None:
    env = short_env()
    env.reset(seed=1)
    with pytest.raises(OutOfOrder, match="must call step"):
        for _ in env.agent_iter():
            env.last()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"episode": "match"}, "episode must be one of 'game', 'round', got 'match'"),
        ({"reward": "score"}, "reward must be one of 'pips', 'relative', 'win'"),
        ({"illegal": "ignore"}, "illegal must be one of 'raise', 'terminate', 'first_legal'"),
        ({"mask_in": "both"}, "mask_in must be one of 'observation', 'infos'"),
        ({"render_mode": "gif"}, "render_mode must be None or one of"),
        ({"render_seat": 4}, "render_seat must be None or a seat from 0 to 3"),
        ({"rules": "croe"}, "did you mean 'core'"),
        ({"num_players": 5}, "num_players|players"),
    ],
)
def test_options_that_cannot_be_are_refused(options: Any, sentence: str) -> None:
    with pytest.raises(MtrainError, match=sentence):
        mexican_train_v0.env(**options)


def test_options_of_reset_that_cannot_be_are_refused() -> None:
    env = mexican_train_v0.env(episode="round")
    for options, sentence in (
        ({"opening": 13}, "'opening' of reset must be one of 12, 11"),
        ({"starter": 4}, "'starter' of reset must be one of 0, 1, 2, 3, got 4"),
        ({"opening": True}, "'opening' of reset"),
        ({"openning": 3}, "no option 'openning': did you mean 'opening'"),
    ):
        with pytest.raises(EnvOptionError, match=sentence):
            env.reset(options=options)
    with pytest.raises(EnvOptionError, match="needs episode='round'"):
        short_env().reset(options={"opening": 3})
    with pytest.raises(EnvOptionError, match="A seed is a whole number of at least 0, got -1"):
        env.reset(seed=-1)
    with pytest.raises(InvalidAction, match="There is no agent 'player_7'"):
        env.reset(seed=1)
        env.observe("player_7")


def test_misuse_of_vectors_and_of_opponents_is_refused() -> None:
    env = MexicanTrainVectorEnv(3, rules={"preset": "core", **SHORT})
    env.reset(seed=1)
    before = env.tables.games.tobytes()
    good = env.tables.actions[:, 0].astype(np.int64)
    for actions, sentence in (
        (good[:2], "integers of shape \\(3,\\), got int64 of shape \\(2,\\)"),
        (good.astype(float), "got float64"),
        (good + np.array([0, 0, 500]), "actions\\[2\\] is"),
    ):
        with pytest.raises(InvalidAction, match=sentence):
            env.step(actions)
    bad = good.copy()
    bad[1] = env.tables.act.wait
    with pytest.raises(IllegalAction, match="may not do wait \\(458\\) now in game 1; allowed"):
        env.step(bad)
    assert env.tables.games.tobytes() == before
    with pytest.raises(EnvOptionError, match="opponents must be 1 or 3 with 4 players, got 2"):
        MexicanTrainEnv(["easy", "hard"])
    with pytest.raises(EnvOptionError, match="seat must be None or a seat from 0 to 3"):
        MexicanTrainEnv("easy", seat=4)
    with pytest.raises(EnvOptionError, match="one for each of the 3 games, got 2"):
        env.reset(seed=[1, 2])
    with pytest.raises(EnvOptionError, match="need copy=False"):
        MexicanTrainVectorEnv(3, buffers=env.buffers)
    with pytest.raises(EnvOptionError, match=r"buffers\.observation must be a contiguous float32"):
        MexicanTrainVectorEnv(3, copy=False, buffers=Buffers.for_games(3, 5, 6, 4, "float32"))
