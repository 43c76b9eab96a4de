"""The longest line against brute force; valid, exact, capped and fast; the same in plain Python."""

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.engine.lines import WORK_SHAPE, line_pips, longest_line, longest_line_after
from mtrain_env.engine.state import ANY
from mtrain_env.tiles import tile_id
from tests.engine.brute_lines import Tile, best_line, hand_of, random_tiles, tiles_of

WORK = np.full(WORK_SHAPE, -1, np.int64)
SETS = (6, 9, 12, 18)


def line_of(tiles: list[Tile], start: int, node_cap: int = 0) -> list[Tile]:
    """Search, check that the line is one and that the hand is as before, and return its tiles."""
    hand = hand_of(tiles)
    path = np.zeros(190, np.uint8)
    length = longest_line(hand, start, node_cap, WORK, path)
    assert np.array_equal(hand, hand_of(tiles))
    line = tiles_of(path[:length])
    assert_is_line(line, tiles, start)
    assert line_pips(path, length) == pips_of(line)
    return line


def assert_is_line(line: list[Tile], tiles: list[Tile], start: int) -> None:
    assert len(set(line)) == len(line) and set(line) <= set(tiles)
    assert start != ANY or not line or any(fits(line, first) for first in line[0])
    assert start == ANY or fits(line, start)


def fits(line: list[Tile], start: int) -> bool:
    end = start
    for a, b in line:
        if end not in (a, b):
            return False
        end = a + b - end
    return True


def pips_of(line: list[Tile]) -> int:
    return sum(a + b for a, b in line)


def worth(line: list[Tile]) -> tuple[int, int]:
    return len(line), pips_of(line)


def random_case(rng: np.random.Generator, most: int) -> tuple[list[Tile], int]:
    """A hand of 0..most tiles, half of them full, and a start: mostly a number of the hand."""
    max_pip = int(rng.choice(SETS))
    count = most if rng.random() < 0.5 else int(rng.integers(0, most + 1))
    tiles = random_tiles(rng, max_pip, count)
    matching = tiles and rng.random() < 0.9
    return tiles, tiles[0][int(rng.integers(2))] if matching else int(rng.integers(max_pip + 1))


def compare_with_brute_force(seed: int, num_hands: int, most: int = 12) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(num_hands):
        tiles, start = random_case(rng, most)
        assert worth(line_of(tiles, start)) == best_line(tiles, start), (tiles, start)


def test_exact_on_random_hands() -> None:
    compare_with_brute_force(1, 4000)


@pytest.mark.soak
def test_exact_on_many_random_hands() -> None:
    compare_with_brute_force(2, 100_000)


@pytest.mark.parametrize("max_pip", [2, 3, 4])
def test_exact_on_dense_hands(max_pip: int) -> None:
    rng = np.random.default_rng(max_pip)
    for _ in range(100):
        tiles = random_tiles(rng, max_pip, int(rng.integers(3, 10)))
        for start in range(max_pip + 1):
            assert worth(line_of(tiles, start)) == best_line(tiles, start), (tiles, start)


def test_exact_from_an_open_wild() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        tiles, _ = random_case(rng, 9)
        assert worth(line_of(tiles, ANY)) == max(best_line(tiles, start) for start in range(19)), tiles


def test_ties_are_broken_by_pips() -> None:
    assert line_of([(1, 2), (1, 3)], 1) == [(1, 3)]
    # 1-2, 2-5 and 1-3, 3-4 are as long: 10 pips and 11
    assert line_of([(1, 2), (2, 5), (1, 3), (3, 4)], 1) == [(1, 3), (3, 4)]
    # a double is a tile: the shorter way with a double ties, and has more pips
    assert line_of([(1, 9), (9, 9), (1, 2), (2, 3)], 1) == [(1, 9), (9, 9)]


def test_length_comes_before_pips() -> None:
    assert line_of([(1, 18), (0, 1), (0, 2)], 1) == [(0, 1), (0, 2)]


def test_hands_without_a_line() -> None:
    assert line_of([], 5) == []
    assert line_of([], ANY) == []
    assert line_of([(1, 2), (3, 3)], 5) == []


def test_only_doubles() -> None:
    doubles = [(p, p) for p in range(19)]
    assert line_of(doubles, 7) == [(7, 7)]
    assert line_of(doubles, ANY) == [(18, 18)]


def test_whole_sets() -> None:
    """A double-even set without its doubles has only numbers of even degree: everything fits in one line."""
    for max_pip in (2, 4, 6, 12, 18):
        tiles = [(a, b) for b in range(max_pip + 1) for a in range(b + 1)]
        assert len(line_of(tiles, 0, node_cap=300)) == len(tiles)


def test_doubles_are_laid_when_reached() -> None:
    assert line_of([(1, 2), (2, 2), (2, 3), (1, 1)], 1) == [(1, 1), (1, 2), (2, 2), (2, 3)]


def test_capped_line_is_valid_and_no_better() -> None:
    rng = np.random.default_rng(4)
    for _ in range(100):
        tiles = random_tiles(rng, 12, 16)
        start = tiles[0][0]
        exact = worth(line_of(tiles, start))
        capped = [worth(line_of(tiles, start, node_cap)) for node_cap in (1, 5, 30, 300)]
        assert sorted(capped) == capped and capped[-1] <= exact
        assert capped[-1][0] >= exact[0] - 1
        assert line_of(tiles, start, 30) == line_of(tiles, start, 30)


def test_forty_tiles_with_a_cap_are_fast() -> None:
    """15 us each are usual; the slack is for slow machines, and the median for busy ones."""
    rng = np.random.default_rng(5)
    path = np.zeros(190, np.uint8)
    lengths, seconds = [], []
    for _ in range(20):
        tiles = random_tiles(rng, 12, 40)
        hand, start = hand_of(tiles), tiles[0][0]
        began = time.perf_counter()
        lengths.append(longest_line(hand, start, 300, WORK, path))
        seconds.append(time.perf_counter() - began)
    assert np.mean(lengths) > 35
    assert JIT_DISABLED or np.median(seconds) < 1e-3


def test_exact_on_twenty_tiles() -> None:
    """Too many for brute force: the exact line must beat any capped one, and its rest be best too."""
    rng = np.random.default_rng(6)
    for _ in range(2 if JIT_DISABLED else 50):
        tiles = random_tiles(rng, 12, 20)
        start = tiles[0][0]
        line = line_of(tiles, start)
        assert worth(line) >= worth(line_of(tiles, start, 2000))
        rest = [tile for tile in tiles if tile != line[0]]
        assert worth(line_of(rest, sum(line[0]) - start)) == worth(line[1:])


def line_after(tiles: list[Tile], start: int, tile: Tile, end: int) -> list[Tile]:
    hand = hand_of(tiles)
    line, path = np.zeros(190, np.uint8), np.zeros(190, np.uint8)
    length = longest_line(hand, start, 0, WORK, line)
    before = line.copy()
    length = longest_line_after(hand, start, line, length, tile_id(*tile), end, 0, WORK, path)
    assert np.array_equal(hand, hand_of(tiles)) and np.array_equal(line, before)
    rest = tiles_of(path[:length])
    assert_is_line(rest, [other for other in tiles if other != tile], end)
    return rest


def test_line_after_each_move() -> None:
    """Every tile played elsewhere, and on the own train where it fits; also with an open Wild as the end."""
    rng = np.random.default_rng(7)
    for _ in range(150):
        tiles, start = random_case(rng, 8)
        for a, b in tiles:
            left = [other for other in tiles if other != (a, b)]
            ends = {start} | ({a + b - start} if start in (a, b) else set())
            for end in ends:
                assert worth(line_after(tiles, start, (a, b), end)) == best_line(left, end), (
                    tiles,
                    start,
                    a,
                    b,
                )
            best_anywhere = max(best_line(left, p) for p in range(19))
            assert worth(line_after(tiles, ANY, (a, b), ANY)) == best_anywhere
            assert worth(line_after(tiles, ANY, (a, b), b)) == best_line(left, b)


def test_line_after_from_an_unrelated_end() -> None:
    """ANY is 19, so the numbers 19 and 0 add up to the pips of 1-18: no reason to think that 0 follows it."""
    assert line_after([(1, 18), (18, 18), (0, 5)], ANY, (1, 18), 0) == [(0, 5)]


def lines_digest(num_hands: int = 60) -> str:
    """Hash of the lines of random hands, capped and exact: the same with and without compilation."""
    rng = np.random.default_rng(8)
    digest = hashlib.sha1(usedforsecurity=False)
    for k in range(num_hands):
        tiles = random_tiles(rng, 12, k % 16)
        start = ANY if k % 7 == 6 else int(rng.integers(13))
        for node_cap in (0, 20):
            digest.update(repr(line_of(tiles, start, node_cap)).encode())
        if tiles:
            digest.update(repr(line_after(tiles, start, tiles[0], tiles[0][1])).encode())
    return digest.hexdigest()


def test_plain_python_gives_the_same_lines() -> None:
    other_mode = os.environ | {"NUMBA_DISABLE_JIT": "0" if JIT_DISABLED else "1"}
    command = "from tests.engine.test_lines import lines_digest; print(lines_digest())"
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", command], env=other_mode, cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == lines_digest()
