"""Print what the environments cost, call by call: `python -m tests.benchmarks.bench_envs`.

All times are CPU seconds of one process; the best of several tries counts, because the machine may be busy.
"""

import copy
import pickle
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from mtrain_env.engine.batch import choose_random
from mtrain_env.envs import mexican_train_v0
from mtrain_env.envs.single import MexicanTrainEnv
from mtrain_env.envs.vector import MexicanTrainVectorEnv

TRIES = 7


def best_rate(run: Callable[[], int], tries: int = TRIES) -> float:
    """Return the most that `run`, which returns how much it did, did in a CPU second."""
    run()
    rates = []
    for _ in range(tries):
        began = time.process_time()
        done = run()
        rates.append(done / (time.process_time() - began))
    return max(rates)


def aec_rate(env: Any, decisions: int = 20_000) -> float:
    """Decisions/s of the loop over agent_iter, last() and step(), with random legal play; the choice is in the time.

    `env`: any PettingZoo environment, the mask in its observations unless its `mask_in` says otherwise.
    """
    uniform = random.Random(1).random
    in_observation = getattr(env, "mask_in", "observation") == "observation"
    env.reset(seed=1)

    def run() -> int:
        done = 0
        while done < decisions:
            for _ in env.agent_iter():
                observation, _, terminated, truncated, info = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = (observation if in_observation else info)["action_mask"].nonzero()[0]
                env.step(legal[int(uniform() * len(legal))])
                done += 1
            env.reset()
        return done

    return best_rate(run)


def vector_rate(games: int, steps: int = 150, **options: Any) -> float:
    """Decisions/s of step() of a vector of games in self-play, with random legal play; the choice is in the time."""
    env = MexicanTrainVectorEnv(games, **options)
    env.reset(seed=1)
    rng = np.array([1, 2], np.uint64)
    chosen = np.zeros(games, np.int64)

    def run() -> int:
        for _ in range(steps):
            choose_random(rng, env.tables.actions, env.tables.counts, chosen)
            env.step(chosen)
        return steps * games

    return best_rate(run)


def single_rate(opponent: str, decisions: int = 3000) -> float:
    """The learner's decisions/s of the Gymnasium environment among three such bots; theirs are in the time."""
    env = MexicanTrainEnv([opponent], illegal="first_legal")
    _, info = env.reset(seed=1)
    uniform = random.Random(1).random

    def run() -> int:
        nonlocal info
        for _ in range(decisions):
            legal = info["action_mask"].nonzero()[0]
            _, _, over, _, info = env.step(legal[int(uniform() * len(legal))])
            if over:
                _, info = env.reset()
        return decisions

    return best_rate(run, tries=3)


def call_times() -> dict[str, float]:
    """Microseconds of single calls in the middle of a game."""
    env = mexican_train_v0.raw_env("core", illegal="first_legal")
    env.reset(seed=1)
    for _ in range(60):
        env.step(0)
    text, image = (mexican_train_v0.raw_env("core", render_mode=mode) for mode in ("ansi", "rgb_array"))
    for shown in (text, image):
        shown.reset(seed=1)
    calls: dict[str, tuple[Callable[[], object], int]] = {
        "observe": (lambda: env.observe("player_0"), 5000),
        "last": (env.last, 5000),
        "reset": (env.reset, 2000),
        "clone": (env.clone, 2000),
        "to_bytes": (env.to_bytes, 1000),
        "copy.deepcopy": (lambda: copy.deepcopy(env), 100),
        "pickle and back": (lambda: pickle.loads(pickle.dumps(env)), 100),
        "render ansi": (text.render, 200),
        "render rgb_array": (image.render, 5),
    }
    return {name: 1e6 / best_rate(_repeat(call, times), tries=3) for name, (call, times) in calls.items()}


def _repeat(call: Callable[[], object], times: int) -> Callable[[], int]:
    def run() -> int:
        for _ in range(times):
            call()
        return times

    return run


def main() -> None:
    """Print all of it."""
    print(f"{'environment':<44}{'decisions/s':>14}")
    for name, env in (("raw_env", mexican_train_v0.raw_env()), ("env", mexican_train_v0.env())):
        print(f"{name + ': agent_iter, last, step':<44}{aec_rate(env):>14,.0f}")
    for opponent in ("easy", "hard"):
        print(f"{f'Gymnasium, learner among three {opponent}':<44}{single_rate(opponent):>14,.0f}")
    for games in (16, 128, 1024):
        for observation in ("uint8", "float32"):
            rate = vector_rate(games, 150_000 // games, observation=observation, copy=False)
            print(f"{f'vector, {games} games, {observation}, copy=False':<44}{rate:>14,.0f}")
    rate = vector_rate(1024)
    print(f"{'vector, 1024 games, float32, copy=True':<44}{rate:>14,.0f}")
    print(f"\n{'call (core, 4 seats)':<44}{'microseconds':>14}")
    for name, cost in call_times().items():
        print(f"{name:<44}{cost:>14,.1f}")


if __name__ == "__main__":
    main()
