"""Every round of every game is dealt by itself: rounds 2 to 13 differ between seeds and are uniform (R1-R5)."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2  # type: ignore[import-untyped]  # it has no types

from mtrain_env.engine.batch import choose_random
from mtrain_env.envs.vector import MexicanTrainVectorEnv
from mtrain_env.rules import Rules

GAMES = 1000
LEAST = 1e-6  # of a p-value, of which there are a few dozen


def dealt_decks(rules: Rules) -> NDArray[np.uint8]:
    """The tiles as they were dealt, hands first, in every round of GAMES games: [round, game, place in the deck]."""
    env = MexicanTrainVectorEnv(GAMES, rules=rules, observation="uint8", copy=False)
    env.reset(seed=1)
    games = env.tables.games
    size = int(games[0]["deck_size"])
    decks = np.zeros((rules.rounds_in_game, GAMES, size), np.uint8)
    rng, chosen, begun = np.array([1, 2], np.uint64), np.zeros(GAMES, np.int64), np.zeros(GAMES, np.int64)
    while begun.min() < rules.rounds_in_game:
        new = np.flatnonzero(games["round"] == begun + 1)  # a game that has ended begins anew with round 1
        decks[begun[new], new] = games["deck"][new, :size]
        begun[new] += 1
        choose_random(rng, env.tables.actions, env.tables.counts, chosen)
        env.step(chosen)
    return decks


def seats_of(rules: Rules, deck: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Who got each tile, the boneyard last, -1 for one that was set out: [game, tile]."""
    place = np.minimum(np.arange(deck.shape[1]) // rules.hand_size, rules.num_players)
    seats = np.full((len(deck), rules.num_tiles), -1)
    np.put_along_axis(seats, deck.astype(np.int64), np.broadcast_to(place, deck.shape), axis=1)
    return seats


def p_of_places(seats: NDArray[np.int64]) -> float:
    """The p-value of the chi-square test that every tile goes to every seat as often as the sizes of hands say."""
    tiles = np.flatnonzero(seats[0] >= 0)
    found = np.stack([np.bincount(seats[:, tile]) for tile in tiles])
    expected = found.sum(axis=0) / len(tiles)
    value = float(((found - expected) ** 2 / expected).sum()) * (len(tiles) - 1) / len(tiles)  # hands have fixed sizes
    return float(chi2.sf(value, (len(tiles) - 1) * (found.shape[1] - 1)))


def p_of_tile(tiles: NDArray[np.uint8], kinds: int) -> float:
    """The p-value of the chi-square test that a place of the deck has every tile as often."""
    found = np.sort(np.bincount(tiles))[-kinds:]
    assert found.sum() == len(tiles)
    expected = len(tiles) / kinds
    return float(chi2.sf(((found - expected) ** 2 / expected).sum(), kinds - 1))


@pytest.mark.parametrize("preset", ["core", "pagat"])
def test_r1_r2_every_round_is_dealt_at_random(preset: str) -> None:
    rules = Rules.preset(preset)
    decks = dealt_decks(rules)
    size = decks.shape[2]
    assert len(decks) == 13 and size == (90 if preset == "core" else 91)
    before: Any = None
    for deck in decks:
        assert len(np.unique(deck, axis=0)) == GAMES
        unmoved = (deck == np.sort(deck, axis=1)).sum(axis=1)  # a shuffle leaves one tile where it was, on average
        assert abs(unmoved.mean() - 1) < 5 / GAMES**0.5
        seats = seats_of(rules, deck)
        assert p_of_places(seats) > LEAST
        for place in (0, rules.hand_size, 4 * rules.hand_size, size - 1):  # the last two: first and last to be drawn
            assert p_of_tile(deck[:, place], size) > LEAST
        if before is not None:
            both = (seats >= 0) & (before >= 0)
            same = ((seats == before) & both).sum(axis=1)
            hands = rules.hand_size / size
            expected = both.sum(axis=1) * (4 * hands**2 + (1 - 4 * hands) ** 2)
            assert abs((same - expected).mean()) < 5 * same.std() / GAMES**0.5
        before = seats
