"""The longest line by trying everything: no pruning, doubles are tiles like any other."""

import numpy as np
from numpy.typing import NDArray

from mtrain_env.tiles import TILE_HIGH, TILE_LOW

Tile = tuple[int, int]


def best_line(tiles: list[Tile], start: int) -> tuple[int, int]:
    """Return (tiles, pips) of the longest line of `tiles` from the number `start`, ties broken by pips."""
    best = (0, 0)
    for k, (a, b) in enumerate(tiles):
        if start in (a, b):
            length, pips = best_line(tiles[:k] + tiles[k + 1 :], a + b - start)
            best = max(best, (length + 1, pips + a + b))
    return best


def hand_of(tiles: list[Tile]) -> NDArray[np.uint32]:
    """Return the rows, uint32[19], of a hand."""
    hand = np.zeros(19, np.uint32)
    for a, b in tiles:
        hand[a] |= np.uint32(1 << b)
        hand[b] |= np.uint32(1 << a)
    return hand


def tiles_of(line: NDArray[np.uint8]) -> list[Tile]:
    """Return the numbers of each tile id."""
    return [(int(TILE_LOW[tile]), int(TILE_HIGH[tile])) for tile in line]


def random_tiles(rng: np.random.Generator, max_pip: int, count: int) -> list[Tile]:
    """Return `count` different tiles of the double-`max_pip` set."""
    num_tiles = (max_pip + 1) * (max_pip + 2) // 2
    return tiles_of(rng.permutation(num_tiles)[:count].astype(np.uint8))
