"""Likely deals: possible ones, each as often as its weight says, and nothing but what the seat knows in them."""

import math
import random
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bots.likely import AVERSION, ENOUGH, HALF_WAY, STEPS, WALK, make_likely
from mtrain_env.engine.state import ANY, CHAIN
from mtrain_env.rules import Rules
from mtrain_env.tiles import TILE_HIGH, TILE_LOW
from tests.engine.brute_lines import best_line
from tests.engine.deals import Walk
from tests.engine.deals_by_force import Enumeration, Key, TooMany, key_of
from tests.engine.test_determinize import KINDS_OF_GAMES, SAMPLES, Games, Sampler, check_worlds, goodness, small_game

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="walks of a hundred steps are for compiled code")


class LikelySampler(Sampler):
    """Draws likely worlds one after the other."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.walk = np.zeros(1, WALK)

    def draw(self, games: Games, seat: int) -> Games:
        """Return one likely world."""
        out = super().draw(games, seat)
        make_likely(out[0], seat, self.work[0], self.walk[0], self.rng)
        return out


def weight(s: Any, seat: int, key: Key) -> float:
    """The weight of the deal `key` for `seat`, worked out from the text of the module."""
    place, total = np.frombuffer(key[0], np.uint8), 0.0
    for other in range(int(s["num_players"])):
        end = int(s["train_end"][other])
        if other == seat or (int(s["markers"]) >> other) & 1 or end == ANY or s["first_turn"] == CHAIN:
            continue
        hand = [(int(TILE_LOW[tile]), int(TILE_HIGH[tile])) for tile in np.flatnonzero(place == other)]
        laid = int((s["laid_by"][: int(s["laid_count"])] == other).sum())
        spare = len(hand) - best_line(hand, end)[0]
        total += AVERSION * laid / (laid + HALF_WAY) * min(spare, ENOUGH)
    return math.exp(-total)


def weighed(s: Any, seat: int, counts: Counter[Key]) -> dict[Key, float]:
    """The shares of the possible deals: by weight among those with the same special tiles, these uniformly."""
    alike: dict[bytes, list[Key]] = defaultdict(list)
    for key in counts:
        alike[key[1]].append(key)
    shares: dict[Key, float] = {}
    for keys in alike.values():
        heavy = [counts[key] * weight(s, seat, key) for key in keys]
        shares |= {key: sum(counts[k] for k in keys) * one / sum(heavy) for key, one in zip(keys, heavy, strict=True)}
    return shares


@pytest.mark.parametrize("kind", KINDS_OF_GAMES)
def test_deals_come_as_often_as_their_weights_say(kind: str) -> None:
    chance, sampler, values, moved = random.Random(5), LikelySampler(6), list[float](), 0
    while len(values) < 6:
        found = small_game(chance, **KINDS_OF_GAMES[kind])
        if found is None:
            continue
        walk, seat = found
        s = walk.game.state
        try:
            counts = Enumeration(walk, seat, 1500).count
        except TooMany:
            continue
        if not 2 <= len(counts) <= 200:
            continue
        shares = weighed(s, seat, counts)
        moved += max(shares[key] / counts[key] for key in counts) > 1.5
        drawn = Counter(key_of(sampler.draw(walk.game.games, seat)[0]) for _ in range(SAMPLES))
        assert not set(drawn) - set(counts), f"a deal that was impossible: {walk.game.rules} {walk.game.history}"
        values.append(goodness(shares, drawn, SAMPLES)[0])
        assert values[-1] > 1e-5, f"p={values[-1]} for seat {seat} of {walk.game.rules}: {walk.game.history}"
    if kind in ("a chain", "draws and passes"):
        assert (moved > 0) == (kind != "a chain"), "the weights must matter where there are any"


@pytest.mark.parametrize("preset", ["core", "deluxe", "dominoplay", "deluxe-random"])
def test_r26_r27_a_likely_deal_agrees_with_all_that_the_seat_knows(preset: str) -> None:
    check_worlds(Rules.preset(preset), random.Random(2), LikelySampler(1))


def test_a_walk_comes_far_enough() -> None:
    """Ten times as many steps leave as many spare tiles in the hands."""
    walk = Walk(Rules.preset("core"), 3)
    for _ in range(40):
        walk.step()
    s, sampler = walk.game.state, LikelySampler(3)
    seat = int(s["seat"])

    def spare(steps: int) -> list[float]:
        found = []
        for _ in range(400):
            world = sampler.draw(walk.game.games, seat)
            for _ in range(steps - 1):
                make_likely(world[0], seat, sampler.work[0], sampler.walk[0], sampler.rng)
            found.append(-float(sampler.walk[0]["weight"].sum()))
        return found

    short, long = spare(1), spare(10)
    error = math.hypot(np.std(short), np.std(long)) / 20
    assert STEPS == 100
    assert abs(np.mean(short) - np.mean(long)) < 3 * error + 0.1
