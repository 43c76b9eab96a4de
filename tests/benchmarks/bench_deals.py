"""Print how well sampled deals tell who holds what: `python -m tests.benchmarks.bench_deals [DECISIONS]`.

Decisions of a bundle in one seat among hard. For each, deals are drawn from what the seat knows, uniformly (R27) and
likely ones (bots/likely.py). How often a tile lies in a place is its forecast there. The log-loss is the mean over all
unseen tiles of -log(forecast of the place where the tile really is), in nats.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bots.bundle import load_bundle
from mtrain_env.bots.hard import NODE_CAP
from mtrain_env.bots.learned import network_of
from mtrain_env.bots.rollout import ITS_VIEW, LIKELY, Scratch, draw_world, look, new_scratch
from mtrain_env.bots.search import judge_of
from mtrain_env.engine.lines import WORK_SHAPE, longest_line
from mtrain_env.engine.state import ANY, MAX_TILES, ON_TABLE
from mtrain_env.envs.selfplay import round_words
from mtrain_env.rules import Rules
from tests.benchmarks.bench_search import SEED, decisions

TABLES = (("core", 2), ("core", 3), ("core", 4), ("dominoplay", 4), ("dominoplay", 8), ("deluxe", 4), ("deluxe", 8))
DEALS = 200
PRIOR = 0.5
"""Deals for which each place counts in advance."""
VIEWS = {"uniform": ITS_VIEW, "likely": LIKELY}


@dataclass(frozen=True)
class Drawn:
    """What the deals of a decision say, and what is true."""

    loss: float  # nats a hidden tile
    spare: NDArray[np.float64]  # [seats]: mean spare tiles
    microseconds: float  # CPU time of a deal


def drawn(game: NDArray[Any], knows: int, words: NDArray[np.uint64], scratch: Scratch) -> Drawn:
    """Draw deals from what the acting seat of `game` knows."""
    s, world = game[0], scratch.world[0]
    seats, tiles = int(s["num_players"]), int(s["num_tiles"])
    found, spare = np.full((tiles, seats + 1), PRIOR), np.zeros(seats)  # places: the seats, the boneyard
    spent = 0.0
    look(knows, game, 0, scratch)
    for word in words:
        began = time.thread_time()
        scratch.rng[:] = word
        draw_world(knows, scratch)
        spent += time.thread_time() - began
        found[np.arange(tiles), places(world)] += 1
        spare += spare_tiles(world)
    hidden = np.flatnonzero((s["tile_place"][:tiles] != ON_TABLE) & (s["tile_place"][:tiles] != s["seat"]))
    forecast = found[hidden, places(s)[hidden]] / found[hidden].sum(axis=1)
    return Drawn(float(-np.log(forecast).mean()), spare / len(words), spent / len(words) * 1e6)


def places(s: Any) -> NDArray[np.int64]:
    """Return where each numbered tile is: a seat, or the number of seats for any other place."""
    where: NDArray[np.uint8] = s["tile_place"][: int(s["num_tiles"])]
    return np.minimum(where.astype(np.int64), int(s["num_players"]))


def spare_tiles(s: Any) -> NDArray[np.float64]:
    """Return of each seat how many numbered tiles are not in its longest line, nan behind a marker."""
    work, line = np.zeros(WORK_SHAPE, np.int64), np.zeros(MAX_TILES, np.uint8)
    spare = np.full(int(s["num_players"]), np.nan)
    for seat in range(len(spare)):
        end = int(s["train_end"][seat])
        if end != ANY and not (int(s["markers"]) >> seat) & 1:
            tiles = int(s["hand_count"][seat]) - int(s["special_hand"][seat].sum())
            spare[seat] = tiles - longest_line(s["hand"][seat], end, NODE_CAP, work, line)
    return spare


def main(arguments: Sequence[str]) -> None:
    """Print a table."""
    count = int(arguments[0]) if arguments else 300
    print(f"{count} decisions each, {DEALS} deals for a decision")
    print(f"{'':16}   log-loss of a tile's place              spare tiles of a hand     us a deal")
    print(f"{'rules':>10}{'seats':>6}   uniform, likely {'':26}true uniform likely  uniform likely")
    for name, players in TABLES:
        rules, bundle = Rules.preset(name, num_players=players), load_bundle(name)
        asked = decisions(judge_of(network_of(bundle), bundle.policy.rows.node_cap), count, rules)
        scratch = new_scratch(int(asked[0].game["num_actions"][0]))
        words = round_words(count * DEALS, SEED, 3).reshape(count, DEALS, 2)
        found = [[drawn(one.game, knows, words[k], scratch) for knows in VIEWS.values()] for k, one in enumerate(asked)]
        loss = np.array([[one.loss for one in each] for each in found]).T
        spare = []
        for one, each in zip(asked, found, strict=True):
            others = np.arange(players) != one.game[0]["seat"]
            spare.append(np.stack([spare_tiles(one.game[0]), *(view.spare for view in each)])[:, others])
        mean = np.nanmean(np.concatenate(spare, axis=1), axis=1)
        better = loss[0] - loss[1]
        error = 1.96 * better.std() / count**0.5
        cost = np.mean([[one.microseconds for one in each] for each in found], axis=0)
        losses = f"{loss[0].mean():.3f}   {loss[1].mean():.3f}, less by {better.mean():.4f} +- {error:.4f}"
        spares = "".join(f"{tiles:7.2f}" for tiles in mean)
        print(f"{name:>10}{players:>6}   {losses} {spares}  {cost[0]:7.0f}{cost[1]:7.0f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
