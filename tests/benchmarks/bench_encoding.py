"""Print what observations, masks and candidate rows cost: `python -m tests.benchmarks.bench_encoding [preset ..]`.

Processor time of one core over random play, in nanoseconds a decision; each column has what the columns before
it have (float32 instead of uint8 in the fourth). Rows are timed apart, with and without forced decisions.
"""

import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit
from mtrain_env.encoding.candidates import CAND_WIDTH, NODE_CAP, CandidateScratch, candidates, new_scratch
from mtrain_env.encoding.observations import ObservationLayout, mask_from, observe, observe_float
from mtrain_env.engine.batch import advance, choose_random, deal, legal_all, new_games, restart, step_all
from mtrain_env.engine.legal import legal_actions
from mtrain_env.engine.rng import random_below
from mtrain_env.engine.state import GAME_OVER
from mtrain_env.rules import PRESETS, Rules

STEP, MASK, BYTES, FLOATS = range(4)
GAMES = 64


@jit
def play(
    games: Any,
    rng: Any,
    actions: Any,
    counts: Any,
    offsets: Any,
    reciprocals: Any,
    masks: Any,
    seen: Any,
    scaled: Any,
    what: int,
    steps: int,
) -> None:
    """Play `steps` random actions in every game and write what learners would see after each."""
    for _ in range(steps):
        for i in range(games.shape[0]):
            s = games[i]
            advance(s, int64(actions[i, random_below(rng, int64(counts[i]))]))
            if s["phase"] == GAME_OVER:
                restart(s)
            counts[i] = legal_actions(s, actions[i])
            if what >= MASK:
                mask_from(actions[i], int64(counts[i]), masks[i])
            if what == BYTES:
                observe(games, i, int64(s["seat"]), offsets, seen[i])
            if what == FLOATS:
                observe_float(games, i, int64(s["seat"]), offsets, reciprocals, seen[i], scaled[i])


@jit
def all_rows(
    games: Any, actions: Any, counts: Any, fewest: int, node_cap: int, scratch: CandidateScratch, out: Any
) -> int:
    """Write the rows of every decision with at least `fewest` actions; their number."""
    rows = 0
    for i in range(games.shape[0]):
        if counts[i] >= fewest:
            candidates(games, i, actions[i], int64(counts[i]), node_cap, scratch, out)
            rows += counts[i]
    return rows


def begin(rules: Rules, count: int) -> tuple[NDArray[Any], NDArray[np.int16], NDArray[np.int32]]:
    """Games with a round dealt, and their legal actions."""
    games = new_games(rules, list(range(count)))
    for i in range(count):
        deal(games, i, -1, -1)
    actions = np.zeros((count, int(games[0]["num_actions"]) + 1), np.int16)
    counts = np.zeros(count, np.int32)
    legal_all(games, actions, counts)
    return games, actions, counts


def time_observations(rules: Rules) -> list[float]:
    """Nanoseconds a decision for STEP, MASK, BYTES and FLOATS: the best of several passes."""
    layout = ObservationLayout(rules)
    tables = layout.offsets, layout.reciprocals
    games, actions, counts = begin(rules, GAMES)
    rng = np.array([1, 2], np.uint64)
    masks = np.zeros((GAMES, int(games[0]["num_actions"])), np.int8)
    seen, scaled = np.zeros((GAMES, layout.size), np.uint8), np.zeros((GAMES, layout.size), np.float32)
    best = [np.inf] * 4
    for steps in (1, *[500] * 8):
        for what in range(4):
            began = time.thread_time()
            play(games, rng, actions, counts, *tables, masks, seen, scaled, what, steps)
            best[what] = min(best[what], (time.thread_time() - began) / steps / GAMES * 1e9)
    return best


def time_rows(rules: Rules, fewest: int) -> tuple[float, float]:
    """Microseconds a row, and rows a decision, over decisions with at least `fewest` actions."""
    games, actions, counts = begin(rules, 500)
    rng = np.array([1, 2], np.uint64)
    out = np.zeros((int(games[0]["num_actions"]) + 1, CAND_WIDTH), np.float32)
    scratch = new_scratch()
    chosen = np.zeros(500, np.int64)
    all_rows(games[:1], actions, counts, 1, NODE_CAP, scratch, out)
    rows, decisions, taken = 0, 0, 0.0
    for _ in range(40):
        for _ in range(3):
            choose_random(rng, actions, counts, chosen)
            step_all(games, chosen, actions, counts)
        began = time.thread_time()
        rows += all_rows(games, actions, counts, fewest, NODE_CAP, scratch, out)
        taken += time.thread_time() - began
        decisions += int((counts >= fewest).sum())
    return taken / rows * 1e6, rows / decisions


def main(presets: list[str]) -> None:
    """Measure the presets with their default number of players."""
    print("preset       entries  step  + mask  + uint8  + float32   us/row  rows   without forced: us/row  rows")
    for name in presets:
        rules = Rules.preset(name)
        step, mask, seen, scaled = time_observations(rules)
        every, free = time_rows(rules, 1), time_rows(rules, 2)
        print(
            f"{name:12s} {ObservationLayout(rules).size:7d} {step:5.0f} {mask:7.0f} {seen:8.0f} {scaled:10.0f}"
            f" {every[0]:8.2f} {every[1]:5.2f} {free[0]:24.2f} {free[1]:5.2f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:] or list(PRESETS))
