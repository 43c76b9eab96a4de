"""Print what bots and search cost: `python -m tests.benchmarks.bench_bots [rounds]`.

All in `core` with 4 players, on one core, in CPU seconds, best of several tries. Decisions are those with a choice, in
rounds played by hard.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from mtrain_env._jit import int64, jit
from mtrain_env.bot import Games, Ints
from mtrain_env.bots import rollout
from mtrain_env.bots.expert import make
from mtrain_env.bots.rollout import Scratch, draw_world, look, new_scratch, play_out
from mtrain_env.engine.batch import deal, new_games
from mtrain_env.engine.legal import legal_actions
from mtrain_env.engine.rng import random_below
from mtrain_env.engine.state import NONE
from mtrain_env.engine.turn import act
from mtrain_env.rules import Rules
from tests.bots.tables import chosen_index, legal_ids, level, words

TRIES = 5


@jit
def hard_rounds(games: Games, scratch: Scratch) -> int:
    """Play a copy of every game to the end of the round by hard; how many."""
    for i in range(games.shape[0]):
        scratch.game[0] = games[i]
        play_out(scratch.game[0], scratch)
    return len(games)


@jit
def random_rounds(games: Games, scratch: Scratch) -> int:
    """The same at random; how many decisions there were, forced ones too."""
    decisions = 0
    for i in range(games.shape[0]):
        scratch.game[0] = games[i]
        s = scratch.game[0]
        while True:
            count = legal_actions(s, scratch.actions)
            if count == 0:
                break
            act(s, int64(scratch.actions[random_below(scratch.rng, count)]), NONE)
            decisions += 1
    return decisions


@jit
def draw_worlds(games: Games, deals: int, scratch: Scratch) -> int:
    """Draw deals for the acting seat of every game; how many."""
    for i in range(games.shape[0]):
        look(int64(rollout.ITS_VIEW), games, i, scratch)
        for _ in range(deals):
            draw_world(int64(rollout.ITS_VIEW), scratch)
    return len(games) * deals


def best_rate(work: Callable[[], int]) -> float:
    """What `work` does in a CPU second, the best of TRIES."""
    work()
    best = 0.0
    for _ in range(TRIES):
        began = time.process_time()
        done = work()
        best = max(best, done / (time.process_time() - began))
    return best


def decisions_of_hard(games: Games, rounds: int) -> tuple[Games, list[Ints]]:
    """Every decision with a choice in some rounds of hard."""
    hard = level("hard")
    found: list[Games] = []
    ids: list[Ints] = []
    for i in range(rounds):
        one = games[i : i + 1].copy()
        while len(legal := legal_ids(one)):
            k = 0
            if len(legal) > 1:
                found.append(one.copy())
                ids.append(np.array([legal], np.int16))
                k = chosen_index(hard, one, words(one))
            act(one[0], legal[k], NONE)
    return np.concatenate(found), ids


def main(rounds: int) -> None:
    """Print the table."""
    rules = Rules.preset("core")
    games = new_games(rules, list(range(500)))
    for i in range(len(games)):
        deal(games, i, -1, -1)
    scratch = new_scratch(int(games[0]["num_actions"]))
    scratch.rng[:] = 1
    positions, ids = decisions_of_hard(games, rounds)
    print(f"whole rounds of hard           {best_rate(lambda: hard_rounds(games, scratch)):>12,.0f} /s")
    print(f"random decisions in a rollout  {best_rate(lambda: random_rounds(games, scratch)):>12,.0f} /s")
    per_deal = 1e6 / best_rate(lambda: draw_worlds(positions, 5, scratch))
    print(f"a deal that agrees with a view {per_deal:>12.1f} us")
    for name in ("20", "100", "400"):
        expert = make(name)
        spent = []
        for i, legal in enumerate(ids):
            count, out, rngs = np.array([legal.shape[1]], np.int32), np.zeros(1, np.int64), words(positions[:1], i)
            began = time.process_time()
            expert.choose(positions[i : i + 1], np.zeros(1, np.int64), legal, count, rngs, out)
            spent.append((time.process_time() - began) * 1e3)
        median, late = np.quantile(spent[1:], [0.5, 0.95])
        what = f"expert:{name}, {expert.options.candidates} candidates, {len(spent)} decisions with a real choice"
        print(f"{what}: median {median:.1f} ms, 95% within {late:.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
