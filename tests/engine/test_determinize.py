"""`determinize` keeps what the seat knows and deals the rest as the public history allows, every such deal as often."""

import hashlib
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2  # type: ignore[import-untyped]  # it has no types

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.engine.belief import WORK
from mtrain_env.engine.determinize import blank, determinize
from mtrain_env.engine.state import CHOOSING, FACES, GAME, PLAYING, ROUND_OVER
from mtrain_env.game import Game
from mtrain_env.rules import PRESETS, VARIATIONS, Rules
from tests.engine.deals import Walk, check_replay, deck_of, foreign_trade, traded_origin_lost, world_of
from tests.engine.deals_by_force import Enumeration, Key, TooMany, key_of
from tests.engine.random_rules import random_rules

Games = NDArray[Any]
WORDS = [
    *PRESETS,
    *VARIATIONS,
    "pagat 2",
    "pagat 8",
    "dominoplay 2",
    "dominoplay 8",
    "dominoplay 16",
    "core 2",
    "deluxe 2",
    "deluxe 8",
    "deluxe-random 2",
]


def rules_of(words: str) -> Rules:
    name, _, players = words.partition(" ")
    return Rules.preset(name, **({"num_players": int(players)} if players else {}))


class Sampler:
    """Draws worlds one after the other."""

    def __init__(self, seed: int) -> None:
        self.rng = np.array([seed, 1], np.uint64)
        self.work = np.zeros(1, WORK)

    def draw(self, games: Games, seat: int) -> Games:
        """Return one world as `seat` may imagine it."""
        out = np.zeros(1, GAME)
        determinize(games, 0, seat, out, 0, self.work, self.rng)
        return out


def blanked(games: Games, seat: int) -> Games:
    out = np.zeros(1, GAME)
    blank(games, 0, seat, out, 0)
    return out


def all_tiles(s: Any) -> list[str]:
    hands, boneyard = world_of(s)
    return sorted([*(tile for hand in hands for tile in hand), *boneyard])


def check_world(walk: Walk, seat: int, sampler: Sampler) -> bool:
    """Everything that one world can be held to; whether its deal could be replayed."""
    game = walk.game
    s = game.state
    world = sampler.draw(game.games, seat)
    assert blanked(world, seat).tobytes() == blanked(game.games, seat).tobytes()
    assert world[0]["rng"].tolist() != s["rng"].tolist()
    assert world_of(world[0])[0][seat] == world_of(s)[0][seat]
    assert all_tiles(world[0]) == all_tiles(s)
    for other in range(game.rules.num_players):
        assert not set(faces_held(world[0], other)) & set(faces_lacking(s, other))
    if s["phase"] not in (PLAYING, ROUND_OVER) or foreign_trade(s, seat) or traded_origin_lost(s, seat):
        return False
    check_replay(game, walk.base, world, deck_of(game, seat, sampler.work[0], world[0]))
    return True


def check_worlds(rules: Rules, chance: random.Random, sampler: Sampler) -> None:
    """Check worlds of positions in random games, twelve of them with a replay."""
    replayed, walk = 0, Walk(rules, 1)
    while replayed < 12:
        if not walk.step():
            walk = Walk(rules, chance.randrange(1000))
        if chance.random() < 0.03:
            replayed += check_world(walk, chance.randrange(rules.num_players), sampler)


def faces_held(s: Any, seat: int) -> list[int]:
    numbers = np.flatnonzero(s["hand"][seat]).tolist()
    return [*numbers, *(19 + np.flatnonzero(s["special_hand"][seat])).tolist()]


def faces_lacking(s: Any, seat: int) -> list[int]:
    """What the seat has shown to lack since it last got a tile (R27)."""
    last = max((g + 1 for g in range(int(s["gains"])) if s["gain_seat"][g] == seat), default=0)
    return [face for face in range(FACES) if s["void_at"][seat, face] > last]


@pytest.mark.parametrize("words", WORDS)
def test_r26_r27_a_world_agrees_with_all_that_the_seat_knows(words: str) -> None:
    check_worlds(rules_of(words), random.Random(words), Sampler(1))


def test_r27_worlds_of_random_rules_can_be_replayed() -> None:
    chance, sampler, replayed = random.Random(3), Sampler(2), 0
    while replayed < 100:
        rules = random_rules(chance, num_rounds=1)
        walk = Walk(rules, chance.randrange(1000))
        while walk.step():
            if chance.random() < 0.05:
                replayed += check_world(walk, chance.randrange(rules.num_players), sampler)


def test_r26_the_hidden_tiles_themselves_do_not_matter() -> None:
    for words in WORDS:
        walk = Walk(rules_of(words), 5)
        for _ in range(60):
            walk.step()
        seat = 1
        one = Sampler(9).draw(walk.game.games, seat)
        other = Sampler(9).draw(blanked(walk.game.games, seat), seat)
        assert one.tobytes() == other.tobytes()


def test_a_seat_that_chooses_the_opening_double_faces_an_undealt_table() -> None:
    game = Game("dominoplay-chosen", 1)
    assert game.state["phase"] == CHOOSING
    world = Sampler(1).draw(game.games, 0)
    assert all_tiles(world[0]) == []
    assert world[0]["hand_count"].sum() == 0


@pytest.mark.parametrize("words", ["core", "pagat 2", "dominoplay 16", "deluxe 8"])
def test_the_truth_turns_up_no_more_often_than_chance(words: str) -> None:
    """At the beginning of a round nobody has shown anything: a hidden tile lies where it does by the hands' sizes."""
    rules = rules_of(words)
    sampler, same, expected, variance = Sampler(4), 0, 0.0, 0.0
    for seed in range(60):
        game = Game(rules, seed)
        if game.state["gains"] > 0:
            continue
        place = game.state["tile_place"]
        hidden = np.flatnonzero((place != 0) & (place <= 16))
        left = int(game.state["deck_size"] - game.state["deck_next"])
        sizes = [*game.state["hand_count"][1 : rules.num_players].tolist(), left]
        shares = np.array(sizes) / sum(sizes)
        for _ in range(20):
            world = sampler.draw(game.games, 0)
            same += int((world[0]["tile_place"][hidden] == place[hidden]).sum())
            expected += len(hidden) * float((shares**2).sum())
            variance += len(hidden) * float((shares**2).sum())
    assert abs(same - expected) < 5 * variance**0.5


def worlds_hash() -> str:
    """A hash of worlds of several games, in whatever mode this runs."""
    digest = hashlib.sha256()
    for words in ("core", "pagat 2", "deluxe", "deluxe-random 2", "dominoplay 16"):
        walk, sampler = Walk(rules_of(words), 3), Sampler(7)
        for step in range(60):
            walk.step()
            if step % 20 == 19:
                digest.update(sampler.draw(walk.game.games, step % 2).tobytes())
    return digest.hexdigest()


def test_plain_python_draws_the_same_worlds() -> None:
    program = "from tests.engine.test_determinize import worlds_hash; print(worlds_hash())"
    disabled = {**os.environ, "NUMBA_DISABLE_JIT": str(int(not JIT_DISABLED))}
    root = Path(__file__).parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-c", program], env=disabled, cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == worlds_hash()


def goodness(counts: Mapping[Key, float], drawn: Counter[Key], samples: int) -> tuple[float, int]:
    """The p-value of the chi-square test, worlds expected less than five times together, and its degrees of freedom."""
    total = sum(counts.values())
    cells: list[tuple[float, int]] = []
    rare = (0.0, 0)
    for key, deals in counts.items():
        cell = (deals * samples / total, drawn[key])
        if cell[0] < 5:
            rare = (rare[0] + cell[0], rare[1] + cell[1])
        else:
            cells.append(cell)
    if rare[0] > 5:
        cells.append(rare)
    value = sum((found - expected) ** 2 / expected for expected, found in cells)
    return float(chi2.sf(value, len(cells) - 1)) if len(cells) > 1 else 1.0, len(cells) - 1


def small_game(chance: random.Random, **fixed: object) -> tuple[Walk, int] | None:
    """A position of a game with a double-3 set and few tiles in hand, and a seat; None if it is not a good one."""
    players = chance.choice((2, 3))
    hand = chance.choice((2, 3) if players == 2 else (2,))
    rules = random_rules(chance, max_pip=3, num_players=players, hand_size=hand, **fixed)
    walk = Walk(rules, chance.randrange(1000))
    for _ in range(chance.randrange(4, 40)):
        if not walk.step():
            return None
    seat = chance.randrange(players)
    s = walk.game.state
    if s["phase"] != PLAYING or foreign_trade(s, seat) or traded_origin_lost(s, seat):
        return None
    return walk, seat


def check_position(walk: Walk, seat: int, counts: Counter[Key], sampler: Sampler, samples: int, least: float) -> float:
    """The p-value of so many worlds against the deals that the reference rules find possible."""
    game = walk.game
    assert key_of(game.state) in counts
    drawn = Counter(key_of(sampler.draw(game.games, seat)[0]) for _ in range(samples))
    assert not set(drawn) - set(counts), f"a deal that was impossible: {game.rules} {game.history}"
    value, _ = goodness(counts, drawn, samples)
    assert value > least, f"p={value} for seat {seat} of {game.rules}: {game.history}"
    return value


def check_uniform(seed: int, cases: int, most: int, samples: int, **fixed: object) -> None:
    """In so many positions, every deal that the reference rules find possible is drawn as often as any other."""
    chance, sampler, values = random.Random(seed), Sampler(seed + 1), list[float]()
    while len(values) < cases:
        found = small_game(chance, **fixed)
        if found is None:
            continue
        walk, seat = found
        try:
            counts = Enumeration(walk, seat, most).count
        except TooMany:
            continue
        if not 2 <= len(counts) <= 200:
            continue
        values.append(check_position(walk, seat, counts, sampler, samples, 1e-4 / cases))
    low = sum(value < 0.05 for value in values)
    assert low <= 0.05 * cases + 4 * (0.05 * cases) ** 0.5 + 1, values


SAMPLES = 300 if JIT_DISABLED else 4000  # plain Python takes milliseconds for a world
PLAIN = {"special_tiles": False}
KINDS_OF_GAMES: dict[str, dict[str, object]] = {
    "draws and passes": {**PLAIN, "num_rounds": 1},
    "a chain": {**PLAIN, "first_turn": "chain", "opening_source": "hunt", "opening_turn": "start_train"},
    "random opening doubles": {**PLAIN, "opening_order": "random", "opening_source": "hunt"},
    "special tiles": {"special_tiles": True, "draw_limit": "per_turn"},
    "draw until playable": {**PLAIN, "draw_limit": "until_playable"},
}


@pytest.mark.parametrize("kind", [kind for kind in KINDS_OF_GAMES if kind != "special tiles"])
def test_r27_every_possible_deal_is_equally_likely(kind: str) -> None:
    check_uniform(1, 4, 1500, SAMPLES, **KINDS_OF_GAMES[kind])


@pytest.mark.parametrize("seed", [59, 91, 104, 128, 158, 209])
def test_d7_d12_every_possible_deal_of_special_tiles_is_equally_likely(seed: int) -> None:
    """Positions with trades, copies laid and things lacking whose deals are few enough to try."""
    found = small_game(random.Random(seed), **KINDS_OF_GAMES["special tiles"])
    assert found is not None
    check_position(*found, Enumeration(*found, 1500).count, Sampler(seed), SAMPLES, 1e-5)


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS_OF_GAMES)
def test_r27_every_possible_deal_is_equally_likely_in_many_games(kind: str) -> None:
    special = kind == "special tiles"  # few positions have deals few enough to try
    check_uniform(2, 40 if special else 100, 1500 if special else 8000, 10_000, **KINDS_OF_GAMES[kind])
