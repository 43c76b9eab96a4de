# mypy: disable-error-code="arg-type, assignment, index, operator"
# np.int64 and int are one type when compiled, which mypy tells apart
"""Jitted inner loops of the collector and the learners: rows, moves, and targets along a seat's own decisions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit
from mtrain_env.encoding.candidate_features import write_hand, write_line, write_trains, write_turn
from mtrain_env.encoding.candidates import CandidateScratch, candidates
from mtrain_env.engine.lines import longest_line
from mtrain_env.engine.rng import random_below, random_bits

Games = NDArray[np.void]
Ints = NDArray[np.int64]
AnyInts = NDArray[np.integer[Any]]
Floats = NDArray[np.float32]
Words = NDArray[np.uint64]


@jit
def write_rows(
    games: Games,
    which: AnyInts,
    actions: AnyInts,
    counts: AnyInts,
    only: Ints,
    columns: NDArray[np.uint32],
    node_cap: int,
    scratch: CandidateScratch,
    wide: Floats,
    rows: Floats,
) -> None:
    """The candidate rows of the games `which`, one after another, reduced to `columns`.

    `columns`: unsigned, so that none is counted from the end: 100 instead of 143 ns a row of deluxe.
    `only[k]`: the move of the k-th game whose row is wanted, -1 = all legal ones. `node_cap`: as lines.longest_line.
    `wide`: (most legal actions, CAND_WIDTH), scratch; `rows`: (all rows wanted, len(columns)).
    """
    r = 0
    for k in range(which.shape[0]):
        g = which[k]
        first = max(np.int64(only[k]), 0)
        count = np.int64(counts[g]) if only[k] < 0 else 1
        candidates(games, g, actions[g, first : first + count], count, node_cap, scratch, wide)
        for j in range(count):
            for c in range(columns.shape[0]):
                rows[r, c] = wide[j, columns[c]]
            r += 1


@jit
def write_positions(
    games: Games,
    which: AnyInts,
    of_seat: Ints,
    of_table: Ints,
    node_cap: int,
    scratch: CandidateScratch,
    wide: Floats,
    positions: Floats,
) -> None:
    """The whole position of each of the games `which`, all hands too, from its acting seat on in the order of play.

    For each seat the columns `of_seat` of a candidate row, as if the seat had just moved, zeros for seats that the
    game has not; then the columns `of_table` as the acting seat sees them. Nothing reads the order of the boneyard.
    `wide`: (CAND_WIDTH,), scratch; `positions`: (len(which), seats * len(of_seat) + len(of_table)).
    """
    table = positions.shape[1] - of_table.shape[0]
    for k in range(which.shape[0]):
        scratch.after[0] = games[which[k]]
        s = scratch.after[0]
        n = int64(s["num_players"])
        seat = int64(s["seat"])
        positions[k, :] = 0.0
        for turn in range(n):
            wide[:] = 0.0
            held = int64(s["hand_count"][seat])
            points = write_hand(s, seat, 0, wide)
            length = longest_line(s["hand"][seat], int64(s["train_end"][seat]), node_cap, scratch.work, scratch.line)
            write_line(s, seat, held, points, scratch.line, length, scratch.left, wide)
            write_trains(s, seat, scratch.left, wide)
            for c in range(of_seat.shape[0]):
                positions[k, turn * of_seat.shape[0] + c] = wide[of_seat[c]]
            if turn == 0:
                write_turn(s, seat, wide)
                for c in range(of_table.shape[0]):
                    positions[k, table + c] = wide[of_table[c]]
            seat = (seat + int64(s["direction"]) + n) % n


@jit
def uniform(words: Words) -> float:
    """A random number above 0 and below 1; `words` is changed."""
    return (np.float64(random_bits(words)) + 0.5) / 4294967296.0


@jit
def choose_greedy(
    score: Floats, which: Ints, counts: NDArray[np.int32], rngs: Words, explore: float, chosen: Ints, best: Ints
) -> None:
    """For each game of `which` the move with the highest score (ties: the first), or with chance `explore` any move.

    Writes `chosen[g]`, and `best[k]`: the highest-scored move of the k-th game, whether it is played or not.
    """
    r = 0
    for k in range(which.shape[0]):
        g = which[k]
        count = np.int64(counts[g])
        top = 0
        for j in range(1, count):
            if score[r + j] > score[r + top]:
                top = j
        best[k] = top
        chosen[g] = top
        if explore > 0.0 and uniform(rngs[g]) < explore:
            chosen[g] = random_below(rngs[g], count)
        r += count


@jit
def choose_sampled(
    score: Floats,
    value: Floats,
    which: Ints,
    counts: NDArray[np.int32],
    rngs: Words,
    chosen: Ints,
    log_prob: Floats,
    state_value: Floats,
) -> None:
    """For each game of `which` a move by softmax of the scores (Gumbel-max), its log-probability and the state's value.

    The value of a state is the mean of (others' mean - own) over the policy's moves, pips / 100.
    """
    r = 0
    for k in range(which.shape[0]):
        g = which[k]
        count = np.int64(counts[g])
        top = np.float64(score[r])
        for j in range(1, count):
            top = max(top, np.float64(score[r + j]))
        total = 0.0
        mean = 0.0
        most = -np.inf
        for j in range(count):
            weight = np.exp(np.float64(score[r + j]) - top)
            total += weight
            mean += weight * (np.float64(value[r + j, 1]) - np.float64(value[r + j, 0]))
            noisy = np.float64(score[r + j]) - np.log(-np.log(uniform(rngs[g])))
            if noisy > most:
                most = noisy
                chosen[g] = j
        log_prob[k] = np.float64(score[r + chosen[g]]) - top - np.log(total)
        state_value[k] = mean / total
        r += count


@jit
def lambda_targets(
    game: Ints,
    seat: Ints,
    played: Floats,
    best: Floats,
    explored: NDArray[np.bool_],
    target: Floats,
    lam: float,
    out: Floats,
) -> None:
    """TD(lambda) targets of afterstates along each seat's own decisions, in the order of play: `out` (D, 2).

    `played`, `best` (D, 2): the network's forecast after the move played and after its favourite; `target` (games,
    seats, 2): the round's real end, overwritten. After a random move the trace is cut and the favourite's forecast
    stands in, so that exploring does not spoil the targets (Watkins' Q(lambda)). lambda 1 without random moves: the
    real end.
    """
    for d in range(game.shape[0] - 1, -1, -1):
        g = game[d]
        s = seat[d]
        for k in range(2):
            out[d, k] = target[g, s, k]
            if explored[d]:
                target[g, s, k] = best[d, k]
            else:
                target[g, s, k] = (1.0 - lam) * played[d, k] + lam * target[g, s, k]


@jit
def gae(game: Ints, seat: Ints, value: Floats, outcome: Floats, lam: float, advantage: Floats, scratch: Floats) -> None:
    """Generalised advantage estimates along each seat's own decisions; undiscounted, paid once, when the round ends.

    `value` (D,): the state's value before the move; `outcome` (games, seats): the reward `relative`; `scratch`
    (games, seats, 2).
    """
    for g in range(outcome.shape[0]):
        for s in range(outcome.shape[1]):
            scratch[g, s, 0] = outcome[g, s]  # the value that follows
            scratch[g, s, 1] = 0.0  # the advantage that follows
    for d in range(game.shape[0] - 1, -1, -1):
        g = game[d]
        s = seat[d]
        a = scratch[g, s, 0] - value[d] + lam * scratch[g, s, 1]
        advantage[d] = a
        scratch[g, s, 0] = value[d]
        scratch[g, s, 1] = a


@jit
def mix_moves(
    which: Ints,
    counts: NDArray[np.int32],
    favourite: Ints,
    rngs: Words,
    explore: float,
    whole: float,
    chosen: Ints,
    only: Ints,
) -> None:
    """The teacher's moves: `chosen[g]` is `favourite[g]`, or with chance `explore` any move.

    `only[k]` is the move of the k-th game, or with chance `whole` -1: all its moves are to be written.
    """
    for k in range(which.shape[0]):
        g = which[k]
        chosen[g] = favourite[g]
        if uniform(rngs[g]) < explore:
            chosen[g] = random_below(rngs[g], np.int64(counts[g]))
        only[k] = -1 if uniform(rngs[g]) < whole else chosen[g]
