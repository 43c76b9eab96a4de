"""Print what a longest line costs, by size of hand: `python -m tests.benchmarks.bench_lines [hands] [checked]`.

Microseconds of processor time. The start is a number of the hand, so there always is a line. The last column is the
mean over the moves that a seat would score: every tile of the hand played elsewhere, and on the own train where it
fits, by `longest_line_after`; the hand's own line is in the time. Then so many hands of up to 12 tiles are checked
against brute force.
"""

import sys
import time

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import jit
from mtrain_env.engine.lines import WORK_SHAPE, line_pips, longest_line, longest_line_after
from tests.engine.brute_lines import best_line, hand_of, random_tiles
from tests.engine.test_lines import random_case

CASES = (
    (6, 7),
    (9, 10),
    (9, 15),
    (12, 5),
    (12, 10),
    (12, 12),
    (12, 15),
    (12, 20),
    (12, 25),
    (12, 40),
    (18, 15),
)


@jit
def search_all(
    hands: NDArray[np.uint32],
    starts: NDArray[np.int64],
    node_cap: int,
    work: NDArray[np.int64],
    path: NDArray[np.uint8],
    lengths: NDArray[np.int64],
) -> None:
    """Fill `lengths` (int64[hands]) with the length of the longest line of each hand."""
    for i in range(len(hands)):
        lengths[i] = longest_line(hands[i], starts[i], node_cap, work, path)


@jit
def score_moves(
    hands: NDArray[np.uint32],
    starts: NDArray[np.int64],
    node_cap: int,
    work: NDArray[np.int64],
    path: NDArray[np.uint8],
    rest: NDArray[np.uint8],
) -> int:
    """Find each hand's line and the line after each of its moves; return the number of moves."""
    moves = 0
    for i in range(len(hands)):
        start = starts[i]
        length = longest_line(hands[i], start, node_cap, work, path)
        for high in range(19):
            for low in range(high + 1):
                if (hands[i, high] >> low) & 1:
                    tile = high * (high + 1) // 2 + low
                    longest_line_after(hands[i], start, path, length, tile, start, node_cap, work, rest)
                    moves += 1
                    if start in (low, high):
                        end = low + high - start
                        longest_line_after(hands[i], start, path, length, tile, end, node_cap, work, rest)
                        moves += 1
    return moves


def check(num_hands: int) -> None:
    """Compare the exact search with brute force on random hands; print how often it is optimal, and what it costs."""
    rng = np.random.default_rng(2)
    work, paths = np.zeros(WORK_SHAPE, np.int64), np.zeros((num_hands, 190), np.uint8)
    cases = [random_case(rng, 12) for _ in range(num_hands)]
    hands = np.array([hand_of(tiles) for tiles, _ in cases])
    longest_line(hands[0], cases[0][1], 0, work, paths[0])
    began = time.process_time()
    lengths = [longest_line(hands[k], start, 0, work, paths[k]) for k, (_, start) in enumerate(cases)]
    spent = time.process_time() - began
    found = [(length, int(line_pips(path, length))) for path, length in zip(paths, lengths, strict=True)]
    optimal = sum(best_line(*case) == worth for case, worth in zip(cases, found, strict=True))
    cost = f"{spent / num_hands * 1e6:.2f} us a line, the call from Python included"
    print(f"optimal on {optimal:,} of {num_hands:,} hands of up to 12 tiles, by brute force; {cost}")


def main(num_hands: int) -> None:
    """Measure all cases; the best of five passes counts."""
    rng = np.random.default_rng(1)
    work, path, rest = np.zeros(WORK_SHAPE, np.int64), np.zeros(190, np.uint8), np.zeros(190, np.uint8)
    print("node cap  set  tiles  us/line  mean length  us/move")
    for node_cap in (0, 300):
        for max_pip, count in CASES:
            if node_cap == 0 and count > 20:
                continue
            dealt = [random_tiles(rng, max_pip, count) for _ in range(num_hands)]
            hands = np.array([hand_of(tiles) for tiles in dealt])
            starts = np.array([tiles[0][k % 2] for k, tiles in enumerate(dealt)])
            lengths = np.zeros(num_hands, np.int64)
            search_all(hands[:1], starts, node_cap, work, path, lengths)
            score_moves(hands[:1], starts, node_cap, work, path, rest)
            search, moves = np.inf, np.inf
            for _ in range(5):
                began = time.process_time()
                search_all(hands, starts, node_cap, work, path, lengths)
                search = min(search, time.process_time() - began)
                began = time.process_time()
                num_moves = score_moves(hands, starts, node_cap, work, path, rest)
                moves = min(moves, (time.process_time() - began) / num_moves)
            print(
                f"{node_cap:8d} {max_pip:4d} {count:6d} {search / num_hands * 1e6:8.2f}"
                f" {lengths.mean():12.2f} {moves * 1e6:8.2f}"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
    check(int(sys.argv[2]) if len(sys.argv) > 2 else 2000)
