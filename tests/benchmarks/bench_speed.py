"""Print decisions/s of the engine and of the environments, beside a peer: `python -m tests.benchmarks.bench_speed`.

Everything is random legal play by 4 seats, the choice included, on one core, in CPU seconds, best of several tries.
The peers are OpenSpiel's `python_block_dominoes`, the fastest tile game measured, and PettingZoo's connect four, played
in the same run. The last lines are the size of a game's record and what compiling costs, in a process of its own with
an empty cache.
"""

import importlib
import os
import random
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

from mtrain_env._jit import jit
from mtrain_env.encoding.observation_layout import ObservationLayout
from mtrain_env.encoding.observations import mask_from, observe
from mtrain_env.engine.batch import advance, choose_random, deal, legal_all, new_games, restart
from mtrain_env.engine.legal import legal_actions
from mtrain_env.engine.state import GAME, GAME_OVER
from mtrain_env.envs import mexican_train_v0
from mtrain_env.presets import PRESETS
from mtrain_env.rules import Rules
from tests.benchmarks.bench_envs import aec_rate, best_rate, vector_rate

GAMES = 64
"""Games in a batch of the engine: they fit into a core's cache, as the games of a worker would."""
STEPS = 4000

LEGAL, BYTES, FLOATS = range(3)

_PROGRAM = """
import time
began = time.process_time()
import numpy as np
from mtrain_env.envs import mexican_train_v0
from mtrain_env.envs.vector import MexicanTrainVectorEnv
imported = time.process_time()
env = mexican_train_v0.env()
env.reset(seed=1)
observation, *_ = env.last()
env.step(env.action_space("player_0").sample(observation["action_mask"]))
first = time.process_time()
many = MexicanTrainVectorEnv(4)
_, infos = many.reset(seed=1)
many.step(infos["action_mask"].argmax(axis=1))
print(imported - began, first - imported, time.process_time() - first)
"""


@jit
def run(
    games: Any,
    rng: Any,
    steps: int,
    level: int,
    actions: Any,
    counts: Any,
    chosen: Any,
    offsets: Any,
    reciprocals: Any,
    rows: Any,
    floats: Any,
    masks: Any,
) -> None:
    """Play `steps` random legal decisions in every game; with BYTES or FLOATS write observations and masks too."""
    for _ in range(steps):
        choose_random(rng, actions, counts, chosen)
        for g in range(games.shape[0]):
            s = games[g]
            advance(s, chosen[g])
            if s["phase"] == GAME_OVER:
                restart(s)
            count = legal_actions(s, actions[g])
            counts[g] = count
            if level != LEGAL:
                observe(games, g, np.int64(s["seat"]), offsets, rows[g])  # type: ignore[arg-type] # one type in a kernel
                mask_from(actions[g], count, masks[g])
            if level == FLOATS:
                for k in range(rows.shape[1]):
                    floats[g, k] = rows[g, k] * reciprocals[k]


def engine_rate(rules: Rules, level: int) -> float:
    """Decisions/s of the engine in batches of GAMES."""
    layout = ObservationLayout(rules)
    games = new_games(rules, list(range(GAMES)))
    for g in range(GAMES):
        deal(games, g, -1, -1)
    width = int(games[0]["num_actions"])
    actions, counts = np.zeros((GAMES, width), np.int16), np.zeros(GAMES, np.int32)
    legal_all(games, actions, counts)
    rows, masks = np.zeros((GAMES, layout.size), np.uint8), np.zeros((GAMES, width), np.int8)
    floats = np.zeros((GAMES, layout.size), np.float32)
    rng, chosen = np.array([1, 2], np.uint64), np.zeros(GAMES, np.int64)

    def play() -> int:
        run(
            *(games, rng, STEPS, level, actions, counts, chosen),
            *(layout.offsets, layout.reciprocals, rows, floats, masks),
        )
        return STEPS * GAMES

    return best_rate(play)


def openspiel_rate(decisions: int = 20_000) -> float | None:
    """Decisions/s of OpenSpiel's block dominoes: legal actions and step, the choice included; None if not installed."""
    try:
        import open_spiel.python.games  # noqa: F401 -- registers the game
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("python_block_dominoes")
    uniform = random.Random(1).random

    def play() -> int:
        done = 0
        while done < decisions:
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(uniform() * len(legal))])
                done += 1
        return done

    return best_rate(play)


def connect_four_rates() -> dict[str, float]:
    """Decisions/s of PettingZoo's connect four, as aec_rate; empty if pygame, which it needs, is not installed."""
    try:
        connect_four = importlib.import_module("pettingzoo.classic.connect_four_v3")
    except ImportError:
        return {}
    return {name: aec_rate(getattr(connect_four, name)()) for name in ("raw_env", "env")}


def compile_seconds() -> tuple[list[float], list[float]]:
    """CPU seconds (import, PettingZoo environment, vector) with an empty cache of kernels, and with a full one."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        found = []
        for _ in range(2):
            command = [sys.executable, "-c", _PROGRAM]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            found.append([float(word) for word in done.stdout.split()])
    return found[0], found[1]


def main() -> None:
    """Print the table."""
    peer = openspiel_rate()
    core = engine_rate(Rules.preset("core"), LEGAL)
    rows: list[tuple[str, float]] = [("core: step and legal actions", core)]
    for preset in PRESETS:
        rules = Rules.preset(preset, num_players=4)
        if preset != "core":
            rows.append((f"{preset}: step and legal actions", engine_rate(rules, LEGAL)))
        rows.append((f"{preset}: with observation and mask, uint8", engine_rate(rules, BYTES)))
        rows.append((f"{preset}: with observation and mask, float32", engine_rate(rules, FLOATS)))
    for observation in ("uint8", "float32"):
        rate = vector_rate(1024, observation=observation, copy=False)
        rows.append((f"core: vector step from Python, 1024 games, {observation}", rate))
    rows.append(("core: PettingZoo raw_env, last and step", aec_rate(mexican_train_v0.raw_env())))
    rows.append(("core: PettingZoo env, last and step", aec_rate(mexican_train_v0.env())))
    rows += [(f"PettingZoo connect_four_v3 {name}, last and step", rate) for name, rate in connect_four_rates().items()]
    if peer is not None:
        rows.append(("OpenSpiel python_block_dominoes, step and legal actions", peer))
    print(f"{'random legal play, 4 seats, one core':<58}{'decisions/s':>13}{'x core':>8}{'x peer':>8}")
    for name, rate in rows:
        beside = f"{rate / peer:>8.1f}" if peer is not None else f"{'-':>8}"
        print(f"{name:<58}{rate:>13,.0f}{rate / core:>8.2f}{beside}")
    cold, warm = compile_seconds()
    print(f"\nrecord of a game: {GAME.itemsize:,} bytes")
    for name, seconds in (("cold", cold), ("warm", warm)):
        parts = "  ".join(
            f"{what} {time:.1f} s" for what, time in zip(("import", "environment", "vector"), seconds, strict=True)
        )
        print(f"{name} start: {parts}  all {sum(seconds):.1f} s")


if __name__ == "__main__":
    main()
