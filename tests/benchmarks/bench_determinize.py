"""Print what a determinized world costs: `python -m tests.benchmarks.bench_determinize [worlds]`.

Positions every few decisions of random games; microseconds of processor time a world in the mean and at most, the one
call from Python included. `blank` is the part that hides things.
"""

import random
import sys
import time
from collections.abc import Callable

import numpy as np

from mtrain_env.engine.belief import WORK
from mtrain_env.engine.determinize import blank, determinize
from mtrain_env.engine.state import GAME
from mtrain_env.game import Game
from mtrain_env.rules import Rules

CASES = (("core", 4), ("core", 2), ("pagat", 4), ("pagat", 8), ("dominoplay", 4), ("dominoplay", 16), ("deluxe", 4))


def microseconds(call: Callable[[], None], times: int) -> float:
    """Processor time of one call."""
    began = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - began) / times * 1e6


def measure(rules: Rules, worlds: int) -> tuple[list[float], list[float]]:
    """Microseconds of determinize and of blank in positions of four random rounds."""
    chance, rng = random.Random(1), np.array([1, 1], np.uint64)
    out, work = np.zeros(1, GAME), np.zeros(1, WORK)
    full, hide = [], []
    for seed in range(4):
        game = Game(rules, seed)
        for decision in range(10_000):
            if game.seat is None:
                break
            game.act(chance.choice(game.legal_ids()))
            if game.seat is not None and decision % 10 == 9:
                games, seat = game.games, game.seat
                full.append(microseconds(lambda: determinize(games, 0, seat, out, 0, work, rng), worlds))  # noqa: B023 -- called at once
                hide.append(microseconds(lambda: blank(games, 0, seat, out, 0), worlds))  # noqa: B023 -- called at once
    return full, hide


def main(worlds: int) -> None:
    """Measure all cases."""
    print("rules       seats  us/world  at most   blank")
    for name, players in CASES:
        rules = Rules.preset(name, num_players=players)
        measure(rules, 1)
        full, hide = measure(rules, worlds)
        print(f"{name:12}{players:5d}{np.mean(full):10.1f}{max(full):9.1f}{np.mean(hide):8.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
